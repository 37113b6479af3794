/**
 * The runs that the page shows: read in pages, kept fresh by what is seen of
 * them since.
 */
import { faultOf } from '../../api/backend';
import type { Call, Fault, Reply, Run, RunFilter, RunId } from '../../api/generated';
import { fresh } from './fresh';

const page = 50;

export class RunList {
  /** As they were when read, newest first. */
  read = $state.raw<readonly Run[]>([]);
  loading = $state(true);
  more = $state(false);
  fault = $state.raw<Fault | null>(null);
  filter = $state.raw<RunFilter>({});

  #ask: (call: Call) => Promise<Reply>;
  #asked = 0;
  /** What was seen since cannot stand beside what has not been read yet. */
  #hasRead = $state(false);

  constructor(ask: (call: Call) => Promise<Reply>) {
    this.#ask = ask;
  }

  async show(filter: RunFilter): Promise<void> {
    this.filter = filter;
    await this.#read(null);
  }

  async older(): Promise<void> {
    const last = this.read.at(-1);
    if (last && this.more && !this.loading) await this.#read(last.seq);
  }

  /** The same, with what was seen since. */
  fresh(seen: ReadonlyMap<RunId, Run>): readonly Run[] {
    if (!this.#hasRead) return [];
    const oldest = this.more ? (this.read.at(-1)?.seq ?? 0) : 0;
    return fresh(this.read, seen, oldest, this.filter);
  }

  async #read(before: number | null): Promise<void> {
    const asked = (this.#asked += 1);
    this.loading = true;
    this.fault = null;
    try {
      const reply = await this.#ask({ query: { kind: 'runs', filter: this.filter, before, limit: page } });
      if (asked !== this.#asked || reply.kind !== 'runs') return;
      this.read = [...(before === null ? [] : this.read), ...reply.data];
      this.more = reply.data.length === page;
      this.#hasRead = true;
    } catch (caught) {
      if (asked === this.#asked) this.fault = faultOf(caught);
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }
}
