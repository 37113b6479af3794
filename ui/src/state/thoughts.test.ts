import { describe, expect, it } from 'vitest';
import type { Step, StepKind } from '../api/generated';
import { isDoing } from './doings';
import { thinking, thoughts, wordsIn } from './thoughts';

const steps = (...kinds: StepKind[]) => kinds.map((kind, at) => ({ run: 'r', n: at + 1, at_ms: 0, ...kind }) as Step);
const delta = (reasoning: string, text = ''): StepKind => ({ step: 'delta', text, reasoning });
const called: StepKind = { step: 'model_called', model: 'a/b' };

describe('what an agent thought', () => {
  it('is one text for each answer of its model, and none where nothing was thought or it was forgotten', () => {
    const all = steps(called, delta('So. '), delta('Then.', 'Yes'), called, delta('Else.'), called, delta('', 'No'));
    expect(thoughts(all)).toEqual(['So. Then.', 'Else.']);
    expect(thoughts(all.filter(isDoing))).toEqual(['So. Then.', 'Else.']);
    expect(thoughts(steps(called, delta('', 'Yes')))).toEqual([]);
    const tries = [...steps(delta('before')), { ...steps(called, delta('after'))[1], run: 's' } as Step];
    expect(thoughts(tries)).toEqual(['before', 'after']);
  });

  it.each([
    ['goes on behind what is told', 'onetwothr', 'thr'],
    ['has nothing new', 'onetwo', ''],
    ['began behind an answer that was taken back', 'twothr', 'thr'],
    ['began behind all of them', 'thr', 'thr'],
    ['was seen from its middle', 'netwothr', 'netwothr'],
    ['has yet to begin', '', ''],
  ])('now is what no step tells: it %s', (_, live, now) => {
    expect(thinking(steps(called, delta('one'), called, delta('two')), live)).toBe(now);
  });

  it.each([
    ['So it is, then - 17 of them.', 7],
    ['先想想 Rust 再说。', 6],
    [' … ', 0],
  ])('is as long as its words: %s', (text, words) => {
    expect(wordsIn(text)).toBe(words);
  });
});
