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
  it('stays as it is written, and so does what stands for it', () => {
    const made = render('Tea is old[^1].\n\n[^1]: https://example.org/tea\n[^2]: 本草');
    expect(made).toContain('old[^1].');
    expect(made).toMatch(/\[\^1\]: <a href="https:\/\/example.org\/tea"[^>]*>https:\/\/example.org\/tea<\/a>/);
    expect(made).toContain('[^2]: 本草');
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
