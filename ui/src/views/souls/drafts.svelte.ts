/**
 * The souls that are open in the editor: they outlive a visit to another page, and what is
 * unsaved of them the window, so that nothing is lost on the way.
 */
import { SvelteMap } from 'svelte/reactivity';
import type { Soul } from '../../api/generated';
import type { Coterie } from '../../state';
import { Draft, type Ask } from './draft.svelte';
import { keep, unsavedOf } from './unsaved';

class Drafts {
  #open = new SvelteMap<string, Draft>();
  #coterie: Coterie;

  constructor(coterie: Coterie) {
    this.#coterie = coterie;
  }

  get(soul: string): Draft | undefined {
    return this.#open.get(soul);
  }

  isDirty(soul: string): boolean {
    return this.#open.get(soul)?.dirty ?? false;
  }

  /** Begins to edit a text as it was read from the file, or goes on where somebody left off. */
  open(soul: Soul, text: string): Draft {
    const draft = this.#open.get(soul.name) ?? this.#begin(soul, text);
    void draft.noticed(soul);
    return draft;
  }

  #begin(soul: Soul, text: string): Draft {
    const before = unsavedOf(soul.path);
    const ask: Ask = (call) => this.#coterie.ask(call);
    const draft = new Draft(soul.name, text, soul.file_hash, ask, (unsaved) => keep(soul.path, unsaved));
    if (before && before.text !== text) draft.goOnWith(before);
    this.#open.set(soul.name, draft);
    return draft;
  }

  /** Its file is another's from now on, or nobody's; there is nothing unsaved of it. */
  forget(soul: string): void {
    this.#open.delete(soul);
  }

  noticed(souls: Iterable<Soul>): void {
    for (const soul of souls) void this.#open.get(soul.name)?.noticed(soul);
  }
}

const known = new WeakMap<Coterie, Drafts>();

export function draftsOf(coterie: Coterie): Drafts {
  let drafts = known.get(coterie);
  if (!drafts) {
    drafts = new Drafts(coterie);
    known.set(coterie, drafts);
  }
  return drafts;
}
