/**
 * The picture of an agent, from its seed alone: the same seed gives the same
 * picture on every machine.
 *
 * A 2x2 field of quarter-discs, leaves and discs, repeated by one of three
 * symmetries, in one of ten hues (tokens `--avN-*`). Identity only: state is
 * drawn beside the picture, never in it. 16 px is the smallest that reads.
 */

type Quarter = 0 | 1 | 2 | 3;
type Piece = { shape: 'disc' } | { shape: 'quarter'; corner: Quarter } | { shape: 'leaf'; diagonal: 0 | 1 };
type Cells = readonly [Piece, Piece, Piece, Piece];

export type Picture = {
  /** Which of the ten hues, 0 to 9. */
  hue: number;
  /** Paths in a 16x16 box, filled with `--avN-a` and `--avN-b`. */
  first: string;
  second: string;
};

const disc: Piece = { shape: 'disc' };
const quarter = (corner: Quarter): Piece => ({ shape: 'quarter', corner });
const leaf = (diagonal: 0 | 1): Piece => ({ shape: 'leaf', diagonal });

const pieces: readonly Piece[] = [quarter(0), quarter(1), quarter(2), quarter(3), leaf(0), leaf(1), disc];
const symmetries = ['mirror', 'turn', 'pinwheel'] as const;
/** The top left corners of the four cells, clockwise. */
const corners: Readonly<Record<Quarter, readonly [x: number, y: number]>> = {
  0: [2, 2],
  1: [8, 2],
  2: [8, 8],
  3: [2, 8],
};

/** The picture that belongs to a seed. */
export function picture(seed: string): Picture {
  const h = hash(seed);
  const symmetry = symmetries[(h >>> 5) % 3] ?? 'mirror';
  const one = pieces[(h >>> 8) % 7] ?? disc;
  const drawn = pieces[(h >>> 13) % 7] ?? disc;
  const two = one.shape === 'disc' && drawn.shape === 'disc' ? quarter(0) : drawn;
  const cells = arranged(symmetry, one, two);
  const path = (picked: readonly Quarter[]) => picked.map((at) => drawing(cells[at], corners[at])).join('');
  const [first, second]: [Quarter[], Quarter[]] =
    symmetry === 'mirror'
      ? [
          [0, 1],
          [2, 3],
        ]
      : [
          [0, 2],
          [1, 3],
        ];
  return { hue: h % 10, first: path(first), second: path(second) };
}

/** FNV-1a over UTF-8, finished with a mixer so that near names land far apart. */
export function hash(seed: string): number {
  let h = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(seed.normalize('NFKC').trim().toLowerCase())) {
    h = Math.imul(h ^ byte, 0x01000193) >>> 0;
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b) >>> 0;
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) >>> 0;
  return (h ^ (h >>> 16)) >>> 0;
}

function arranged(symmetry: (typeof symmetries)[number], one: Piece, two: Piece): Cells {
  switch (symmetry) {
    case 'mirror':
      return [one, mirrored(one), mirrored(two), two];
    case 'turn':
      return [one, two, turned(one, 2), turned(two, 2)];
    case 'pinwheel': {
      const base = one.shape === 'disc' ? two : one;
      return [base, turned(base, 1), turned(base, 2), turned(base, 3)];
    }
    default:
      return symmetry satisfies never;
  }
}

function turned(piece: Piece, quarters: number): Piece {
  switch (piece.shape) {
    case 'disc':
      return piece;
    case 'quarter':
      return quarter(((piece.corner + quarters) % 4) as Quarter);
    case 'leaf':
      return leaf(((piece.diagonal + quarters) % 2) as 0 | 1);
    default:
      return piece satisfies never;
  }
}

function mirrored(piece: Piece): Piece {
  switch (piece.shape) {
    case 'disc':
      return piece;
    case 'quarter':
      return quarter(([1, 0, 3, 2] as const)[piece.corner]);
    case 'leaf':
      return leaf((1 - piece.diagonal) as 0 | 1);
    default:
      return piece satisfies never;
  }
}

/** One 6x6 cell. A quarter-disc has its centre in its corner, clockwise from top left; leaves point along the diagonals. */
function drawing(piece: Piece, [x, y]: readonly [number, number]): string {
  const s = 6;
  switch (piece.shape) {
    case 'disc':
      return `M${x + 3} ${y + 0.6}a2.4 2.4 0 1 1 0 4.8a2.4 2.4 0 1 1 0-4.8z`;
    case 'leaf':
      return piece.diagonal === 0
        ? `M${x} ${y}a${s} ${s} 0 0 1 ${s} ${s}a${s} ${s} 0 0 1-${s}-${s}z`
        : `M${x + s} ${y}a${s} ${s} 0 0 1-${s} ${s}a${s} ${s} 0 0 1 ${s}-${s}z`;
    case 'quarter':
      return [
        `M${x} ${y}h${s}a${s} ${s} 0 0 1-${s} ${s}z`,
        `M${x + s} ${y}v${s}a${s} ${s} 0 0 1-${s}-${s}z`,
        `M${x + s} ${y + s}h-${s}a${s} ${s} 0 0 1 ${s}-${s}z`,
        `M${x} ${y + s}v-${s}a${s} ${s} 0 0 1 ${s} ${s}z`,
      ][piece.corner] as string;
    default:
      return piece satisfies never;
  }
}
