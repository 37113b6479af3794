import { describe, expect, it } from 'vitest';
import { everyNth, mixed, stacked } from './plotted';

describe('a plot', () => {
  it('puts bars on each other, and takes what is not known for nothing', () => {
    const bar = (values: (number | null)[]) => ({ name: '', kind: 'bar', values }) as const;
    const line = { name: '', kind: 'line', values: [9, 9] } as const;
    expect(stacked([bar([1, null]), line, bar([2, 3])])).toEqual([
      [1, 0],
      [3, 3],
    ]);
  });

  it('leaves labels out where there is no room for all', () => {
    expect([everyNth(7, 10), everyNth(30, 10), everyNth(31, 10), everyNth(5, 0)]).toEqual([1, 3, 4, 5]);
  });

  it('mixes colours as they are written, short ones too', () => {
    expect(mixed('#000000', '#ffffff', 0.5)).toBe('#808080');
    expect(mixed('#0b6b66', '#fff', 0.55)).toBe(mixed('#0b6b66', '#ffffff', 0.55));
    expect(mixed('CanvasText', '#ffffff', 0.5)).toBe('CanvasText');
  });
});
