/** Whether the plots are shown, kept between starts. A small window begins without them. */

const kept = 'coterie.plots';

export class PlotsShown {
  shown = $state(true);

  constructor() {
    const before = localStorage.getItem(kept);
    this.shown = before === null ? innerWidth > 860 && innerHeight > 640 : before === 'shown';
  }

  toggle = (): void => {
    this.shown = !this.shown;
    localStorage.setItem(kept, this.shown ? 'shown' : 'hidden');
  };
}
