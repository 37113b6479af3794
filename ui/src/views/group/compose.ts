/** What the composer knows without a screen: how long a text is, and what was said before it. */

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

/** In characters: a text that is pasted and as long as this reads better beside a message than in it. */
export const longPaste = 4000;
