// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { enhanced, type CodeWords } from './enhanced';
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

describe('markup that models write', () => {
  it('breaks lines, raises, lowers and marks words, where it says just that', () => {
    expect(render('| a |\n|---|\n| one<br>two<BR/>*three* |')).toContain('one<br>\ntwo<br>\n<em>three</em>');
    expect(render('one<br />\ntwo')).toContain('one<br>\ntwo');
    expect(render('H<sub>2</sub>O, x<sup>**2**</sup>')).toContain('H<sub>2</sub>O, x<sup><strong>2</strong></sup>');
    expect(render('<kbd>Ctrl</kbd>+<kbd>C</kbd>')).toContain('<kbd>Ctrl</kbd>+<kbd>C</kbd>');
    expect(render('<mark>a <sub>b</sub> `</mark>` c</mark>')).toContain('<mark>a <sub>b</sub> `</mark>');
    expect(render('**a <sub>b** c</sub>')).toContain('**a <sub>b** c</sub>');
  });

  it('is text in code, with anything more in it, and without its end', () => {
    for (const source of [
      '`<br>`',
      '`x<sub>2</sub>`',
      '\\<br>',
      '<br onclick="x()">',
      '<sub class="a">b</sub>',
      '<sub>a',
      '<sub>a\n\nb</sub>',
      'a</sub>',
      '<details><summary>a</summary>b</details>',
      '<script>x()</script>',
      '<b>a</b>',
      '<img src=x onerror=alert(1)>',
    ]) {
      const made = document.createElement('div');
      made.innerHTML = render(source);
      expect(made.querySelector('br, sub, details, script, b, img'), source).toBeNull();
      expect(made.textContent?.trim(), source).toBe(
        source.replace(/^`|`$/g, '').replace('\\', '').replace('\n\n', '\n'),
      );
    }
    const nested = document.createElement('div');
    nested.innerHTML = render('<sub><img src=x onerror=alert(1)>[a](javascript:x)</sub>');
    expect(nested.querySelector('img, a')).toBeNull();
  });

  it('takes no time to speak of, however much of it has no end', () => {
    const before = performance.now();
    render('<sub>'.repeat(6000));
    expect(performance.now() - before).toBeLessThan(3000);
  });
});

describe('a quote that is set off', () => {
  const of = (source: string) => {
    const made = document.createElement('div');
    made.innerHTML = render(source);
    const words = { callout: (kind) => `[${kind}]` } as CodeWords;
    enhanced(made.innerHTML, true, words)(made);
    return made;
  };
  const said = (made: Element) => [...made.querySelectorAll('blockquote > *')].map((one) => one.textContent?.trim());

  it('is called what it is, in the words of whoever shows it', () => {
    const made = of('> [!NOTE]\n> Tea is **hot**.\n>\n> Wait.');
    expect(made.querySelector('blockquote')?.className).toBe('md-callout callout-note');
    expect(said(made)).toEqual(['[note]', 'Tea is hot.', 'Wait.']);
    expect(said(of('> [!caution]\n> - one'))).toEqual(['[caution]', 'one']);
    expect(said(of('- a\n  > [!TIP]\n  > b'))).toEqual(['[tip]', 'b']);
    expect(said(of('> [!WARNING]'))).toEqual(['[warning]']);
  });

  it('is a quote like any other where it says anything else', () => {
    for (const source of ['> [!NOTE] and more', '> a\n> [!NOTE]', '> [!OTHER]\n> a', '> `[!NOTE]`', '[!NOTE]\na'])
      expect(of(source).querySelector('.md-callout'), source).toBeNull();
  });
});
