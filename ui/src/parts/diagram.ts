/**
 * Diagrams that Mermaid writes, drawn as a picture. Fetched when the first one
 * appears: what draws them is large.
 *
 * A picture runs nothing, loads nothing and lends the page no style, whatever
 * an agent has written into it. Its colours are those of the page.
 */
import DOMPurify from 'dompurify';
import mermaid, { type MermaidConfig } from 'mermaid';

type Words = { diagram: string; source: string; undrawn: string; tooLong: (most: number) => string };
type Drawing = { url: string; width: number; height: number; title: string };

/** Longer ones would hold up the window while they are laid out. */
const longest = 10_000;
/** Of what is wrong, which may quote the whole source. */
const longestWhy = 600;

/** What was drawn last, so that a message that comes back into sight stands there at once. */
const drawn = new Map<string, Drawing>();
const mostDrawn = 40;

let count = 0;

/**
 * Puts the drawing over its source, and a button that goes back and forth. What
 * cannot be drawn stays as it is, with what Mermaid says of it.
 */
export async function drawDiagram(frame: Element, source: string, words: Words, gone: AbortSignal): Promise<void> {
  const image = frame.querySelector<HTMLImageElement>('.md-diagram') ?? document.createElement('img');
  const again = async () => {
    const made = await drawing(source, words);
    if (gone.aborted) return;
    if (typeof made === 'string') {
      if (made !== '') tell(frame, words.undrawn, made);
      return;
    }
    image.className = 'md-diagram';
    image.alt = made.title || words.diagram;
    [image.src, image.width, image.height] = [made.url, made.width, made.height];
    if (image.isConnected) return;
    frame.prepend(image);
    frame.classList.add('drawn');
    frame.append(switched(frame, words));
  };
  const looked = new MutationObserver(() => void again());
  looked.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-contrast'] });
  gone.addEventListener('abort', () => looked.disconnect());
  await again();
}

/** Why there is no drawing, below the source. */
function tell(frame: Element, undrawn: string, why: string): void {
  if (frame.querySelector('.md-undrawn')) return;
  const note = document.createElement('p');
  note.className = 'md-undrawn sm';
  const own = document.createElement('span');
  own.className = 'mono';
  own.lang = 'en';
  own.textContent = why;
  note.append(undrawn, '\n', own);
  frame.append(note);
}

function switched(frame: Element, words: Words): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn small md-source';
  button.textContent = words.source;
  button.addEventListener('click', () => {
    button.textContent = frame.classList.toggle('drawn') ? words.source : words.diagram;
  });
  return button;
}

/** The drawing in the colours of now, or why there is none. */
async function drawing(source: string, words: Words): Promise<Drawing | string> {
  if (source.trim() === '') return '';
  if (source.length > longest) return words.tooLong(longest);
  const look = lookNow();
  const key = `${JSON.stringify(look)}\n${source}`;
  const before = drawn.get(key);
  if (before) return before;
  try {
    mermaid.initialize(look);
    const { svg } = await mermaid.render(`diagram-${(count += 1)}`, source);
    const made = pictured(svg);
    keep(key, made);
    return made;
  } catch (caught) {
    return (caught instanceof Error ? caught.message : String(caught)).trim().slice(0, longestWhy);
  }
}

function keep(key: string, made: Drawing): void {
  drawn.set(key, made);
  const oldest = drawn.keys().next();
  if (drawn.size > mostDrawn && !oldest.done) drawn.delete(oldest.value);
}

/** The markup as an image of its own size, without what would lead out of it. */
function pictured(markup: string): Drawing {
  const clean = DOMPurify.sanitize(markup, {
    USE_PROFILES: { svg: true, svgFilters: true },
    FORBID_TAGS: ['image', 'foreignObject', 'script'],
    // What a link stands around has its place by it, so the link stays and leads nowhere.
    FORBID_ATTR: ['href', 'xlink:href', 'target'],
    RETURN_DOM_FRAGMENT: true,
  });
  const svg = clean.querySelector('svg');
  const [, , width = 0, height = 0] = (svg?.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (!svg || !(width > 0) || !(height > 0)) throw new Error('it is empty');
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.removeAttribute('style');
  return {
    url: `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`,
    width: Math.ceil(width),
    height: Math.ceil(height),
    title: svg.querySelector(':scope > title')?.textContent?.trim() ?? '',
  };
}

/** How Mermaid draws now. The author of a diagram changes nothing of it. */
function lookNow(): MermaidConfig {
  const tokens = getComputedStyle(document.documentElement);
  const colour = (name: string, otherwise: string) => tokens.getPropertyValue(`--${name}`).trim() || otherwise;
  const text = colour('text', '#1c1d1b');
  const line = colour('text-2', '#4b4d47');
  const surface = colour('surface-sunken', '#f4f4f1');
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    // Labels as text of the drawing itself: markup inside it is not let through.
    htmlLabels: false,
    fontFamily: colour('font-ui', 'sans-serif'),
    theme: 'base',
    themeVariables: {
      darkMode: document.documentElement.dataset['theme'] === 'dark',
      background: surface,
      fontFamily: colour('font-ui', 'sans-serif'),
      fontSize: '14px',
      textColor: text,
      lineColor: line,
      gridColor: line,
      primaryColor: colour('accent-soft', '#e2f0ee'),
      primaryTextColor: text,
      primaryBorderColor: colour('accent', '#0b6b66'),
      secondaryColor: colour('surface-hover', '#ecece8'),
      secondaryTextColor: text,
      tertiaryColor: colour('surface', '#ffffff'),
      tertiaryTextColor: text,
      edgeLabelBackground: surface,
      noteBkgColor: colour('warn-soft', '#fbf1de'),
      noteTextColor: text,
      noteBorderColor: colour('warn-line', '#e6cd9c'),
    },
    secure: [
      ...['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering'],
      ...['htmlLabels', 'fontFamily', 'altFontFamily', 'theme', 'themeVariables', 'themeCSS', 'dompurifyConfig'],
    ],
  };
}
