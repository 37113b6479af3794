/** A text on one line, without the signs of Markdown. */
export const unmarked = (text: string): string =>
  text
    .replace(/^\s*>\s*\[!\w+\][ \t]*$/gm, '')
    .replace(/<br ?\/?>/gi, ' ')
    .replace(/<\/?(?:sub|sup|kbd|mark)>/g, '')
    .replace(/```\w*|[*_`|]+|^\s*(?:#+\s|>\s?)+|!?\[([^\]]*)\]\([^)]*\)/gm, '$1')
    .replace(/\s+/g, ' ')
    .trim();
