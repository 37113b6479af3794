/** What would come of something in the feed, in words, before it is written. */
import type { AgentId, WouldAnswer } from '../../api/generated';
import { sayBeyond, withCost } from '../../pieces/wakes';
import { list, sayScope, t } from '../../words';

type NameOf = (agent: AgentId) => string;

/** How ticks come: by themselves, when the person asks for one, or not while everybody is paused. */
export type Ticks = 'by_themselves' | 'by_hand' | 'paused';

/** So many are told by their names. */
const mostNamed = 2;

/** Who answers, when, and what that may cost; empty where only something else is to be said. */
export function sayAnswers(would: WouldAnswer | null, ticks: Ticks, nameOf: NameOf): string {
  if (!would) return '';
  const { at_once, by_tick } = would;
  const who = (agents: readonly AgentId[]) =>
    agents.length <= mostNamed ? list(agents.map(nameOf)) : t('feed.wakes_several', { n: agents.length });
  if (at_once.length + by_tick.length === 0) return sayWaits(would, nameOf) === '' ? t('group.wakes_nobody') : '';
  if (ticks === 'paused') return withCost(t('feed.wakes_paused', { who: who([...at_once, ...by_tick]) }), would);
  if (by_tick.length === 0) return withCost(t('feed.wakes_now', { who: who(at_once) }), would);
  const isByHand = ticks === 'by_hand';
  if (at_once.length === 0)
    return withCost(t(isByHand ? 'feed.wakes_by_hand' : 'feed.wakes_then', { who: who(by_tick) }), would);
  const both = { now: who(at_once), who: who(by_tick) };
  return withCost(t(isByHand ? 'feed.wakes_now_by_hand' : 'feed.wakes_now_then', both), would);
}

/** For whom it waits, and for which budget. */
export function sayWaits(would: WouldAnswer | null, nameOf: NameOf): string {
  if (would?.no_room) return t('feed.wakes_no_room', { scope: sayScope(would.no_room) });
  if (!would || would.later.length === 0) return sayBeyond(would, nameOf);
  return t('feed.wakes_later', { names: list(would.later.map(nameOf)), n: would.later.length });
}
