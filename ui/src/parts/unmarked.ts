/** A text on one line, without the signs of Markdown. */
export const unmarked = (text: string): string =>
  text
    .replace(/```\w*|[*_`|]+|^\s*(?:#+\s|>\s?)+|!?\[([^\]]*)\]\([^)]*\)/gm, '$1')
    .replace(/\s+/g, ' ')
    .trim();
