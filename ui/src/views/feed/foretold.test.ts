import { describe, expect, it } from 'vitest';
import type { WouldAnswer } from '../../api/generated';
import { sayAnswers, sayWaits, type Ticks } from './foretold';

const would = (more: Partial<WouldAnswer>): WouldAnswer => ({
  at_once: [],
  by_tick: [],
  later: [],
  tokens_at_most: 2_400,
  microusd_at_most: 10_000,
  beyond: [],
  over: null,
  no_room: null,
  ...more,
});
const none = { tokens_at_most: 0, microusd_at_most: 0 };

describe('what comes of something in the feed', () => {
  it('is said with when it comes: at once, by a tick, and by which', () => {
    const cases: [Partial<WouldAnswer>, Ticks, string][] = [
      [{ at_once: ['Ada'] }, 'by_hand', 'Wakes Ada at once'],
      [{ by_tick: ['Ada', 'Bo'] }, 'by_themselves', 'Wakes Ada and Bo at the next tick'],
      [{ by_tick: ['Ada', 'Bo', 'Kit'] }, 'by_hand', 'Wakes 3 agents once you press Tick'],
      [{ at_once: ['Ada'], by_tick: ['Bo'] }, 'by_themselves', 'Wakes Ada at once, Bo at the next tick'],
      [{ at_once: ['Ada'], by_tick: ['Bo'] }, 'by_hand', 'Wakes Ada at once, Bo once you press Tick'],
      [{ at_once: ['Ada'], by_tick: ['Bo'] }, 'paused', 'Wakes Ada and Bo once everybody goes on'],
    ];
    for (const [of, ticks, said] of cases)
      expect(
        sayAnswers(would(of), ticks, (id) => id),
        said,
      ).toBe(`${said}, about 2,400 tokens, $0.01`);
    const unpriced = would({ at_once: ['Ada'], microusd_at_most: null });
    expect(sayAnswers(unpriced, 'by_hand', (id) => id)).toBe('Wakes Ada at once, about 2,400 tokens');
    expect(sayAnswers(would(none), 'by_hand', (id) => id)).toBe('Wakes nobody');
    expect(sayAnswers(null, 'by_hand', (id) => id)).toBe('');
  });

  it('is said with whom or what it waits for, and then not that it wakes nobody', () => {
    const check = (of: Partial<WouldAnswer>, said: string) => {
      const what = would({ ...none, ...of });
      expect([sayWaits(what, (id) => id), sayAnswers(what, 'by_hand', (id) => id)]).toEqual([said, '']);
    };
    check({ later: ['Ada'] }, 'It waits for Ada, who is paused or has had enough for now.');
    check({ later: ['Ada', 'Bo'] }, 'It waits for Ada and Bo, who are paused or have had enough for now.');
    check(
      { no_room: { kind: 'feed' }, later: ['Ada'] },
      'The budget of the feed and of schedules has no room today for the answers of a tick: they wait.',
    );
    const beyond = would({ at_once: ['Ada'], beyond: ['Bo'], over: { kind: 'day' } });
    expect(sayWaits(beyond, (id) => id)).toBe('The budget of the day is not enough to wake Bo too.');
  });
});
