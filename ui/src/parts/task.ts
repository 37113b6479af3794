/** Lists of tasks: `[ ]` and `[x]` at the beginning of an item are boxes, to be looked at and not ticked. */
import type { MarkdownIt, StateCore } from 'markdown-it';

export function withTasks(markdown: MarkdownIt): MarkdownIt {
  markdown.core.ruler.after('inline', 'tasks', boxes);
  // Its words name it.
  markdown.renderer.rules['task_open'] = (tokens, at) =>
    `<label><input type="checkbox" class="box" disabled${tokens[at]?.info === 'done' ? ' checked' : ''}><span>`;
  markdown.renderer.rules['task_close'] = () => '</span></label>';
  return markdown;
}

function boxes({ tokens, Token }: StateCore): void {
  for (const [at, { type, children }] of tokens.entries()) {
    const item = tokens[at - 2];
    const [first] = children ?? [];
    if (type !== 'inline' || item?.type !== 'list_item_open' || first?.type !== 'text') continue;
    const box = /^\[([ xX])\]\s+/.exec(first.content);
    if (!box) continue;
    first.content = first.content.slice(box[0].length);
    const open = new Token('task_open', '', 1);
    open.info = box[1] === ' ' ? '' : 'done';
    children?.unshift(open);
    children?.push(new Token('task_close', '', -1));
    // Of a numbered one the number is told too.
    if (item.info === '') item.attrJoin('class', 'md-task');
  }
}
