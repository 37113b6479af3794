import { expect, it } from 'vitest';
import type { Author, Message } from '../../api/generated';
import type { Row } from '../../state';
import { marksOf } from './jump';

const row = (id: string, text: string, author: Author = { kind: 'user' }): Row => ({
  kind: 'message',
  key: id,
  message: { id, author } as Message,
  run: undefined,
  text,
  cutShort: false,
});

it('offers nothing in a short conversation', () => {
  expect(marksOf(['a', 'b', 'c'].map((id) => row(id, id)))).toEqual([]);
});

it('offers what the person said, not what agents did', () => {
  const rows = [1, 2, 3, 4].flatMap((n) => [
    row(`own${n}`, `say ${n}`),
    row(`not${n}`, 'yes', { kind: 'agent', id: 'x' }),
  ]);
  expect(marksOf([{ kind: 'day', key: 'day', atMs: 0 }, ...rows])).toEqual(
    [1, 2, 3, 4].map((n) => ({ message: `own${n}`, words: `say ${n}` })),
  );
});

it('offers the newest twelve, each by its first words', () => {
  const rows = Array.from({ length: 30 }, (_, n) => row(`${n}`, `line\n  ${n} ${'好'.repeat(200)}`));
  const marks = marksOf(rows);
  expect(marks.map((mark) => mark.message)).toEqual(Array.from({ length: 12 }, (_, n) => `${n + 18}`));
  expect(marks[0]?.words).toBe(`line 18 ${'好'.repeat(72)}…`);
});
