/**
 * A link in a message leads to something in the workspace, or out of the window, to the
 * browser or the mail program: the shell takes the new window and opens the address there.
 * Its copy stays in reach, for where neither of them comes up.
 */
import { toast } from '../parts/toast.svelte';
import { named, placeOf, type Coterie } from '../state';
import { t } from '../words';

/** What the shell hands on; it refuses the rest. */
const leadsOut = /^(https?|mailto):/i;

/** A link that may be one of Coterie's own. */
export function openAnyLink(coterie: Coterie, url: string): void {
  if (url.toLowerCase().startsWith('coterie:')) void followLink(coterie, url);
  else openLink(url);
}

/** Shows what a link names. It never does anything else, whoever made it. */
export async function followLink(coterie: Coterie, link: string): Promise<void> {
  const wanted = named(link);
  if (!wanted) {
    toast.show({ text: t('desktop.link_odd', { link }) });
    return;
  }
  const place = await placeOf(wanted, coterie.mirror, (call) => coterie.ask(call));
  if (place) coterie.go(place);
  else toast.show({ text: t('desktop.link_unknown', { link }) });
}

export function openLink(url: string): void {
  if (!leadsOut.test(url)) {
    copyLink(url);
    return;
  }
  window.open(url, '_blank', 'noopener,noreferrer');
  toast.show({
    text: t('shell.link_opened', { url: inShort(url) }),
    action: { label: t('shell.copy_link'), run: () => copyLink(url) },
  });
}

export function copyLink(url: string): void {
  navigator.clipboard.writeText(url).then(
    () => toast.show({ text: t('shell.link_copied', { url: inShort(url) }) }),
    () => toast.show({ text: t('shell.link_not_copied', { url }) }),
  );
}

/** Enough of an address to know it by. */
function inShort(url: string): string {
  return url.length > 80 ? `${url.slice(0, 79)}…` : url;
}
