import { describe, expect, it } from 'vitest';
import type { Run } from '../../api/generated';
import { beginOf, daysFrom } from '../../pieces/days';
import { cacheHits, spent, took } from './plots';

const days = ['2026-11-20', '2026-11-21'];
const noon = Date.parse('2026-11-20T12:00:00Z');
const next = Date.parse('2026-11-21T00:00:00Z');
let made = 0;

function run(agent: string, started_ms: number, more: Partial<Run> = {}): Run {
  const message = `m${(made += 1)}`;
  return {
    seq: made,
    id: `r${made}`,
    agent,
    group: 'g',
    state: 'settled',
    cause: { message, author: { kind: 'user' }, reason: { kind: 'mentioned' } },
    root: message,
    depth: 1,
    model: 'a/b',
    soul_version: 1,
    reads_after: 0,
    reads_to: 0,
    usage: { input_tokens: 90, output_tokens: 10, cached_tokens: null, cache_write_tokens: null },
    estimated: false,
    asked_instead: null,
    cost_microusd: null,
    outcome: { kind: 'replied', message, gave_up: false },
    attempt: 1,
    resumes: null,
    started_ms,
    first_token_ms: null,
    ended_ms: started_ms + 1000,
    ...more,
  };
}
const ofAgent = (of: Run) => of.agent;
const cost = (agent: string, at: number, cost_microusd: number | null) => run(agent, at, { cost_microusd });

describe('days', () => {
  it('begin at midnight UTC, and today is the last', () => {
    expect(daysFrom(beginOf(2, next), 2)).toEqual(days);
    expect(daysFrom(beginOf(1, next - 1), 1)).toEqual(['2026-11-20']);
  });
});

describe('what was spent', () => {
  it('is told apart for the two dearest, and the others are one', () => {
    const runs = [
      cost('ada', noon, 5),
      cost('ada', next, 7),
      cost('bo', noon, 3),
      cost('ines', next, 2),
      cost('otto', next, 1),
    ];
    expect(spent(runs, days, ofAgent)).toEqual({
      unit: 'microusd',
      total: 18,
      unpriced: false,
      estimated: false,
      parts: [
        { key: 'ada', values: [5, 7] },
        { key: 'bo', values: [3, 0] },
        { key: null, values: [0, 3] },
      ],
    });
  });

  it('names the third, where it would be the only other', () => {
    const runs = ['ada', 'bo', 'ines'].map((name, at) => cost(name, noon, 3 - at));
    expect(spent(runs, days, ofAgent).parts.map((part) => part.key)).toEqual(['ada', 'bo', 'ines']);
  });

  it('is counted in tokens where no price is known, and says what has none where some are', () => {
    expect(spent([run('ada', noon)], days, ofAgent)).toMatchObject({ unit: 'tokens', total: 100, unpriced: false });
    const some = [cost('ada', noon, 5), run('bo', noon, { estimated: true })];
    expect(spent(some, days, ofAgent)).toMatchObject({ unit: 'microusd', total: 5, unpriced: true, estimated: true });
  });

  it('leaves out runs that asked no model', () => {
    const nothing = { input_tokens: null, output_tokens: null, cached_tokens: null, cache_write_tokens: null };
    expect(spent([cost('ada', noon, 5), run('bo', noon, { usage: nothing })], days, ofAgent)).toMatchObject({
      unpriced: false,
      parts: [{ key: 'ada' }],
    });
  });
});

describe('the time to answer', () => {
  it('counts replies only, each on the day on which it began', () => {
    const lasting = (ms: number) => run('ada', noon, { ended_ms: noon + ms });
    const silent = run('ada', noon, { outcome: { kind: 'silent', reason: { kind: 'not_mentioned' } } });
    const goesOn = run('ada', next, { ended_ms: null, outcome: null });
    const runs = [...Array.from({ length: 20 }, (_, at) => lasting((20 - at) * 100)), silent, goesOn];
    expect(took(runs, days)).toEqual({ median: 1000, medians: [1000, null], slowest: [1900, null] });
  });
});

describe('cache hits', () => {
  it('are a share of what was read where a provider says so', () => {
    const read = (input_tokens: number, cached_tokens: number | null) =>
      run('ada', noon, { usage: { input_tokens, output_tokens: 1, cached_tokens, cache_write_tokens: null } });
    expect(cacheHits([read(100, 50), read(300, 250), read(900, null)], days)).toEqual({
      share: 0.75,
      shares: [0.75, null],
    });
    expect(cacheHits([read(900, null)], days)).toEqual({ share: null, shares: [null, null] });
  });
});
