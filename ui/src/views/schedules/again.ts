/** How a schedule that was removed is made once more. Pure. */
import type { Schedule, SchedulePlan } from '../../api/generated';

const minuteMs = 60_000;

/**
 * The plan that makes it again with the same times; null where its only time has
 * passed, which no words can say any more.
 *
 * "In 20 minutes" would be counted from now, so a single time is said by its date.
 */
export function planAgain({ plan, times, next_ms }: Schedule, nowMs: number): SchedulePlan | null {
  if (times.kind !== 'once') return plan;
  // Words say no seconds.
  const minute = Math.floor(times.at_ms / minuteMs) * minuteMs;
  if (next_ms === null || minute <= nowMs) return null;
  return { ...plan, words: `on ${dateIn(times.at_ms, plan.zone)}` };
}

/** `2026-12-24 at 18:00`, in the plan's zone; the machine's where it names none. */
function dateIn(atMs: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('en', {
    ...(zone === '' ? {} : { timeZone: zone }),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(atMs);
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')} at ${of('hour')}:${of('minute')}`;
}
