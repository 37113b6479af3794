/** What a screen reader is told while replies are written, whole sentences, not letters; and of other versions. */
import type { MessageId, Variants } from '../../api/generated';

/** How much of a growing text ends with a sentence. */
export function sentencesEnd(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?](?=\s)|[。！？]|\n/g)) end = match.index + match[0].length;
  return end;
}

export class Announcer {
  #told = new Map<string, number>();

  /** The sentences of a run that were not told yet; all of the rest when it is complete. */
  news(run: string, text: string, complete: boolean): string {
    const from = this.#told.get(run) ?? 0;
    const to = complete ? text.length : sentencesEnd(text);
    if (complete) this.#told.delete(run);
    else this.#told.set(run, Math.max(from, to));
    return text.slice(from, to).trim();
  }

  /** Whether something of it was told already. */
  knows(run: string): boolean {
    return this.#told.has(run);
  }
}

/** The version that was gone to since; null where none was, or where there was none before. */
export function wentTo(
  before: readonly Variants[],
  now: readonly Variants[],
): { message: MessageId; n: number; all: number } | null {
  for (const { shown, all } of now) {
    const same = before.find((one) => one.all.some(({ message }) => message === shown));
    if (!same || same.shown === shown || same.all.length !== all.length) continue;
    return { message: shown, n: all.findIndex(({ message }) => message === shown) + 1, all: all.length };
  }
  return null;
}
