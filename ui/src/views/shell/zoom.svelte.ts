/** How large the window draws everything: as it is set. */
import type { Backend } from '../../api/backend';
import { ownZoom, type Coterie } from '../../state';

const kept = 'coterie.zoom';

/** For as long as the component that calls it is there. Until the workspace has told, and where it cannot, as it was before. */
export function drawAsSet(coterie: Coterie, { zoom }: Backend): void {
  if (!zoom) return;
  let drawn: number | null = null;
  $effect(() => {
    const set = coterie.isOpen ? coterie.mirror.settings.appearance.zoom_percent : null;
    const percent = set ?? (Number(localStorage.getItem(kept)) || ownZoom);
    if (set !== null) localStorage.setItem(kept, String(set));
    if (percent === drawn) return;
    drawn = percent;
    // A shell that cannot takes nothing from the window.
    zoom(percent).catch(() => undefined);
  });
}
