/**
 * The memories that the page shows, however many there are: a few pages around
 * the reader are held, the others are let go and asked for again.
 *
 * What changes stays where it stands until the page is read anew, so that
 * nothing moves under the reader; what is new stands in front.
 */
// Maps that live for one step only are looked at by no screen.
/* eslint-disable svelte/prefer-svelte-reactivity */
import { faultOf } from '../../api/backend';
import type { Call, Fault, Memory, MemoryFilter, MemoryId, Reply } from '../../api/generated';

const pageLength = 100;
const pagesHeld = 6;
/** As many as may be put in front one by one. */
const inFrontAtMost = 200;

export class MemoryList {
  /** Those that are held, the last changed first. */
  rows = $state.raw<readonly Memory[]>([]);
  /** Which list the rows are of: another filter's is another one. */
  of = $state('');
  /** How many there are, held or not. */
  total = $state<number | null>(null);
  loading = $state(true);
  fault = $state.raw<Fault | null>(null);
  filter = $state.raw<MemoryFilter>({});

  #ask: (call: Call) => Promise<Reply>;
  #fits: (memory: Memory, filter: MemoryFilter) => boolean;
  #asked = 0;
  #pages: (readonly Memory[])[] = [];
  /** Where each page begins that was ever read; the first one has no beginning. */
  #starts: (number | null)[] = [null];
  /** What changed while a page was on its way. */
  #early: Memory[] = [];
  /** Which page the first of those held is. */
  #first = 0;

  constructor(ask: (call: Call) => Promise<Reply>, fits: (memory: Memory, filter: MemoryFilter) => boolean) {
    this.#ask = ask;
    this.#fits = fits;
  }

  get held(): number {
    return this.rows.length;
  }

  /** Reads the first page of those that fit, anew. */
  async show(filter: MemoryFilter): Promise<void> {
    this.filter = filter;
    await this.#read(0, (page) => {
      this.#pages = [page];
      this.#first = 0;
      this.of = JSON.stringify(filter);
    });
  }

  async again(): Promise<void> {
    await this.show(this.filter);
  }

  /** The page after those that are held; those far before are let go. */
  async after(): Promise<void> {
    const at = this.#first + this.#pages.length;
    if (this.loading || this.fault || at >= this.#starts.length) return;
    await this.#read(at, (page) => {
      this.#pages.push(page);
      while (this.#pages.length > pagesHeld) {
        this.#pages.shift();
        this.#first += 1;
      }
    });
  }

  /** The page before those that are held; those far behind are let go. */
  async before(): Promise<void> {
    const at = this.#first - 1;
    if (this.loading || this.fault || at < 0) return;
    await this.#read(at, (page) => {
      this.#pages.unshift(page);
      this.#first = at;
      this.#pages.length = Math.min(this.#pages.length, pagesHeld);
    });
  }

  /** What some have become. */
  hear(changed: readonly Memory[] | null): void {
    if (changed === null) {
      void this.again();
      return;
    }
    if (this.loading) {
      this.#early.push(...changed);
      return;
    }
    const held = new Map(this.rows.map((row) => [row.id, row]));
    const known = new Map<MemoryId, Memory | null>();
    const inFront: Memory[] = [];
    for (const row of new Map(changed.map((one) => [one.id, one])).values()) {
      const fits = this.#fits(row, this.filter);
      if (held.has(row.id)) known.set(row.id, fits ? row : null);
      else if (fits) inFront.push(row);
    }
    if (this.#first === 0 && inFront.length + (this.#pages[0]?.length ?? 0) > inFrontAtMost) {
      void this.again();
      return;
    }
    if (known.size > 0)
      this.#pages = this.#pages.map((page) =>
        page.some((one) => known.has(one.id))
          ? page.flatMap((one) => known.get(one.id) ?? (known.has(one.id) ? [] : [one]))
          : page,
      );
    // Further down nobody sees the front; it is read when the reader comes back to it.
    if (this.#first === 0 && inFront.length > 0)
      this.#pages = [[...inFront.reverse(), ...(this.#pages[0] ?? [])], ...this.#pages.slice(1)];
    this.#settle();
  }

  async #read(at: number, take: (page: readonly Memory[]) => void): Promise<void> {
    const asked = (this.#asked += 1);
    this.loading = true;
    this.fault = null;
    const before = this.#starts[at] ?? null;
    try {
      const reply = await this.#ask({ query: { kind: 'memories', filter: this.filter, before, limit: pageLength } });
      if (asked !== this.#asked || reply.kind !== 'memories') return;
      this.#starts = [...this.#starts.slice(0, at + 1), ...(reply.data.next === null ? [] : [reply.data.next])];
      this.total = reply.data.total;
      take(reply.data.memories);
      this.#settle();
    } catch (caught) {
      if (asked === this.#asked) this.fault = faultOf(caught);
    } finally {
      if (asked === this.#asked) {
        this.loading = false;
        const early = this.#early.splice(0);
        if (early.length > 0) this.hear(early);
      }
    }
  }

  /** One that changed while pages were read may be on two of them. */
  #settle(): void {
    const rows = new Map<MemoryId, Memory>();
    for (const row of this.#pages.flat()) if ((rows.get(row.id)?.version ?? 0) < row.version) rows.set(row.id, row);
    this.rows = [...rows.values()];
  }
}
