import { afterEach, describe, expect, it } from 'vitest';
import type { Reason } from '../api/generated';
import { sayCause, sayReason } from './say';
import { setLanguage } from './words.svelte';

const nameOf = () => 'Bo';
/** One of each reason; the type says when one is missing. */
const all: { [K in Reason['kind']]: Extract<Reason, { kind: K }> } = {
  default_responder: { kind: 'default_responder' },
  mentioned: { kind: 'mentioned' },
  turn: { kind: 'turn', round: 2 },
  broadcast: { kind: 'broadcast' },
  asked_by_user: { kind: 'asked_by_user' },
  next_in_order: { kind: 'next_in_order' },
  drawn: { kind: 'drawn', weight: 30, of: 90, roll: 4 },
  supervising: { kind: 'supervising', round: 2 },
  looking_back: { kind: 'looking_back' },
  chosen_by_supervisor: { kind: 'chosen_by_supervisor', by: 'b', round: 2 },
  supervisor_failed: { kind: 'supervisor_failed', round: 2 },
  delegated: { kind: 'delegated', by: 'b' },
  not_mentioned: { kind: 'not_mentioned' },
  not_the_default_responder: { kind: 'not_the_default_responder' },
  not_its_turn: { kind: 'not_its_turn' },
  not_drawn: { kind: 'not_drawn', weight: 0, of: 0, roll: 0 },
  not_chosen: { kind: 'not_chosen', by: 'b' },
  supervisor_ended: { kind: 'supervisor_ended' },
  only_when_asked: { kind: 'only_when_asked' },
  muted: { kind: 'muted' },
  nobody_addressed: { kind: 'nobody_addressed' },
  reacted: { kind: 'reacted', sign: '👍' },
  chose_silence: { kind: 'chose_silence', why: 'said already' },
  spoke_for_another: { kind: 'spoke_for_another', name: 'Bo' },
  bare_acknowledgement: { kind: 'bare_acknowledgement' },
  near_duplicate: { kind: 'near_duplicate' },
  chain_depth: { kind: 'chain_depth', limit: 3 },
  message_cap: { kind: 'message_cap', limit: 10 },
  pair_hops: { kind: 'pair_hops', limit: 4, with: 'b' },
  hourly_quota: { kind: 'hourly_quota', limit: 60 },
  over_budget: { kind: 'over_budget', scope: { kind: 'day' } },
  no_room_yet: { kind: 'no_room_yet', scope: { kind: 'feed' }, tokens: 3200, microusd: 0 },
  superseded: { kind: 'superseded' },
  policy_changed: { kind: 'policy_changed' },
  set_aside: { kind: 'set_aside' },
  answers_question: { kind: 'answers_question' },
  stopped_by_user: { kind: 'stopped_by_user' },
  left_the_group: { kind: 'left_the_group' },
  archived: { kind: 'archived' },
  terminated: { kind: 'terminated' },
  failed: { kind: 'failed' },
  replied_to: { kind: 'replied_to' },
  interested: { kind: 'interested', interest: 'tea', percent: 88 },
  nobody_else: { kind: 'nobody_else' },
  asked_to_post: { kind: 'asked_to_post' },
  scheduled: { kind: 'scheduled' },
  heartbeat: { kind: 'heartbeat' },
  asked_for_digest: { kind: 'asked_for_digest' },
  busy: { kind: 'busy' },
  not_interested: { kind: 'not_interested' },
  cooling_down: { kind: 'cooling_down', minutes: 10 },
  enough_answers: { kind: 'enough_answers', limit: 2 },
  feed_quota: { kind: 'feed_quota', limit: 12 },
  thread_locked: { kind: 'thread_locked' },
  out_of_sight: { kind: 'out_of_sight' },
  unreadable: { kind: 'unreadable' },
  out_of_persona: { kind: 'out_of_persona' },
  unknown_language: { kind: 'unknown_language' },
  not_in_community: { kind: 'not_in_community' },
  demo_model: { kind: 'demo_model' },
  paused: { kind: 'paused' },
  in_error: { kind: 'in_error' },
};

afterEach(() => setLanguage('en'));

describe('why an agent speaks or does not', () => {
  it.each(['en', 'zh'] as const)('is a sentence for every reason there is, in %s', (tongue) => {
    setLanguage(tongue);
    for (const reason of Object.values(all)) {
      for (const said of [
        sayReason(reason, nameOf),
        sayCause({ message: 'm', author: { kind: 'user' }, reason }, nameOf),
      ]) {
        expect(said, reason.kind).not.toMatch(/[{}]|undefined|NaN|reason\.|cause\./);
        expect(said, reason.kind).not.toBe('');
        if (tongue === 'zh') expect(said, reason.kind).toMatch(/\p{Script=Han}/u);
      }
    }
  });

  it('is said as the first part of a receipt', () => {
    const cause = (reason: Reason) => sayCause({ message: 'm', author: { kind: 'user' }, reason }, nameOf);
    expect([cause(all.drawn), cause(all.chosen_by_supervisor), cause(all.next_in_order), cause(all.delegated)]).toEqual(
      ['Drawn by chance, 33 % likely', 'Chosen by Bo, round 2', 'Next in order', 'Bo gave it a task'],
    );
    expect(sayReason(all.over_budget, nameOf)).toBe('the budget of the day has no room for it');
  });
});
