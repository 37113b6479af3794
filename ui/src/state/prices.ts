/** Which models are known to cost what. Pure. */
import type { Price } from '../api/generated';

/** As the runtime looks it up: the built-in model costs nothing, any other what the first price that fits says. */
export function isPriced(prices: readonly Price[], model: string): boolean {
  const fits = ({ model: of }: Price) => (of.endsWith('*') ? model.startsWith(of.slice(0, -1)) : of === model);
  return model.startsWith('local/') || prices.some(fits);
}
