/** Whether a page's plots are shown, kept between starts. */

/** A small window begins without them. */
export const roomForPlots = (): boolean => innerWidth > 860 && innerHeight > 640;

export class PlotsShown {
  shown = $state(false);
  readonly #kept: string;

  /** `kept` is what it is kept as; `first` holds before anybody chose. */
  constructor(kept: string, first: boolean) {
    this.#kept = kept;
    const before = localStorage.getItem(kept);
    this.shown = before === null ? first : before === 'shown';
  }

  toggle = (): void => {
    this.shown = !this.shown;
    localStorage.setItem(this.#kept, this.shown ? 'shown' : 'hidden');
  };
}
