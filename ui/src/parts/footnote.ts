/**
 * Notes at the foot of a text: `[^1]` and what it stands for stay as they are
 * written. By Markdown alone the first would be a link, and the second be gone.
 */
import type { MarkdownIt } from 'markdown-it';

export function withFootnotes(markdown: MarkdownIt): MarkdownIt {
  const { ruler } = markdown.block;
  ruler.before('reference', 'footnote', (state, line, ...more) => {
    const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
    if (!state.src.startsWith('[^', start)) return false;
    // What any text is in the end, and the last of the rules.
    const paragraph = ruler.getRules('').at(-1);
    return paragraph?.(state, line, ...more) ?? false;
  });
  return markdown;
}
