/** Which keys do what in the whole window. */
import { chordOf, type Pressed } from '../../parts/chord';
import type { Shortcut, Shortcuts } from '../../state';

/** Beside what the person can give other keys to. */
export type Act = Shortcut | 'region' | 'region_back' | 'stop';

const fixed: Readonly<Record<string, Act>> = { F6: 'region', 'Shift F6': 'region_back', Esc: 'stop' };

export function actOf(event: Pressed, shortcuts: Shortcuts): Act | null {
  const chord = chordOf(event);
  return chord === null ? null : (fixed[chord] ?? shortcuts.actOf(chord));
}

/** Whether something can be written there. */
export function isField(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && (target.matches('input, textarea') || target.isContentEditable);
}

/** Whether the keys belong to a text that is being written. */
export function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return target.value !== '';
  return isField(target);
}
