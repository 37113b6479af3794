/** A command line and lists of values, as people type them. */

/** The words of a command line; `null` where a quotation mark is not closed. */
export function wordsOf(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line.charAt(at);
    const next = line.charAt(at + 1);
    if (quote !== null) {
      if (letter === quote) quote = null;
      else if (letter === '\\' && quote === '"' && (next === '"' || next === '\\')) word += line.charAt((at += 1));
      else word += letter;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + letter;
  }
  if (quote !== null) return null;
  return word === null ? words : [...words, word];
}

/** `NAME=value`, one a line; `null` where a line is something else. */
export function valuesOf(text: string): Record<string, string> | null {
  const values: Record<string, string> = {};
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    if (at < 1) return null;
    values[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return values;
}
