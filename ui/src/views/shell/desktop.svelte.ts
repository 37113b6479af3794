/** What the desktop around the window is told, and what it wants shown. */
import type { Backend, Stand } from '../../api/backend';
import { followLink } from '../../pieces/links';
import { living, waits, type Coterie } from '../../state';
import { t } from '../../words';

/** For as long as the component that calls it is there. */
export function standOnDesktop(coterie: Coterie, { desktop }: Backend): void {
  if (!desktop) return;
  let told = '';
  $effect(() => {
    if (!coterie.isOpen) return;
    const stand = standNow(coterie);
    if (JSON.stringify(stand) === told) return;
    told = JSON.stringify(stand);
    // A desktop that shows nothing of it takes nothing from the window.
    desktop.stand(stand).catch(() => undefined);
  });
  $effect(() => (coterie.isOpen ? desktop.links((link) => void followLink(coterie, link)) : undefined));
}

function standNow({ mirror }: Coterie): Stand {
  const { all_paused: isPaused, manners } = mirror.settings;
  const works = living(mirror).filter((agent) => agent.state === 'running').length;
  const waiting = waits(mirror).length;
  return {
    works: isPaused ? t('desktop.all_rest') : works > 0 ? t('desktop.works', { n: works }) : t('desktop.nobody_works'),
    waits: waiting > 0 ? t('desktop.waits', { n: waiting }) : t('desktop.nothing_waits'),
    open: t('desktop.open'),
    pause: isPaused ? t('desktop.resume') : t('desktop.pause'),
    isPaused,
    quit: t('desktop.quit'),
    stays: manners.stays,
  };
}
