/** Tells through the system what waits and what went wrong, while the person looks elsewhere. */
import { untrack } from 'svelte';
import type { Backend } from '../../api/backend';
import { toTell, troubles, waits, worthTelling, type Coterie, type Place, type Trouble, type Waits } from '../../state';
import { t } from '../../words';

type Notice = { title: string; text: string; leadsTo: Place };

/** For as long as the component that calls it is there. */
export function tellThroughSystem(coterie: Coterie, backend: Backend): void {
  let known: { waits: ReadonlySet<string>; troubles: ReadonlySet<string> } | null = null;
  $effect(() => {
    if (!coterie.isOpen) return;
    const { mirror } = coterie;
    const isLookedAt = document.visibilityState === 'visible' && document.hasFocus();
    const asked = toTell(known?.waits ?? null, waits(mirror), isLookedAt);
    const wrong = toTell(known?.troubles ?? null, troubles(mirror), isLookedAt);
    known = { waits: asked.known, troubles: wrong.known };
    untrack(() => {
      const { approvals, manners } = mirror.settings;
      if (approvals.notifies) for (const one of asked.tell) void tell(ofWaiting(coterie, one));
      if (!manners.tells_trouble) return;
      for (const one of worthTelling(wrong.tell, mirror)) void tell(ofTrouble(coterie, one));
    });
  });

  async function tell({ title, text, leadsTo }: Notice) {
    const clicked = await backend.tell?.(title, text).catch(() => false);
    if (clicked) coterie.go(leadsTo);
  }
}

/** A click leads to where all that waits is answered. */
function ofWaiting(coterie: Coterie, one: Waits): Notice {
  const name = coterie.nameOf(one.agent);
  const title =
    one.is === 'approval'
      ? t('approvals.card', { name, tool: one.tool })
      : t('approvals.notice_asks', { name: one.server ?? name });
  return { title, text: placeOf(coterie, one.group), leadsTo: { page: 'approvals' } };
}

function ofTrouble(coterie: Coterie, one: Trouble): Notice {
  const name = coterie.nameOf(one.agent);
  if (one.is === 'stopped') {
    return { title: t('desktop.stopped', { name }), text: t('desktop.stopped_text'), leadsTo: { page: 'fleet' } };
  }
  const isPost = coterie.mirror.groups.get(one.group)?.kind === 'post';
  const leadsTo: Place = isPost ? { page: 'feed', post: one.group } : { page: 'conversations', group: one.group };
  return { title: t('notice.run_failed', { name }), text: placeOf(coterie, one.group), leadsTo };
}

const placeOf = (coterie: Coterie, group: string) =>
  t('approvals.notice_in', { group: coterie.mirror.groups.get(group)?.name ?? '' });
