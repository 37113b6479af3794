import { describe, expect, it, vi } from 'vitest';
import type { BudgetState } from '../api/generated';
import { nearer, sameScope, Spending } from './spending.svelte';

const day = (more: Partial<BudgetState> & Partial<BudgetState['budget']> = {}): BudgetState => {
  const { tokens = null, microusd = 5_000_000, ...rest } = more;
  return {
    budget: { scope: { kind: 'day' }, tokens, microusd },
    set: false,
    spent_tokens: 0,
    spent_microusd: 0,
    unpriced_calls: 0,
    reserved_tokens: 0,
    reserved_microusd: 0,
    ...rest,
  };
};

describe('a budget', () => {
  it('is gone by the tighter of its limits, apart from what is only promised', () => {
    const paid = { spent_microusd: 1_250_000, reserved_microusd: 2_500_000 };
    expect(nearer(day(paid))).toEqual({ unit: 'microusd', share: 0.25, held: 0.5 });
    const used = { ...paid, tokens: 100, spent_tokens: 90 };
    expect(nearer(day(used))).toEqual({ unit: 'tokens', share: 0.9, held: 0 });
    // What calls in progress hold comes back: it is not used up.
    const held = nearer(day({ ...used, reserved_tokens: 4000 }));
    expect(held?.share).toBe(0.9);
    expect(held?.held).toBeCloseTo(0.1);
    expect(nearer(day({ tokens: 100 }))?.unit).toBe('microusd');
    expect(nearer(day({ microusd: null }))).toBeUndefined();
    expect(nearer(day({ microusd: 0 }))?.share).toBe(1);
  });

  it('is found by what it is about', () => {
    expect(sameScope({ kind: 'agent', id: 'a' }, { kind: 'agent', id: 'b' })).toBe(false);
    expect(sameScope({ kind: 'agent', id: 'a' }, { kind: 'agent', id: 'a' })).toBe(true);
    expect(sameScope({ kind: 'agent', id: 'a' }, { kind: 'group', id: 'a' })).toBe(false);
    expect(sameScope({ kind: 'day' }, { kind: 'day' })).toBe(true);
  });
});

describe('spending', () => {
  it('is asked for once when several runs end together, and stays known when it cannot be asked for', async () => {
    vi.useFakeTimers();
    const answers = [() => Promise.resolve([day()]), () => Promise.reject(new Error('cut off'))];
    const ask = vi.fn(() => answers.shift()?.() ?? Promise.resolve([]));
    const spending = new Spending(ask);
    spending.lookSoon();
    spending.lookSoon();
    await vi.advanceTimersByTimeAsync(1000);
    expect(ask).toHaveBeenCalledTimes(1);
    await spending.look();
    expect(spending.day).toEqual(day());
    vi.useRealTimers();
  });
});
