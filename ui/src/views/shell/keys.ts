/** Which keys do what in the whole window. Cmd stands for Ctrl on a Mac. */

export type Act =
  | 'palette'
  | 'find'
  | 'new_group'
  | 'left'
  | 'right'
  | 'settings'
  | 'shortcuts'
  | 'region'
  | 'region_back'
  | 'undo'
  | 'back'
  | 'stop';
type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing' | 'keyCode'>;

const withCtrl: Readonly<Record<string, Act>> = {
  k: 'palette',
  f: 'find',
  n: 'new_group',
  b: 'left',
  j: 'right',
  ',': 'settings',
  '/': 'shortcuts',
  z: 'undo',
};

export function actOf(event: Pressed): Act | null {
  // The keys of somebody who composes a word are their input method's.
  if (event.isComposing || event.keyCode === 229) return null;
  if (event.key === 'F6') return event.shiftKey ? 'region_back' : 'region';
  if (event.altKey) return event.key === 'ArrowLeft' && !event.ctrlKey ? 'back' : null;
  if (event.ctrlKey || event.metaKey) return event.shiftKey ? null : (withCtrl[event.key.toLowerCase()] ?? null);
  return event.key === 'Escape' ? 'stop' : null;
}

/** Whether the keys belong to a text that is being written. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return target.value !== '';
  return target.isContentEditable;
}
