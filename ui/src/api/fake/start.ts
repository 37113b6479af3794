/** How the fake workspace can begin. */
import type { Author, Message, NewMemory, Provider, Reason, Run } from '../generated';
import type { Answers } from './answers';
import type { FakeMemories } from './memories';
import { texts } from './souls';
import { doings } from './heat';
import type { World } from './world';

const minute = 60_000;

/** As after the first start: six souls, an agent and a direct group for each, and one group of three. */
export function firstStart(answers: Answers, world: World): void {
  world.keep({
    table: 'provider',
    row: {
      name: 'local',
      kind: 'local',
      base_url: null,
      key_env: null,
      key: null,
      models: [{ name: 'smollm2-135m', context_tokens: 8192, chosen_tokens: null, demo: true }],
    },
  });
  for (const [name, text] of Object.entries(texts)) answers.writeSoul(name, text, 'bundled');
  const agents = Object.keys(texts).map((name) => answers.newAgent(name, null));
  answers.newGroup(
    'First group',
    agents.slice(0, 3).map((agent) => agent.id),
    null,
  );
}

/** A conversation with everything in it: silence, a soul that changed, one that is broken, a failure, several days. */
export function heat(answers: Answers, world: World): void {
  const id = (name: string) => [...world.agents.values()].find((agent) => agent.name === name)?.id ?? '';
  world.settings = { ...world.settings, your_name: 'Lin' };
  const group = answers.newGroup('Summer heat', [id('Ines'), id('Ada'), id('Bo')], 'mention');
  const at = world.now() - 40 * minute;
  const asked = message(
    world,
    group.id,
    { kind: 'user' },
    '@Ines the draft says “street trees cool a city by 4 °C”. Does our station data carry that? @Ada please fix the sentence once we know.',
    at,
  );
  notice(world, group.id, { kind: 'soul_changed', agent: id('Ines'), version: 1 }, at + minute);
  reply(
    world,
    asked,
    id('Ines'),
    'Not as written. Comparing shaded and open stations at 15:00, the median gap is **2.3 °C** across 418 summer days. It reaches 4 °C only on days above 35 °C, and there were 29 of those.\n\nI would like an interval before anyone prints the number.',
    at + 2 * minute,
  );
  reply(
    world,
    asked,
    id('Ada'),
    'Holding the number open until Ines has the interval. Sentence so far: “On a usual summer afternoon, shaded streets in Lisbon are about two degrees cooler; on the hottest days the gap can reach four.”',
    at + 3 * minute,
  );
  pass(world, asked, id('Bo'), { kind: 'not_mentioned' });
  const again = message(
    world,
    group.id,
    { kind: 'user' },
    '@Ines is 29 days enough to print the upper number?',
    at + 20 * minute,
  );
  pass(world, again, id('Ada'), { kind: 'not_mentioned' });
  pass(world, again, id('Bo'), { kind: 'not_mentioned' });
  reply(
    world,
    again,
    id('Ines'),
    'For a footnote, yes. For the headline I would use the median and its interval:\n\n| | median | 95 % |\n|---|---|---|\n| all days | 2.3 °C | 2.1 to 2.5 |\n| above 35 °C | 4.0 °C | 3.2 to 4.6 |',
    at + 21 * minute,
  );
  doings(answers, world);
  remembered(answers, world, group.id, asked.id);
  recalls(answers, world);
  const kitchen = answers.newGroup('Kitchen plan', [id('Otto'), id('老陈')], null);
  const tiles = message(world, kitchen.id, { kind: 'user' }, 'When do the tiles come?', at - 1500 * minute);
  reply(world, tiles, id('Otto'), 'The tiles come on the 3rd.', at - 1499 * minute);
  answers.writeSoul('bo', (texts['bo'] ?? '').replace('temperature: 0.7', 'temperature: 9'), 'file');
  const bo = world.agents.get(id('Bo'));
  if (bo) world.keep({ table: 'agent', row: { ...bo, state: 'paused' } });
  const linxia = world.agents.get(id('林夏'));
  const problem = {
    code: 'key',
    message: 'OpenRouter refused the key',
    fix: 'Set OPENROUTER_API_KEY and start Coterie again',
  } as const;
  if (linxia) world.keep({ table: 'agent', row: { ...linxia, state: 'error', problem } });
}

/** The turns so far were reminded of what fits. */
function recalls(answers: Answers, world: World): void {
  for (const run of world.runs.values()) {
    const cause = world.messages.find((one) => one.id === run.cause.message);
    if (cause?.body.kind !== 'text') continue;
    const reminded = answers.memories.recall(run.agent, run.group, cause.body.text);
    if (reminded.memories.length > 0) {
      const n = (world.steps.get(run.id)?.length ?? 0) + 1;
      const step = {
        run: run.id,
        n,
        at_ms: run.started_ms + 40,
        step: 'recalled',
        query: cause.body.text,
        ...reminded,
      } as const;
      world.keep({ table: 'step', row: step });
    }
  }
}

/** What is remembered of all that: each kind, a contradiction, one that was replaced, one from a file. */
function remembered(answers: Answers, world: World, group: string, message: string): void {
  const { memories } = answers;
  const now = world.now;
  const id = (name: string) => [...world.agents.values()].find((agent) => agent.name === name)?.id ?? '';
  const day = 24 * 60 * minute;
  const add = (
    daysAgo: number,
    given: Partial<NewMemory> & { text: string },
    origin?: Parameters<FakeMemories['add']>[1],
  ) => {
    world.now = () => now() - daysAgo * day;
    const plain = { kind: 'fact', scope: { kind: 'user' }, statement: null, tags: [], importance: null } as const;
    const memory = memories.add(
      { ...plain, valid_from_ms: null, valid_to_ms: null, ...given, tags: given.tags ?? [] },
      origin,
    );
    world.now = now;
    return memory;
  };
  const said = (subject: string, attribute: string, value: string) => ({ subject, attribute, value });
  const inHeat = { kind: 'group', id: group } as const;
  const byInes = { trust: 'agent', by: id('Ines'), source: { message } } as const;
  add(190, { text: 'Lin lives in Porto', statement: said('Lin', 'lives in', 'Porto') });
  add(60, { text: 'Lin lives in Lisbon', statement: said('Lin', 'lives in', 'Lisbon') });
  add(58, {
    kind: 'relationship',
    text: 'Ana is Lin’s sister, and a botanist',
    statement: said('Lin', 'sister', 'Ana'),
    tags: ['family'],
  });
  add(57, { text: 'Ana works as a botanist', statement: said('Ana', 'works as', 'botanist'), tags: ['family'] });
  add(57, { text: 'Lisbon has a river, the Tagus', statement: said('Lisbon', 'river', 'Tagus') });
  const units = add(12, {
    kind: 'preference',
    text: 'Lin wants temperatures in °C with one decimal, and an interval whenever a number is printed.',
    tags: ['writing', 'numbers'],
  });
  memories.do({ kind: 'pin_memory', memory: units.id, pinned: true });
  const median = add(
    1,
    {
      scope: inHeat,
      text: 'Shaded streets in Lisbon measure 2.3 °C cooler than open ones at 15:00, median of 418 summer days.',
      statement: said('shaded streets', 'cooling effect', '2.3 °C'),
    },
    { trust: 'person', source: { message } },
  );
  memories.do({ kind: 'edit_memory', memory: median.id, patch: { tags: ['trees', 'numbers'], importance: 90 } });
  add(
    1,
    {
      scope: inHeat,
      text: 'Street trees cool a city by 4 °C.',
      statement: said('shaded streets', 'cooling effect', '4 °C'),
    },
    { trust: 'untrusted', source: { file: 'draft.md' } },
  );
  add(
    0,
    {
      scope: inHeat,
      text: 'On days above 35 °C the gap between tree-lined and open streets reaches 4 °C; 29 such days.',
    },
    byInes,
  );
  add(
    3,
    {
      kind: 'skill',
      scope: { kind: 'agent', id: id('Ada') },
      text: 'A sentence with a number gets its interval first, then its shape.',
    },
    { trust: 'agent', by: id('Ada') },
  );
  add(
    20,
    {
      kind: 'episode',
      scope: { kind: 'workspace' },
      text: 'The city plans 1,200 new street trees by 2028, mostly in Alvalade and Marvila.',
    },
    { trust: 'untrusted', source: { tool: 'read_page' } },
  );
}

/** The first group with ten thousand messages in it. */
export function many(world: World): void {
  const group = [...world.groups.values()].find((one) => one.kind === 'group');
  const agents = [...world.agents.keys()].slice(0, 3);
  if (!group) return;
  const at = world.now() - 5000 * minute;
  for (let n = 0; n < 5000; n += 1) {
    const asked = message(
      world,
      group.id,
      { kind: 'user' },
      `Question ${n + 1}: what is the next step?`,
      at + n * minute,
    );
    reply(
      world,
      asked,
      agents[n % 3] ?? '',
      `Answer ${n + 1}. ${'Take the smallest step that can fail. '.repeat(1 + (n % 5))}`,
      at + n * minute + 20_000,
    );
  }
}

function message(
  world: World,
  group: string,
  author: Author,
  text: string,
  at_ms: number,
  more: Partial<Message> = {},
): Message {
  const id = world.nextId();
  const body = { kind: 'text', text, cut_short: false } as const;
  const row: Message = {
    seq: world.nextSeq(),
    id,
    group,
    parent: null,
    author,
    body,
    chain_depth: 0,
    root: id,
    run: null,
    at_ms,
    ...more,
  };
  world.keep({ table: 'message', row });
  return row;
}

function notice(
  world: World,
  group: string,
  what: Extract<Message['body'], { kind: 'notice' }>['notice'],
  at_ms: number,
): void {
  message(world, group, { kind: 'system' }, '', at_ms, { body: { kind: 'notice', notice: what } });
}

function reply(world: World, cause: Message, agent: string, text: string, at_ms: number): void {
  const newest =
    world.messages.findLast((one) => one.group === cause.group && one.author.kind !== 'agent')?.seq ?? cause.seq;
  const run: Run = {
    seq: world.nextSeq(),
    id: world.nextId(),
    agent,
    group: cause.group,
    state: 'settled',
    cause: { message: cause.id, author: cause.author, reason: { kind: 'mentioned' } },
    root: cause.root,
    depth: 1,
    model: 'local/smollm2-135m',
    soul_version: 1,
    reads_after: 0,
    reads_to: newest,
    usage: { input_tokens: 2702, output_tokens: 212, cached_tokens: 2400, cache_write_tokens: null },
    estimated: false,
    asked_instead: null,
    cost_microusd: null,
    outcome: null,
    attempt: 1,
    resumes: null,
    started_ms: at_ms,
    first_token_ms: at_ms + 900,
    ended_ms: at_ms + 8400,
  };
  const said = message(world, cause.group, { kind: 'agent', id: agent }, text, at_ms + 8400, {
    chain_depth: 1,
    root: cause.root,
    run: run.id,
  });
  world.keep({ table: 'run', row: { ...run, outcome: { kind: 'replied', message: said.id, gave_up: false } } });
}

function pass(world: World, about: Message, agent: string, reason: Reason): void {
  const row = {
    seq: world.nextSeq(),
    group: about.group,
    agent,
    message: about.id,
    root: about.root,
    verdict: 'pass',
    reason,
    run: null,
    at_ms: about.at_ms,
  } as const;
  world.keep({ table: 'decision', row });
}

/** With services that are set up, their keys and prices. */
export function stocked(answers: Answers, world: World): void {
  const day = 86_400_000;
  const provider = (
    name: string,
    kind: Provider['kind'],
    base_url: string,
    names: readonly [string, number | null][],
  ) =>
    world.keep({
      table: 'provider',
      row: {
        name,
        kind,
        base_url,
        key_env: null,
        key: kind === 'ollama' ? null : `provider/${name}`,
        models: names.map(([model, context_tokens]) => ({
          name: model,
          context_tokens,
          chosen_tokens: null,
          demo: false,
        })),
      },
    });
  provider('anthropic', 'anthropic', 'https://api.anthropic.com/v1', [
    ['claude-opus-5', 200_000],
    ['claude-sonnet-5', 1_000_000],
  ]);
  provider('openai', 'openai', 'https://api.openai.com/v1', [
    ['gpt-5', 400_000],
    ['gpt-5-mini', 400_000],
  ]);
  provider('gemini', 'gemini', 'https://generativelanguage.googleapis.com/v1beta', [['gemini-3-pro', 1_048_576]]);
  provider('ollama', 'ollama', 'http://127.0.0.1:11434', [
    ['qwen3:8b', 16_384],
    ['llama3.2:3b', null],
  ]);
  const home = answers.keys.all().home;
  const key = (name: string, ends_with: string, age: number, used: number | null) =>
    answers.keys.keep({
      name: `provider/${name}`,
      place: { kind: home },
      ends_with,
      set_ms: world.now() - age,
      used_ms: used === null ? null : world.now() - used,
    });
  key('anthropic', 'f3Qa', 40 * day, 2 * minute);
  key('openai', '9c1e', 3 * day, day);
  const price = (model: string, input: number, output: number) => ({
    model,
    input_microusd: input,
    cached_microusd: null,
    cache_write_microusd: null,
    as_of: null,
    by_provider: false,
    output_microusd: output,
  });
  world.settings = {
    ...world.settings,
    models: { ...world.settings.models, default: 'anthropic/claude-sonnet-5', fast: 'ollama/qwen3:8b' },
    prices: [
      price('anthropic/claude-sonnet-5', 3_000_000, 15_000_000),
      price('openai/gpt-5', 1_250_000, 10_000_000),
      price('openai/gpt-5-mini', 250_000, 2_000_000),
    ],
  };
}
