/** Which commands are meant by what is typed behind a slash. */

/** What is typed of a command's name; null where the text is something to say, such as a path. */
export function commandIn(text: string): string | null {
  // Where Chinese is written, the key of the slash gives a 、.
  const query = /^[/／、](?!\s)([^/\n]{0,40})$/.exec(text)?.[1];
  return query ?? null;
}

/** Those of which one name has words that begin as each typed word does; whose own name begins so, first. */
export function called<T extends { label: string; also?: string }>(
  query: string,
  commands: readonly T[],
): readonly T[] {
  const wanted = wordsIn(query);
  if (wanted.length === 0 && query !== '') return [];
  const fits = ({ label, also = '' }: T) =>
    wanted.every((word) => wordsIn(`${label} ${also}`).some((part) => begins(part, word)));
  const isFirst = ({ label }: T) => wordsIn(label).join(' ').startsWith(wanted.join(' '));
  return commands.filter(fits).sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
}

const wordsIn = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Chinese has no spaces to tell where a word begins. */
const begins = (part: string, word: string) =>
  /\p{Script=Han}/u.test(word) ? part.includes(word) : part.startsWith(word);
