/** How keys that are pressed together are written. */
export const isMac = typeof navigator !== 'undefined' && /Mac/.test(navigator.userAgent);

/** `Ctrl N`, or `⌘ N` on a Mac. */
export function keys(text: string): string {
  return isMac ? text.replace('Ctrl', '⌘').replace('Alt', '⌥') : text;
}

export type Pressed = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing' | 'keyCode'
>;

const noKeys: readonly string[] = ['Control', 'Shift', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Dead', 'Process'];
const signs: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  ' ': 'Space',
};

/** What is pressed, as it is written: `Ctrl Shift K`. Null while a word is composed, or nothing but Ctrl is held. */
export function chordOf(event: Pressed): string | null {
  // The keys of somebody who composes a word are their input method's.
  if (event.isComposing || event.keyCode === 229 || noKeys.includes(event.key)) return null;
  const key = signs[event.key] ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key);
  // On one keyboard a "/" needs Shift and on another it does not.
  const isSign = key.length === 1 && key.toLowerCase() === key && !'←→↑↓'.includes(key);
  const held = [
    ...(event.ctrlKey || event.metaKey ? ['Ctrl'] : []),
    ...(event.altKey ? ['Alt'] : []),
    ...(event.shiftKey && !isSign ? ['Shift'] : []),
  ];
  return [...held, key].join(' ');
}

/** Whether that sends what is written where Enter alone makes a new line. */
export const sends = (event: Pressed): boolean => chordOf(event) === 'Ctrl Enter';
