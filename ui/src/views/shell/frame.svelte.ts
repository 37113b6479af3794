/** Which sides of the window are open, kept between starts, and how narrow the window is. */

const kept = 'coterie.frame';

export class Frame {
  left = $state(true);
  right = $state(true);
  /** In a narrow window the right side lies over the middle, and only when asked for. */
  drawer = $state(false);
  /** In one column: whether the list is shown, not the conversation. */
  list = $state(false);
  width = $state(typeof innerWidth === 'number' ? innerWidth : 1280);

  isDrawer = $derived(this.width < 1100);
  isOneColumn = $derived(this.width < 640);
  panelShown = $derived(this.isDrawer ? this.drawer : this.right);
  listShown = $derived(this.isOneColumn ? this.list : this.left);

  constructor() {
    try {
      const before = JSON.parse(localStorage.getItem(kept) ?? '{}') as { left?: boolean; right?: boolean };
      this.left = before.left ?? true;
      this.right = before.right ?? true;
    } catch {
      // What cannot be read is as good as nothing kept.
    }
  }

  toggleLeft = (): void => {
    if (this.isOneColumn) this.list = !this.list;
    else this.left = !this.left;
    this.#keep();
  };

  toggleRight = (): void => {
    if (this.isDrawer) this.drawer = !this.drawer;
    else this.right = !this.right;
    this.#keep();
  };

  #keep(): void {
    localStorage.setItem(kept, JSON.stringify({ left: this.left, right: this.right }));
  }
}
