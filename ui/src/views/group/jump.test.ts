import { expect, it } from 'vitest';
import type { Author, Message } from '../../api/generated';
import type { Row } from '../../state';
import { marksOf, ownOf } from './jump';

const row = (id: string, text: string, author: Author = { kind: 'user' }): Row => ({
  kind: 'message',
  key: id,
  message: { id, author } as Message,
  run: undefined,
  text,
  cutShort: false,
});

it('offers nothing in a short conversation', () => {
  expect(marksOf(ownOf(['a', 'b', 'c'].map((id) => row(id, id))), 0)).toEqual([]);
});

it('offers what the person said, not what agents did', () => {
  const rows = [1, 2, 3, 4].flatMap((n) => [
    row(`own${n}`, `say ${n}`),
    row(`not${n}`, 'yes', { kind: 'agent', id: 'x' }),
  ]);
  expect(marksOf(ownOf([{ kind: 'day', key: 'day', atMs: 0 }, ...rows]), 8)).toEqual(
    [1, 2, 3, 4].map((n) => ({ message: `own${n}`, words: `say ${n}` })),
  );
});

it('offers twelve around where one reads, each by its first words', () => {
  const rows = Array.from({ length: 30 }, (_, n) => row(`${n}`, `line\n  ${n} ${'好'.repeat(200)}`));
  const from = (around: number) => {
    const marks = marksOf(ownOf(rows), around).map((mark) => Number(mark.message));
    expect(marks).toEqual(Array.from({ length: 12 }, (_, n) => n + (marks[0] ?? NaN)));
    return marks[0];
  };
  expect([0, 6, 15, 24, 29].map(from)).toEqual([0, 0, 9, 18, 18]);
  expect(marksOf(ownOf(rows), 29)[0]?.words).toBe(`line 18 ${'好'.repeat(72)}…`);
});
