import { describe, expect, it } from 'vitest';
import { blankPrice, budgetOf, dollars, limitOf, priceOf } from './budget-form';

describe('a limit', () => {
  const day = { scope: { kind: 'day' }, tokens: null, microusd: 5_000_000 } as const;

  it('is typed as it is kept', () => {
    expect(limitOf(day)).toEqual({ cost: '5.00', noCost: false, tokens: '', noTokens: true });
    expect(budgetOf(day.scope, limitOf(day))).toEqual(day);
  });

  it('is off only when that is said', () => {
    const typed = { ...limitOf(day), cost: '' };
    expect(budgetOf(day.scope, typed)).toBeNull();
    expect(budgetOf(day.scope, { ...typed, noCost: true })).toEqual({ ...day, microusd: null });
  });

  it('may be zero', () => {
    expect(budgetOf(day.scope, { cost: '0', noCost: false, tokens: '0', noTokens: false })).toEqual({
      scope: day.scope,
      tokens: 0,
      microusd: 0,
    });
  });

  it('writes an amount without what is not there', () => {
    expect([dollars(0), dollars(500_000), dollars(12_500), dollars(1)]).toEqual(['0.00', '0.50', '0.0125', '0.000001']);
  });
});

describe('a price', () => {
  it('needs a model and what reading and writing cost', () => {
    expect(priceOf(blankPrice, '2026-11-22')).toBeNull();
    expect(priceOf({ model: 'gpt', input: '1', cached: '', written: '', output: '2' }, '2026-11-22')).toBeNull();
    expect(
      priceOf({ model: 'openrouter/*', input: '1', cached: '', written: '1.25', output: '2' }, '2026-11-22'),
    ).toEqual({
      model: 'openrouter/*',
      input_microusd: 1_000_000,
      cached_microusd: null,
      cache_write_microusd: 1_250_000,
      output_microusd: 2_000_000,
      as_of: '2026-11-22',
      by_provider: false,
    });
  });
});
