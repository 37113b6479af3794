import { describe, expect, it } from 'vitest';
import { sayTimes } from './schedules';

describe('the times of a schedule', () => {
  it('are told by the clocks of its zone where it comes once', () => {
    const told = sayTimes({ kind: 'once', at_ms: 0 }, 'Asia/Tokyo');
    expect(told).toMatch(/^once, .*1970, 09:00.*Asia\/Tokyo/);
  });
});
