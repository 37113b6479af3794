import { describe, expect, it } from 'vitest';
import type { Price, UsageRow } from '../api/generated';
import { isUnpriced, sumOf } from './priced';

const used = (key: string, cost_microusd = 0): UsageRow => ({
  key,
  calls: 1,
  input_tokens: 20,
  output_tokens: 3,
  cached_tokens: 0,
  cost_microusd,
});
const free: Price = { model: 'home/*', input_microusd: 0, cached_microusd: null, output_microusd: 0 };

describe('what has no price', () => {
  it('is not free, and what costs nothing is', () => {
    const models = [used('acme/x'), used('local/s'), used('home/y'), used('acme/z', 5)];
    expect(models.map((row) => isUnpriced([free], row))).toEqual([true, false, false, false]);
  });

  it('makes a sum of nothing unknown', () => {
    const nothing = { microusd: 0, tokens: 23 };
    expect(sumOf(nothing, [used('acme/x'), used('local/s')], [])).toBeNull();
    expect(sumOf(nothing, [used('local/s')], [])).toBe(0);
    expect(sumOf({ microusd: 0, tokens: 0 }, [used('acme/x')], [])).toBe(0);
    expect(sumOf({ microusd: 5, tokens: 46 }, [used('acme/x')], [])).toBe(5);
  });
});
