/** What happened in the feed, by day: plain sums over what the door says of each day and each author. */
import type { Author, FeedDay } from '../../api/generated';

/** So many are told apart; what is left is the others. */
const mostNamed = 2;

/** What a row counts. */
export type Count = 'posts' | 'comments' | 'given' | 'refused';

/** How much of it there was on each day. */
export function onDays(rows: readonly FeedDay[], days: readonly string[], count: Count): readonly number[] {
  return days.map((day) => sumOf(rows.filter((row) => row.day === day).map((row) => row[count])));
}

export type Authored = { who: Author | null; values: readonly number[] };

/** How much each wrote on each day, whoever wrote most first; without an author, all others together. */
export function byAuthor(rows: readonly FeedDay[], days: readonly string[]): readonly Authored[] {
  const each = new Map<string, FeedDay[]>();
  for (const row of rows.filter((one) => wrote([one]) > 0)) {
    const key = 'id' in row.who ? `${row.who.kind} ${row.who.id}` : row.who.kind;
    each.set(key, [...(each.get(key) ?? []), row]);
  }
  const all = [...each.values()].sort((a, b) => wrote(b) - wrote(a));
  const named = all.length === mostNamed + 1 ? all : all.slice(0, mostNamed);
  const others = all.slice(named.length).flat();
  const part = (who: Author | null, of: readonly FeedDay[]): Authored => ({
    who,
    values: days.map((day) => wrote(of.filter((row) => row.day === day))),
  });
  return [...named.map((of) => part(of[0]?.who ?? null, of)), ...(others.length > 0 ? [part(null, others)] : [])];
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const wrote = (rows: readonly FeedDay[]) => sumOf(rows.map((row) => row.posts + row.comments));
