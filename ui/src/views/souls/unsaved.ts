/**
 * Unsaved texts of soul files, by path: they outlive the end of the window, whatever ends
 * it. The system's webview keeps them, beside the window's own settings.
 */
import type { Version } from './draft.svelte';

export interface Unsaved {
  text: string;
  /** What it was begun from. */
  base: Version;
}

const keyOf = (path: string) => `coterie.unsaved.${path}`;

export function unsavedOf(path: string): Unsaved | null {
  const kept = localStorage.getItem(keyOf(path));
  return kept === null ? null : read(kept);
}

/** With `null`: there is nothing unsaved any more. */
export function keep(path: string, unsaved: Unsaved | null): void {
  try {
    if (unsaved) localStorage.setItem(keyOf(path), JSON.stringify(unsaved));
    else localStorage.removeItem(keyOf(path));
  } catch {
    // There is no room: it is in the editor all the same.
  }
}

function read(kept: string): Unsaved | null {
  try {
    const { text, base } = JSON.parse(kept) as Partial<Unsaved>;
    const isWhole = typeof text === 'string' && typeof base?.text === 'string';
    return isWhole ? { text, base: { text: base.text, hash: base.hash ?? null } } : null;
  } catch {
    return null;
  }
}
