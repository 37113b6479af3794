/** Mentions in a text: the one that is being typed, and whom all of them name. */

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
