/** The long messages that stand there whole, by their runs or themselves: opened, or watched while they were written. */
import { SvelteSet } from 'svelte/reactivity';

export const unfolded = new SvelteSet<string>();

export function unfold(key: string, open: boolean): void {
  if (open) unfolded.add(key);
  else unfolded.delete(key);
}
