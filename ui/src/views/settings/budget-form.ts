/** What is typed about a limit or a price, and what it comes to. */
import type { Budget, BudgetScope, Price } from '../../api/generated';
import { typedMicrousd, typedWhole } from '../../words';

export type TypedLimit = { cost: string; noCost: boolean; tokens: string; noTokens: boolean };

export const limitOf = (budget: Budget): TypedLimit => ({
  cost: budget.microusd === null ? '' : dollars(budget.microusd),
  noCost: budget.microusd === null,
  tokens: budget.tokens === null ? '' : String(budget.tokens),
  noTokens: budget.tokens === null,
});

/** Null while something typed is wrong. */
export function budgetOf(scope: BudgetScope, typed: TypedLimit): Budget | null {
  const microusd = typed.noCost ? null : typedMicrousd(typed.cost);
  const tokens = typed.noTokens ? null : typedWhole(typed.tokens);
  return microusd === undefined || tokens === undefined ? null : { scope, tokens, microusd };
}

/** `5.00`, `0.0125`: an amount as it is typed. */
export function dollars(microusd: number): string {
  const [before = '0', after = ''] = (microusd / 1_000_000).toFixed(6).split('.');
  return `${before}.${after.replace(/0+$/, '').padEnd(2, '0')}`;
}

export type TypedPrice = { model: string; input: string; cached: string; written: string; output: string };

export const blankPrice: TypedPrice = { model: '', input: '', cached: '', written: '', output: '' };

export const typedPrice = (price: Price): TypedPrice => ({
  model: price.model,
  input: dollars(price.input_microusd),
  cached: optional(price.cached_microusd),
  written: optional(price.cache_write_microusd),
  output: dollars(price.output_microusd),
});

const optional = (microusd: number | null) => (microusd === null ? '' : dollars(microusd));

export const isModel = (text: string): boolean => /^(?:[^\s/]+\/\S+|[^\s/]*\*[^\s/]*)$/.test(text.trim());

/** Null while something typed is wrong. It is the price of this day, as `2026-11-21`. */
export function priceOf(typed: TypedPrice, today: string): Price | null {
  const [input, output] = [typedMicrousd(typed.input), typedMicrousd(typed.output)];
  const [cached, written] = [typed.cached, typed.written].map((text) =>
    text.trim() === '' ? null : typedMicrousd(text),
  );
  if (!isModel(typed.model) || input === undefined || output === undefined) return null;
  if (cached === undefined || written === undefined) return null;
  return {
    model: typed.model.trim(),
    input_microusd: input,
    cached_microusd: cached,
    cache_write_microusd: written,
    output_microusd: output,
    as_of: today,
    by_provider: false,
  };
}
