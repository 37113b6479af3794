/** Days as budgets count them: from midnight to midnight, UTC. */

const dayMs = 86_400_000;

/** Over how many days charts may go. */
export const spans = [7, 30, 90] as const;
export type Span = (typeof spans)[number];

/** `2026-11-21`. */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** When the first of so many days began, of which today is the last. */
export function beginOf(days: number, nowMs: number): number {
  return (Math.floor(nowMs / dayMs) - days + 1) * dayMs;
}

/** So many days, the first of which began then. */
export function daysFrom(beginMs: number, days: number): readonly string[] {
  return Array.from({ length: days }, (_, at) => dayOf(beginMs + at * dayMs));
}
