/** Quotes that begin with `[!NOTE]` on a line of its own are set off as that, as GitHub sets them off. */
import type { MarkdownIt, StateCore } from 'markdown-it';

const callouts = ['note', 'tip', 'important', 'warning', 'caution'] as const;
export type Callout = (typeof callouts)[number];

const mark = /^\[!(note|tip|important|warning|caution)\][ \t]*(?:\n|$)/i;

export function withCallouts(markdown: MarkdownIt): MarkdownIt {
  markdown.core.ruler.after('block', 'callouts', setOff);
  // What it is called is put in its place by who knows the language.
  markdown.renderer.rules['callout_name'] = (tokens, at) => {
    const kind = tokens[at]?.info ?? '';
    return `<p class="md-callout-name" data-callout="${kind}">${kind.toUpperCase()}</p>`;
  };
  return markdown;
}

/** Puts their names where only what they are is marked. */
export function nameCallouts(block: Element, nameOf: (kind: Callout) => string): void {
  for (const name of block.querySelectorAll<HTMLElement>('.md-callout-name')) {
    const kind = callouts.find((one) => one === name.dataset['callout']);
    if (kind) name.textContent = nameOf(kind);
  }
}

function setOff({ tokens, Token }: StateCore): void {
  for (let at = 0; at < tokens.length; at += 1) {
    const [quote, paragraph, inline] = tokens.slice(at, at + 3);
    if (quote?.type !== 'blockquote_open' || paragraph?.type !== 'paragraph_open' || inline?.type !== 'inline')
      continue;
    const found = mark.exec(inline.content);
    const kind = found?.[1]?.toLowerCase();
    if (!found || !kind) continue;
    quote.attrJoin('class', `md-callout callout-${kind}`);
    const name = new Token('callout_name', 'p', 0);
    [name.info, name.block, name.level] = [kind, true, paragraph.level];
    inline.content = inline.content.slice(found[0].length);
    // Nothing else may stand in its first paragraph.
    const isAll = inline.content.trim() === '';
    tokens.splice(at + 1, isAll ? 3 : 0, name);
  }
}
