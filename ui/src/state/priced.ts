/**
 * What was used without a known price is not free: a sum of nothing is only
 * nothing where everything in it costs nothing.
 */
import type { Price, UsageRow } from '../api/generated';

/** Whether calls of this model cost nobody knows how much. */
export function isUnpriced(prices: readonly Price[], row: UsageRow): boolean {
  const isUsed = row.input_tokens + row.output_tokens > 0;
  return isUsed && row.cost_microusd === 0 && !isFree(prices, row.key);
}

/** A sum over some of these models; null while it is not known. */
export function sumOf(
  { microusd, tokens }: { microusd: number; tokens: number },
  models: readonly UsageRow[],
  prices: readonly Price[],
): number | null {
  const isUnknown = microusd === 0 && tokens > 0 && models.some((row) => isUnpriced(prices, row));
  return isUnknown ? null : microusd;
}

/** A model of one's own machine, or one whose price was set to nothing. */
function isFree(prices: readonly Price[], model: string): boolean {
  const price = prices.find(({ model: of }) => (of.endsWith('*') ? model.startsWith(of.slice(0, -1)) : of === model));
  return model.startsWith('local/') || (price?.input_microusd === 0 && price.output_microusd === 0);
}
