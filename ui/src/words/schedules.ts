/** When and what, of a schedule, in words. */
import type { ActiveHours, Day, ScheduledWork, Times } from '../api/generated';
import { list, whole } from './format';
import { languageTag, t } from './words.svelte';

const order: readonly Day[] = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const hour = 60;
const day = 24 * hour;

/** Of a schedule in this zone. */
export function sayTimes(times: Times, zone: string): string {
  switch (times.kind) {
    case 'once':
      return t('schedules.at_once', { when: sayNext([times.at_ms], zone) });
    case 'every': {
      const { minutes } = times;
      if (minutes % day === 0) return t('schedules.every_days', { n: minutes / day });
      return minutes % hour === 0
        ? t('schedules.every_hours', { n: minutes / hour })
        : t('schedules.every_minutes', { n: minutes });
    }
    case 'days':
      return onDays(times.days, clock(times.minute));
    case 'cron':
      return t('schedules.cron', { expression: times.expression });
    default:
      return times satisfies never;
  }
}

/** The times that come next; in another zone than this machine’s they say which. */
export function sayNext(next: readonly number[], zone: string): string {
  // One zone may have several names.
  const named = (timeZone?: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  const isHere = zone === '' || named(zone) === named();
  const times = next.map((at) => whole(at, isHere ? undefined : zone)).join(' · ');
  return isHere ? times : t('schedules.in_zone', { times, zone });
}

function onDays(days: readonly Day[], time: string): string {
  const at = days.map((one) => order.indexOf(one)).join('');
  if (at === '0123456') return t('schedules.every_day_at', { time });
  if (at === '01234') return t('schedules.weekdays_at', { time });
  if (at === '56') return t('schedules.weekends_at', { time });
  const named = new Intl.DateTimeFormat(languageTag(), { weekday: 'long', timeZone: 'UTC' });
  // The fifth of January 1970 was a Monday.
  const names = days.map((one) => named.format(Date.UTC(1970, 0, 5 + order.indexOf(one))));
  return t('schedules.days_at', { days: list(names), time });
}

/** `09:00` */
const clock = (minute: number) =>
  `${String(Math.floor(minute / hour)).padStart(2, '0')}:${String(minute % hour).padStart(2, '0')}`;

export const sayHours = (hours: ActiveHours): string =>
  t('schedules.only', { from: clock(hours.from), to: clock(hours.to) });

/** As it is written in a field, and read out of it: `9-17:30`. Nothing where it is neither. */
export const writeHours = (hours: ActiveHours | null): string =>
  hours ? `${clock(hours.from)}-${clock(hours.to)}` : '';

export function readHours(text: string): ActiveHours | null | undefined {
  if (text.trim() === '') return null;
  const parts = /^\s*(\d{1,2})(?::(\d{2}))?\s*[-–]\s*(\d{1,2})(?::(\d{2}))?\s*$/.exec(text);
  if (!parts) return undefined;
  const minute = (h: string | undefined, m: string | undefined) => Number(h) * hour + Number(m ?? 0);
  const hours = { from: minute(parts[1], parts[2]), to: minute(parts[3], parts[4]) };
  return Math.max(hours.from, hours.to) <= day && hours.from !== hours.to ? hours : undefined;
}

export function sayWork(work: ScheduledWork, groupOf: (id: string) => string): string {
  switch (work.kind) {
    case 'say':
      return t('schedules.given_say', { text: work.text, group: groupOf(work.group) });
    case 'post':
      return work.text ? t('schedules.given_post_about', { text: work.text }) : t('schedules.given_post');
    case 'heartbeat':
      return t('schedules.given_heartbeat');
    case 'digest':
      return t('schedules.given_digest');
    default:
      return work satisfies never;
  }
}
