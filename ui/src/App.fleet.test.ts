import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/feed/FeedPage.svelte';
import './views/fleet/FleetPage.svelte';
import './views/runs/RunsPage.svelte';
import type { Agent, Command, Fault, Group, Message, Run, Usage } from './api/generated';
import type { Fake } from './api/fake';
import { lineOf, textOf, titleOf } from './views/fleet/doing';
import { agentNamed, close, find, has, open, pass } from './window.kit';

afterEach(close);

const line = (name: string) => {
  const found = document.querySelector<HTMLElement>(`[data-testid=fleet-line][data-name="${name}"]`);
  const text = (id: string) =>
    found?.querySelector(`[data-testid=${id}]`)?.textContent?.replace(/\s+/g, ' ').trim() ?? '';
  return { element: found, says: text('fleet-says'), standing: text('fleet-standing') };
};
const directOf = (backend: Fake, agent: string): Group => {
  const all = [...backend.world.groups.values()];
  const found = all.find((one) => one.kind === 'direct' && one.default_agent === agent);
  if (!found) throw new Error('everybody has a chat with the person');
  return found;
};

describe('what everybody is doing now', () => {
  it('changes in place while an agent works, and leads to where it does', async () => {
    const backend = await open();
    const ada = agentNamed(backend, 'Ada');
    const group = directOf(backend, ada);
    find('rail-fleet').click();
    await pass(300);
    expect(line('Ada')).toMatchObject({ says: 'Ada has done nothing yet', standing: 'rests' });
    const there = line('Ada').element;
    await backend.ask({ command: { kind: 'post', group: group.id, text: 'Hello?', reply_to: null } }, 'r1');
    const seen = new Set<string>();
    for (let at = 0; at < 160 && !line('Ada').says.includes('→'); at += 1) {
      await pass(50);
      seen.add(`${line('Ada').says} · ${line('Ada').standing}`);
    }
    expect([...seen]).toContain('Ada thinks about your chat · at work');
    expect([...seen]).toContain('Ada writes in your chat · at work');
    expect(line('Ada').says).toMatch(/^Ada answered in your chat → “.+”$/);
    expect(line('Ada').standing).toBe('rests');
    expect(line('Ada').element).toBe(there);
    there?.querySelector<HTMLElement>('[data-testid=fleet-go]')?.click();
    await pass(300);
    expect(has('page-fleet')).toBe(false);
    expect(document.body.textContent).toContain('Hello?');
  });

  it('knows what somebody did long ago, however much others did since', async () => {
    const backend = await open();
    const ada = agentNamed(backend, 'Ada');
    const group = directOf(backend, ada).id;
    const known = [...backend.world.runs.values()].length;
    expect(known).toBe(0);
    await backend.ask({ command: { kind: 'post', group, text: 'Hello?', reply_to: null } }, 'r1');
    await pass(8000);
    const [first] = backend.world.runs.values();
    if (!first) throw new Error('she has answered');
    const bo = agentNamed(backend, 'Bo');
    for (let n = 0; n < 300; n += 1) {
      const id = `run-${n}`;
      backend.world.runs.set(id, { ...first, id, agent: bo, group: directOf(backend, bo).id, seq: first.seq + n + 1 });
    }
    find('rail-fleet').click();
    await pass(300);
    // In its words, though others have spoken since then.
    expect(line('Ada').says).toMatch(/^Ada answered in your chat → “.+”$/);
    expect(line('Otto').says).toBe('Otto has done nothing yet');
    const asked = await backend.ask({ query: { kind: 'last_runs' } });
    expect(asked.kind === 'runs' && asked.data.map((run) => run.agent)).toEqual([ada, bo]);
  });

  it('names the post that somebody answers in the feed', async () => {
    const backend = await open();
    const community = await backend.ask(
      { command: { kind: 'new_community', name: 'Garden', rules: '', members: [] } },
      'c1',
    );
    if (community.kind !== 'community') throw new Error('there is one');
    const text = 'What grows in the shade?\nI have a yard.';
    const made = await backend.ask({ command: { kind: 'write_post', community: community.data.id, text } }, 'p1');
    if (made.kind !== 'post') throw new Error('it is written');
    const row = run('running', { id: 'of-feed', agent: agentNamed(backend, 'Ada'), group: made.data.post.group });
    backend.world.save({ table: 'run', row });
    find('rail-fleet').click();
    await pass(300);
    expect(line('Ada').says).toBe('Ada replies to “What grows in the shade?”');
  });

  it('leads from a task of its own to its run, which is no post', async () => {
    const backend = await open();
    const of = run('settled', { id: 'of-task', agent: agentNamed(backend, 'Ada'), group: 'nowhere' });
    const row = { ...of, usage: NOTHING, cause: { ...of.cause, reason: { kind: 'asked_by_user' as const } } };
    backend.world.save({ table: 'run', row });
    find('rail-fleet').click();
    await pass(300);
    expect(line('Ada').says).toContain('a task of its own');
    line('Ada').element?.querySelector<HTMLElement>('[data-testid=fleet-go]')?.click();
    await pass(300);
    expect(has('page-runs')).toBe(true);
  });

  it('leads to the feed with its list also where the post is gone', async () => {
    const backend = await open();
    const made: Command = { kind: 'new_community', name: 'Garden', rules: '', members: [] };
    const community = await backend.ask({ command: made }, 'c1');
    if (community.kind !== 'community') throw new Error('there is one');
    const text = 'What grows here?';
    await backend.ask({ command: { kind: 'write_post', community: community.data.id, text } }, 'p1');
    const of = run('settled', { id: 'of-gone', agent: agentNamed(backend, 'Ada'), group: 'nowhere' });
    const row = { ...of, usage: NOTHING, cause: { ...of.cause, reason: { kind: 'mentioned' as const } } };
    backend.world.save({ table: 'run', row });
    find('rail-fleet').click();
    await pass(300);
    line('Ada').element?.querySelector<HTMLElement>('[data-testid=fleet-go]')?.click();
    await pass(300);
    expect(find('feed-gone').textContent).toContain('This post is not there any more');
    expect(find('feed-row').textContent).toContain('What grows here?');
  });

  it('has everybody rest', async () => {
    await open();
    find('rail-fleet').click();
    await pass(300);
    find('pause-all').click();
    await pass(300);
    expect(has('all-paused')).toBe(true);
    expect(line('Ada').standing).toBe('paused');
  });
});

const agent = (state: Agent['state'], problem: Fault | null = null) =>
  ({ id: 'a', name: 'Ada', state, problem }) as Agent;
const run = (state: Run['state'], more: Partial<Run> = {}) =>
  ({
    id: 'r',
    seq: 1,
    agent: 'a',
    group: 'g',
    state,
    outcome: null,
    cause: { message: 'm', author: { kind: 'user' }, reason: { kind: 'default_responder' } },
    ...more,
  }) as Run;

const NOTHING: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: null,
  cache_write_tokens: null,
};

const threads = new Map([
  ['thread', { title: 'Any plans?', community: 'Garden' }],
  ['hidden', { title: '', community: 'Garden' }],
]);

const told = (who: Agent, runs: readonly Run[], more: object = {}) => {
  const mirror = {
    groups: new Map([['g', { id: 'g', name: 'Kitchen', kind: 'group' }]]),
    last: new Map(),
    live: new Map(),
    steps: new Map(),
    waiting: new Map(),
    approvals: new Map(),
    questions: new Map(),
    agents: new Map(),
    settings: {},
    ...more,
  } as unknown as Parameters<typeof lineOf>[1]['mirror'];
  const { standing, does, came, to } = lineOf(who, {
    mirror,
    runs,
    stepsBefore: new Map(),
    threads,
    said: new Map(),
    nameOf: () => 'Bo',
  });
  return [standing, does, came, to?.page];
};

describe('one line', () => {
  const fault: Fault = { code: 'no_model', message: 'there is no model', fix: '' };

  it('tells those apart that wait for an answer, a place or a budget', () => {
    const going = [run('running')];
    const line = (budget: object | null) => ({ waiting: new Map([['r', { run: 'r', position: 2, budget }]]) });
    expect(told(agent('running'), going, line(null))).toEqual([
      'queued',
      'waits for a model, place 2 in line',
      '',
      'conversations',
    ]);
    expect(told(agent('running'), going, line({ kind: 'feed' }))[1]).toMatch(/^waits for the budget .+, place 2$/);
    const question = { questions: new Map([['q', { agent: 'a', state: 'waiting', text: 'Which one?' }]]) };
    expect(told(agent('waiting_approval'), going, question)).toEqual([
      'needs',
      'asks you: Which one?',
      '',
      'approvals',
    ]);
    const wish = { agent: 'a', state: 'waiting', tool: 'write_file', arguments: { path: 'a.md' } };
    expect(told(agent('waiting_approval'), going, { approvals: new Map([['c', wish]]) })).toEqual([
      'needs',
      'asks you whether it may use write_file: a.md',
      '',
      'approvals',
    ]);
  });

  it('tells those apart that are paused, failing or interrupted', () => {
    const failed = run('failed', { outcome: { kind: 'failed', fault } });
    expect(told(agent('paused'), [failed])).toEqual([
      'paused',
      'tried to answer in Kitchen',
      'There is no model',
      'conversations',
    ]);
    expect(told(agent('error', fault), [failed])).toEqual(['error', 'stopped', 'There is no model', 'conversations']);
    const away: Fault = { ...fault, kind: { is: 'model', trouble: 'away' } };
    expect(told(agent('error', away), [failed])[1]).toBe('stopped, tries again by itself');
    expect(told(agent('idle'), [run('interrupted')])).toEqual([
      'interrupted',
      'was interrupted in Kitchen',
      'waits for your word',
      'conversations',
    ]);
    expect(told(agent('idle'), [run('stopped')])[2]).toBe('stopped');
  });

  it('names the post that it answers, and where it posts', () => {
    const of = (state: Run['state'], group: string, more: object = {}) => run(state, { group, ...more });
    const silent = { outcome: { kind: 'silent', reason: { kind: 'near_duplicate' } } } as const;
    const said = { outcome: { kind: 'replied', message: 'm', gave_up: false } } as const;
    const asked = { cause: { message: 'm', author: { kind: 'system' }, reason: { kind: 'asked_to_post' } } } as const;
    const does = (one: Run) => told(agent('idle'), [one])[1];
    expect(does(of('running', 'thread'))).toBe('replies to “Any plans?”');
    expect(does(of('settled', 'thread', said))).toBe('replied to “Any plans?”');
    expect(does(of('settled', 'thread', silent))).toBe('read “Any plans?”');
    expect(does(of('interrupted', 'thread'))).toBe('was interrupted replying to “Any plans?”');
    expect(does(of('settled', 'hidden', said))).toBe('answered in Garden');
    expect(does(of('running', 'thread', asked))).toBe('thinks about a post in Garden');
    expect(does(of('settled', 'thread', { ...said, ...asked }))).toBe('posted in Garden');
    expect(does(of('settled', 'other', said))).toBe('answered in Feed');
    expect(titleOf('\n# **A plan**\nand more')).toBe('A plan');
    expect(titleOf('Which pump? **Three** `quotes`')).toBe('Which pump? Three quotes');
  });

  it('says what came without the signs of Markdown', () => {
    const text = '# Heading\n\nA **bold** word, `code` and a [link](https://example.org/long).';
    expect(textOf({ body: { kind: 'text', text, cut_short: false } } as Message)).toBe(
      'Heading A bold word, code and a link.',
    );
  });

  it('says what a tool is used on, and leads from the feed to the post', () => {
    const at = { run: 'r', at_ms: 1, agent: 'a', group: 'g' };
    const steps = [
      { ...at, n: 1, step: 'tool_proposed', call: 'c', tool: 'read_file', arguments: '{"path":"notes.md"}' },
      { ...at, n: 2, step: 'tool_dispatched', call: 'c' },
    ];
    expect(told(agent('running'), [run('running')], { steps: new Map([['r', steps]]) })[1]).toBe(
      'uses read_file: notes.md',
    );
    const silent = run('settled', { group: 'post', outcome: { kind: 'silent', reason: { kind: 'near_duplicate' } } });
    const [standing, does, came, page] = told(agent('idle'), [silent]);
    expect([standing, does, page]).toEqual(['rests', 'read Feed', 'feed']);
    expect(came).not.toBe('');
  });
});
