// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import { Blocks } from './blocks';
import { enhanced, type CodeWords } from './enhanced';
import { rendered } from './markdown';
import { drawFormula } from './math';

const place = (html: string) => {
  const page = document.createElement('div');
  page.innerHTML = html;
  const found = page.querySelector('.md-math');
  if (!found) throw new Error(`no formula in ${html}`);
  return found;
};
const words = {} as CodeWords;
// This imitation of a browser gives formulas no style.
Object.defineProperty(Element.prototype, 'style', { value: {}, configurable: true });
const never = new AbortController().signal;

describe('a formula', () => {
  it.each([
    ['so $a^2 + b^2$ it is', 'span', 'a^2 + b^2'],
    ['so \\(x_1 < 2\\) it is', 'span', 'x_1 < 2'],
    ['$$\n\\frac{1}{2}\n$$', 'div', '\\frac{1}{2}'],
    ['\\[ E = mc^2 \\]', 'div', 'E = mc^2'],
    ['- Area: $$S = \\pi r^2$$', 'span', 'S = \\pi r^2'],
    ['The area is $$ S = \\pi r^2 $$, so fine', 'span', 'S = \\pi r^2'],
    ['$$x$$ is it.\n\nAnd more, at $$', 'span', 'x'],
    ['The result is \\[ \\frac{1}{2} \\] as shown', 'span', '\\frac{1}{2}'],
    ['Text before \\[ x = 1 \\]', 'span', 'x = 1'],
    ['where $$\nx = 1\n$$\nholds', 'span', 'x = 1'],
    ['面积$$S=\\pi r^2$$是', 'span', 'S=\\pi r^2'],
    ['结果\\[S=\\pi r^2\\]如下', 'span', 'S=\\pi r^2'],
    ['- 面积：\n  $$\n  S = \\pi r^2 \\\\[2pt]\n  $$', 'div', 'S = \\pi r^2 \\\\[2pt]'],
    ['with $n - 1$ of them', 'span', 'n - 1'],
  ])('is found in %j', (source, tag, tex) => {
    const found = place(rendered(source));
    expect([found.tagName.toLowerCase(), found.textContent]).toEqual([tag, tex]);
  });

  it.each([
    'it costs $5 and not $10',
    'from 5$ to 6$ a month',
    'set $HOME and $PATH',
    '`$a^2$` and\n\n```\n$$x$$\n```',
    '价格是5$到6$之间',
    'it costs $$',
    'from $$ to $$$, or ($) | ($$) | ($$$)',
    '$$ is cheap.\n\nAnd $$$ is dear.',
    '/tmp/lock.$$ and /tmp/log.$$',
    'see \\[1\\] and \\[here\\]',
    'a $$x = 1 `$$` and \\[ y = 2 `\\]`',
    '`\\[ x = 1 \\]` and\n\n```\n\\[\nx = 1\n\\]\n```',
    '$$\nx = 1',
    '\\[ x = 1',
  ])('is not what prose and code write with dollars: %j', (source) => {
    expect(rendered(source)).not.toContain('md-math');
  });

  it('is drawn as MathML, with its TeX for who copies it', async () => {
    const found = place(rendered('$\\frac{a}{b}$'));
    await drawFormula(found, never);
    await drawFormula(found, never);
    expect(found.querySelectorAll('math mfrac')).toHaveLength(1);
    expect(found.querySelector('annotation')?.textContent).toContain('frac');
  });

  it('among words is drawn as large as one that is set apart, and in its line', async () => {
    const found = place(rendered('it is $$\\begin{align} a &= b \\end{align}$$ then'));
    await drawFormula(found, never);
    const drawn = found.querySelector('math');
    expect([drawn?.getAttribute('displaystyle'), drawn?.hasAttribute('display')]).toEqual(['true', false]);
    expect(drawn?.querySelector('mtable')).not.toBeNull();
  });

  it('is drawn once its block is closed, wherever it stands in it', async () => {
    const html = rendered('so $a$ and $$b_1$$');
    const block = document.createElement('div');
    block.innerHTML = html;
    enhanced(html, true, words)(block);
    expect(block.querySelector('math')).toBeNull();
    const alone = rendered('so $$b_1$$ it is');
    for (const source of [html, alone]) {
      block.innerHTML = source;
      enhanced(source, false, words)(block);
      const formulas = [...block.querySelectorAll('.md-math')];
      await vi.waitFor(() => expect(formulas.filter((one) => !one.querySelector('math'))).toEqual([]));
    }
  });

  it('that is none stays as it was written, and brings no markup and no links in', async () => {
    const broken = place(rendered('$\\frac{a$'));
    await drawFormula(broken, never);
    expect(broken.textContent).toBe('\\frac{a');
    const bad = place(rendered('$\\href{javascript:alert(1)}{x} <img src=x onerror=alert(1)>$'));
    await drawFormula(bad, never);
    expect(bad.querySelector('img, a, [href], [onerror]')).toBeNull();
  });

  it('with an empty line in it is one block', () => {
    const blocks = new Blocks().of('before\n\n$$\na\n\nb\n$$\n\nafter', false);
    expect(blocks).toHaveLength(3);
  });
});
