/** What a plot shows, and in which shades. Plain data: `plot` draws it. */

export type Series = {
  name: string;
  /** Bars of one plot stand on each other, the first at the foot. */
  kind: 'bar' | 'line' | 'dashed';
  /** One for each label; null where nothing is known. */
  values: readonly (number | null)[];
};

export type Plotted = {
  /** In full, as the table says them, and short, as they stand below the plot. */
  labels: readonly string[];
  ticks: readonly string[];
  series: readonly Series[];
  say: (value: number) => string;
  /** The top of the scale, where it is known beforehand. */
  most?: number | undefined;
  /** Things that are counted: the scale has no half of one. */
  whole?: boolean;
};

/** The heights at which bars end that stand on each other. */
export function stacked(series: readonly Series[]): readonly (readonly number[])[] {
  const sums: number[] = [];
  return series
    .filter((one) => one.kind === 'bar')
    .map((one) => one.values.map((value, at) => (sums[at] = (sums[at] ?? 0) + (value ?? 0))));
}

/** Every how many labels one has room, where so many fit. */
export function everyNth(labels: number, fit: number): number {
  return Math.max(1, Math.ceil(labels / Math.max(1, fit)));
}

/** A colour between two that are written in hexadecimal; the first, where one is not. */
export function mixed(one: string, other: string, share: number): string {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (!a || !b) return one;
  const parts = a.map((part, at) => Math.round(part * share + (b[at] ?? 0) * (1 - share)));
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Red, green and blue of `#rrggbb`, and of `#rgb`, as the built styles shorten it. */
function partsOf(hex: string): readonly number[] | undefined {
  const long = /^#[0-9a-f]{3}$/i.test(hex) ? hex.replace(/[0-9a-f]/gi, '$&$&') : hex;
  return /^#[0-9a-f]{6}$/i.test(long) ? [1, 3, 5].map((at) => parseInt(long.slice(at, at + 2), 16)) : undefined;
}
