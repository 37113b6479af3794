/** What souls say of their models, asked for once for each version. */
import { SvelteMap } from 'svelte/reactivity';
import { modelsOfSoul, type SoulSays } from './catalogue';

export class SoulModels {
  #says = new SvelteMap<string, SoulSays>();
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
    return this.says(soul, version)?.model ?? null;
  }

  /** Undefined while it is not known. */
  says(soul: string, version: number): SoulSays | undefined {
    return this.#says.get(`${soul} ${version}`);
  }

  async look(soul: string, version: number): Promise<void> {
    const key = `${soul} ${version}`;
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    try {
      this.#says.set(key, modelsOfSoul(await this.#ask(soul, version)));
    } catch {
      // Asked again by the next who looks.
      this.#asked.delete(key);
    }
  }
}
