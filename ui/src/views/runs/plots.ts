/** What runs cost, how long they took and what they had to read anew, by day: plain sums over runs. */
import type { Run } from '../../api/generated';
import { dayOf } from '../../pieces/days';

/** So many are told apart; what is left is the others. */
const mostNamed = 2;

export type Spent = {
  unit: 'microusd' | 'tokens';
  total: number;
  /** Some of the runs have no price, so it was more. */
  unpriced: boolean;
  /** Some of it is our own count. */
  estimated: boolean;
  /** The dearest first; without a key, all others together. */
  parts: readonly { key: string | null; values: readonly number[] }[];
};

/** What was spent on each day, by whom or by what. Tokens, where no price of any run is known. */
export function spent(runs: readonly Run[], days: readonly string[], keyOf: (run: Run) => string): Spent {
  const used = runs.filter((run) => tokensOf(run) > 0);
  const unit = used.some((run) => (run.cost_microusd ?? 0) > 0) ? 'microusd' : 'tokens';
  const amountOf = (run: Run) => (unit === 'tokens' ? tokensOf(run) : (run.cost_microusd ?? 0));
  const byKey = grouped(used, keyOf);
  const inAll = [...byKey].map(([key, of]) => ({ key, of, sum: sumOf(of, amountOf) })).sort((a, b) => b.sum - a.sum);
  const named = inAll.length === mostNamed + 1 ? inAll : inAll.slice(0, mostNamed);
  const others = inAll.slice(named.length).flatMap(({ of }) => of);
  const part = (key: string | null, of: readonly Run[]) => {
    const onDay = grouped(of, (run) => dayOf(run.started_ms));
    return { key, values: days.map((day) => sumOf(onDay.get(day) ?? [], amountOf)) };
  };
  return {
    unit,
    total: sumOf(used, amountOf),
    unpriced: unit === 'microusd' && used.some((run) => run.cost_microusd === null),
    estimated: used.some((run) => run.estimated),
    parts: [...named.map(({ key, of }) => part(key, of)), ...(others.length > 0 ? [part(null, others)] : [])],
  };
}

export type Took = { median: number | null; medians: readonly (number | null)[]; slowest: readonly (number | null)[] };

/** How long answers took, from the wake to the end: the middle one of each day, and what 95 of 100 stayed below. */
export function took(runs: readonly Run[], days: readonly string[]): Took {
  const answered = runs.filter((run) => run.outcome?.kind === 'replied' && run.ended_ms !== null);
  const times = (of: readonly Run[]) => of.map((run) => (run.ended_ms ?? 0) - run.started_ms).sort((a, b) => a - b);
  const onDay = grouped(answered, (run) => dayOf(run.started_ms));
  const each = days.map((day) => times(onDay.get(day) ?? []));
  return {
    median: below(times(answered), 0.5),
    medians: each.map((one) => below(one, 0.5)),
    slowest: each.map((one) => below(one, 0.95)),
  };
}

export type CacheHits = { share: number | null; shares: readonly (number | null)[] };

/** How much of what was read came from the provider's cache, from 0 to 1; of runs whose provider says so. */
export function cacheHits(runs: readonly Run[], days: readonly string[]): CacheHits {
  const told = runs.filter((run) => run.usage.cached_tokens !== null && (run.usage.input_tokens ?? 0) > 0);
  const shareOf = (of: readonly Run[]) => {
    const read = sumOf(of, (run) => run.usage.input_tokens ?? 0);
    return read === 0 ? null : Math.min(1, sumOf(of, (run) => run.usage.cached_tokens ?? 0) / read);
  };
  const onDay = grouped(told, (run) => dayOf(run.started_ms));
  return { share: shareOf(told), shares: days.map((day) => shareOf(onDay.get(day) ?? [])) };
}

const tokensOf = (run: Run) => (run.usage.input_tokens ?? 0) + (run.usage.output_tokens ?? 0);
const sumOf = (runs: readonly Run[], of: (run: Run) => number) => runs.reduce((sum, run) => sum + of(run), 0);

/** The least of them, in order, that this share of them does not exceed. */
function below(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

function grouped(runs: readonly Run[], keyOf: (run: Run) => string): ReadonlyMap<string, readonly Run[]> {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const key = keyOf(run);
    const of = groups.get(key);
    if (of) of.push(run);
    else groups.set(key, [run]);
  }
  return groups;
}
