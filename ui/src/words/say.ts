/**
 * Sentences for the runtime's own values: reasons, states, policies.
 *
 * A name is looked up by whoever calls; ids are all that a record holds.
 */
import type {
  AgentId,
  AgentState,
  Author,
  BudgetScope,
  CallState,
  Cause,
  Reason,
  Run,
  RunState,
  TurnPolicy,
  UseProgress,
  Verdict,
} from '../api/generated';
import { number } from './format';
import { heading } from './sentences';
import { t } from './words.svelte';

type NameOf = (agent: AgentId) => string;

/** Why an agent speaks or stays silent, to follow a colon. */
export function sayReason(reason: Reason, nameOf: NameOf): string {
  switch (reason.kind) {
    case 'turn':
      return t('reason.turn', { round: reason.round });
    case 'chose_silence':
      return reason.why ? t('reason.chose_silence_why', { why: reason.why }) : t('reason.chose_silence');
    case 'reacted':
      return t('reason.reacted', { sign: reason.sign });
    case 'spoke_for_another':
      return t('reason.spoke_for_another', { name: reason.name });
    case 'chain_depth':
      return t('reason.chain_depth', { limit: reason.limit });
    case 'message_cap':
      return t('reason.message_cap', { limit: reason.limit });
    case 'hourly_quota':
      return t('reason.hourly_quota', { limit: reason.limit });
    case 'pair_hops':
      return t('reason.pair_hops', { limit: reason.limit, name: nameOf(reason.with) });
    case 'supervising':
    case 'supervisor_failed':
      return t(`reason.${reason.kind}`, { round: reason.round });
    case 'chosen_by_supervisor':
      return t('reason.chosen_by_supervisor', { name: nameOf(reason.by), round: reason.round });
    case 'delegated':
    case 'not_chosen':
      return t(`reason.${reason.kind}`, { name: nameOf(reason.by) });
    case 'drawn':
    case 'not_drawn':
      return t(`reason.${reason.kind}`, { share: Math.round((reason.weight * 100) / Math.max(reason.of, 1)) });
    case 'interested':
      return reason.percent === null
        ? t('reason.interested', { interest: reason.interest })
        : t('reason.interested_near', { interest: reason.interest, percent: reason.percent });
    case 'cooling_down':
      return t('reason.cooling_down', { minutes: reason.minutes });
    case 'enough_answers':
    case 'feed_quota':
      return t(`reason.${reason.kind}`, { limit: reason.limit });
    case 'over_budget':
      return t('reason.over_budget', { scope: sayScope(reason.scope) });
    case 'no_room_yet':
      return t('reason.no_room_yet', { scope: sayScope(reason.scope), n: reason.tokens });
    default:
      return t(`reason.${reason.kind}`);
  }
}

/** What a limit is about, where it is clear which agent and group are meant. */
export const sayScope = (scope: BudgetScope): string => t(`scope.${scope.kind}`);

/** Why a run began, as the first part of a receipt. */
export function sayCause(cause: Cause, nameOf: NameOf): string {
  switch (cause.reason.kind) {
    case 'mentioned':
    case 'replied_to':
      return cause.author.kind === 'agent' || cause.author.kind === 'outside'
        ? t(`cause.${cause.reason.kind}_by`, { name: sayAuthor(cause.author, nameOf) })
        : t(`cause.${cause.reason.kind}_by_you`);
    case 'turn':
      return t('cause.turn', { round: cause.reason.round });
    case 'default_responder':
    case 'broadcast':
    case 'asked_by_user':
      return t(`cause.${cause.reason.kind}`);
    default:
      return heading(sayReason(cause.reason, nameOf));
  }
}

export function sayAuthor(author: Author, nameOf: NameOf): string {
  switch (author.kind) {
    case 'user':
      return t('part.you');
    case 'agent':
      return nameOf(author.id);
    case 'outside':
      return t('part.program', { name: nameOf(author.id) });
    case 'source':
      return t('part.source', { name: nameOf(author.id) });
    case 'system':
      return t('part.system');
    default:
      return author satisfies never;
  }
}

export const sayAsked = ({ model, asked_instead }: Run): string =>
  asked_instead === null ? model : t('runs.asked_instead', { model, by: asked_instead });
export const sayRunState = (state: RunState): string => t(`run_state.${state}`);
export const sayAgentState = (state: AgentState): string => t(`agent_state.${state}`);
/** For so many of whom it was decided. */
export const sayVerdict = (verdict: Verdict, n = 1): string => t(`verdict.${verdict}`, { n });
export const sayPolicy = (policy: TurnPolicy): string => t(`policy.${policy}`);
export const sayPolicyHint = (policy: TurnPolicy): string => t(`policy.${policy}_hint`);
/** What became of a use of a tool; `proposed` before it was allowed. */
export const sayCallState = (state: CallState | 'proposed' | 'asking' | 'allowed'): string => t(`tools.${state}`);

/** `3 of 10 · copying files`; the message is that of whoever does it. */
export function sayProgress({ done, total, message }: UseProgress): string {
  const progress =
    total === null
      ? t('tools.progress', { done: number(done) })
      : t('tools.progress_of', { done: number(done), total: number(total) });
  return message === null ? progress : t('tools.progress_says', { progress, message });
}

/** The runtime calls it by its English name; where that is no name of its own, the reader's language has one. */
export function sayKeyringName(name: string): string {
  if (name.includes('Secret Service')) return t('keys.secret_service');
  if (name.includes('Keychain')) return t('keys.keychain');
  if (name.includes('Credential Manager')) return t('keys.credential_manager');
  return name;
}
