/** What a message would set off, in words, before it is sent. */
import type { AgentId, BudgetScope, WouldWake } from '../api/generated';
import { list, money, number, sayScope, t } from '../words';

/** Nothing where one agent answers, as everybody expects. */
export function sayWakes(wakes: WouldWake | null): string {
  if (!wakes) return '';
  if (wakes.hands_on) return withCost(t('group.wakes_at_most', { n: wakes.messages_at_most }), wakes);
  if (wakes.agents.length === 0) return t('group.wakes_nobody');
  const several = wakes.agents.length + wakes.beyond.length > 1;
  return several ? withCost(t('group.wakes', { n: wakes.agents.length }), wakes) : '';
}

/** Who is named and does not answer however often that is done. */
export function sayMuted(names: readonly string[]): string {
  return names.length === 0 ? '' : t('group.named_muted', { names: list(names), n: names.length });
}

type LeftOut = { beyond: readonly AgentId[]; over: BudgetScope | null };

/** Who is left out because a budget has no room. */
export function sayBeyond(wakes: LeftOut | null, nameOf: (agent: AgentId) => string): string {
  if (!wakes?.over) return '';
  return t('group.wakes_beyond', { scope: sayScope(wakes.over), names: list(wakes.beyond.map(nameOf)) });
}

/** With what it may come to, before it is spent. */
export function withCost(who: string, of: Pick<WouldWake, 'tokens_at_most' | 'microusd_at_most'>): string {
  const tokens = number(of.tokens_at_most);
  if (of.tokens_at_most === 0) return who;
  if (of.microusd_at_most === null) return t('group.wakes_tokens', { wakes: who, tokens });
  return t('group.wakes_cost', { wakes: who, tokens, cost: money(of.microusd_at_most) });
}
