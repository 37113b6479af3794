// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { Blocks } from './blocks';
import { rendered } from './markdown';
import { drawFormula } from './math';

const place = (html: string) => {
  const page = document.createElement('div');
  page.innerHTML = html;
  const found = page.querySelector('.md-math');
  if (!found) throw new Error(`no formula in ${html}`);
  return found;
};
const never = new AbortController().signal;

describe('a formula', () => {
  it.each([
    ['so $a^2 + b^2$ it is', 'span', 'a^2 + b^2'],
    ['so \\(x_1 < 2\\) it is', 'span', 'x_1 < 2'],
    ['$$\n\\frac{1}{2}\n$$', 'div', '\\frac{1}{2}'],
    ['\\[ E = mc^2 \\]', 'div', 'E = mc^2'],
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
