/** All runs since a time, as far as they are not too many: what the plots are drawn from. */
import { faultOf } from '../../api/backend';
import type { Call, Fault, Reply, Run, RunFilter, RunId } from '../../api/generated';
import { fresh } from './fresh';

const page = 500;
const most = 2000;

export class SpanRuns {
  read = $state.raw<readonly Run[]>([]);
  loading = $state(true);
  /** There were more; the oldest are left out. */
  cut = $state(false);
  fault = $state.raw<Fault | null>(null);

  #ask: (call: Call) => Promise<Reply>;
  #filter: RunFilter = {};
  #since = 0;
  #asked = 0;

  constructor(ask: (call: Call) => Promise<Reply>) {
    this.#ask = ask;
  }

  async show(filter: RunFilter, sinceMs: number): Promise<void> {
    const asked = (this.#asked += 1);
    this.loading = true;
    try {
      const [runs, cut] = await this.#readSince(filter, sinceMs, () => asked === this.#asked);
      if (asked !== this.#asked) return;
      [this.#filter, this.#since] = [filter, sinceMs];
      [this.read, this.cut, this.fault] = [runs, cut, null];
    } catch (caught) {
      if (asked === this.#asked) this.fault = faultOf(caught);
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }

  /** The same, with what was seen since. */
  fresh(seen: ReadonlyMap<RunId, Run>): readonly Run[] {
    const oldest = this.cut ? (this.read.at(-1)?.seq ?? 0) : 0;
    return fresh(this.read, seen, oldest, this.#filter).filter((run) => run.started_ms >= this.#since);
  }

  async #readSince(filter: RunFilter, sinceMs: number, wanted: () => boolean): Promise<[readonly Run[], boolean]> {
    const runs: Run[] = [];
    for (let more = true; more && wanted();) {
      const before = runs.at(-1)?.seq ?? null;
      const reply = await this.#ask({ query: { kind: 'runs', filter, before, limit: page } });
      if (reply.kind !== 'runs') break;
      runs.push(...reply.data);
      more = reply.data.length === page && (runs.at(-1)?.started_ms ?? 0) >= sinceMs;
      if (more && runs.length >= most) return [runs, true];
    }
    return [runs, false];
  }
}
