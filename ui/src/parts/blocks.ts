/**
 * Cuts growing Markdown into blocks, so that what is finished is drawn once.
 *
 * A top-level block is closed as soon as another one has begun after it; only
 * the last one can still change. Text that no longer continues what was seen
 * starts again from nothing.
 */
import MarkdownIt from 'markdown-it';
import { withFootnotes } from './footnote';
import { rendered } from './markdown';
import { withFormulas } from './math';

export type Block = {
  /** Where it begins in the text: its name for as long as it lives. */
  start: number;
  html: string;
};

/** What was drawn whole lately, by the names that it sets off: a row that comes into sight again is not parsed anew. */
const lately = new WeakMap<readonly string[], Map<string, Block[]>>();
const mostLately = 400;
/** In characters. So long ones are few, and would fill the memory. */
const longestLately = 20_000;

const outline = new MarkdownIt({ html: false, linkify: false }).use(withFormulas).use(withFootnotes);

export class Blocks {
  #closed: Part[] = [];
  #closedText = '';
  #marks: readonly string[];
  #notes: ReadonlySet<string> = new Set();

  constructor(marks: readonly string[] = []) {
    this.#marks = marks;
  }

  /** Blocks of the text so far, its notes last; while it is streaming the one that begins last is open. */
  of(text: string, streaming: boolean): Block[] {
    const isWhole = !streaming && this.#closedText === '' && text.length <= longestLately;
    if (!isWhole) return this.#cut(text, streaming);
    const known = lately.get(this.#marks) ?? new Map<string, Block[]>();
    lately.set(this.#marks, known);
    const blocks = known.get(text) ?? this.#cut(text, streaming);
    // The last one used is the last to go.
    known.delete(text);
    known.set(text, blocks);
    const [oldest] = known.keys();
    if (known.size > mostLately && oldest !== undefined) known.delete(oldest);
    return blocks;
  }

  #cut(text: string, streaming: boolean): Block[] {
    if (!text.startsWith(this.#closedText)) {
      this.#closed = [];
      this.#closedText = '';
      this.#notes = new Set();
    }
    const start = this.#closedText.length;
    const cuts = starts(text.slice(start), streaming);
    this.#take(cuts.flatMap(({ note }) => (note === null ? [] : [note])));
    const rest: Part[] = [];
    for (const [at, { from, note }] of cuts.entries()) {
      const last = at === cuts.length - 1;
      const written = text.slice(start + from, last ? text.length : start + (cuts[at + 1]?.from ?? 0));
      const source = last && streaming ? settled(written) : written;
      const part = { source, isNote: note !== null, block: this.#drawn(start + from, source) };
      if (last && streaming) rest.push(part);
      else this.#closed.push(part);
    }
    if (cuts.length > 0) this.#closedText = text.slice(0, streaming ? start + (cuts.at(-1)?.from ?? 0) : text.length);
    const parts = [...this.#closed, ...rest];
    return [...parts.filter((one) => !one.isNote), ...parts.filter((one) => one.isNote)].map(({ block }) => block);
  }

  /** What leads to a note is drawn as that once the note is there. */
  #take(notes: readonly string[]): void {
    const fresh = notes.filter((note) => !this.#notes.has(note));
    if (fresh.length === 0) return;
    this.#notes = new Set([...this.#notes, ...fresh]);
    this.#closed = this.#closed.map((part) => {
      const leads = fresh.some((note) => part.source.includes(`[^${note}]`));
      return leads ? { ...part, block: this.#drawn(part.block.start, part.source) } : part;
    });
  }

  #drawn(start: number, source: string): Block {
    return { start, html: rendered(source, this.#marks, this.#notes) };
  }
}

type Part = { block: Block; source: string; isNote: boolean };

/** Offsets at which top-level blocks begin, and of notes what they are called. */
function starts(text: string, isGrowing: boolean): { from: number; note: string | null }[] {
  const lines = lineOffsets(text);
  const found: { from: number; note: string | null }[] = [];
  for (const token of outline.parse(text, { isGrowing })) {
    if (token.level !== 0 || token.nesting === -1 || !token.map) continue;
    const note = token.type === 'note_open' ? token.info : null;
    found.push({ from: lines[token.map[0]] ?? text.length, note });
  }
  if (found[0]) found[0].from = 0;
  return found;
}

function lineOffsets(text: string): number[] {
  const offsets = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) offsets.push(at + 1);
  return offsets;
}

/** An open block without what would jump: the row of a table, and marks of emphasis, still being written. */
function settled(source: string): string {
  const lines = source.split('\n');
  const last = lines.at(-1) ?? '';
  if (lines.length > 1 && lines[0]?.includes('|') && /^\s*\|/.test(last)) return lines.slice(0, -1).join('\n');
  if (lines.length === 1 && /^\s*\|/.test(last)) return '';
  if (/^\s*(`{1,2}|~{1,2})$/.test(last)) return lines.slice(0, -1).join('\n');
  return source;
}
