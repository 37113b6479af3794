/**
 * From when to when something was so, as a person writes it: a day, or a day and a time, where they are. The
 * last day of it is a whole day.
 */

/** What a person wrote: a moment, nothing, or no moment at all. */
export type Point = number | null | 'unreadable';

export const sayBeginning = (ms: number | null): string => (ms === null ? '' : written(new Date(ms)));

export function sayEnd(ms: number | null): string {
  if (ms === null) return '';
  const end = new Date(ms);
  return isMidnight(end) ? written(new Date(end.getFullYear(), end.getMonth(), end.getDate() - 1)) : written(end);
}

export const beginning = (text: string): Point => point(text, 0);

/** A day ends where the next one begins. */
export const end = (text: string): Point => point(text, 1);

function point(text: string, days: number): Point {
  const plain = text
    .trim()
    .replace(/\s*[年月]\s*/g, '-')
    .replace(/日/, '');
  if (plain === '') return null;
  const parts = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T]+(\d{1,2})[:：](\d{2}))?$/.exec(plain);
  if (!parts) return 'unreadable';
  const [, year = 0, month = 0, day = 0, hour, minute] = parts.map(Number);
  const isDay = parts[4] === undefined;
  const there = isDay ? new Date(year, month - 1, day) : new Date(year, month - 1, day, hour, minute);
  const isSo =
    there.getMonth() === month - 1 &&
    there.getDate() === day &&
    (isDay || (there.getHours() === hour && there.getMinutes() === minute));
  if (!isSo) return 'unreadable';
  return isDay ? new Date(year, month - 1, day + days).getTime() : there.getTime();
}

function written(at: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return isMidnight(at) ? day : `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

const isMidnight = (at: Date) => at.getHours() === 0 && at.getMinutes() === 0;
