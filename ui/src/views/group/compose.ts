/** What the composer knows without a screen: mentions and commands being typed, and which Enter sends. */

export type Mention = { /** Where its @ stands. */ from: number; query: string };

/** The mention that is being typed at the caret. */
export function mentionAt(text: string, caret: number): Mention | null {
  const before = text.slice(0, caret);
  const from = before.lastIndexOf('@');
  if (from === -1) return null;
  // `me@ada` is an address; `你好@ada` is a mention.
  if (/[a-z0-9]/i.test(before.slice(Math.max(0, from - 1), from))) return null;
  const query = before.slice(from + 1);
  return /[\s@，。、！？]/.test(query) || query.length > 40 ? null : { from, query };
}

/** Those a mention could mean, those that begin with it first. */
export function fitting<T extends { name: string }>(query: string, agents: readonly T[]): readonly T[] {
  const wanted = query.toLowerCase();
  const place = (agent: T) => agent.name.toLowerCase().indexOf(wanted);
  return agents.filter((agent) => place(agent) !== -1).sort((a, b) => Number(place(a) !== 0) - Number(place(b) !== 0));
}

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

/** The text with the mention finished, and where the caret goes. */
export function mentioned(
  text: string,
  mention: Mention,
  caret: number,
  name: string,
): { text: string; caret: number } {
  const rest = text.slice(caret);
  const put = `@${name}${/^\s/.test(rest) ? '' : ' '}`;
  const head = text.slice(0, mention.from) + put;
  return { text: head + rest, caret: head.length + (/^\s/.test(rest) ? 1 : 0) };
}

/**
 * Those whom a text addresses, as the workspace finds them: in any letters, the longest name that
 * fits, and nobody in code.
 */
export function named<T extends { name: string }>(text: string, agents: readonly T[]): readonly T[] {
  const longestFirst = agents.toSorted((a, b) => b.name.length - a.name.length);
  const found = new Set<T>();
  for (const at of withoutCode(text).matchAll(/(?<![a-z0-9])[@＠]/gi)) {
    const rest = text.slice(at.index + 1);
    const one = longestFirst.find(({ name }) => beginsWithName(rest, name));
    if (one) found.add(one);
  }
  return agents.filter((agent) => found.has(agent));
}

/** As long as before. */
function withoutCode(text: string): string {
  return text.replace(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, (code) => ' '.repeat(code.length));
}

/** Chinese goes on without a space behind a name. */
function beginsWithName(rest: string, name: string): boolean {
  if (rest.slice(0, name.length).toLowerCase() !== name.toLowerCase()) return false;
  return !(/[a-z0-9]$/i.test(name) && /^[a-z0-9_]/i.test(rest.slice(name.length)));
}

type Key = Pick<
  KeyboardEvent,
  'key' | 'shiftKey' | 'isComposing' | 'keyCode' | 'timeStamp' | 'ctrlKey' | 'altKey' | 'metaKey'
>;

/**
 * Tells the Enter that sends from the one that ends a composition.
 *
 * Browsers differ: some say `isComposing`, WebKit ends the composition before
 * the key arrives and marks it only with key code 229, and some input methods
 * leave no mark at all. So an Enter right after the end, before its key was
 * let go, belongs to the input method too.
 */
export class Composing {
  static readonly afterMs = 100;
  #open = false;
  #endedAt: number | null = null;

  started(): void {
    this.#open = true;
  }

  ended(timeStamp: number): void {
    this.#open = false;
    this.#endedAt = timeStamp;
  }

  /** A key was let go: the next Enter is a new one. */
  released(): void {
    this.#endedAt = null;
  }

  has(event: Key): boolean {
    if (this.#open || event.isComposing || event.keyCode === 229) return true;
    return this.#endedAt !== null && event.timeStamp - this.#endedAt < Composing.afterMs;
  }
}

export function sends(event: Key, composing: Composing): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.altKey && !composing.has(event);
}

/** Characters as people count them, which is how the limit counts. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** The text that Up brings back into the composer: the one before what stands there. */
export function recalled(said: readonly string[], text: string): string | null {
  if (text === '') return said.at(-1) ?? null;
  const at = said.lastIndexOf(text);
  return at > 0 ? (said[at - 1] ?? null) : null;
}
