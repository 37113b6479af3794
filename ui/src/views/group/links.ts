/** A link in a message is never followed in the window: it goes to the clipboard, and the person decides. */
import { toast } from '../../parts/toast.svelte';
import { t } from '../../words';

export function openLink(url: string): void {
  navigator.clipboard.writeText(url).then(
    () => toast.show({ text: t('shell.link_copied', { url }) }),
    () => toast.show({ text: t('shell.link_not_copied', { url }) }),
  );
}
