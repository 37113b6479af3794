/**
 * Formulas: what TeX writes between dollars or brackets, drawn by the web view
 * itself as MathML. What does that is fetched when the first one appears.
 */
import { tex } from '@mdit/plugin-tex';
import type MarkdownIt from 'markdown-it';

/** What TeX writes and prose does not. */
const texOnly = /[\\^_={}<>+*/|]/;

type Parser = InstanceType<typeof MarkdownIt>;

/** Finds formulas; until they are drawn they stand there as they were written. */
export function withFormulas(markdown: Parser): Parser {
  const escape = markdown.utils.escapeHtml;
  const render = (content: string, isBlock: boolean) => {
    // "between 5$ and 6$ a month"
    if (!isBlock && /[\s\p{Script=Han}]/u.test(content) && !texOnly.test(content)) return escape(`$${content}$`);
    const name = isBlock ? 'div' : 'span';
    return `<${name} class="md-math">${escape(content.trim())}</${name}>`;
  };
  return markdown.use(tex, { delimiters: 'all', render });
}

/** Draws a formula in the place of its TeX. What cannot be read as TeX stays as it is. */
export async function drawFormula(place: Element, gone: AbortSignal): Promise<void> {
  const source = place.textContent ?? '';
  // The same block may be seen again: what stands there then is the drawing.
  if (place.firstElementChild || source.length > 20_000) return;
  const { default: temml } = await import('temml');
  if (gone.aborted) return;
  try {
    temml.render(source, place as HTMLElement, {
      displayMode: place.tagName === 'DIV',
      throwOnError: true,
      trust: false,
      maxExpand: 1000,
      annotate: true,
    });
  } catch {
    place.textContent = source;
  }
}
