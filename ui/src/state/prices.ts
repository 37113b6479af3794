/** Which models are known to cost what, as the runtime looks it up. Pure. */
import type { Price } from '../api/generated';

/** The built-in model costs nothing, any other what the price that holds for it says. */
export const isPriced = (prices: readonly Price[], model: string): boolean =>
  model.startsWith('local/') || priceFor(prices, model) !== undefined;

/**
 * What a person says of a model by its name, then what they say of the fewest others too, then what its
 * provider says.
 */
export function priceFor(prices: readonly Price[], model: string): Price | undefined {
  let best: Price | undefined;
  for (const price of prices) {
    if (fits(price.model, model) && (best === undefined || weighsMore(price, best))) best = price;
  }
  return best;
}

/** Each `*` stands for whatever is there. */
function fits(pattern: string, model: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  const end = rest.pop();
  if (end === undefined) return pattern === model;
  if (!model.startsWith(start)) return false;
  let at = start.length;
  for (const part of rest) {
    const found = model.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return model.slice(at).endsWith(end);
}

function weighsMore(one: Price, other: Price): boolean {
  const [more, less] = [weight(one), weight(other)];
  const differs = more.findIndex((part, at) => part !== less[at]);
  return differs !== -1 && (more[differs] ?? 0) > (less[differs] ?? 0);
}

/** Who says it, whether of one model alone, and how much of its name. */
const weight = ({ model, by_provider }: Price): readonly number[] => [
  Number(!by_provider),
  Number(!model.includes('*')),
  [...model.replaceAll('*', '')].length,
];
