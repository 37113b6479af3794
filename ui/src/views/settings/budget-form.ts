/** What is typed about a limit or a price, and what it comes to. */
import type { Budget, BudgetScope, Price } from '../../api/generated';

export type TypedLimit = { cost: string; noCost: boolean; tokens: string; noTokens: boolean };

export const limitOf = (budget: Budget): TypedLimit => ({
  cost: budget.microusd === null ? '' : dollars(budget.microusd),
  noCost: budget.microusd === null,
  tokens: budget.tokens === null ? '' : String(budget.tokens),
  noTokens: budget.tokens === null,
});

/** Null while something typed is wrong. */
export function budgetOf(scope: BudgetScope, typed: TypedLimit): Budget | null {
  const microusd = typed.noCost ? null : amount(typed.cost);
  const tokens = typed.noTokens ? null : whole(typed.tokens);
  return microusd === undefined || tokens === undefined ? null : { scope, tokens, microusd };
}

/** `5.00` or `$5` as millionths; undefined when it is no amount. */
export function amount(text: string): number | undefined {
  const plain = text.trim().replace(/^\$\s*/, '');
  if (!/^\d{1,9}([.,]\d{1,6})?$/.test(plain)) return undefined;
  return Math.round(Number(plain.replace(',', '.')) * 1_000_000);
}

export function whole(text: string): number | undefined {
  const plain = text.trim().replace(/[\s,_]/g, '');
  return /^\d{1,15}$/.test(plain) ? Number(plain) : undefined;
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
  const [input, output] = [amount(typed.input), amount(typed.output)];
  const [cached, written] = [typed.cached, typed.written].map((text) => (text.trim() === '' ? null : amount(text)));
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
