// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from 'vitest';
import { drawDiagram } from './diagram';
import { rendered } from './markdown';

const words = {
  diagram: 'Diagram',
  source: 'Source',
  undrawn: 'Not drawn:',
  tooLong: (most: number) => `Over ${most}`,
};
const pie = (title: string, more = '') => `${more}pie title ${title}\n  "Cats" : 3\n  "Dogs" : 1\n`;

const gone = () => new AbortController();

/** The frame of a fenced block, as it stands in a message, and its source. */
function frameOf(source: string) {
  document.body.innerHTML = rendered(`\`\`\`mermaid\n${source}\`\`\``);
  const frame = document.querySelector('.md-code');
  if (!frame) throw new Error('no code');
  return frame;
}
const picture = (frame: Element) => frame.querySelector<HTMLImageElement>('img');
const svgOf = (frame: Element) => decodeURIComponent((picture(frame)?.src ?? '').replace('data:image/svg+xml,', ''));

async function draw(source: string) {
  const frame = frameOf(source);
  await drawDiagram(frame, source, words, gone().signal);
  return frame;
}

beforeEach(() => {
  document.documentElement.removeAttribute('data-theme');
  document.documentElement.removeAttribute('style');
});

describe('a diagram', () => {
  it('is drawn as a picture, and its source is one press away', async () => {
    const frame = await draw(pie('Pets'));
    expect(picture(frame)?.src).toMatch(/^data:image\/svg\+xml,/);
    expect([picture(frame)?.alt, (picture(frame)?.width ?? 0) > 100]).toEqual(['Diagram', true]);
    expect(svgOf(frame)).toContain('Pets');
    expect(frame.classList.contains('drawn')).toBe(true);
    const button = frame.querySelector('button');
    button?.click();
    expect([frame.classList.contains('drawn'), button?.textContent]).toEqual([false, 'Diagram']);
    expect(frame.querySelector('code')?.textContent).toBe(pie('Pets'));
    button?.click();
    expect([frame.classList.contains('drawn'), button?.textContent]).toEqual([true, 'Source']);
  });

  it('says what its author says of it', async () => {
    const frame = await draw('pie\n  accTitle: Pets of the house\n  "Cats" : 3\n  "Dogs" : 1\n');
    expect(picture(frame)?.alt).toBe('Pets of the house');
  });

  it('that cannot be read stays as it was written, says why, and leaves nothing in the page', async () => {
    const broken: [string, string][] = [
      ['pie title Pets\n  "Cats" : many\n', 'Not drawn:\nParsing failed: Lexer error on line 2'],
      ['no such diagram\n', 'Not drawn:\nNo diagram type detected'],
      [pie('x'.repeat(20_000)), 'Not drawn:\nOver 10000'],
      ['\n', ''],
    ];
    for (const [source, why] of broken) {
      const frame = await draw(source);
      // Seen a second time it is said once.
      await drawDiagram(frame, source, words, gone().signal);
      const notes = [...frame.querySelectorAll('.md-undrawn')].map((note) => note.textContent ?? '');
      expect(notes.map((note) => note.slice(0, why.length))).toEqual(why === '' ? [] : [why]);
      expect([picture(frame), frame.querySelector('button')]).toEqual([null, null]);
      expect(frame.querySelector('code')?.textContent).toBe(source);
      expect(document.body.children).toHaveLength(1);
    }
  });

  it('is drawn after one that was broken', async () => {
    await draw('no such diagram');
    expect(svgOf(await draw(pie('Birds')))).toContain('Birds');
  });

  it('brings in no script, no address and no style of its author, and leaves nothing behind in the page', async () => {
    const init = `%%{init: {"securityLevel": "loose", "theme": "forest", "themeCSS": "text { fill: #abc123 }", "htmlLabels": true}}%%\n`;
    const frame = await draw(
      `${init}pie title <img src=https://evil.example/x onerror=alert(1)><script>alert(1)</script>\n  "a" : 1\n`,
    );
    const drawn = new DOMParser().parseFromString(svgOf(frame), 'image/svg+xml');
    expect(drawn.querySelector('parsererror')).toBeNull();
    expect(drawn.querySelector('script, image, a, foreignObject, img, iframe')).toBeNull();
    const attributes = [...drawn.querySelectorAll('*')].flatMap((one) => [...one.attributes]);
    expect(attributes.filter(({ name }) => /^on|href$/.test(name))).toEqual([]);
    expect(drawn.querySelector('style')?.textContent).not.toMatch(/abc123|@import|url\((?!#)/);
    expect(document.body.children).toHaveLength(1);
    expect(document.head.querySelector('style, script, link')).toBeNull();
  });

  it('has what a link stands around in its place, and leads nowhere', async () => {
    // This imitation of a browser measures nothing.
    const measured = { getBBox: () => ({ x: 0, y: 0, width: 50, height: 20 }), getComputedTextLength: () => 50 };
    Object.assign(SVGElement.prototype, measured);
    const frame = await draw(
      'flowchart TD\n  A[Here] --> B[There]\n  A --> C[Away]\n  click B "https://example.org" _blank\n',
    );
    const drawn = new DOMParser().parseFromString(svgOf(frame), 'image/svg+xml');
    const places = [...drawn.querySelectorAll('.node')].map((node) => [
      node.textContent,
      node.closest('[transform^="translate("]')?.getAttribute('transform'),
    ]);
    expect(places.map(([name]) => name)).toEqual(['Here', 'There', 'Away']);
    expect(new Set(places.flatMap(([, at]) => at ?? [])).size).toBe(3);
    expect(drawn.querySelector('[href], [target]')).toBeNull();
    expect(svgOf(frame)).not.toMatch(/xlink:href|example\.org/);
  });

  it('has the colours of the page, also after they change', async () => {
    const root = document.documentElement;
    root.style.setProperty('--text', '#112233');
    const frame = frameOf(pie('Fish'));
    const seen = gone();
    await drawDiagram(frame, pie('Fish'), words, seen.signal);
    expect(svgOf(frame)).toContain('#112233');

    const changed = new Promise<void>((done) => {
      new MutationObserver(() => done()).observe(frame, { subtree: true, attributeFilter: ['src'] });
    });
    root.style.setProperty('--text', '#ddeeff');
    root.dataset['theme'] = 'dark';
    await changed;
    expect(svgOf(frame)).toContain('#ddeeff');
    expect(svgOf(frame)).not.toContain('#112233');
    expect(frame.querySelectorAll('img, button')).toHaveLength(2);
    seen.abort();
  });
});
