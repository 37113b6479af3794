/**
 * The note about an act that can be taken back; gone once there is nothing left
 * of it to take back. With the note goes the way back: no key takes back what
 * nobody sees any more. What was taken back is said, since keys say nothing.
 */
import { toast } from '../parts/toast.svelte';
import type { Coterie } from '../state';
import { t } from '../words';

export function tellUndo(
  coterie: Coterie,
  text: string,
  /** What it gives is said in the place of the usual. */
  undo: () => Promise<unknown>,
  /** Whether what was done still holds, whoever may have changed it. */
  holds: () => boolean,
): void {
  const run = async () => {
    const said = await undo();
    toast.show({ text: typeof said === 'string' ? said : t('part.undone', { what: text }) });
  };
  const act = coterie.canUndo(run, holds);
  toast.show({
    text,
    action: { label: t('part.undo'), run: () => void coterie.undo() },
    holds: () => coterie.undoable === act,
    gone: () => {
      if (coterie.undoable === act) coterie.undoable = null;
    },
  });
}
