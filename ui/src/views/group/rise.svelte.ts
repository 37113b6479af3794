/**
 * The way to the first message of a conversation, which is read page by page:
 * it goes on until it is there, or until whoever asked for it does anything else.
 */
const acts = ['keydown', 'pointerdown', 'wheel', 'touchstart'] as const;

export class Rise {
  goesOn = $state(false);
  #way = new AbortController();

  /** Gives whether it is there. `more` reads a page, and gives nothing where that failed. */
  async begin(more: () => Promise<boolean | undefined>, isThere: () => boolean): Promise<boolean> {
    if (this.goesOn) return false;
    const { signal } = (this.#way = new AbortController());
    for (const act of acts) window.addEventListener(act, this.#other, { capture: true, passive: true, signal });
    this.goesOn = !isThere();
    while (!signal.aborted && !isThere() && (await more()));
    const arrived = !signal.aborted && isThere();
    this.stop();
    return arrived;
  }

  stop(): void {
    this.#way.abort();
    this.goesOn = false;
  }

  /** The key that began it is held down for a while. */
  #other = (event: Event) => {
    if (!(event instanceof KeyboardEvent && event.key === 'Home')) this.stop();
  };
}
