/** What is found by words while somebody types: the newest question counts. */
import { faultOf } from '../../api/backend';
import type { Call, Fault, Found, Reply } from '../../api/generated';

/** Of each kind: what is found is looked at, not read through. */
const eachAtMost = 5;
/** Between two letters of a word nobody wants an answer. */
const pauseMs = 120;

export class EverywhereSearch {
  found = $state.raw<Found>({ items: [], unread: 0 });
  fault = $state.raw<Fault | null>(null);
  /** What `found` or `fault` is the answer to. */
  answered = $state('');

  #ask: (call: Call) => Promise<Reply>;
  #asked = 0;
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: (call: Call) => Promise<Reply>) {
    this.#ask = ask;
  }

  look(text: string): void {
    clearTimeout(this.#later);
    const asked = (this.#asked += 1);
    const wanted = text.trim();
    if (wanted === '') this.#answer('', { items: [], unread: 0 }, null);
    else this.#later = setTimeout(() => void this.#look(wanted, text, asked), pauseMs);
  }

  async #look(wanted: string, text: string, asked: number): Promise<void> {
    const search = { text: text.trimStart(), in: [], group: null, agent: null, limit: eachAtMost };
    try {
      const reply = await this.#ask({ query: { kind: 'search', search } });
      if (asked === this.#asked && reply.kind === 'found') this.#answer(wanted, reply.data, null);
    } catch (caught) {
      if (asked === this.#asked) this.#answer(wanted, { items: [], unread: 0 }, faultOf(caught));
    }
  }

  #answer(answered: string, found: Found, fault: Fault | null): void {
    this.found = found;
    this.fault = fault;
    this.answered = answered;
  }
}
