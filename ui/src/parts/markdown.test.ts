// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { rendered as render } from './markdown';

describe('words that Chinese writes without spaces', () => {
  it('are set in bold where punctuation stands inside', () => {
    expect(render('他说**“你好”**然后走了')).toContain('<strong>“你好”</strong>然后');
    expect(render('**注意：**请先备份')).toContain('<strong>注意：</strong>请先');
  });

  it('leave English and code as they are', () => {
    expect(render('2 ** 3 ** 4')).not.toContain('<strong>');
    expect(render('`**kwargs**`')).toContain('**kwargs**');
  });
});

describe('a list of tasks', () => {
  const page = (source: string) => {
    const made = document.createElement('div');
    made.innerHTML = render(source);
    return made;
  };

  it('has boxes that nobody can tick, named by what is to be done', () => {
    const made = page('- [ ] buy **milk**\n- [x] 洗碗\n  1. [X] rinse\n- bread');
    const boxes = [...made.querySelectorAll<HTMLInputElement>('input')];
    expect(boxes.map((box) => [box.labels?.[0]?.textContent, box.type, box.checked, box.disabled])).toEqual([
      ['buy milk', 'checkbox', false, true],
      ['洗碗', 'checkbox', true, true],
      ['rinse', 'checkbox', true, true],
    ]);
    expect(made.querySelector('strong')?.textContent).toBe('milk');
    expect(made.textContent).not.toContain('[');
    // A box takes the place of a point, and no number's.
    expect([...made.querySelectorAll('li')].map(({ className }) => className)).toEqual(['md-task', 'md-task', '', '']);
  });

  it('is one where an item begins so, and nothing else', () => {
    for (const source of ['[ ] no item', '- not [ ] here', '- [x](https://example.org)', '- `[ ]`', '- []', '- [x]y'])
      expect(page(source).querySelector('input')).toBeNull();
    expect(page('<input type="text">').querySelector('input')).toBeNull();
  });
});

describe('a note at the foot', () => {
  const of = (source: string, ...notes: string[]) => {
    const made = document.createElement('div');
    made.innerHTML = render(source, [], new Set(notes));
    return made;
  };

  it('is led to by a raised sign, and leads back', () => {
    const made = of('Tea is old[^1][^b].\n\n[^1]: See https://example.org/tea\nand **more**\n[^b]: 本草', '1', 'b');
    expect([...made.querySelectorAll('sup a')].map((one) => one.getAttribute('data-note'))).toEqual(['1', 'b']);
    const notes = [...made.querySelectorAll('.md-note')];
    expect(notes.map((one) => one.textContent)).toEqual(['1See https://example.org/tea\nand more', 'b本草']);
    expect(notes[0]?.querySelector('[data-back]')?.getAttribute('data-back')).toBe('1');
    expect(notes[0]?.querySelector('p a')?.getAttribute('href')).toBe('https://example.org/tea');
    expect(notes[0]?.querySelector('strong')?.textContent).toBe('more');
  });

  it('stays as it is written where there is none, and in code', () => {
    expect(of('Old[^1].', '2').textContent?.trim()).toBe('Old[^1].');
    expect(of('`[^1]` and \\[^1]', '1').querySelector('sup')).toBeNull();
    expect(of('[^a b]: x', 'a b').textContent?.trim()).toBe('[^a b]: x');
    expect(of('- one[^1]\n    [^1]: no note in code', '1').querySelector('sup')).not.toBeNull();
    expect(of('[^"><img src=x>]: y', '"><img').querySelector('img')).toBeNull();
  });

  it('is no link to somewhere else', () => {
    expect(render('[tea][1]\n\n[1]: https://example.org')).toContain('<a href="https://example.org"');
  });
});

describe('a table', () => {
  it('has its columns set as it says', () => {
    const made = document.createElement('div');
    made.innerHTML = render('| a | b | c |\n|---|:-:|---:|\n| tea | 1 | 2 |');
    const sides = [...made.querySelectorAll('th, td')].map((cell) => cell.className);
    expect(sides).toEqual(['', 'at-center', 'at-right', '', 'at-center', 'at-right']);
    expect(made.innerHTML).not.toContain('style');
  });
});
