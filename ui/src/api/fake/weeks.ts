/** Four weeks of work that is done: runs of a hosted model with what they cost. */
import type { Run } from '../generated';
import type { World } from './world';

const dayMs = 86_400_000;
const days = 28;

/** Five runs a day, the last of them today; always the same for the same clock. */
export function weeks(world: World): void {
  const group = [...world.groups.values()].find((one) => one.kind === 'group');
  const agents = [...world.agents.keys()];
  if (!group) return;
  for (let n = 0; n < days * 5; n += 1) {
    const ago = days - 1 - Math.floor(n / 5);
    const message = world.nextId();
    const input = 2000 + ((n * 7919) % 6000);
    const output = 100 + ((n * 104_729) % 900);
    const started_ms = world.now() - ago * dayMs - (5 - (n % 5)) * 60_000;
    const run: Run = {
      seq: world.nextSeq(),
      id: world.nextId(),
      agent: agents[(n * n) % agents.length] ?? '',
      group: group.id,
      state: 'settled',
      cause: { message, author: { kind: 'user' }, reason: { kind: 'mentioned' } },
      root: message,
      depth: 1,
      model: 'anthropic/claude-sonnet-5',
      soul_version: 1,
      reads_after: 0,
      reads_to: 0,
      usage: {
        input_tokens: input,
        output_tokens: output,
        cached_tokens: Math.round(input * (0.5 + ((n * 31) % 45) / 100)),
        cache_write_tokens: null,
      },
      estimated: false,
      asked_instead: null,
      cost_microusd: input * 3 + output * 15,
      outcome: { kind: 'replied', message, gave_up: false },
      attempt: 1,
      resumes: null,
      started_ms,
      first_token_ms: started_ms + 900,
      ended_ms: started_ms + 2000 + ((n * 613) % 9000),
    };
    world.keep({ table: 'run', row: run });
  }
}
