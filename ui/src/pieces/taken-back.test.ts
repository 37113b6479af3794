import { describe, expect, it } from 'vitest';
import { memory } from './memory.kit';
import { holdAgain } from './taken-back';

const gone = (by: string) => ({ state: { kind: 'superseded', by } }) as const;
const texts = (of: ReturnType<typeof holdAgain>) => of.map((one) => one.text);

describe('what holds again', () => {
  it('are the earlier words of what was edited', () => {
    const [now, before] = [memory('a', { text: 'in Oslo', changed_at_ms: 9 }), memory('a', { text: 'in Bergen' })];
    expect(texts(holdAgain([before], [now]))).toEqual(['in Oslo']);
  });

  it('is nothing where only how it is kept was changed', () => {
    expect(holdAgain([memory('a', { pinned: true })], [memory('a')])).toEqual([]);
  });

  it('is what had given way, and not what gives way to it', () => {
    const [old, newer] = [memory('old', { text: 'Lisbon' }), memory('new', { text: 'Porto' })];
    expect(texts(holdAgain([{ ...old, ...gone('new') }, newer], [old, { ...newer, ...gone('old') }]))).toEqual([
      'Lisbon',
    ]);
  });

  it('are those of a merge too, which no reply names', () => {
    const [first, second] = [memory('a', { text: 'tea' }), memory('b', { text: 'no sugar' })];
    const merged = memory('a', { text: 'tea without sugar' });
    const before = [merged, { ...second, ...gone('a') }];
    expect(texts(holdAgain(before, [first], [second]))).toEqual(['tea', 'no sugar']);
    expect(texts(holdAgain(before, [first], [{ ...second, ...gone('a') }]))).toEqual(['tea']);
  });

  it('is not what is over, nor what was changed later and only stays', () => {
    const undone = memory('a', { state: { kind: 'wrong' }, changed_at_ms: 9 });
    const over = memory('b', { valid_to_ms: 1, changed_at_ms: 9 });
    expect(holdAgain([], [undone, over, memory('c', { changed_at_ms: 5 })])).toEqual([]);
  });
});
