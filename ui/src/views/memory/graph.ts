/**
 * Draws what is said about somebody: the subject at the left, a line for each
 * attribute, its value at the end; a value that something is said about goes on
 * from there. Pure.
 */
import type { Memory, MemoryId, Statement } from '../../api/generated';
import { isOver } from '../../words';

/** Whether it is so: what was replaced, never so, is no longer or not yet so is not. */
export type Stands = 'holds' | 'contested' | 'not';
export type Said = { id: MemoryId; statement: Statement; stands: Stands };
export type Node = {
  key: string;
  label: string;
  x: number;
  y: number;
  width: number;
  /** The statement whose value it is; the subject at the left has none. */
  said: Said | null;
};
export type Edge = {
  key: string;
  from: Node;
  to: Node;
  /** Empty where the value says it all. */
  label: string;
  /** What stands at its end is said not to be so. */
  denies: boolean;
  stands: Stands;
};
export type Drawing = { nodes: readonly Node[]; edges: readonly Edge[]; width: number; height: number; cut: number };

export const boxHeight = 30;
/** How wide a letter of a value and of an attribute is, in pixels; one of Chinese is two of them. */
export const valueLetter = 7.2;
export const attributeLetter = 6.2;
export const boxPadding = 10;
const boxWidths = { least: 132, most: 260 };
const attributeWidths = { least: 44, most: 200 };
/** In so many pixels the lines part; from there on each goes straight to its box, and bears its attribute. */
const fan = 36;
const around = 10;
const rowHeight = 42;
const deepest = 3;
/** More than these nobody reads; the others are counted. */
const edgesAtMost = 60;

export function saidIn(memories: readonly Memory[], nowMs: number): readonly Said[] {
  return memories.flatMap((memory) => {
    const { id, statement } = memory;
    return statement ? [{ id, statement, stands: standsAt(memory, nowMs) }] : [];
  });
}

function standsAt(memory: Memory, nowMs: number): Stands {
  if (memory.state.kind === 'contested') return 'contested';
  if (memory.state.kind !== 'current' || isOver(memory, nowMs)) return 'not';
  return (memory.valid_from_ms ?? 0) > nowMs ? 'not' : 'holds';
}

/** What stands in a box and on the line to it: of what is only so or not so, the thing itself. */
function labelsOf({ attribute, value }: Statement): { box: string; line: string; denies: boolean } {
  switch (value.trim().toLowerCase()) {
    case 'yes':
      return { box: attribute, line: '', denies: false };
    case 'no':
      return { box: attribute, line: '', denies: true };
    default:
      return { box: value, line: attribute, denies: false };
  }
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
  /** Of each column what stands in it, and on the lines that lead to it. */
  const columns: { nodes: Node[]; edges: Edge[] }[] = [];
  let rows = 0;
  let cut = 0;

  /** Places a name and all that follows from it; gives the node, as high as the middle of those. */
  function place(label: string, of: Said | null, depth: number, way: readonly string[]): Node {
    const node: Node = { key: of?.id ?? '', label, x: 0, y: 0, width: 0, said: of };
    nodes.push(node);
    (columns[depth] ??= { nodes: [], edges: [] }).nodes.push(node);
    const key = keyOf(label);
    // What leads back to where it came from is not gone through again.
    const next = way.includes(key) || depth >= deepest ? [] : (about.get(key) ?? []);
    const ends: Node[] = [];
    for (const one of [...next].sort((a, b) => a.statement.attribute.localeCompare(b.statement.attribute))) {
      if (edges.length >= edgesAtMost) {
        cut += 1;
        continue;
      }
      const { box, line, denies } = labelsOf(one.statement);
      const edge = { key: `${way.join('/')}/${one.id}`, from: node, to: node, label: line, denies, stands: one.stands };
      edges.push(edge);
      edge.to = place(box, one, depth + 1, [...way, key]);
      columns[depth + 1]?.edges.push(edge);
      ends.push(edge.to);
    }
    const [first, last] = [ends[0], ends.at(-1)];
    node.y = first && last ? (first.y + last.y) / 2 : rows++ * rowHeight;
    node.key = `${way.join('/')}/${of?.id ?? ''}`;
    return node;
  }

  place(subject, null, 0, []);
  let width = 0;
  for (const column of columns) {
    if (column.edges.length > 0) width += fan + widest(column.edges, attributeLetter, attributeWidths) + 2 * around;
    const box = widest(column.nodes, valueLetter, boxWidths, 2 * boxPadding);
    for (const node of column.nodes) Object.assign(node, { x: width, width: box } satisfies Partial<Node>);
    width += box;
  }
  return { nodes, edges, width, height: Math.max(1, rows) * rowHeight - (rowHeight - boxHeight), cut };
}

/** As wide as the longest of them needs, within these. */
function widest(
  of: readonly { label: string }[],
  letter: number,
  { least, most }: { least: number; most: number },
  padding = 0,
): number {
  const needed = Math.max(...of.map(({ label }) => Math.ceil(lettersIn(label) * letter) + padding));
  return Math.min(most, Math.max(least, needed));
}

/** The line from one box to the next. */
export function lineOf({ from, to }: Edge): string {
  const [x1, y1, y2] = [from.x + from.width, from.y + boxHeight / 2, to.y + boxHeight / 2];
  return `M${x1} ${y1} C${x1 + fan * 0.6} ${y1} ${x1 + fan * 0.4} ${y2} ${x1 + fan} ${y2} H${to.x}`;
}

/** Where the middle of its straight part is, and how much room is there. */
export function middleOf({ from, to }: Edge): { x: number; y: number; room: number } {
  const begin = from.x + from.width + fan;
  return { x: (begin + to.x) / 2, y: to.y + boxHeight / 2, room: to.x - begin - 2 * around };
}

const isWide = (letter: string) => /[\p{Script=Han}\p{Script=Hangul}\u3000-\u30ff\uff01-\uff60]/u.test(letter);
const lettersIn = (text: string) => [...text].reduce((sum, letter) => sum + (isWide(letter) ? 2 : 1), 0);

/** As much of a text as there is room for. */
export function cutTo(text: string, pixels: number, letter: number): string {
  let room = Math.floor(pixels / letter + 1e-6);
  if (lettersIn(text) <= room) return text;
  room -= 1;
  const letters = [...text];
  const end = letters.findIndex((one) => (room -= isWide(one) ? 2 : 1) < 0);
  return `${letters.slice(0, end).join('').trimEnd()}…`;
}

/** One name in any letters. */
const keyOf = (name: string) => name.trim().toLowerCase();
