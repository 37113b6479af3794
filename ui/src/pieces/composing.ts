/** Which Enter sends, and which belongs to an input method. */

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
