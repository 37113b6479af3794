/** How keys that are pressed together are written. */
export const isMac = typeof navigator !== 'undefined' && /Mac/.test(navigator.userAgent);

/** `Ctrl N`, or `⌘ N` on a Mac. */
export function keys(text: string): string {
  return isMac ? text.replace('Ctrl', '⌘').replace('Alt', '⌥') : text;
}
