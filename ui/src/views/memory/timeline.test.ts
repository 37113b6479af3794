import { describe, expect, it } from 'vitest';
import { memory } from '../../pieces/memory.kit';
import { inTime, monthOf, within } from './timeline';

const at = (month: number, date: number, hour = 9) => new Date(2026, month, date, hour).getTime();

describe('the timeline', () => {
  it('goes from month to month without a gap', () => {
    expect(monthOf(2026, 11).until_ms).toBe(monthOf(2027, 0).since_ms);
    expect(new Date(monthOf(2026, 1).since_ms).getDate()).toBe(1);
  });

  it('asks for what is in both the month and the filter, and for nothing where they do not meet', () => {
    const may = monthOf(2026, 4);
    expect(within({ tag: 'tea' }, may)).toEqual({ tag: 'tea', ...may });
    expect(within({ since_ms: at(4, 10) }, may)).toEqual({ since_ms: at(4, 10), until_ms: may.until_ms });
    expect(within({ until_ms: at(3, 1) }, may)).toBeNull();
  });

  it('has the latest first, by when it was so, each day once', () => {
    const rows = inTime([
      memory('morning', { created_at_ms: at(4, 10, 8) }),
      memory('so before', { created_at_ms: at(4, 12), valid_from_ms: at(4, 3) }),
      memory('evening', { created_at_ms: at(4, 10, 20) }),
    ]);
    expect(rows.map((row) => (row.kind === 'day' ? new Date(row.atMs).getDate() : row.memory.id))).toEqual([
      10,
      'evening',
      'morning',
      3,
      'so before',
    ]);
  });
});
