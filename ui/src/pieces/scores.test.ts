import { describe, expect, it } from 'vitest';
import { partsOf } from './scores';

const scores = (words: number, meaning: number | null, total: number, weight = 1) => ({
  words,
  meaning,
  total,
  weight,
  fused: total,
});

describe('the bar of a score', () => {
  it('is full for the best one, and half as long for one with half its score', () => {
    const [best, half] = [partsOf(scores(4, 0.85, 0.8), 0.8), partsOf(scores(4, 0.85, 0.4), 0.8)];
    expect(best.meaning + best.words).toBeCloseTo(1);
    expect(half.meaning + half.words).toBeCloseTo(0.5);
  });

  it('is of words alone where meaning was not compared, and of meaning alone without a word in common', () => {
    expect(partsOf(scores(6, null, 0.5), 1)).toEqual({ total: 0.5, meaning: 0, words: 0.5 });
    expect(partsOf(scores(0, 0.9, 0.5), 1)).toEqual({ total: 0.5, meaning: 0.5, words: 0 });
  });

  it('counts what a turn made of it, and is empty where there is nothing to compare', () => {
    expect(partsOf(scores(6, 0.9, 0.5, 1.1), 1).total).toBeCloseTo(0.55);
    expect(partsOf(scores(0, null, 0), 0)).toEqual({ total: 0, meaning: 0, words: 0 });
  });
});
