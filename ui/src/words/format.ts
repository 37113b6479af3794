/**
 * Numbers, times and lists as the language of the moment writes them.
 *
 * Every function reads the language when called, so a page that shows a date
 * follows a change of language at once.
 */
import { apart } from './apart';
import { languageTag, t } from './words.svelte';

const made = new Map<string, unknown>();

/** `Intl` objects are dear to make and are asked for on every row. */
function once<T>(name: string, make: (tag: string) => T): T {
  // British English: the day before the month, as in the words.
  const tag = languageTag() === 'en' ? 'en-GB' : languageTag();
  const key = `${tag} ${name}`;
  let value = made.get(key) as T | undefined;
  if (value === undefined) {
    value = make(tag);
    made.set(key, value);
  }
  return value;
}

/** `2,702` */
export function number(value: number): string {
  return once('number', (tag) => new Intl.NumberFormat(tag)).format(value);
}

/** `212`, `1.1k`, `64k`, `1M`: for columns and lines where the size is what matters. */
export function short(value: number): string {
  if (Math.abs(value) < 1000) return number(Math.round(value));
  const [unit, of] = Math.abs(value) < 999_500 ? ['k', value / 1000] : ['M', value / 1_000_000];
  const digits = Math.abs(of) < 10 ? 1 : 0;
  const written = once(`short ${digits}`, (tag) => new Intl.NumberFormat(tag, { maximumFractionDigits: digits }));
  return `${written.format(of)}${unit}`;
}

/** `640 B`, `12 KB`, `3.9 MB`, `98 MB`, `4.7 GB`: how much a file holds. */
export function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let of = bytes;
  let at = 0;
  while (of >= 999.5 && at < units.length - 1) {
    of /= 1000;
    at += 1;
  }
  const digits = at > 0 && of < 9.95 ? 1 : 0;
  const written = once(`size ${digits}`, (tag) => new Intl.NumberFormat(tag, { maximumFractionDigits: digits }));
  return `${written.format(of)} ${units[at]}`;
}

/** `$5.00`, `$0.48`, `$0.021`, `$0.0061`, `$0`: an amount in millionths of a US dollar. */
export function money(microusd: number): string {
  const dollars = microusd / 1_000_000;
  if (dollars > 0 && dollars < 0.0001) return `<${money(100)}`;
  const digits =
    dollars === 0
      ? { maximumFractionDigits: 0 }
      : dollars >= 0.01
        ? { minimumFractionDigits: 2, maximumFractionDigits: dollars >= 0.1 ? 2 : 3 }
        : { maximumSignificantDigits: 2 };
  return once(`money ${JSON.stringify(digits)}`, (tag) => {
    return new Intl.NumberFormat(tag, {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      ...digits,
    });
  }).format(dollars);
}

/** `14:31` */
export function time(atMs: number): string {
  return once(
    'time',
    (tag) => new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hour12: false }),
  ).format(atMs);
}

/** `Today`, `Yesterday`, `Friday`, `12 May`, `12 May 2024`: what parts the days of a conversation. */
export function day(atMs: number, nowMs: number = Date.now()): string {
  const ago = daysBetween(atMs, nowMs);
  if (ago === 0) return t('when.today');
  if (ago === 1) return t('when.yesterday');
  if (ago > 1 && ago < 7)
    return once('weekday', (tag) => new Intl.DateTimeFormat(tag, { weekday: 'long' })).format(atMs);
  return date(atMs, nowMs);
}

/** `14:31` today, else `Fri`, else `12 May`: the stamp of a row. */
export function moment(atMs: number, nowMs: number = Date.now()): string {
  const ago = daysBetween(atMs, nowMs);
  if (ago === 0) return time(atMs);
  if (ago > 0 && ago < 7) return once('wday', (tag) => new Intl.DateTimeFormat(tag, { weekday: 'short' })).format(atMs);
  return date(atMs, nowMs);
}

/** `12 May 2026, 14:31`: a moment that is ahead, as the clocks of a zone show it; without one as this machine’s do. */
export function whole(atMs: number, zone?: string): string {
  return once(
    `whole ${zone ?? ''}`,
    (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', hour12: false, timeZone: zone }),
  ).format(atMs);
}

/** `12 May 2026, 14:31:07`: the whole truth, for titles and details. */
export function full(atMs: number): string {
  return once(
    'full',
    (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium', hour12: false }),
  ).format(atMs);
}

/** `21`, on the first of a month `1 Dec`: a day (`2026-11-21`) below a plot. */
export function dayShort(day: string): string {
  const isFirst = day.endsWith('-01');
  return once(`day short ${isFirst}`, (tag) => {
    return new Intl.DateTimeFormat(tag, {
      ...(isFirst ? { month: 'short' } : {}),
      day: 'numeric',
      timeZone: 'UTC',
    });
  }).format(Date.parse(day));
}

/** `Sat 21 Nov`: the same in full. */
export function dayWhole(day: string): string {
  return once('day whole', (tag) => {
    return new Intl.DateTimeFormat(tag, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  }).format(Date.parse(day));
}

/** `94 %` of a share from 0 to 1. */
export function percent(share: number): string {
  return t('when.percent', { value: number(Math.round(share * 100)) });
}

function date(atMs: number, nowMs: number): string {
  const sameYear = new Date(atMs).getFullYear() === new Date(nowMs).getFullYear();
  return once(`date ${sameYear}`, (tag) => {
    return new Intl.DateTimeFormat(tag, {
      day: 'numeric',
      month: tag === 'en-GB' ? 'short' : 'long',
      ...(sameYear ? {} : { year: 'numeric' }),
    });
  }).format(atMs);
}

function daysBetween(earlierMs: number, laterMs: number): number {
  const midnight = (ms: number) => new Date(ms).setHours(0, 0, 0, 0);
  return Math.round((midnight(laterMs) - midnight(earlierMs)) / 86_400_000);
}

/** `40 ms`, `2.4 s`, `31 s`, `2 min`, `3 h`. */
export function duration(ms: number): string {
  if (ms < 100) return t('when.ms', { value: number(Math.round(ms)) });
  if (ms < 59_950) {
    const digits = ms < 9_950 ? 1 : 0;
    const seconds = once(`seconds ${digits}`, (tag) => new Intl.NumberFormat(tag, { maximumFractionDigits: digits }));
    return t('when.s', { value: seconds.format(ms / 1000) });
  }
  if (ms < 3_570_000) return t('when.min', { value: number(Math.round(ms / 60_000)) });
  return t('when.h', { value: number(Math.round(ms / 3_600_000)) });
}

/** `Bo`, `Bo and Ada`, `Bo, Ada and Ines`. */
export function list(items: readonly string[]): string {
  const parts = once('list', (tag) => new Intl.ListFormat(tag, { type: 'conjunction' })).formatToParts(items);
  return apart(parts.map(({ value }) => value));
}
