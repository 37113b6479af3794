/** What the fake agents may spend, and what they spent: counted from their runs. */
import type {
  Budget,
  BudgetScope,
  BudgetState,
  Fault,
  Group,
  Price,
  Run,
  UsageBy,
  UsageRow,
  WouldAnswer,
  WouldWake,
} from '../generated';
import type { World } from './world';

const dollar = 1_000_000;
const dayMs = 86_400_000;
const usual: readonly Budget[] = [
  { scope: { kind: 'message' }, tokens: 400_000, microusd: dollar },
  { scope: { kind: 'run' }, tokens: 200_000, microusd: dollar / 2 },
  { scope: { kind: 'any_agent' }, tokens: null, microusd: dollar },
  { scope: { kind: 'any_group' }, tokens: null, microusd: 2 * dollar },
  { scope: { kind: 'day' }, tokens: null, microusd: 5 * dollar },
  { scope: { kind: 'feed' }, tokens: 400_000, microusd: dollar / 2 },
];
const keyOf = (scope: BudgetScope) => JSON.stringify(scope);

export class Budgets {
  #world: World;
  #set = new Map<string, Budget>();

  constructor(world: World) {
    this.#world = world;
  }

  set(budget: Budget): void {
    const { scope, tokens, microusd } = budget;
    if (scope.kind === 'feed' && tokens === null && microusd === null && this.#world.settings.feed.on)
      throw {
        code: 'refused',
        message: 'the feed ticks by itself',
        fix: '',
        kind: { is: 'feed_without_cap' },
      } as Fault;
    this.#set.set(keyOf(budget.scope), budget);
  }

  reset(scope: BudgetScope): void {
    this.#set.delete(keyOf(scope));
  }

  all(): BudgetState[] {
    const own = [...this.#set.values()].filter((one) => !usual.some((of) => keyOf(of.scope) === keyOf(one.scope)));
    return [...usual, ...own].map((one) => this.#state(this.#set.get(keyOf(one.scope)) ?? one));
  }

  /** The limit that stands in the way of this agent's next call. */
  inTheWay(agent: string, group: string): BudgetScope | null {
    const own = (kind: 'agent' | 'group', id: string) => this.#set.has(keyOf({ kind, id }));
    const scopes: BudgetScope[] = [
      { kind: 'message' },
      { kind: 'run' },
      { kind: 'day' },
      own('agent', agent) ? { kind: 'agent', id: agent } : { kind: 'any_agent' },
      own('group', group) ? { kind: 'group', id: group } : { kind: 'any_group' },
    ];
    const full = this.all().filter(
      ({ budget, spent_tokens, spent_microusd }) =>
        (budget.tokens !== null && spent_tokens >= budget.tokens) ||
        (budget.microusd !== null && (spent_microusd ?? 0) >= budget.microusd),
    );
    return scopes.find((scope) => full.some((one) => keyOf(one.budget.scope) === keyOf(scope))) ?? null;
  }

  wouldWake(agents: string[], group: Group): WouldWake {
    const priced = this.#world.settings.prices.length > 0;
    const room = this.#room();
    const woken = agents.slice(0, Math.max(1, room));
    return {
      agents: woken,
      messages_at_most: group.caps.messages_per_post,
      hands_on: group.policy === 'rounds' || group.policy === 'supervisor',
      tokens_at_most: woken.length * tokensAtMost,
      microusd_at_most: priced ? woken.length * 13_000 : null,
      beyond: agents.slice(woken.length),
      over: woken.length < agents.length ? { kind: 'day' } : null,
    };
  }

  /** What so many answers in the feed may use. */
  answers(n: number): Omit<WouldAnswer, 'at_once' | 'by_tick'> {
    const priced = this.#world.settings.prices.length > 0;
    return {
      later: [],
      tokens_at_most: n * tokensAtMost,
      microusd_at_most: priced ? n * 13_000 : null,
      beyond: [],
      over: null,
      no_room: null,
    };
  }

  /** For how many answers the day's tokens are enough. */
  #room(): number {
    const day = this.all().find(({ budget }) => budget.scope.kind === 'day');
    const most = day?.budget.tokens ?? null;
    return most === null ? Infinity : Math.floor((most - (day?.spent_tokens ?? 0)) / tokensAtMost);
  }

  usage(by: UsageBy, sinceMs: number): UsageRow[] {
    const rows = new Map<string, UsageRow>();
    for (const run of this.#world.runs.values()) {
      if (run.started_ms < sinceMs || run.usage.output_tokens === null) continue;
      const key = keyIn(run, by);
      const row = rows.get(key) ?? {
        key,
        calls: 0,
        input_tokens: 0,
        output_tokens: 0,
        cached_tokens: null,
        cache_write_tokens: null,
        cost_microusd: null,
        unpriced_calls: 0,
        estimated_calls: 0,
      };
      rows.set(key, {
        key,
        calls: row.calls + 1,
        input_tokens: row.input_tokens + (run.usage.input_tokens ?? 0),
        output_tokens: row.output_tokens + run.usage.output_tokens,
        cached_tokens: (row.cached_tokens ?? 0) + (run.usage.cached_tokens ?? 0),
        cache_write_tokens: null,
        cost_microusd: added(row.cost_microusd, costOf(run, this.#world.settings.prices)),
        unpriced_calls: row.unpriced_calls + (costOf(run, this.#world.settings.prices) === null ? 1 : 0),
        estimated_calls: row.estimated_calls + (run.estimated ? 1 : 0),
      });
    }
    return [...rows.values()].sort(
      (a, b) => (b.cost_microusd ?? 0) - (a.cost_microusd ?? 0) || b.output_tokens - a.output_tokens,
    );
  }

  #state(budget: Budget): BudgetState {
    const today = Math.floor(this.#world.now() / dayMs) * dayMs;
    const runs = [...this.#world.runs.values()].filter((run) => run.started_ms >= today && counts(run, budget.scope));
    const called = runs.filter((run) => run.usage.output_tokens !== null);
    return {
      budget,
      set: this.#set.has(keyOf(budget.scope)),
      spent_tokens: runs.reduce((sum, { usage }) => sum + (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0), 0),
      spent_microusd:
        called.length === 0 ? 0 : called.map((run) => costOf(run, this.#world.settings.prices)).reduce(added, null),
      unpriced_calls: called.filter((run) => costOf(run, this.#world.settings.prices) === null).length,
      reserved_tokens: 0,
      reserved_microusd: 0,
    };
  }
}

/** Of one answer. */
const tokensAtMost = 1200;

/** Of those that are known; null where none is. */
const added = (sum: number | null, cost: number | null) => (sum === null ? cost : sum + (cost ?? 0));

/** A model of one's own machine costs nothing, and one whose price is nothing. */
function costOf(run: Run, prices: readonly Price[]): number | null {
  const price = prices.find(({ model }) => model === run.model || model === run.model.replace(/\/.*/, '/*'));
  const isFree = run.model.startsWith('local/') || (price?.input_microusd === 0 && price.output_microusd === 0);
  return run.cost_microusd ?? (isFree ? 0 : null);
}

function counts(run: Run, scope: BudgetScope): boolean {
  switch (scope.kind) {
    case 'day':
      return true;
    case 'agent':
      return run.agent === scope.id;
    case 'group':
      return run.group === scope.id;
    case 'message':
    case 'run':
    case 'any_agent':
    case 'any_group':
    case 'feed':
      return false;
    default:
      return scope satisfies never;
  }
}

function keyIn(run: Run, by: UsageBy): string {
  switch (by) {
    case 'agent':
      return run.agent;
    case 'group':
      return run.group;
    case 'model':
      return run.model;
    case 'day':
      return new Date(run.started_ms).toISOString().slice(0, 10);
    default:
      return by satisfies never;
  }
}
