import { describe, expect, it } from 'vitest';
import type { Decision, Message, Run } from '../api/generated';
import type { Thread } from './mirror';
import { transcript, type Row } from './transcript';

const noon = new Date(2026, 4, 12, 12).getTime();
const user = { kind: 'user' } as const;
const agent = (id: string) => ({ kind: 'agent', id }) as const;

const said = (seq: number, more: Partial<Message> = {}): Message => ({
  seq,
  id: `m${seq}`,
  group: 'g',
  parent: null,
  author: user,
  body: { kind: 'text', text: '', cut_short: false },
  chain_depth: 0,
  root: `m${seq}`,
  run: null,
  at_ms: noon + seq,
  ...more,
});
const reply = (seq: number, who: string, run: string, root: string) => said(seq, { author: agent(who), run, root });

const ran = (id: string, seq: number, who: string, readsTo: number, more: Partial<Run> = {}): Run => ({
  seq,
  id,
  agent: who,
  group: 'g',
  state: 'settled',
  cause: { message: 'm1', author: user, reason: { kind: 'broadcast' } },
  root: 'm1',
  depth: 1,
  model: '',
  soul_version: 1,
  reads_after: 0,
  reads_to: readsTo,
  usage: { input_tokens: null, output_tokens: null, cached_tokens: null, cache_write_tokens: null },
  estimated: false,
  asked_instead: null,
  cost_microusd: null,
  outcome: null,
  attempt: 1,
  resumes: null,
  started_ms: noon,
  first_token_ms: null,
  ended_ms: null,
  ...more,
});

const decided = (seq: number, who: string, more: Partial<Decision> = {}): Decision => ({
  seq,
  group: 'g',
  agent: who,
  message: 'm1',
  root: 'm1',
  verdict: 'pass',
  reason: { kind: 'not_mentioned' },
  run: null,
  at_ms: noon,
  ...more,
});

/** Rows in short: `m1`, `r1…` while written, `m2/r1` for a reply, `silence a b`. */
function short(row: Row): string {
  switch (row.kind) {
    case 'message':
      return row.message.run ? `${row.message.id}/${row.key}` : row.message.id;
    case 'writing':
      return `${row.key}…`;
    case 'silence':
      return `silence ${row.silent.map((one) => one.agent).join(' ')}`;
    case 'day':
      return 'day';
    default:
      return `${row.kind} ${row.key}`;
  }
}

function check(expected: string[], messages: Message[], runs: Run[] = [], decisions: Decision[] = []) {
  const thread: Thread = { messages, decisions, variants: [], reactions: [], hasOlder: false };
  expect(transcript(thread, new Map(runs.map((run) => [run.id, run])), 'g').map(short)).toEqual(expected);
}

describe('the transcript', () => {
  it('keeps the rows that it has where others come before or behind them, and changes what is new', () => {
    const messages = [said(11), reply(12, 'ada', 'r1', 'm11'), said(13)];
    const run = ran('r1', 1, 'ada', 11, { root: 'm11' });
    const rows = (messages: Message[], runs: Run[]) =>
      transcript(
        { messages, decisions: [], variants: [], reactions: [], hasOlder: true },
        new Map(runs.map((run) => [run.id, run])),
        'g',
      ).slice(1);
    const [first, answer, second] = rows(messages, [run]);
    const more = rows([said(10), ...messages, said(14)], [ran('r0', 0, 'bo', 1), run]);
    expect(more.slice(1, -1)).toEqual([first, answer, second]);
    for (const [at, row] of [first, answer, second].entries()) expect(more[at + 1]).toBe(row);
    const priced = { ...run, cost_microusd: 7 };
    const now = rows(messages, [priced]);
    expect(now[0]).toBe(first);
    expect(now[1]).toMatchObject({ key: 'r1', run: priced });
  });

  it('begins each day with a rule', () => {
    const dayMs = 86_400_000;
    check(['day', 'm1', 'm2', 'day', 'm3'], [said(1), said(2), said(3, { at_ms: noon + dayMs })]);
  });

  it('keeps every reply where it stood while it was written', () => {
    const both = [ran('r1', 1, 'a', 1, { state: 'running' }), ran('r2', 2, 'b', 1, { state: 'running' })];
    check(['day', 'm1', 'r1…', 'r2…'], [said(1)], both);
    const second = [both[0], ran('r2', 2, 'b', 1)].flatMap((run) => run ?? []);
    check(['day', 'm1', 'r1…', 'm2/r2'], [said(1), reply(2, 'b', 'r2', 'm1')], second);
    const settled = [ran('r1', 1, 'a', 1), ran('r2', 2, 'b', 1)];
    check(['day', 'm1', 'm3/r1', 'm2/r2'], [said(1), reply(2, 'b', 'r2', 'm1'), reply(3, 'a', 'r1', 'm1')], settled);
  });

  it('puts a reply before a message that it had not read', () => {
    check(['day', 'm1', 'm3/r1', 'm2'], [said(1), said(2), reply(3, 'a', 'r1', 'm1')], [ran('r1', 1, 'a', 1)]);
  });

  it('puts a reply that began after something was noted after that, and one that had begun before before it', () => {
    const noted = (seq: number) =>
      said(seq, {
        author: { kind: 'system' },
        body: {
          kind: 'notice',
          notice: { kind: 'run_failed', agent: 'a', fault: { code: 'budget', message: 'spent', fix: '' } },
        },
      });
    const messages = [said(1), noted(2), reply(3, 'a', 'r2', 'm1'), reply(4, 'b', 'r1', 'm1')];
    const later = ran('r2', 2, 'a', 1, { started_ms: noon + 3 });
    check(['day', 'm1', 'm4/r1', 'failed m2', 'm3/r2'], messages, [ran('r1', 1, 'b', 1), later]);
    check(['day', 'm1', 'failed m2', 'r2…'], [said(1), noted(2)], [{ ...later, state: 'running' }]);
    // What a person said meanwhile was not read.
    check(
      ['day', 'm1', 'm4/r2', 'm2', 'failed m3'],
      [said(1), said(2), noted(3), reply(4, 'a', 'r2', 'm1')],
      [{ ...later, started_ms: noon + 4 }],
    );
  });

  it('shows one row for a run that wrote twice and gives each its key', () => {
    check(
      ['day', 'm1', 'm2/r1', 'm3/m3'],
      [said(1), reply(2, 'a', 'r1', 'm1'), reply(3, 'a', 'r1', 'm1')],
      [ran('r1', 1, 'a', 1)],
    );
  });

  it('folds silence into one line at the end of what a message set off', () => {
    const messages = [said(1), reply(2, 'a', 'r1', 'm1'), said(3)];
    check(
      ['day', 'm1', 'm2/r1', 'silence b c', 'm3'],
      messages,
      [ran('r1', 1, 'a', 1)],
      [decided(1, 'a', { verdict: 'speak' }), decided(2, 'b'), decided(3, 'c')],
    );
  });

  it('does not call silent who spoke, speaks or is about to', () => {
    const decisions = [
      decided(1, 'a'),
      decided(2, 'b', { verdict: 'speak' }),
      decided(3, 'a', { reason: { kind: 'nobody_addressed' } }),
      decided(4, 'c'),
    ];
    check(['day', 'm1', 'm2/r1', 'silence c'], [said(1), reply(2, 'a', 'r1', 'm1')], [ran('r1', 1, 'a', 1)], decisions);
  });

  it('says of an agent in rounds what was decided last', () => {
    const decisions = [
      decided(1, 'b', { reason: { kind: 'not_its_turn' } }),
      decided(2, 'b', { verdict: 'speak', reason: { kind: 'turn', round: 1 } }),
      decided(3, 'b', { reason: { kind: 'chose_silence', why: null } }),
    ];
    const thread: Thread = { messages: [said(1)], decisions, variants: [], reactions: [], hasOlder: false };
    const line = transcript(thread, new Map(), 'g').at(-1);
    expect(line?.kind === 'silence' && line.silent.map((one) => one.decision.reason.kind)).toEqual(['chose_silence']);
  });

  it('names the turns that ended without words, and not those that have a row', () => {
    const silent = { reason: { kind: 'chose_silence', why: null } } as const;
    const decisions = [
      decided(1, 'a', { ...silent, run: 'r1' }),
      decided(2, 'a', { ...silent, run: 'r2' }),
      decided(3, 'a', { ...silent, run: 'r2', message: 'm2' }),
      decided(4, 'b', { reason: { kind: 'stopped_by_user' }, run: 'r3' }),
      decided(5, 'c'),
    ];
    const fault = { code: 'provider', message: 'no answer', fix: '' } as const;
    const failed = said(2, {
      root: 'm1',
      at_ms: noon + 5,
      author: { kind: 'system' },
      body: { kind: 'notice', notice: { kind: 'run_failed', agent: 'd', fault } },
    });
    const runs = [
      ran('r1', 1, 'a', 1),
      ran('r2', 2, 'a', 1),
      ran('r3', 3, 'd', 1, { state: 'failed', ended_ms: noon + 5 }),
    ];
    const thread: Thread = { messages: [said(1), failed], decisions, variants: [], reactions: [], hasOlder: false };
    const line = transcript(thread, new Map(runs.map((run) => [run.id, run])), 'g').at(-1);
    expect(line?.kind === 'silence' && line.silent.map((one) => [one.agent, one.runs])).toEqual([
      ['a', ['r1', 'r2']],
      ['b', []],
      ['c', []],
    ]);
  });

  it('says of each message what was decided about it', () => {
    const decisions = [
      decided(1, 'a', { verdict: 'speak' }),
      decided(2, 'b'),
      decided(3, 'b', { message: 'm2', reason: { kind: 'nobody_addressed' } }),
      decided(4, 'b', { message: 'gone' }),
    ];
    const thread: Thread = {
      messages: [said(1), reply(2, 'a', 'r1', 'm1')],
      decisions,
      variants: [],
      reactions: [],
      hasOlder: false,
    };
    const line = transcript(thread, new Map([['r1', ran('r1', 1, 'a', 1)]]), 'g').at(-1);
    const heard = line?.kind === 'silence' ? line.heard : [];
    expect(heard.map((one) => [one.message, one.author, one.decisions.map((decision) => decision.seq)])).toEqual([
      ['m1', user, [1, 2]],
      ['m2', agent('a'), [3]],
      ['gone', null, [4]],
    ]);
  });

  it('names whom a limit kept from going on, though it spoke before', () => {
    const decisions = [
      decided(1, 'a', { verdict: 'speak' }),
      decided(2, 'a', { message: 'm2', reason: { kind: 'chain_depth', limit: 3 } }),
      decided(3, 'a', { message: 'm3', reason: { kind: 'nobody_addressed' } }),
    ];
    check(['day', 'm1', 'm2/r1', 'silence a'], [said(1), reply(2, 'a', 'r1', 'm1')], [ran('r1', 1, 'a', 1)], decisions);
  });

  describe('of an agent that is paused', () => {
    const paused = { kind: 'paused' } as const;
    const nobody = (seq: number) => decided(seq, 'a', { message: 'm2', reason: { kind: 'nobody_addressed' } });
    const put = ran('r1', 1, 'a', 1, { state: 'stopped', outcome: { kind: 'silent', reason: paused } });
    const other = ran('r2', 2, 'b', 1);

    /** What stands under the other agent's reply, whose turn is `r2`. */
    function waits(decisions: Decision[], runs: Run[], messages = [said(1), reply(2, 'b', 'r2', 'm1')]) {
      const thread: Thread = { messages, decisions, variants: [], reactions: [], hasOlder: false };
      const all = new Map([...runs, other].map((run) => [run.id, run]));
      return transcript(thread, all, 'g').flatMap((row) =>
        row.kind === 'silence'
          ? row.silent.map(({ agent, decision }) => `${agent} ${decision.verdict} ${decision.reason.kind}`)
          : [],
      );
    }

    it('says that it waits, also when others have answered', () => {
      const wait = decided(1, 'a', { verdict: 'wait', reason: paused });
      expect(waits([wait], [])).toEqual(['a wait paused']);
      expect(waits([wait, nobody(2), nobody(3)], [])).toEqual(['a wait paused']);
    });

    it('says so too where the pause took its turn from it', () => {
      const speak = decided(1, 'a', { verdict: 'speak', reason: { kind: 'broadcast' } });
      expect(waits([speak], [put])).toEqual(['a wait paused']);
      expect(waits([speak, nobody(2)], [put])).toEqual(['a wait paused']);
    });

    it('says so of one that spoke before, and was asked again', () => {
      const messages = [said(1), reply(2, 'a', 'r1', 'm1'), reply(3, 'b', 'r2', 'm1')];
      const wait = decided(2, 'a', { message: 'm3', verdict: 'wait', reason: paused });
      const speak = decided(1, 'a', { verdict: 'speak' });
      expect(waits([speak, wait], [ran('r1', 1, 'a', 1)], messages)).toEqual(['a wait paused']);
      const answered = [...messages, reply(4, 'a', 'r3', 'm1')];
      expect(waits([speak, wait], [ran('r1', 1, 'a', 1), ran('r3', 3, 'a', 3, { reads_after: 1 })], answered)).toEqual(
        [],
      );
    });

    it('says it no more once the turn is taken up, by itself or with what came later', () => {
      const speak = decided(1, 'a', { verdict: 'speak', reason: { kind: 'broadcast' } });
      const again = ran('r3', 3, 'a', 2, { state: 'running' });
      expect(waits([speak, nobody(2)], [put, again])).toEqual([]);
      const wait = decided(1, 'a', { verdict: 'wait', reason: paused });
      const messages = [said(1), reply(2, 'b', 'r2', 'm1'), said(3), reply(4, 'a', 'r3', 'm3')];
      const later = ran('r3', 3, 'a', 3, { root: 'm3' });
      expect(waits([wait, nobody(2)], [later], messages)).toEqual([]);
    });
  });

  it('tells of an interrupted run once, though a notice does too', () => {
    const fault = { code: 'internal', message: 'Coterie ended 3 times', fix: 'coterie run resume r9' } as const;
    const noted = said(2, {
      at_ms: noon + 5,
      author: { kind: 'system' },
      body: { kind: 'notice', notice: { kind: 'run_failed', agent: 'b', fault } },
    });
    const run = (state: Run['state']) => [ran('r9', 9, 'b', 1, { state, ended_ms: noon + 5 })];
    check(['day', 'm1', 'interrupted r9'], [said(1), noted], run('interrupted'));
    check(['day', 'm1'], [said(1), noted], run('resumed'));
    check(['day', 'm1', 'interrupted r9'], [said(1), noted], run('dropped'));
    check(['day', 'm1', 'failed m2'], [said(1), noted], run('failed'));
  });

  it('knows which run failed where a notice says so', () => {
    const fault = { code: 'provider', message: 'no answer', fix: '' } as const;
    const noted = (at_ms: number) =>
      said(2, {
        at_ms,
        author: { kind: 'system' },
        body: { kind: 'notice', notice: { kind: 'run_failed', agent: 'b', fault } },
      });
    const run = ran('r9', 9, 'b', 1, { state: 'failed', ended_ms: noon + 5 });
    const runOf = (message: Message) => {
      const thread: Thread = { messages: [message], decisions: [], variants: [], reactions: [], hasOlder: false };
      const row = transcript(thread, new Map([['r9', run]]), 'g').find(({ kind }) => kind === 'failed');
      return row?.kind === 'failed' ? row.run : null;
    };
    expect([runOf(noted(noon + 5)), runOf(noted(noon + 6))]).toEqual([run, undefined]);
  });

  it('shows the interrupted run of a task where the notice of it stands, until a person decides', () => {
    const fault = { code: 'refused', message: 'count ran; Ada waits', fix: 'coterie run resume r9' } as const;
    const noted = said(2, {
      at_ms: noon + 5,
      author: { kind: 'system' },
      body: { kind: 'notice', notice: { kind: 'run_failed', agent: 'b', fault } },
    });
    const run = (state: Run['state']) => [ran('r9', 9, 'b', 1, { state, ended_ms: noon + 5, group: 'task' })];
    check(['day', 'm1', 'interrupted r9'], [said(1), noted], run('interrupted'));
    check(['day', 'm1'], [said(1), noted], run('resumed'));
    check(['day', 'm1', 'interrupted r9'], [said(1), noted], run('dropped'));
  });

  it('shows a run that was interrupted and one that failed', () => {
    const fault = { code: 'provider', message: 'no answer', fix: '' } as const;
    const failed = said(2, {
      author: { kind: 'system' },
      body: { kind: 'notice', notice: { kind: 'run_failed', agent: 'a', fault } },
    });
    check(
      ['day', 'm1', 'interrupted r9', 'failed m2'],
      [said(1), failed],
      [ran('r9', 9, 'b', 1, { state: 'interrupted' })],
    );
  });
});
