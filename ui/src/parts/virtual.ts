/**
 * The sums behind a long list of rows whose heights are only known once seen.
 *
 * Heights are kept by key, so that rows added in front do not disturb those
 * that were measured. Sums are in a binary indexed tree: a measurement and a
 * look-up cost a few steps however many rows there are.
 */

export type Key = string | number;

/** A place that must not move: a row, and how far the view's top is below the row's. */
export type Anchor = { key: Key; below: number };

/** What is known of a list: handed to the next one of the same rows, it begins where the reader left. */
export class Left {
  readonly heights: Heights;
  /** The first row in sight; none for who was taken along at the end. */
  anchor: Anchor | null = null;

  constructor(estimate: number) {
    this.heights = new Heights(estimate);
  }
}

export class Heights {
  #estimate: number;
  #known = new Map<Key, number>();
  #keys: readonly Key[] = [];
  #places = new Map<Key, number>();
  #heights = new Float64Array(0);
  #tree = new Float64Array(1);

  constructor(estimate: number) {
    this.#estimate = estimate;
  }

  get count(): number {
    return this.#keys.length;
  }

  get total(): number {
    return this.top(this.count);
  }

  /** Says which rows there are, in order. What was measured before is kept. */
  setKeys(keys: readonly Key[]): void {
    const same = keys.length === this.#keys.length && keys.every((key, at) => key === this.#keys[at]);
    if (same) return;
    this.#keys = keys;
    this.#places = new Map();
    this.#heights = new Float64Array(keys.length);
    for (const [at, key] of keys.entries()) {
      this.#places.set(key, at);
      this.#heights[at] = this.#known.get(key) ?? this.#estimate;
    }
    this.#tree = new Float64Array(keys.length + 1);
    for (let at = 1; at <= keys.length; at += 1) {
      this.#grow(at, this.#heights[at - 1] ?? 0);
      const next = at + (at & -at);
      if (next <= keys.length) this.#grow(next, this.#sum(at));
    }
  }

  /** Takes a measured height; false when that is what was known already. */
  measure(key: Key, height: number): boolean {
    this.#known.set(key, height);
    const place = this.#places.get(key);
    if (place === undefined) return false;
    const change = height - this.height(place);
    if (Math.abs(change) < 0.01) return false;
    this.#heights[place] = height;
    for (let at = place + 1; at <= this.count; at += at & -at) this.#grow(at, change);
    return true;
  }

  indexOf(key: Key): number | undefined {
    return this.#places.get(key);
  }

  keyAt(index: number): Key | undefined {
    return this.#keys[index];
  }

  /** Where a row begins, in pixels from the first one's top. */
  top(index: number): number {
    let sum = 0;
    for (let at = Math.min(index, this.count); at > 0; at -= at & -at) sum += this.#sum(at);
    return sum;
  }

  height(index: number): number {
    return this.#heights[index] ?? this.#estimate;
  }

  /** The row that covers a height; the first or the last one outside. */
  at(y: number): number {
    if (this.count === 0) return 0;
    let place = 0;
    let left = Math.max(0, y);
    let step = 1 << Math.floor(Math.log2(this.count));
    for (; step > 0; step >>= 1) {
      const next = place + step;
      if (next <= this.count && this.#sum(next) <= left) {
        place = next;
        left -= this.#sum(next);
      }
    }
    return Math.min(place, this.count - 1);
  }

  #sum(at: number): number {
    return this.#tree[at] ?? 0;
  }

  #grow(at: number, by: number): void {
    this.#tree[at] = this.#sum(at) + by;
  }
}

/** The rows to draw, `last` not included. */
export function visible(
  heights: Heights,
  scrollTop: number,
  viewport: number,
  overscan: number,
): { first: number; last: number } {
  if (heights.count === 0) return { first: 0, last: 0 };
  return { first: heights.at(scrollTop - overscan), last: heights.at(scrollTop + viewport + overscan) + 1 };
}

/** Whether a reader is near enough to the end to be taken along. */
export function nearEnd(scrollTop: number, viewport: number, total: number, within = 48): boolean {
  return total - viewport - scrollTop <= within;
}

/** The first row in sight that holds a place; where none does, the first one. */
export function anchorAt(
  heights: Heights,
  scrollTop: number,
  isLoose: (index: number) => boolean = () => false,
): Anchor | null {
  const first = heights.at(scrollTop);
  let index = first;
  while (index < heights.count && isLoose(index)) index += 1;
  if (index === heights.count) index = first;
  const key = heights.keyAt(index);
  return key === undefined ? null : { key, below: scrollTop - heights.top(index) };
}

/** Where to scroll so that the anchor stays where it was seen; undefined when its row is gone. */
export function scrollFor(heights: Heights, anchor: Anchor): number | undefined {
  const index = heights.indexOf(anchor.key);
  return index === undefined ? undefined : heights.top(index) + anchor.below;
}
