/**
 * Whether a button has the focus, which it would lose by being disabled. One that its own outcome
 * disables only says so until the focus has gone on by itself.
 */
export class Focus {
  has = $state(false);

  on = (): void => {
    this.has = true;
  };

  /** With the focus of the whole window its own is gone only for a while. */
  off = (event: FocusEvent): void => {
    this.has = document.activeElement === event.currentTarget;
  };
}
