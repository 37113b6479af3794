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

const outline = new MarkdownIt({ html: false, linkify: false }).use(withFormulas).use(withFootnotes);

export class Blocks {
  #closed: Block[] = [];
  #closedText = '';
  #marks: readonly string[];

  constructor(marks: readonly string[] = []) {
    this.#marks = marks;
  }

  /** Blocks of the text so far; while it is streaming the last one is open. */
  of(text: string, streaming: boolean): Block[] {
    if (!text.startsWith(this.#closedText)) {
      this.#closed = [];
      this.#closedText = '';
    }
    const start = this.#closedText.length;
    const cuts = starts(text.slice(start), streaming);
    const rest: Block[] = [];
    for (const [at, from] of cuts.entries()) {
      const last = at === cuts.length - 1;
      const source = text.slice(start + from, last ? text.length : start + (cuts[at + 1] ?? 0));
      const block = { start: start + from, html: rendered(last && streaming ? settled(source) : source, this.#marks) };
      if (last && streaming) rest.push(block);
      else this.#closed.push(block);
    }
    if (cuts.length > 0) this.#closedText = text.slice(0, streaming ? start + (cuts.at(-1) ?? 0) : text.length);
    return [...this.#closed, ...rest];
  }
}

/** Offsets at which top-level blocks begin. */
function starts(text: string, isGrowing: boolean): number[] {
  const lines = lineOffsets(text);
  const found: number[] = [];
  for (const token of outline.parse(text, { isGrowing })) {
    if (token.level !== 0 || token.nesting === -1 || !token.map) continue;
    found.push(lines[token.map[0]] ?? text.length);
  }
  if (found.length > 0) found[0] = 0;
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
