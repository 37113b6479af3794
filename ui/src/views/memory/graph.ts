/**
 * Draws what is said about somebody: the subject at the left, a line for each
 * attribute, its value at the end; a value that something is said about goes on
 * from there. Pure.
 */
import type { Memory, MemoryId, Statement } from '../../api/generated';

export type Said = { id: MemoryId; statement: Statement };
export type Node = {
  key: string;
  label: string;
  x: number;
  y: number;
  /** The statement whose value it is; the subject at the left has none. */
  said: Said | null;
};
export type Edge = { key: string; from: Node; to: Node; label: string };
export type Drawing = { nodes: readonly Node[]; edges: readonly Edge[]; width: number; height: number; cut: number };

export const boxWidth = 132;
export const boxHeight = 30;
const columnWidth = 222;
const rowHeight = 42;
const deepest = 3;
/** More than these nobody reads; the others are counted. */
const edgesAtMost = 60;

export function saidIn(memories: readonly Memory[]): readonly Said[] {
  return memories.flatMap(({ id, statement }) => (statement ? [{ id, statement }] : []));
}

/** Whom something is said about, the most said first. */
export function subjectsOf(said: readonly Said[]): readonly { subject: string; count: number }[] {
  const counts = new Map<string, { subject: string; count: number }>();
  for (const { statement } of said) {
    const known = counts.get(keyOf(statement.subject)) ?? { subject: statement.subject, count: 0 };
    counts.set(keyOf(statement.subject), { ...known, count: known.count + 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || a.subject.localeCompare(b.subject));
}

export function draw(said: readonly Said[], subject: string): Drawing {
  const about = new Map<string, Said[]>();
  for (const one of said) {
    const key = keyOf(one.statement.subject);
    about.set(key, [...(about.get(key) ?? []), one]);
  }
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  let rows = 0;
  let cut = 0;
  let columns = 0;

  /** Places a name and all that follows from it; gives the node, as high as the middle of those. */
  function place(label: string, of: Said | null, depth: number, way: readonly string[]): Node {
    const node: Node = { key: of?.id ?? '', label, x: depth * columnWidth, y: 0, said: of };
    nodes.push(node);
    columns = Math.max(columns, depth);
    const key = keyOf(label);
    // What leads back to where it came from is not gone through again.
    const next = way.includes(key) || depth >= deepest ? [] : (about.get(key) ?? []);
    const ends: Node[] = [];
    for (const one of [...next].sort((a, b) => a.statement.attribute.localeCompare(b.statement.attribute))) {
      if (edges.length >= edgesAtMost) {
        cut += 1;
        continue;
      }
      const edge = { key: `${way.join('/')}/${one.id}`, from: node, to: node, label: one.statement.attribute };
      edges.push(edge);
      edge.to = place(one.statement.value, one, depth + 1, [...way, key]);
      ends.push(edge.to);
    }
    const [first, last] = [ends[0], ends.at(-1)];
    node.y = first && last ? (first.y + last.y) / 2 : rows++ * rowHeight;
    node.key = `${way.join('/')}/${of?.id ?? ''}`;
    return node;
  }

  place(subject, null, 0, []);
  return {
    nodes,
    edges,
    width: columns * columnWidth + boxWidth,
    height: Math.max(1, rows) * rowHeight - (rowHeight - boxHeight),
    cut,
  };
}

/** The line from one box to the next. */
export function lineOf({ from, to }: Edge): string {
  const [x1, y1, x2, y2] = [from.x + boxWidth, from.y + boxHeight / 2, to.x, to.y + boxHeight / 2];
  const bend = (x2 - x1) / 2;
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** One name in any letters. */
const keyOf = (name: string) => name.trim().toLowerCase();
