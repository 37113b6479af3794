import { describe, expect, it } from 'vitest';
import type { Event, Live, Member, Message, Overview, Record as Row, Run, Step } from '../api/generated';
import { apply, opened, withDecisions, withPage, withRuns, withSteps, type Mirror } from './mirror';

const overview: Overview = {
  mark: { epoch: 1, n: 0 },
  drafts: [],
  approvals: [],
  questions: [],
  grants: [],
  passes: [],
  sources: [],
  proposals: [],
  servers: [],
  skills: [],
  settings: {
    your_name: 'Lin',
    appearance: { theme: 'system', language: 'system', high_contrast: false, zoom_percent: 100 },
    models: { default: null, fast: null, reasoning: null, embedding: null, fallback: null },
    limits: { max_concurrent: 1, message_characters: 32_000 },
    prices: [],
    response_cache: { on: true, sampled: false },
    memory: { notices: true, looks_back: true, reminds: true },
    approvals: { minutes: 10, notifies: true, blocked: [], near_hosts: [] },
    feed: { on: false, every_minutes: 30, answers_per_item: 2, per_hour: 12, rest_minutes: 10 },
    manners: { stays: false, tells_trouble: true },
    all_paused: false,
  },
  agents: [],
  groups: [],
  souls: [],
  providers: [],
  open_runs: [],
  waiting: [],
  starter_model: null,
  data_dir: '/data',
  held_up: null,
  keys: {
    keys: [],
    list: null,
    home: 'keyring',
    keyring: null,
    keyring_name: 'GNOME Keyring',
    sealed: 'absent',
    to_be_moved: 0,
    lent: 0,
    to_be_erased: 0,
  },
};

const message = (seq: number, more: Partial<Message> = {}): Message => ({
  seq,
  id: `m${seq}`,
  group: 'g',
  parent: null,
  author: { kind: 'user' },
  body: { kind: 'text', text: `text ${seq}`, cut_short: false },
  chain_depth: 0,
  root: `m${seq}`,
  run: null,
  at_ms: seq,
  ...more,
});

const run = (more: Partial<Run> = {}): Run => ({
  seq: 1,
  id: 'r',
  agent: 'a',
  group: 'g',
  state: 'running',
  cause: { message: 'm1', author: { kind: 'user' }, reason: { kind: 'mentioned' } },
  root: 'm1',
  depth: 1,
  model: 'local/small',
  soul_version: 1,
  reads_after: 0,
  reads_to: 1,
  usage: { input_tokens: null, output_tokens: null, cached_tokens: null, cache_write_tokens: null },
  estimated: false,
  asked_instead: null,
  cost_microusd: null,
  outcome: null,
  attempt: 1,
  resumes: null,
  started_ms: 1,
  first_token_ms: null,
  ended_ms: null,
  ...more,
});

const member = (id: string, position: number): Member => ({
  group: 'g',
  who: { kind: 'agent', id },
  position,
  muted: false,
  talkativeness: null,
  cursor: 0,
  joined_after: 0,
});

function after(mirror: Mirror, ...rows: Row[]): Mirror {
  return rows.reduce((before, record, at) => apply(before, { n: at + 1, event: 'saved', record } as Event), mirror);
}

const live = (mirror: Mirror, piece: Partial<Live>): Mirror =>
  apply(mirror, {
    n: 1,
    event: 'live',
    live: { run: 'r', agent: 'a', group: 'g', offset: 0, text: '', reasoning: '', ...piece },
  });

const empty = opened(overview);
const seqs = (mirror: Mirror) => mirror.threads.get('g')?.messages.map((one) => one.seq);

describe('the mirror', () => {
  it('shares what an event did not change', () => {
    const next = after(empty, { table: 'settings', row: { ...overview.settings, your_name: 'Bo' } });
    expect(next.settings.your_name).toBe('Bo');
    expect(next.agents).toBe(empty.agents);
    expect(next.threads).toBe(empty.threads);
  });

  it('keeps members in their order and forgets one who left', () => {
    const seated = after(empty, { table: 'member', row: member('b', 2) }, { table: 'member', row: member('a', 1) });
    expect(seated.members.get('g')?.map((one) => one.position)).toEqual([1, 2]);
    const left = apply(seated, {
      n: 9,
      event: 'removed',
      removed: { table: 'member', group: 'g', who: { kind: 'agent', id: 'a' } },
    });
    expect(left.members.get('g')).toEqual([member('b', 2)]);
  });

  it('knows the last message of a group whose conversation was never opened', () => {
    const next = after(empty, { table: 'message', row: message(3) });
    expect(next.last.get('g')).toEqual(message(3));
    expect(next.threads.has('g')).toBe(false);
  });

  it('counts agent messages since the person spoke, notices not', () => {
    const agent = { author: { kind: 'agent', id: 'a' } } as const;
    const notice = {
      author: { kind: 'system' },
      body: { kind: 'notice', notice: { kind: 'left', agent: 'a' } },
    } as const;
    const next = after(
      empty,
      ...[message(1, agent), message(2), message(3, agent), message(4, notice), message(5, agent)].map(
        (row) => ({ table: 'message', row }) as const,
      ),
    );
    expect(next.sincePost.get('g')).toBe(2);
  });

  it('puts pages and news into one order without doubles', () => {
    let next = withPage(empty, 'g', [message(4), message(5)], true);
    next = after(next, { table: 'message', row: message(6) }, { table: 'message', row: message(5) });
    next = withPage(next, 'g', [message(2), message(3), message(4)], false);
    expect(seqs(next)).toEqual([2, 3, 4, 5, 6]);
    expect(next.threads.get('g')?.hasOlder).toBe(false);
    next = withPage(next, 'g', [message(0), message(1)], false);
    expect(seqs(next)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('takes decisions only for conversations that are open', () => {
    const decision = {
      seq: 1,
      group: 'g',
      agent: 'a',
      message: 'm1',
      root: 'm1',
      verdict: 'pass',
      reason: { kind: 'muted' },
      run: null,
      at_ms: 1,
    } as const;
    expect(after(empty, { table: 'decision', row: decision })).toBe(empty);
    const open = withDecisions(withPage(empty, 'g', [], false), 'g', [decision]);
    expect(open.threads.get('g')?.decisions).toEqual([decision]);
  });
});

describe('text being written', () => {
  it('grows piece by piece', () => {
    const next = live(live(empty, { text: 'Hello, ', reasoning: 'so' }), {
      offset: 7,
      text: 'you',
      reasoning: ' then',
    });
    expect(next.live.get('r')).toMatchObject({ from: 0, text: 'Hello, you', reasoning: 'so then' });
  });

  it('starts again when the owner says that all before is void', () => {
    const next = live(live(empty, { text: 'Hello, you' }), { offset: 0, text: 'Good day' });
    expect(next.live.get('r')?.text).toBe('Good day');
  });

  it('begins anew when an empty piece says so, thoughts and all', () => {
    const before = live(live(empty, { text: 'Let me look', reasoning: 'hm' }), { offset: 11, text: '…' });
    const anew = live(before, { offset: 0 });
    expect(anew.live.get('r')).toMatchObject({ from: 0, text: '', reasoning: '' });
    expect(live(live(empty, { reasoning: 'only thoughts' }), { offset: 0 }).live.get('r')?.reasoning).toBe('');
    expect(live(anew, { offset: 0, text: '391' }).live.get('r')?.text).toBe('391');
  });

  it('collects thoughts before the first word', () => {
    const next = live(live(empty, { reasoning: 'one ' }), { reasoning: 'two' });
    expect(next.live.get('r')).toMatchObject({ text: '', reasoning: 'one two' });
  });

  it('shows what follows when the first pieces were missed', () => {
    const late = live(live(empty, { offset: 40, text: 'the end' }), { offset: 47, text: '.' });
    expect(late.live.get('r')).toMatchObject({ from: 40, text: 'the end.' });
  });

  it('is gone once the run has settled, and does not come back', () => {
    const writing = live(after(empty, { table: 'run', row: run() }), { text: 'Hello' });
    const settled = after(writing, { table: 'run', row: run({ state: 'settled' }) });
    expect(settled.live.has('r')).toBe(false);
    expect(live(settled, { offset: 5, text: '!' })).toBe(settled);
  });
});

describe('what a run does', () => {
  const step = (n: number, kind: 'woken' | 'interrupted'): Step =>
    kind === 'woken' ? { run: 'r', n, at_ms: n, step: kind, by: 'm' } : { run: 'r', n, at_ms: n, step: kind };
  const use: Step = { run: 'r', n: 3, at_ms: 3, step: 'tool_dispatched', call: 'c' };

  it('knows how far a use is while it goes on, and no longer', () => {
    const further = (mirror: Mirror, done: number): Mirror =>
      apply(mirror, {
        n: 1,
        event: 'use_progress',
        progress: { run: 'r', call: 'c', done, total: 10, message: null },
      });
    const going = after(empty, { table: 'step', row: use });
    const far = further(further(going, 3), 4);
    expect([...far.progress.values()].map((one) => one.done)).toEqual([4]);
    const returned: Step = { run: 'r', n: 4, at_ms: 4, step: 'tool_returned', call: 'c', state: 'succeeded', text: '' };
    expect(after(far, { table: 'step', row: returned }).progress.size).toBe(0);
    const over = after(far, { table: 'run', row: run({ state: 'stopped' }) });
    expect(over.progress.size).toBe(0);
    expect(further(over, 5).progress.size).toBe(0);
  });

  it('keeps what a conversation shows, in its order, with what was stored', () => {
    const seen = [step(1, 'woken'), use, step(4, 'interrupted')].reduce(
      (mirror, row) => after(mirror, { table: 'step', row }),
      empty,
    );
    const proposed: Step = { ...use, n: 2, step: 'tool_proposed', tool: 't', arguments: '', model_id: '' };
    const stored = withSteps(seen, 'r', [step(1, 'woken'), proposed]);
    expect(stored.steps.get('r')?.map((one) => one.n)).toEqual([1, 2, 3]);
  });

  it('has a place in the line until it may ask or has ended', () => {
    const wait = (mirror: Mirror, position: number) =>
      apply(mirror, { n: 1, event: 'waiting', waiting: { run: 'r', position, budget: null } });
    const waiting = wait(after(empty, { table: 'run', row: run() }), 2);
    expect(waiting.waiting.get('r')?.position).toBe(2);
    expect(wait(waiting, 0).waiting.has('r')).toBe(false);
    const ended = after(waiting, { table: 'run', row: run({ state: 'stopped' }) });
    expect(ended.waiting.has('r')).toBe(false);
    expect(wait(ended, 1).waiting.has('r')).toBe(false);
    const place = { run: 'r', position: 3, budget: null };
    const late = opened({ ...overview, open_runs: [run()], waiting: [place] });
    expect(late.waiting.get('r')).toEqual(place);
  });
});

describe('a page of runs', () => {
  it('does not undo news that came while it was on its way', () => {
    const news = after(empty, { table: 'run', row: run({ state: 'settled' }) });
    // Nothing is made anew out of what is known already.
    expect(withRuns(news, [run()])).toBe(news);
    expect(withRuns(news, [run()]).runs.get('r')?.state).toBe('settled');
  });
});
