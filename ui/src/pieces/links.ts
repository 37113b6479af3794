/**
 * A link in a message leads out of the window, to the browser or the mail
 * program: the shell takes the new window and opens the address there. Its
 * copy stays in reach, for where neither of them comes up.
 */
import { toast } from '../parts/toast.svelte';
import { t } from '../words';

/** What the shell hands on; it refuses the rest. */
const leadsOut = /^(https?|mailto):/i;

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
