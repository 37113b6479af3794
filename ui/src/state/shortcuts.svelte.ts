/** Which keys do what in the whole window, as the person has them: kept between starts. Cmd stands for Ctrl on a Mac. */

export type Shortcut =
  | 'palette'
  | 'search'
  | 'find'
  | 'new_group'
  | 'undo'
  | 'left'
  | 'right'
  | 'larger'
  | 'smaller'
  | 'own_size'
  | 'settings'
  | 'back'
  | 'shortcuts';

export const shortcutsAtFirst: Readonly<Record<Shortcut, string>> = {
  palette: 'Ctrl K',
  search: 'Ctrl Shift F',
  find: 'Ctrl F',
  new_group: 'Ctrl N',
  undo: 'Ctrl Z',
  left: 'Ctrl B',
  right: 'Ctrl J',
  larger: 'Ctrl =',
  smaller: 'Ctrl -',
  own_size: 'Ctrl 0',
  settings: 'Ctrl ,',
  back: 'Alt ←',
  shortcuts: 'Ctrl /',
};
export const shortcuts = Object.keys(shortcutsAtFirst) as readonly Shortcut[];

/** Why keys cannot be given to something. */
export type Refused =
  | { is: 'taken'; keys: string; by: Shortcut }
  /** Writing, the window's regions or the system need them. */
  | { is: 'needed'; keys: string }
  /** Alone they write something. */
  | { is: 'bare' };

const needed: ReadonlySet<string> = new Set([
  ...['A', 'C', 'S', 'V', 'X', 'Y', 'Z', 'Enter', 'Backspace', 'Delete', 'Tab', 'Space'].map((key) => `Ctrl ${key}`),
  ...['V', 'Z', 'Enter', 'Backspace', 'Delete', 'Tab'].map((key) => `Ctrl Shift ${key}`),
  ...['←', '→', '↑', '↓', 'Home', 'End'].flatMap((key) => [`Ctrl ${key}`, `Ctrl Shift ${key}`]),
  ...['F6', 'Shift F6', 'Shift F10', 'Alt F4', 'Ctrl Q', 'Ctrl W'],
]);
/** Ctrl with any key; Alt with what writes nothing; the keys of the top row by themselves. */
const bindable = /^(Ctrl (Shift )?\S+|Alt ([←→↑↓]|Home|End|PageUp|PageDown|F\d\d?)|(Shift )?F\d\d?)$/;

type Keymap = Readonly<Record<Shortcut, string>>;

/** Why `keys` cannot be what does `act`, whoever has them now, or null. */
function unfit(act: Shortcut, keys: string): Refused | null {
  if (keys === shortcutsAtFirst[act]) return null;
  if (needed.has(keys)) return { is: 'needed', keys };
  return bindable.test(keys) ? null : { is: 'bare' };
}

function taken(act: Shortcut, keys: string, now: Keymap): Refused | null {
  const by = shortcuts.find((other) => other !== act && now[other] === keys);
  return by ? { is: 'taken', keys, by } : null;
}

const kept = 'coterie.shortcuts';

export class Shortcuts {
  #now = $state.raw<Keymap>(shortcutsAtFirst);
  /** Whose new keys are waited for: until they come, none does anything else. */
  asked = $state<Shortcut | null>(null);

  constructor() {
    this.#now = read(localStorage.getItem(kept));
  }

  of(act: Shortcut): string {
    return this.#now[act];
  }

  /** What the keys do. */
  actOf(keys: string): Shortcut | null {
    const act = shortcuts.find((act) => this.#now[act] === keys);
    // One key on most keyboards: who thinks of a plus holds Shift as well.
    return act ?? (keys === 'Ctrl +' ? this.actOf('Ctrl =') : null);
  }

  isChanged(act: Shortcut): boolean {
    return this.#now[act] !== shortcutsAtFirst[act];
  }

  /** Gives the keys to the act, or says why not. */
  set(act: Shortcut, keys: string): Refused | null {
    const why = unfit(act, keys) ?? taken(act, keys, this.#now);
    if (!why) this.#put({ ...this.#now, [act]: keys });
    return why;
  }

  reset(): void {
    this.#put(shortcutsAtFirst);
  }

  #put(now: Keymap): void {
    this.#now = now;
    const changed = shortcuts.filter((act) => this.isChanged(act)).map((act) => [act, now[act]]);
    if (changed.length > 0) localStorage.setItem(kept, JSON.stringify(Object.fromEntries(changed)));
    else localStorage.removeItem(kept);
  }
}

/** What was kept, where it can be what it says; two acts by the same keys cannot. */
function read(text: string | null): Keymap {
  let now: Keymap = shortcutsAtFirst;
  try {
    const before = JSON.parse(text ?? '{}') as Readonly<Record<string, unknown>> | null;
    for (const act of shortcuts) {
      const keys = before?.[act];
      if (typeof keys === 'string' && !unfit(act, keys)) now = { ...now, [act]: keys };
    }
  } catch {
    // What cannot be read is as good as nothing kept.
  }
  return new Set(Object.values(now)).size === shortcuts.length ? now : shortcutsAtFirst;
}
