/**
 * What a drawn block gets once it is closed: code its copy button and its colours,
 * formulas and diagrams their drawing.
 *
 * Works on markup that is already in the page; text only ever enters as text.
 */
import { highlighted, type Piece } from './highlight';
import { drawFormula } from './math';

/** What the buttons of code say. */
export type CodeWords = { copy: string; copied: string; diagram: string; source: string };

/** An attachment: runs again when the block's markup changes or closes. */
export function enhanced(html: string, open: boolean, words: CodeWords) {
  return (block: Element) => {
    if (open || !/class="md-(code|math)"/.test(html)) return undefined;
    const gone = new AbortController();
    for (const frame of block.querySelectorAll('.md-code')) {
      const code = frame.querySelector('code');
      if (!code) continue;
      addCopyButton(frame, code, words);
      const lang = frame.getAttribute('data-lang') ?? '';
      if (lang.toLowerCase() === 'mermaid') void diagram(frame, code, words, gone.signal);
      else void colour(code, lang, gone.signal);
    }
    for (const formula of block.querySelectorAll('.md-math')) void drawFormula(formula, gone.signal);
    return () => gone.abort();
  };
}

function addCopyButton(frame: Element, code: Element, words: CodeWords) {
  if (frame.querySelector('button')) return;
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
