/** What a person is asked before agents do something risky. Pure. */
import type { Approval, ApprovalState, Covers } from '../api/generated';

export const isWaiting = (approval: Approval) => approval.state === 'waiting';

/** How far an answer for longer than once goes, from the narrowest. */
export type GrantScope = 'same' | 'like' | 'any';

export function scopesOf(approval: Approval): readonly GrantScope[] {
  return approval.like === null ? ['same', 'any'] : ['same', 'like', 'any'];
}

/** What stands in the answer; null is for the same target, or the same arguments. */
export function coversOf(approval: Approval, reach: GrantScope): Covers | null {
  switch (reach) {
    case 'same':
      return null;
    case 'like':
      return approval.like === null ? null : { kind: 'target', pattern: approval.like };
    case 'any':
      return { kind: 'any_use' };
    default:
      return reach satisfies never;
  }
}

/** Questions that wait, oldest first, and what was answered, newest first. */
export function sorted(approvals: Iterable<Approval>): { waiting: Approval[]; answered: Approval[] } {
  const all = [...approvals];
  const at = (approval: Approval) => approval.answered_ms ?? approval.asked_ms;
  return {
    waiting: all.filter(isWaiting).sort((a, b) => a.asked_ms - b.asked_ms),
    answered: all.filter((approval) => !isWaiting(approval)).sort((a, b) => at(b) - at(a)),
  };
}

/** Whether it was allowed, as far as anybody said. */
export function wasAllowed(state: ApprovalState): boolean {
  return state === 'allowed' || state === 'covered' || state === 'used';
}
