/**
 * A few tags that models write where Markdown has no sign: `<br>`, and `<sub>`,
 * `<sup>`, `<kbd>` and `<mark>` around words. Only just so, without a word more in
 * them and with their end in the same paragraph; any other markup stays the text that it is.
 */
import type { MarkdownIt, StateInline } from 'markdown-it';

const lineBreak = /<br ?\/?>/iy;
const opening = /<(sub|sup|kbd|mark)>/y;

export function withTags(markdown: MarkdownIt): MarkdownIt {
  markdown.inline.ruler.before('autolink', 'tags', tagAt);
  return markdown;
}

function tagAt(state: StateInline, silent: boolean): boolean {
  return breakAt(state, silent) || pairAt(state, silent);
}

function breakAt(state: StateInline, silent: boolean): boolean {
  const found = foundAt(lineBreak, state);
  if (!found) return false;
  if (!silent) state.push('hardbreak', 'br', 0);
  state.pos += found[0].length;
  // The line ends with it already.
  while (state.pos < state.posMax && /[ \n]/.test(state.src.charAt(state.pos))) state.pos += 1;
  return true;
}

function pairAt(state: StateInline, silent: boolean): boolean {
  const found = foundAt(opening, state);
  const tag = found?.[1];
  if (!found || !tag) return false;
  const from = state.pos + found[0].length;
  const end = `</${tag}>`;
  const to = state.src.indexOf(end, from);
  const { posMax } = state;
  if (to === -1 || to + end.length > posMax) return false;
  if (!silent) {
    [state.pos, state.posMax] = [from, to];
    state.push(`${tag}_open`, tag, 1);
    state.md.inline.tokenize(state);
    state.push(`${tag}_close`, tag, -1);
    state.posMax = posMax;
  }
  state.pos = to + end.length;
  return true;
}

function foundAt(tag: RegExp, { src, pos }: StateInline): RegExpExecArray | null {
  tag.lastIndex = pos;
  return tag.exec(src);
}
