/**
 * Notes at the foot of a text: where `[^1]` stands in it, a raised sign leads to
 * the note, `[^1]: and what it says`, and the note leads back.
 *
 * What is written so and has no note stays as it is: by Markdown alone `[^1]`
 * would be a link, and what it stands for be gone.
 */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

/** What leads to a note or back, which is no place outside the text. */
const within = 'coterie:note';
const label = String.raw`\[\^([^\s[\]]{1,64})\]`;
const sign = new RegExp(label, 'y');
const begins = new RegExp(String.raw`${label}:(?:[ \t]+|$)`, 'y');

/** `notes` in the environment says which there are. */
export function withFootnotes(markdown: MarkdownIt): MarkdownIt {
  const escape = markdown.utils.escapeHtml;
  markdown.block.ruler.before(
    'reference',
    'footnote',
    (state, line, ...more) => noteAt(markdown, state, line, ...more),
    {
      alt: ['paragraph', 'reference'],
    },
  );
  markdown.inline.ruler.before('link', 'footnote_sign', signAt);
  markdown.renderer.rules['note_open'] = (tokens, at) => {
    const of = escape(tokens[at]?.info ?? '');
    return `<div class="md-note"><a href="${within}" class="md-back" data-back="${of}">${of}</a><p>`;
  };
  markdown.renderer.rules['note_close'] = () => '</p></div>\n';
  markdown.renderer.rules['note_sign'] = (tokens, at) => {
    const of = escape(tokens[at]?.info ?? '');
    return `<sup><a href="${within}" data-note="${of}">${of}</a></sup>`;
  };
  return markdown;
}

/** Where a sign leads to, or a note back to, in the same text; undefined for any other link. */
export function noteOrBack(link: HTMLElement): HTMLElement | null | undefined {
  const { note, back } = link.dataset;
  const text = link.closest('.md');
  if (note !== undefined) return text?.querySelector<HTMLElement>(`[data-back="${CSS.escape(note)}"]`);
  if (back !== undefined) return text?.querySelector<HTMLElement>(`[data-note="${CSS.escape(back)}"]`);
  return undefined;
}

/** A note takes the lines up to an empty one, or to whatever ends a paragraph. */
function noteAt(markdown: MarkdownIt, state: StateBlock, line: number, end: number, silent: boolean): boolean {
  const { src, blkIndent, sCount } = state;
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  if (!src.startsWith('[^', start) || (sCount[line] ?? 0) - blkIndent >= 4) return false;
  begins.lastIndex = start;
  const found = begins.exec(src.slice(0, state.eMarks[line]));
  const { ruler } = markdown.block;
  if (!found) {
    // What any text is in the end, and the last of the rules: a reference is no such thing.
    return !silent && (ruler.getRules('').at(-1)?.(state, line, end, silent) ?? false);
  }
  if (silent) return true;
  let next = line + 1;
  const ends = ruler.getRules('paragraph');
  while (next < end && !state.isEmpty(next) && !ends.some((rule) => rule(state, next, end, true))) next += 1;
  const from = start + found[0].length;
  const words = src.slice(from, Math.max(from, state.eMarks[next - 1] ?? from));
  const open = state.push('note_open', 'div', 1);
  open.info = found[1] ?? '';
  open.map = [line, next];
  const inside = state.push('inline', '', 0);
  inside.content = words.replace(/^[ \t]+/gm, '').trim();
  inside.map = [line, next];
  inside.children = [];
  state.push('note_close', 'div', -1);
  state.line = next;
  return true;
}

function signAt(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith('[^', state.pos)) return false;
  sign.lastIndex = state.pos;
  const found = sign.exec(state.src);
  const notes = (state.env as { notes?: ReadonlySet<string> } | undefined)?.notes;
  if (!found?.[1] || !notes?.has(found[1])) return false;
  if (!silent) state.push('note_sign', 'sup', 0).info = found[1];
  state.pos = sign.lastIndex;
  return true;
}
