import { describe, expect, it } from 'vitest';
import { beginning, end, sayBeginning, sayEnd } from './span';

const at = (...parts: [number, number, number, number?, number?]) => {
  const [year, month, day, hour = 0, minute = 0] = parts;
  return new Date(year, month - 1, day, hour, minute).getTime();
};

describe('a span of time', () => {
  it('begins with a day and ends with the whole of one, where the person is', () => {
    expect(beginning('2026-03-01')).toBe(at(2026, 3, 1));
    expect(end('2026-02-28')).toBe(at(2026, 3, 1));
    expect(end('2026-12-31')).toBe(at(2027, 1, 1));
    expect(beginning(' 2026/3/1 ')).toBe(at(2026, 3, 1));
    expect(beginning('2026年3月1日')).toBe(at(2026, 3, 1));
    expect(beginning('2026-03-01 14:05')).toBe(at(2026, 3, 1, 14, 5));
    expect(end('2026-03-01T14:05')).toBe(at(2026, 3, 1, 14, 5));
    expect(beginning('  ')).toBeNull();
  });

  it('is told from what is none', () => {
    for (const text of ['soon', '2026', '2026-02-30', '2026-13-01', '01/02/2026', '2026-03-01 25:00', '2026-03-01 9'])
      expect(beginning(text), text).toBe('unreadable');
  });

  it('is said as it is written', () => {
    for (const text of ['2026-03-01', '2026-03-01 14:05', '']) {
      const [from, to] = [beginning(text), end(text)];
      expect(sayBeginning(from as number | null)).toBe(text);
      expect(sayEnd(to as number | null)).toBe(text);
    }
  });
});
