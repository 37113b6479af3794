/** A text on one line, without the signs of Markdown. */
export const unmarked = (text: string): string =>
  text
    .replace(/^\s*>\s*\[!\w+\][ \t]*$/gm, '')
    // What stands between the head of a table and its rows, or between two parts.
    .replace(/^[ \t|:]*-{3,}[-|: \t]*$/gm, '')
    .replace(/<br ?\/?>/gi, ' ')
    .replace(/<\/?(?:sub|sup|kbd|mark)>/g, '')
    .replace(/```\w*|[*`|]+|^\s*(?:#+\s|>\s?)+|!?\[([^\]]*)\]\([^)]*\)/gm, '$1')
    // In a name they stay.
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
