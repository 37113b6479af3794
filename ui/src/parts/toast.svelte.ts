/**
 * The one note at the corner: what was done, and how to undo it.
 *
 * One at a time, gone after eight seconds, but not while someone points at it
 * or has the focus in it.
 */

export type Toast = {
  text: string;
  /** Words of somebody else's, in English, set apart. */
  own?: string;
  action?: { label: string; run: () => void };
  /** Whether it still says something true; it goes when not. */
  holds?: () => boolean;
  /** Told when it is there no longer: its time is over, it was taken away, or another came. */
  gone?: () => void;
  seconds?: number;
};

class Toasts {
  current = $state.raw<Toast | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held = 0;

  show(next: Toast): void {
    const before = this.current;
    this.current = next;
    this.#held = 0;
    this.#wait();
    before?.gone?.();
  }

  dismiss(): void {
    clearTimeout(this.#timer);
    const before = this.current;
    this.current = null;
    before?.gone?.();
  }

  /** Runs the action and takes the note away. */
  act(): void {
    const shown = this.current;
    shown?.action?.run();
    // What it did may have a note of its own.
    if (this.current === shown) this.dismiss();
  }

  /** While held it stays. */
  hold(): void {
    this.#held += 1;
    clearTimeout(this.#timer);
  }

  release(): void {
    this.#held = Math.max(0, this.#held - 1);
    if (this.#held === 0) this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.current) this.#timer = setTimeout(() => this.dismiss(), (this.current.seconds ?? 8) * 1000);
  }
}

export const toast = new Toasts();
