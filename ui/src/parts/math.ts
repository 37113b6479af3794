/**
 * Formulas: what TeX writes between dollars or brackets, drawn by the web view
 * itself as MathML. What does that is fetched when the first one appears.
 *
 * What is not closed is no formula, nor is what prose and code write with the
 * same signs.
 */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

/** What stands around a formula. `$` begins `$$` too, so it comes last. */
const marks = [
  { open: '$$', close: '$$', isApart: true },
  { open: '\\[', close: '\\]', isApart: true },
  { open: '\\(', close: '\\)', isApart: false },
  { open: '$', close: '$', isApart: false },
] as const;
type Mark = (typeof marks)[number];

/** Finds formulas; until they are drawn they stand there as they were written. */
export function withFormulas(markdown: MarkdownIt): MarkdownIt {
  const escape = markdown.utils.escapeHtml;
  markdown.inline.ruler.before('escape', 'formula', inLine);
  markdown.block.ruler.before('list', 'formula_block', onItsOwn, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  markdown.renderer.rules['formula'] = (tokens, at) =>
    `<span class="${tokens[at]?.info}">${escape(tokens[at]?.content.trim() ?? '')}</span>`;
  markdown.renderer.rules['formula_block'] = (tokens, at) =>
    `<div class="md-math">${escape(tokens[at]?.content.trim() ?? '')}</div>`;
  return markdown;
}

/** A formula among words. */
function inLine(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const mark = marks.find(({ open }) => src.startsWith(open, pos));
  if (!mark) return false;
  const from = pos + mark.open.length;
  const to = placeOf(mark.close, src, from);
  const end = to + mark.close.length;
  if (to !== -1 && end <= state.posMax && isFormula(mark, src.slice(from, to), src.charAt(end))) {
    if (!silent) {
      const token = state.push('formula', 'math', 0);
      token.content = src.slice(from, to);
      token.info = mark.isApart ? 'md-math apart' : 'md-math';
    }
    state.pos = end;
    return true;
  }
  // Dollars in a row are prose together: none of them opens what the first did not.
  let after = pos;
  while (after < state.posMax && src[after] === '$') after += 1;
  if (!silent) state.pending += src.slice(pos, after);
  state.pos = after;
  return after > pos;
}

/** What TeX writes and prose does not; between two prices there may be more of it. */
const tex = /[\\^_={}<>+*/|]/;
const surelyTex = /[\\^_={}<>+]/;

function isFormula({ open, isApart }: Mark, content: string, next: string): boolean {
  if (content.trim() === '' || content.includes('`')) return false;
  // "$5 and $6", "$$ or $$$"
  if (open.startsWith('$') && (content.startsWith('$') || /[$\d]/.test(next))) return false;
  if (open === '$' && content !== content.trim()) return false;
  // What Markdown keeps from being a link, as in "\[1\]", is written in the same way.
  if (open === '\\[') return surelyTex.test(content);
  if (!/[\s\p{Script=Han}]/u.test(content)) return true;
  if (isApart) return surelyTex.test(content);
  // "between 5$, or 6$", but "$f(x, y)$"
  return tex.test(content) || !/^[,.;:)]|\p{L}{2}|\p{Script=Han}/u.test(content);
}

/** A formula that has its lines for itself. */
function onItsOwn(state: StateBlock, from: number, end: number, silent: boolean): boolean {
  const start = startOf(state, from);
  const mark = marks.find(({ open, isApart }) => isApart && state.src.startsWith(open, start));
  if (!mark || state.src.startsWith('$', start + mark.open.length)) return false;
  const after = lineAfter(state, mark, from, end);
  if (after === undefined) return false;
  // A line of the paragraph before: what it begins with may close what stands there.
  if (silent) return !isOpen(mark, state.src.slice(state.bMarks[state.line], start));
  const token = state.push('formula_block', 'math', 0);
  const whole = state.getLines(from, after, state.blkIndent, false).trim();
  token.content = whole.slice(mark.open.length, -mark.close.length);
  token.map = [from, after];
  state.line = after;
  return true;
}

/** The line behind that which closes it and says nothing more. */
function lineAfter(state: StateBlock, { open, close }: Mark, from: number, end: number): number | undefined {
  const at = placeOf(close, state.src, startOf(state, from) + open.length);
  for (let line = from; line < end; line += 1) {
    const isOutside = !state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent;
    if (isOutside) return undefined;
    const behind = state.eMarks[line] ?? 0;
    if (at !== -1 && at < behind) {
      return state.src.slice(at + close.length, behind).trim() === '' ? line + 1 : undefined;
    }
  }
  // While it is written nothing after it is told apart; a line about prices is no beginning of one.
  const first = state.src.slice(startOf(state, from) + open.length, state.eMarks[from]);
  return state.env['isGrowing'] === true && (first.trim() === '' || surelyTex.test(first)) ? end : undefined;
}

const startOf = (state: StateBlock, line: number) => (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);

function isOpen({ open, close }: Mark, text: string): boolean {
  let at = placeOf(open, text, 0);
  while (at !== -1) {
    const to = placeOf(close, text, at + open.length);
    if (to === -1) return true;
    at = placeOf(open, text, to + close.length);
  }
  return false;
}

/** Where a sign stands without a backslash that takes its sense away; -1 where it does not. */
function placeOf(sign: string, text: string, from: number): number {
  let at = text.indexOf(sign, from);
  while (at !== -1) {
    let before = at;
    while (before > from && text[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at;
    at = text.indexOf(sign, at + 1);
  }
  return -1;
}

/** Draws a formula in the place of its TeX. What cannot be read as TeX stays as it is. */
export async function drawFormula(place: Element, gone: AbortSignal): Promise<void> {
  const source = place.textContent ?? '';
  // The same block may be seen again: what stands there then is the drawing.
  if (place.firstElementChild || source.length > 20_000) return;
  const { default: temml } = await import('temml');
  if (gone.aborted) return;
  const isBlock = place.tagName === 'DIV';
  try {
    temml.render(source, place as HTMLElement, {
      displayMode: isBlock || place.classList.contains('apart'),
      throwOnError: true,
      trust: false,
      maxExpand: 1000,
      annotate: true,
    });
  } catch {
    place.textContent = source;
  }
  if (!isBlock) amongWords(place.querySelector('math[display]'));
}

/** Drawn as large as one that is set apart, it stays in its line. */
function amongWords(formula: Element | null): void {
  for (const name of ['display', 'style', 'class']) formula?.removeAttribute(name);
  formula?.setAttribute('displaystyle', 'true');
}
