/** Counts the times that memories have changed, several at once as one. */
import type { Coterie } from '../state';

const togetherMs = 300;

export class MemoryNews {
  heard = $state(0);

  /** Listens for as long as the component is there that makes it. */
  constructor(coterie: Coterie) {
    $effect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = coterie.hearMemories(() => {
        clearTimeout(timer);
        timer = setTimeout(() => (this.heard += 1), togetherMs);
      });
      return () => {
        stop();
        clearTimeout(timer);
      };
    });
  }
}
