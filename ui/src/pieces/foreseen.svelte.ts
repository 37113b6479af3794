/** What would come of what is being written, asked for once nobody has typed for a moment. */

const restsMs = 200;

export class Foreseen<T> {
  /** Null while nothing is known. */
  is = $state.raw<T | null>(null);

  /**
   * Called while a component is made. `asks` gives how to ask about what is written now, and is
   * called again when anything changes that it looked at; null where nothing would come of it.
   */
  constructor(asks: () => (() => Promise<T>) | null) {
    $effect(() => {
      const ask = asks();
      if (!ask) {
        this.is = null;
        return;
      }
      let isCurrent = true;
      const timer = setTimeout(async () => {
        const found = await ask().catch(() => null);
        if (isCurrent) this.is = found;
      }, restsMs);
      return () => {
        isCurrent = false;
        clearTimeout(timer);
      };
    });
  }
}
