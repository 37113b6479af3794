/** Reads what was done in a turn once its row rests before the reader. */
import { untrack } from 'svelte';
import type { RunId } from '../api/generated';
import type { Coterie } from '../state';

/** A row that only rushes by asks for nothing. */
const restsMs = 250;

/** Called while a component is made. */
export function readAtRest(coterie: Coterie, of: () => RunId): void {
  // Where something is forgotten, what was known of it is too, and is read anew.
  const isKnown = $derived(coterie.mirror.steps.has(of()));
  $effect(() => {
    void isKnown;
    const id = of();
    const timer = setTimeout(() => untrack(() => void coterie.openSteps(id)), restsMs);
    return () => clearTimeout(timer);
  });
}
