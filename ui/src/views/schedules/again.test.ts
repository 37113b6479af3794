import { describe, expect, it } from 'vitest';
import type { Schedule, Times } from '../../api/generated';
import { planAgain } from './again';

const now = Date.UTC(2026, 11, 24, 9);
const plan: Schedule['plan'] = {
  agent: 'a',
  work: { kind: 'say', group: 'g', text: 'What is due?' },
  words: 'in 20 minutes',
  zone: 'Asia/Shanghai',
  hours: { from: 540, to: 1020 },
  catch_up: { kind: 'all', most: 3 },
};
const schedule = (times: Times, next_ms: number | null): Schedule => ({
  id: 's',
  plan,
  times,
  made_by: { kind: 'user' },
  paused: false,
  next_ms,
  created_ms: now,
});

describe('a schedule that was removed', () => {
  it('is made again from the very plan it had', () => {
    const every: Times = { kind: 'every', minutes: 120, from_ms: now };
    expect(planAgain(schedule(every, now + 1), now)).toEqual(plan);
  });

  it('comes at the same moment, where it comes once', () => {
    const at_ms = now + 20 * 60_000;
    const words = 'on 2026-12-24 at 17:20';
    expect(planAgain(schedule({ kind: 'once', at_ms }, at_ms), now)).toEqual({ ...plan, words });
    const midnight = Date.UTC(2026, 11, 24, 16, 5);
    expect(planAgain(schedule({ kind: 'once', at_ms: midnight }, midnight), now)?.words).toBe('on 2026-12-25 at 00:05');
  });

  it('cannot be made again when its only time has passed', () => {
    expect(planAgain(schedule({ kind: 'once', at_ms: now - 1 }, null), now)).toBeNull();
    // While it was paused.
    expect(planAgain(schedule({ kind: 'once', at_ms: now - 1 }, now - 1), now)).toBeNull();
  });
});
