/** What souls say of their models, asked for once for each version. */
import { SvelteMap } from 'svelte/reactivity';
import { modelOfSoul } from './catalogue';

export class SoulModels {
  #says = new SvelteMap<string, string | null>();
  // A note to itself that no screen looks at.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  #asked = new Set<string>();
  #ask: (soul: string, version: number) => Promise<string>;

  /** `ask` gives the text of a version. */
  constructor(ask: (soul: string, version: number) => Promise<string>) {
    this.#ask = ask;
  }

  /** A role or a model; null where it says nothing, or is not known yet. */
  model(soul: string, version: number): string | null {
    return this.#says.get(`${soul} ${version}`) ?? null;
  }

  async look(soul: string, version: number): Promise<void> {
    const key = `${soul} ${version}`;
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    try {
      this.#says.set(key, modelOfSoul(await this.#ask(soul, version)));
    } catch {
      // Asked again by the next who looks.
      this.#asked.delete(key);
    }
  }
}
