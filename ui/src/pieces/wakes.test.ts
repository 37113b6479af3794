import { describe, expect, it } from 'vitest';
import type { WouldWake } from '../api/generated';
import { sayWakes } from './wakes';

const would = (more: Partial<WouldWake>): WouldWake => ({
  agents: ['a'],
  messages_at_most: 30,
  hands_on: false,
  tokens_at_most: 48_000,
  microusd_at_most: 400_000,
  beyond: [],
  over: null,
  ...more,
});

describe('what a message would set off', () => {
  it('is said of all messages where turns are handed on, though one agent is woken first', () => {
    expect(sayWakes(would({ hands_on: true }))).toBe('up to 30 messages, about 48,000 tokens, $0.40');
  });

  it('is said where several answer, and not where one does', () => {
    expect(sayWakes(would({ agents: ['a', 'b'] }))).toBe('Wakes 2 agents, about 48,000 tokens, $0.40');
    expect(sayWakes(would({}))).toBe('');
    expect(sayWakes(would({ agents: [] }))).toBe('Wakes nobody');
  });
});
