// @vitest-environment jsdom
// The sanitiser is known not to work on other imitations of a browser.
import { describe, expect, it } from 'vitest';
import { Blocks } from './blocks';

const whole = (text: string, marks: readonly string[] = []) => new Blocks(marks).of(text, false);
const html = (text: string, marks: readonly string[] = []) =>
  whole(text, marks)
    .map((block) => block.html.trim())
    .join('');

/** Every state of the blocks while the text arrives a few characters at a time. */
function streamed(text: string, step: number) {
  const blocks = new Blocks();
  const states = [];
  for (let at = step; at < text.length; at += step) states.push(blocks.of(text.slice(0, at), true));
  states.push(blocks.of(text, true), blocks.of(text, false));
  return states;
}

const sample = `# Heat

Some *words* about it,
on two lines.

- one
- two

  with more
- three

\`\`\`python
print("hello")

# not a heading
\`\`\`

| a | b |
| - | - |
| 1 | 2 |

> quoted

1. first
2. second

It follows:
$$
a

- b
$$

\\[
x = 1
\\]

Done[^1].

[^1]: https://example.org
[^2]: of old

The end.`;

describe('blocks', () => {
  it('are drawn once for a text with the same names, and anew for others', () => {
    const names = ['@Ada'];
    const first = whole('Ask @Ada **now**.', names);
    expect(whole('Ask @Ada **now**.', names)).toBe(first);
    expect(whole('Ask @Ada **now**.', ['@Bo'])).not.toEqual(first);
    for (let other = 0; other < 400; other += 1) whole(`${other}`, names);
    const again = whole('Ask @Ada **now**.', names);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
    const blocks = new Blocks(names);
    blocks.of('Ask', true);
    expect(blocks.of('Ask @Ada **now**.', false)).toEqual(first);
    expect(blocks.of('Ask *Bo*.', false)).toEqual(whole('Ask *Bo*.', names));
  });

  it('are the same in the end however the text arrives', () => {
    const expected = whole(sample);
    expect(expected.length).toBe(14);
    for (const step of [1, 2, 3, 7, 50]) expect(streamed(sample, step).at(-1)).toEqual(expected);
  });

  it('never change once another has begun after them', () => {
    const states = streamed(sample.replaceAll('[^', '['), 1);
    for (const [at, state] of states.entries()) {
      const closed = state.slice(0, -1);
      for (const later of states.slice(at))
        expect(later.slice(0, closed.length).map((b) => b.html)).toEqual(closed.map((b) => b.html));
    }
  });

  it('have notes last, to which leads what stood before them once they are there', () => {
    const blocks = new Blocks();
    const texts = (all: readonly { html: string }[]) => all.map((one) => one.html.trim());
    const before = blocks.of('Old[^1].\n\nElse.\n\n', true);
    expect(texts(before)).toEqual(['<p>Old[^1].</p>', '<p>Else.</p>']);
    const after = blocks.of('Old[^1].\n\nElse.\n\n[^1]: of o', true);
    expect(texts(after)).toEqual([
      '<p>Old<sup><a href="coterie:note" data-note="1">1</a></sup>.</p>',
      '<p>Else.</p>',
      '<div class="md-note"><a href="coterie:note" class="md-back" data-back="1">1</a><p>of o</p></div>',
    ]);
    const more = blocks.of('Old[^1].\n\nElse.\n\n[^1]: of old\n\nThe end.', true);
    expect(texts(more).at(-1)).toContain('of old');
    expect(more[2]?.html).toContain('The end.');
    expect(more[1]).toBe(after[1]);
    expect(texts(blocks.of('Anew[^1].', true))).toEqual(['<p>Anew[^1].</p>']);
  });

  it('keep their objects, so that nothing is drawn twice', () => {
    const blocks = new Blocks();
    const before = blocks.of('one\n\ntwo\n\nthr', true);
    const after = blocks.of('one\n\ntwo\n\nthree\n\nfour', true);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after.length).toBe(4);
  });

  it('start again when the text is another one', () => {
    const blocks = new Blocks();
    blocks.of('one\n\ntwo\n\nthree', true);
    expect(blocks.of('other\n\ntext', true).map((block) => block.html.trim())).toEqual(['<p>other</p>', '<p>text</p>']);
  });

  it('leave out the row of a table that is still being written', () => {
    const blocks = new Blocks();
    const half = blocks.of('| a | b |\n| - | - |\n| 1 |', true);
    expect(half[0]?.html).not.toContain('<td>');
    const done = blocks.of('| a | b |\n| - | - |\n| 1 | 2 |\n', true);
    expect(done[0]?.html).toContain('<td>2</td>');
  });

  it('let code grow before its fence closes', () => {
    const [open] = new Blocks().of('```rust\nfn main() {', true);
    expect(open?.html).toContain('<code>fn main() {');
  });
});

describe('markup', () => {
  it('comes from Markdown only, never from the text itself', () => {
    expect(html('<img src=x onerror=alert(1)>')).toBe('<p>&lt;img src=x onerror=alert(1)&gt;</p>');
    expect(html('<script>alert(1)</script>')).not.toContain('<script');
    expect(html('[x](javascript:alert(1))')).not.toContain('href');
    expect(html('[x](data:text/html,<script>1</script>)')).not.toContain('href');
    expect(html('[x](file:///etc/passwd)')).not.toContain('href');
    expect(html('[x](https://example.org "<b>")')).toContain('href="https://example.org"');
  });

  it('tells where a link leads, whatever its words are', () => {
    expect(html('[https://bank.example](https://example.org "https://bank.example")')).toBe(
      '<p><a href="https://example.org" title="https://example.org">https://bank.example</a></p>',
    );
  });

  it('shows pictures only from data that is here', () => {
    expect(html('![a cat](https://example.org/cat.png)')).toBe(
      '<p><a href="https://example.org/cat.png" title="https://example.org/cat.png">a cat</a></p>',
    );
    expect(html('![a cat](data:image/png;base64,iVBORw0KGgo=)')).toContain(
      '<img src="data:image/png;base64,iVBORw0KGgo=" alt="a cat">',
    );
    expect(html('![a cat](data:image/svg+xml;base64,iVBORw0KGgo=)')).not.toContain('<img');
    expect(html('![notes](attachment:abc)')).toContain('<img src="attachment:abc"');
  });

  it('keeps code as it is written', () => {
    expect(html('```html\n<b>&amp;</b>\n```')).toBe(
      '<div class="md-code" data-lang="html"><pre tabindex="0"><code>&lt;b&gt;&amp;amp;&lt;/b&gt;\n</code></pre></div>',
    );
    expect(html('```"><script>\nx\n```')).not.toContain('<script');
  });

  it('sets names off in prose, the longest first, and not in code', () => {
    const marks = ['@Ann', '@Anna', '@林夏'];
    expect(html('@Anna and @Ann.', marks)).toBe(
      '<p><span class="mention">@Anna</span> and <span class="mention">@Ann</span>.</p>',
    );
    expect(html('@林夏说得对', marks)).toBe('<p><span class="mention">@林夏</span>说得对</p>');
    expect(html('@Annabel `@Ann`', marks)).toBe('<p>@Annabel <code>@Ann</code></p>');
    expect(html('@<b>', ['@<b>'])).toBe('<p><span class="mention">@&lt;b&gt;</span></p>');
  });
});
