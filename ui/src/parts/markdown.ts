/**
 * Markdown to markup that is safe to put into the page.
 *
 * What agents write is never trusted: no markup passes through, links keep
 * only harmless schemes, and pictures are drawn only from data already here.
 */
import DOMPurify from 'dompurify';
import MarkdownIt, { type Token } from 'markdown-it';
import cjkFriendly from 'markdown-it-cjk-friendly';
import { withCallouts } from './callout';
import { withFootnotes } from './footnote';
import { withFormulas } from './math';
import { withTags } from './tags';
import { withTasks } from './task';

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
// By CommonMark alone, **“你好”**然后 stays as it is written: nothing but a space would end it.
markdown.use(cjkFriendly);
markdown.use(withFormulas).use(withFootnotes).use(withTasks).use(withTags).use(withCallouts);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

const escape = markdown.utils.escapeHtml;

/** A frame around the code, where the copy button is put later. */
markdown.renderer.rules.fence = (tokens, at) => framed(tokens[at]);
markdown.renderer.rules.code_block = (tokens, at) => framed(tokens[at]);

function framed(token: Token | undefined): string {
  const lang = token?.info.trim().split(/\s+/)[0] ?? '';
  const code = escape(token?.content ?? '');
  return `<div class="md-code" data-lang="${escape(lang)}"><pre tabindex="0"><code>${code}</code></pre></div>`;
}

/** A picture from elsewhere would tell its owner that it was looked at: it becomes a link. */
markdown.renderer.rules.image = (tokens, at) => {
  const token = tokens[at];
  const src = String(token?.attrGet('src') ?? '');
  const alt = token?.content ?? '';
  if (isOwnPicture(src)) return `<img src="${escape(src)}" alt="${escape(alt)}">`;
  return `<a href="${escape(src)}" title="${escape(src)}">${escape(alt || src)}</a>`;
};
/** The words of a link may say anything, so its address is told too. */
markdown.renderer.rules.link_open = (tokens, at, options, _env, self) => {
  tokens[at]?.attrSet('title', String(tokens[at]?.attrGet('href') ?? ''));
  return self.renderToken(tokens, at, options);
};
/** How a column is set is a class: the page takes no style that stands in markup. */
markdown.renderer.rules.td_open = markdown.renderer.rules.th_open = (tokens, at, options, _env, self) => {
  const token = tokens[at];
  const side = /^text-align:(left|center|right)$/.exec(String(token?.attrGet('style') ?? ''))?.[1];
  if (token && side) token.attrs = [['class', `at-${side}`]];
  return self.renderToken(tokens, at, options);
};
markdown.renderer.rules.table_open = () => '<div class="md-table" tabindex="0"><table class="tbl">';
markdown.renderer.rules.table_close = () => '</table></div>';

const ownPicture = /^(data:image\/(png|jpeg|gif|webp);base64,|attachment:)/i;
const isOwnPicture = (src: string) => ownPicture.test(src);
// Markdown-it itself refuses javascript:, vbscript:, file: and most data: addresses.
const validLink = markdown.validateLink.bind(markdown);
markdown.validateLink = (url) => isOwnPicture(url) || validLink(url);

const kept = {
  ALLOWED_TAGS: [
    'p',
    'br',
    'hr',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'strong',
    'em',
    's',
    'a',
    'code',
    'pre',
    'blockquote',
    'ul',
    'ol',
    'li',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
    'img',
    'span',
    'sub',
    'sup',
    'kbd',
    'mark',
    'div',
    'label',
    'input',
  ],
  ALLOWED_ATTR: [
    'href',
    'src',
    'alt',
    'class',
    'start',
    'data-lang',
    'data-note',
    'data-back',
    'data-callout',
    'tabindex',
    'title',
    'type',
    'checked',
    'disabled',
  ],
  // Where one of the program's own leads is decided by who shows the text.
  ALLOWED_URI_REGEXP: /^(https?:|mailto:|coterie:|attachment:|data:image\/(png|jpeg|gif|webp);base64,)/i,
  // Only addresses have to look like addresses.
  ADD_URI_SAFE_ATTR: ['data-lang', 'data-note', 'data-back', 'data-callout', 'tabindex', 'start', 'type'],
  ALLOW_DATA_ATTR: false,
};

type Env = { marks: readonly string[]; notes: ReadonlySet<string> };

/** One block's markup. Each of `marks` is set off wherever prose names it; `notes` has the text that it is of at its foot. */
export function rendered(
  source: string,
  marks: readonly string[] = [],
  notes: ReadonlySet<string> = new Set(),
): string {
  const env: Env = { marks: [...marks].sort((a, b) => b.length - a.length), notes };
  return DOMPurify.sanitize(markdown.render(source, env), kept);
}

// Code has tokens of its own, so only prose passes here.
markdown.renderer.rules.text = (tokens, at, _options, env) =>
  marked(tokens[at]?.content ?? '', (env as Env | undefined)?.marks ?? []);

/** Longest first, so that "@Anna" is not taken for "@Ann". */
function marked(text: string, marks: readonly string[]): string {
  let out = '';
  let from = 0;
  for (let at = 0; at < text.length;) {
    const hit = marks.find((mark) => text.startsWith(mark, at) && !runsOn(text, at + mark.length));
    if (!hit) {
      at += 1;
      continue;
    }
    out += `${escape(text.slice(from, at))}<span class="mention">${escape(hit)}</span>`;
    at += hit.length;
    from = at;
  }
  return out + escape(text.slice(from));
}

/** In Latin text a letter after the mark makes it another word; Han text has no spaces to tell by. */
function runsOn(text: string, at: number): boolean {
  return /^[a-z0-9_]/i.test(text.slice(at, at + 1)) && /[a-z0-9_]$/i.test(text.slice(0, at));
}
