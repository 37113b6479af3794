/** The months of a year, and memories in the order in which they were so. Pure. */
import type { Memory, MemoryFilter } from '../../api/generated';
import { sinceOf } from './filter';

export type Span = { since_ms: number; until_ms: number };

/** A month of a year, 0 for January, by the clock of the machine. */
export function monthOf(year: number, month: number): Span {
  return { since_ms: new Date(year, month, 1).getTime(), until_ms: new Date(year, month + 1, 1).getTime() };
}

/** The filter, of that time only; null where it leaves nothing of it. */
export function within(filter: MemoryFilter, span: Span): MemoryFilter | null {
  const since_ms = Math.max(span.since_ms, filter.since_ms ?? -Infinity);
  const until_ms = Math.min(span.until_ms, filter.until_ms ?? Infinity);
  return since_ms < until_ms ? { ...filter, since_ms, until_ms } : null;
}

export type TimeRow = { kind: 'day'; atMs: number } | { kind: 'memory'; memory: Memory };

/** The latest first, with the day before each first of a day. */
export function inTime(memories: readonly Memory[]): readonly TimeRow[] {
  const sorted = [...memories].sort((a, b) => sinceOf(b) - sinceOf(a));
  const dayOf = (memory: Memory) => new Date(sinceOf(memory)).setHours(0, 0, 0, 0);
  return sorted.flatMap((memory, at): TimeRow[] => {
    const before = sorted[at - 1];
    const row: TimeRow = { kind: 'memory', memory };
    return before && dayOf(before) === dayOf(memory) ? [row] : [{ kind: 'day', atMs: dayOf(memory) }, row];
  });
}
