/** A change of the person's that can be taken back. */
export type Undo = {
  run: () => Promise<unknown>;
  /** Whether what it would take back still holds. */
  holds: () => boolean;
};
