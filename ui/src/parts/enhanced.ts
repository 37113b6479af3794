/**
 * What a drawn block gets once it is closed: code its copy button and its colours,
 * formulas and diagrams their drawing.
 *
 * Works on markup that is already in the page; text only ever enters as text.
 */
import { nameCallouts, type Callout } from './callout';
import { longCode, tellGrowing } from './folds';
import { highlighted, type Piece } from './highlight';
import { drawFormula } from './math';

/** What the buttons of code say, and what is set off is called. */
export type CodeWords = {
  copy: string;
  copied: string;
  diagram: string;
  source: string;
  undrawn: string;
  tooLong: (most: number) => string;
  all: (lines: number) => string;
  less: string;
  callout: (kind: Callout) => string;
};

/** Long code that somebody opened, or read while it was written: it stays open. */
const opened = new Set<string>();
const mostOpened = 200;

/** An attachment: runs again when the block's markup changes or closes. Code that was watched is not folded. */
export function enhanced(html: string, open: boolean, words: CodeWords, watched = false) {
  return (block: Element) => {
    if (html.includes('md-callout')) nameCallouts(block, words.callout);
    if (open || !/class="md-(code|math)\b/.test(html)) return undefined;
    const gone = new AbortController();
    for (const frame of block.querySelectorAll('.md-code')) {
      const code = frame.querySelector('code');
      if (!code) continue;
      addCopyButton(frame, code, words);
      const lang = frame.getAttribute('data-lang') ?? '';
      if (lang.toLowerCase() === 'mermaid') {
        void diagram(frame, code, words, gone.signal);
        continue;
      }
      fold(frame, code, words, watched);
      void colour(code, lang, gone.signal);
    }
    for (const formula of block.querySelectorAll('.md-math')) void drawFormula(formula, gone.signal);
    return () => gone.abort();
  };
}

function addCopyButton(frame: Element, code: Element, words: CodeWords) {
  if (frame.querySelector('.md-copy')) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn small md-copy';
  button.textContent = words.copy;
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(code.textContent ?? '').then(() => {
      button.textContent = words.copied;
      setTimeout(() => (button.textContent = words.copy), 2000);
    });
  });
  frame.append(button);
}

function fold(frame: Element, code: Element, words: CodeWords, watched: boolean) {
  const text = code.textContent ?? '';
  const lines = text.trimEnd().split('\n').length;
  if (lines <= longCode || frame.querySelector('.show-all')) return;
  if (watched) keepOpen(text);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'linkish sm show-all';
  button.dataset['testid'] = 'show-all';
  const show = () => {
    const isOpen = opened.has(text);
    frame.classList.toggle('open', isOpen);
    button.setAttribute('aria-expanded', String(isOpen));
    button.textContent = isOpen ? words.less : words.all(lines);
  };
  button.addEventListener('click', () => {
    if (opened.delete(text)) {
      show();
      button.scrollIntoView({ block: 'nearest' });
    } else {
      tellGrowing(frame);
      keepOpen(text);
      show();
    }
  });
  frame.classList.add('long');
  frame.append(button);
  show();
}

function keepOpen(text: string) {
  opened.add(text);
  const oldest = opened.values().next();
  if (opened.size > mostOpened && !oldest.done) opened.delete(oldest.value);
}

async function diagram(frame: Element, code: Element, words: CodeWords, gone: AbortSignal) {
  const { drawDiagram } = await import('./diagram');
  if (!gone.aborted) await drawDiagram(frame, code.textContent ?? '', words, gone);
}

async function colour(code: Element, lang: string, gone: AbortSignal) {
  const lines = await highlighted(code.textContent ?? '', lang).catch(() => undefined);
  if (!lines || gone.aborted) return;
  code.replaceChildren(...lines.flatMap((line, at) => [...(at > 0 ? ['\n'] : []), ...line.map(drawn)]));
}

function drawn(piece: Piece): Node {
  if (!piece.kind) return document.createTextNode(piece.text);
  const span = document.createElement('span');
  span.className = `tok-${piece.kind}`;
  span.textContent = piece.text;
  return span;
}
