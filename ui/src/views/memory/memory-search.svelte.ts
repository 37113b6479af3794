/** What a search found, kept fresh by what is seen of it since. */
// A map that lives for one step only is looked at by no screen.
/* eslint-disable svelte/prefer-svelte-reactivity */
import { faultOf } from '../../api/backend';
import type { Call, Fault, Memory, MemoryFilter, MemoryHit, Reply } from '../../api/generated';

export const hitsAtMost = 50;

/**
 * Whether it concerns what was looked for, and is not only the nearest of what there is. Without
 * vectors it does when it has a word of it, and also where only single characters are looked for:
 * these say too little for anything to be set apart by them.
 */
export function concerns({ scores }: MemoryHit, text: string): boolean {
  const { apart, words } = scores;
  if (apart === undefined || apart === null || !/[\p{L}\p{N}]{2}/u.test(text)) return words > 0 || (apart ?? -1) >= 0;
  return apart >= 0;
}

export class MemorySearch {
  hits = $state.raw<readonly MemoryHit[]>([]);
  /** Which question the hits answer, and within which filter. */
  of = $state('');
  /** Why words alone were compared, if so. */
  wordsOnly = $state<string | null>(null);
  /** More is found when the model that compares meanings is loaded. */
  toCome = $state(false);
  tookMs = $state<number | null>(null);
  loading = $state(false);
  fault = $state.raw<Fault | null>(null);
  text = $state('');
  /** What the hits answer. */
  #answered = $state('');
  /** Those that concern that, and the others. */
  fitting = $derived(this.hits.filter((hit) => concerns(hit, this.#answered)));
  hardly = $derived(this.hits.filter((hit) => !concerns(hit, this.#answered)));

  #ask: (call: Call) => Promise<Reply>;
  #fits: (memory: Memory, filter: MemoryFilter) => boolean;
  #filter: MemoryFilter = {};
  #asked = 0;
  /** How often news of the index came. */
  #told = 0;

  constructor(ask: (call: Call) => Promise<Reply>, fits: (memory: Memory, filter: MemoryFilter) => boolean) {
    this.#ask = ask;
    this.#fits = fits;
  }

  async look(text: string, filter: MemoryFilter): Promise<void> {
    const asked = (this.#asked += 1);
    this.text = text.trim();
    this.#filter = filter;
    this.fault = null;
    this.loading = this.text !== '';
    if (this.text === '') {
      this.hits = [];
      this.toCome = false;
      this.tookMs = null;
      return;
    }
    const began = performance.now();
    const told = this.#told;
    const words = { text: this.text, filter, limit: hitsAtMost, min_score: null };
    const query = { kind: 'search_memories', ...words, at_once: true } as const;
    try {
      const reply = await this.#ask({ query });
      if (asked !== this.#asked || reply.kind !== 'found_memories') return;
      this.hits = reply.data.hits;
      this.#answered = words.text;
      this.of = JSON.stringify([words.text, filter]);
      this.wordsOnly = reply.data.words_only;
      this.toCome = reply.data.to_come;
      this.tookMs = performance.now() - began;
      if (this.toCome && told !== this.#told) this.#again();
    } catch (caught) {
      if (asked === this.#asked) this.fault = faultOf(caught);
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }

  /** Something is new about the index. */
  hearIndex(): void {
    this.#told += 1;
    if (this.toCome && !this.loading && this.text !== '') this.#again();
  }

  #again(): void {
    void this.look(this.text, this.#filter);
  }

  hear(changed: readonly Memory[] | null): void {
    if (this.text === '') return;
    if (changed === null) {
      this.#again();
      return;
    }
    const now = new Map(changed.map((row) => [row.id, row]));
    if (!this.hits.some((hit) => now.has(hit.memory.id))) return;
    this.hits = this.hits.flatMap((hit) => {
      const memory = now.get(hit.memory.id) ?? hit.memory;
      return memory.state.kind !== 'forgotten' && this.#fits(memory, this.#filter) ? [{ ...hit, memory }] : [];
    });
  }
}
