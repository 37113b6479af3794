/**
 * The souls that are open in the editor: they outlive a visit to another page,
 * so that nothing unsaved is lost on the way.
 */
import { SvelteMap } from 'svelte/reactivity';
import type { Soul } from '../../api/generated';
import type { Coterie } from '../../state';
import { Draft } from './draft.svelte';

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

  /** Begins to edit a text as it was read from the file. */
  open(soul: Soul, text: string): Draft {
    const draft =
      this.#open.get(soul.name) ?? new Draft(soul.name, text, soul.file_hash, (call) => this.#coterie.ask(call));
    this.#open.set(soul.name, draft);
    void draft.noticed(soul);
    return draft;
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
