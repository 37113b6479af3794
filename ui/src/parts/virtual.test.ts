import { describe, expect, it } from 'vitest';
import { Heights, anchorAt, nearEnd, scrollFor, visible, type Anchor } from './virtual';

const keys = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);

function heights(count: number, estimate = 50): Heights {
  const made = new Heights(estimate);
  made.setKeys(keys(count));
  return made;
}

function anchored(rows: Heights, y: number): Anchor {
  const anchor = anchorAt(rows, y);
  if (!anchor) throw new Error('there are rows');
  return anchor;
}

/** The slow way to the same sums, to compare with. */
class Plain {
  rows: number[];
  constructor(rows: number[]) {
    this.rows = rows;
  }
  top = (index: number) => this.rows.slice(0, index).reduce((sum, row) => sum + row, 0);
  at = (y: number) => {
    let top = 0;
    for (const [at, row] of this.rows.entries()) {
      top += row;
      if (y < top) return at;
    }
    return this.rows.length - 1;
  };
}

describe('heights', () => {
  it('start as estimates and become what was measured', () => {
    const rows = heights(4);
    expect(rows.total).toBe(200);
    expect(rows.measure(1, 80)).toBe(true);
    expect(rows.measure(1, 80)).toBe(false);
    expect([rows.top(0), rows.top(1), rows.top(2), rows.total]).toEqual([0, 50, 130, 230]);
  });

  it('agree with plain sums whatever is measured', () => {
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const plain = new Plain(Array.from({ length: 333 }, () => 50));
    const rows = heights(333);
    for (let turn = 0; turn < 1000; turn += 1) {
      const at = Math.floor(random() * 333);
      const height = 8 + Math.floor(random() * 400);
      plain.rows[at] = height;
      rows.measure(at, height);
    }
    for (let at = 0; at <= 333; at += 1) expect(rows.top(at)).toBeCloseTo(plain.top(at), 6);
    for (let y = 0; y < rows.total; y += 37) expect(rows.at(y)).toBe(plain.at(y));
    expect(rows.at(-10)).toBe(0);
    expect(rows.at(rows.total + 10)).toBe(332);
  });

  it('keep what was measured when older rows come in front', () => {
    const rows = heights(3);
    rows.measure(0, 120);
    rows.setKeys([-2, -1, 0, 1, 2]);
    expect(rows.top(2)).toBe(100);
    expect(rows.height(2)).toBe(120);
    expect(rows.total).toBe(320);
  });

  it('have no rows to begin with', () => {
    const rows = new Heights(50);
    expect(rows.total).toBe(0);
    expect(visible(rows, 0, 600, 400)).toEqual({ first: 0, last: 0 });
    expect(anchorAt(rows, 0)).toBeNull();
  });
});

describe('the view', () => {
  it('draws the rows in sight and a little more', () => {
    expect(visible(heights(10_000), 5000, 500, 100)).toEqual({ first: 98, last: 113 });
    expect(visible(heights(10_000), 0, 500, 100)).toEqual({ first: 0, last: 13 });
    expect(visible(heights(5), 0, 500, 100)).toEqual({ first: 0, last: 5 });
  });

  it('draws few rows of ten thousand wherever it stands', () => {
    const rows = heights(10_000);
    for (let y = 0; y < rows.total; y += 9973) {
      const { first, last } = visible(rows, y, 700, 400);
      expect(last - first).toBeLessThan(34);
    }
  });

  it('takes a reader along within 48 px of the end only', () => {
    expect(nearEnd(1000 - 600 - 48, 600, 1000)).toBe(true);
    expect(nearEnd(1000 - 600 - 49, 600, 1000)).toBe(false);
    expect(nearEnd(0, 600, 300)).toBe(true);
  });

  it('holds its place when rows come in front or grow above', () => {
    const rows = heights(100);
    const anchor = anchored(rows, 1010);
    expect(anchor).toEqual({ key: 20, below: 10 });
    rows.setKeys(keys(150, -50));
    expect(scrollFor(rows, anchor)).toBe(1010 + 50 * 50);
    rows.measure(3, 90);
    expect(scrollFor(rows, anchor)).toBe(1010 + 50 * 50 + 40);
    rows.measure(60, 900);
    expect(scrollFor(rows, anchor)).toBe(1010 + 50 * 50 + 40);
  });

  it('holds its place by a row that stays, not by one that goes where others lead it', () => {
    const rows = new Heights(50);
    rows.setKeys(['today', 7, 8, 9]);
    const isDay = (index: number) => rows.keyAt(index) === 'today';
    const anchor = anchorAt(rows, 0, isDay);
    expect(anchor).toEqual({ key: 7, below: -50 });
    rows.setKeys(['today', 4, 5, 6, 7, 8, 9]);
    expect(anchor && scrollFor(rows, anchor)).toBe(150);
    expect(anchorAt(rows, 0, () => true)).toEqual({ key: 'today', below: 0 });
  });

  it('says so when the row it held is gone', () => {
    const rows = heights(100);
    const anchor = anchored(rows, 1010);
    rows.setKeys(keys(10));
    expect(scrollFor(rows, anchor)).toBeUndefined();
  });
});
