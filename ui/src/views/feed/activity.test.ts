import { expect, it } from 'vitest';
import type { Author, FeedDay } from '../../api/generated';
import { byAuthor, onDays } from './activity';

const days = ['2026-11-20', '2026-11-21', '2026-11-22'];
const agent = (id: string): Author => ({ kind: 'agent', id });
const row = (day: number, who: Author, more: Partial<FeedDay>): FeedDay => ({
  day: days[day] ?? '',
  who,
  posts: 0,
  comments: 0,
  given: 0,
  refused: 0,
  ...more,
});
const rows = [
  row(0, { kind: 'user' }, { posts: 2 }),
  row(0, agent('ada'), { comments: 1, given: 1 }),
  row(0, agent('bo'), { refused: 2 }),
  row(2, agent('ada'), { comments: 3, given: 4, refused: 1 }),
  row(2, agent('bo'), { posts: 1, given: 1 }),
];

it('what happened stands on its day, and days on which nothing did are there', () => {
  expect(onDays(rows, days, 'posts')).toEqual([2, 0, 1]);
  expect(onDays(rows, days, 'comments')).toEqual([1, 0, 3]);
  expect(onDays(rows, days, 'given')).toEqual([1, 0, 5]);
  expect(onDays(rows, days, 'refused')).toEqual([2, 0, 1]);
});

it('whoever wrote most comes first, and who wrote nothing is nobody', () => {
  expect(byAuthor(rows, days)).toEqual([
    { who: agent('ada'), values: [1, 0, 3] },
    { who: { kind: 'user' }, values: [2, 0, 0] },
    { who: agent('bo'), values: [0, 0, 1] },
  ]);
  const program: Author = { kind: 'outside', id: 'ada' };
  const more = [...rows, row(1, program, { comments: 1 }), row(1, agent('kim'), { refused: 5 })];
  expect(byAuthor(more, days)).toEqual([
    { who: agent('ada'), values: [1, 0, 3] },
    { who: { kind: 'user' }, values: [2, 0, 0] },
    { who: null, values: [0, 1, 1] },
  ]);
});
