import { describe, expect, it } from 'vitest';
import { enhanced, type CodeWords } from './enhanced';
import { linesOf, longCode, longText, unfoldAround } from './folds';

const words: CodeWords = {
  copy: 'Copy',
  copied: 'Copied',
  diagram: 'Diagram',
  source: 'Source',
  undrawn: 'Not drawn:',
  tooLong: String,
  all: (lines) => `Show all ${lines}`,
  less: 'Show less',
  callout: (kind) => kind,
};
const lines = (n: number, of = 'line') => Array.from({ length: n }, (_, at) => `${of} ${at}`).join('\n');

/** A block of code as it stands in a message, done. */
function shown(text: string, watched = false) {
  const block = document.createElement('div');
  block.innerHTML = '<div class="md-code"><pre><code></code></pre></div>';
  const code = block.querySelector('code');
  if (code) code.textContent = text;
  document.body.replaceChildren(block);
  enhanced(block.innerHTML, false, words, watched)(block);
  const frame = block.firstElementChild as HTMLElement;
  return { frame, button: frame.querySelector<HTMLElement>('.show-all') };
}
const isFolded = (frame: Element) => frame.matches('.long:not(.open)');

describe('how long a text is', () => {
  it('counts lines as they are broken, and of long code no more than is shown', () => {
    expect(linesOf('')).toBe(1);
    expect(linesOf(lines(7))).toBe(7);
    expect(linesOf('x'.repeat(300))).toBe(4);
    expect(linesOf(`\`\`\`\n${lines(500)}\n\`\`\``)).toBeLessThan(longText);
    expect(linesOf(`\`\`\`\n${lines(3)}\n\`\`\`\n${lines(longText)}`)).toBeGreaterThan(longText);
  });
});

describe('long code', () => {
  it('is folded, says how long it is, and opens and closes', () => {
    const { frame, button } = shown(`${lines(longCode + 1, 'a')}\n`);
    expect([isFolded(frame), button?.textContent, button?.getAttribute('aria-expanded')]).toEqual([
      true,
      `Show all ${longCode + 1}`,
      'false',
    ]);
    button?.click();
    expect([isFolded(frame), button?.textContent]).toEqual([false, 'Show less']);
    button?.click();
    expect(isFolded(frame)).toBe(true);
  });

  it('is open again when it comes back into sight, and when somebody watched it being written', () => {
    const text = lines(80, 'b');
    shown(text).button?.click();
    expect(isFolded(shown(text).frame)).toBe(false);
    expect(isFolded(shown(lines(80, 'c'), true).frame)).toBe(false);
    expect(isFolded(shown(lines(80, 'c')).frame)).toBe(false);
  });

  it('that is not so long stands whole', () => {
    expect(shown(lines(longCode, 'd')).button).toBeNull();
  });

  it('keeps the reader where they are when it opens', () => {
    const { frame, button } = shown(lines(90, 'e'));
    const told: string[] = [];
    document.body.addEventListener('growing', () => told.push('growing'), { once: true });
    button?.click();
    expect([told, isFolded(frame)]).toEqual([['growing'], false]);
  });

  it('opens for what was found in it, and only then', () => {
    const { frame } = shown(lines(90, 'f'));
    const range = document.createRange();
    range.selectNodeContents(document.body);
    expect([unfoldAround([range]), isFolded(frame)]).toEqual([false, true]);
    const code = frame.querySelector('code')?.firstChild;
    if (code) range.setStart(code, 40);
    expect([unfoldAround([range]), isFolded(frame)]).toEqual([true, false]);
  });
});
