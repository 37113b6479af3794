/**
 * The budgets and what is gone of them. No news tells about spending, so they
 * are asked for again when a run has ended or a limit was changed.
 */
import type { BudgetScope, BudgetState } from '../api/generated';

const soonMs = 400;

export class Spending {
  /** Empty until they were asked for. */
  budgets = $state.raw<readonly BudgetState[]>([]);
  #ask: () => Promise<readonly BudgetState[]>;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(ask: () => Promise<readonly BudgetState[]>) {
    this.#ask = ask;
  }

  /** Of all agents together, today. */
  get day(): BudgetState | undefined {
    return this.of({ kind: 'day' });
  }

  of(scope: BudgetScope): BudgetState | undefined {
    return this.budgets.find((one) => sameScope(one.budget.scope, scope));
  }

  async look(): Promise<void> {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const asked = (this.#asked += 1);
    const budgets = await this.#ask().catch(() => undefined);
    // What was known stays while it cannot be asked for.
    if (!budgets || asked !== this.#asked) return;
    this.budgets = budgets;
  }

  /** A little later: what ends together is asked about once. */
  lookSoon(): void {
    this.#soon ??= setTimeout(() => void this.look(), soonMs);
  }

  close(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#asked += 1;
  }
}

export function sameScope(one: BudgetScope, other: BudgetScope): boolean {
  if (one.kind !== other.kind) return false;
  return !('id' in one) || ('id' in other && one.id === other.id);
}

/** How much of a limit is gone, and how much calls in progress hold for the moment: from 0 to 1, both together too. */
export type Share = { unit: 'microusd' | 'tokens'; share: number; held: number };

/** The limit that is nearer to its end; undefined without a limit. */
export function nearer(state: BudgetState): Share | undefined {
  const { tokens, microusd } = state.budget;
  const ofMoney = gone('microusd', state.spent_microusd ?? 0, state.reserved_microusd, microusd);
  const ofTokens = gone('tokens', state.spent_tokens, state.reserved_tokens, tokens);
  if (!ofMoney || !ofTokens) return ofMoney ?? ofTokens;
  return ofMoney.share + ofMoney.held >= ofTokens.share + ofTokens.held ? ofMoney : ofTokens;
}

function gone(unit: Share['unit'], spent: number, held: number, limit: number | null): Share | undefined {
  if (limit === null) return undefined;
  const of = (amount: number) => (limit <= 0 ? 1 : Math.min(1, amount / limit));
  return { unit, share: of(spent), held: of(spent + held) - of(spent) };
}
