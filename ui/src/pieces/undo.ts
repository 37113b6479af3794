/** The note about an act that can be taken back; gone once there is nothing left of it to take back. */
import { toast } from '../parts/toast.svelte';
import type { Coterie } from '../state';
import { t } from '../words';

export function tellUndo(
  coterie: Coterie,
  text: string,
  undo: () => Promise<unknown>,
  /** Whether what was done still holds, whoever may have changed it. */
  holds: () => boolean,
): void {
  const act = coterie.canUndo(undo, holds);
  toast.show({
    text,
    action: { label: t('part.undo'), run: () => void coterie.undo() },
    holds: () => coterie.undoable === act,
  });
}
