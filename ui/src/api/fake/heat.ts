/** What makes `?heat` hot: tools, a plan, a child, an answer that was cut off, and prices. */
import type { Run, Step, StepKind } from '../generated';
import type { Answers } from './answers';
import type { World } from './world';

export function doings(answers: Answers, world: World): void {
  const prices = [
    {
      model: 'local/*',
      input_microusd: 0,
      cached_microusd: null,
      cache_write_microusd: null,
      as_of: null,
      by_provider: false,
      output_microusd: 0,
    },
    {
      model: 'openrouter/*',
      input_microusd: 3_000_000,
      cached_microusd: 300_000,
      cache_write_microusd: null,
      as_of: null,
      by_provider: false,
      output_microusd: 15_000_000,
    },
  ];
  world.settings = { ...world.settings, prices };
  const replies = [...world.runs.values()];
  const [first, second] = replies;
  if (!first || !second) return;
  for (const run of replies) world.keep({ table: 'run', row: { ...run, cost_microusd: 21_000 } });
  keep(world, first, [
    { step: 'woken', by: first.cause.message },
    { step: 'decided', verdict: 'speak', reason: first.cause.reason },
    { step: 'brief_built', messages: 4, characters: 2400 },
    {
      step: 'planned',
      plan: {
        steps: [
          {
            id: 'read',
            action: { kind: 'tool', tool: 'read_file', arguments: { path: 'stations.csv' } },
            after: [],
            required: true,
          },
          { id: 'say', action: { kind: 'reply', about: 'the median gap' }, after: ['read'], required: true },
        ],
      },
    },
    { step: 'model_called', model: first.model },
    {
      step: 'tool_proposed',
      call: 'c1',
      model_id: 'read',
      tool: 'read_file',
      arguments: '{"path":"stations-2019-2025.csv"}',
    },
    { step: 'tool_dispatched', call: 'c1' },
    { step: 'tool_returned', call: 'c1', state: 'succeeded', text: 'station,time,shade\nAlvalade,15:00,31.2' },
    { step: 'steered', messages: [first.cause.message], text: 'Lin: the years 2019 to 2025 are enough' },
    { step: 'model_called', model: first.model },
    { step: 'usage_recorded', usage: first.usage },
    { step: 'settled', outcome: first.outcome ?? { kind: 'silent', reason: { kind: 'muted' } } },
  ]);
  const cut: Run = {
    ...second,
    seq: world.nextSeq(),
    id: world.nextId(),
    state: 'interrupted',
    outcome: null,
    ended_ms: null,
    reads_to: Math.max(...world.messagesOf(second.group).map((message) => message.seq)),
  };
  world.keep({ table: 'run', row: cut });
  keep(world, cut, [
    { step: 'woken', by: cut.cause.message },
    { step: 'model_called', model: cut.model },
    { step: 'tool_proposed', call: 'c2', model_id: 'c2', tool: 'send_mail', arguments: '{"to":"desk","text":"hold"}' },
    { step: 'tool_dispatched', call: 'c2' },
    { step: 'tool_returned', call: 'c2', state: 'outcome_unknown', text: 'nobody knows whether it happened' },
    { step: 'interrupted' },
  ]);
  answers.newAgent('otto', 'Kit', first.agent);
}

function keep(world: World, run: Run, kinds: readonly StepKind[]): void {
  kinds.forEach((kind, at) => {
    const row = { run: run.id, n: at + 1, at_ms: run.started_ms + at * 600, ...kind } as Step;
    world.keep({ table: 'step', row });
  });
}
