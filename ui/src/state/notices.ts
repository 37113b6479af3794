/**
 * What the person is told through the system while they do not look at the window: each thing that
 * waits for their answer, once. Nothing of what it is about is told, only who asks and where.
 */
import type { AgentId, GroupId } from '../api/generated';
import type { Mirror } from './mirror';

export type Waits = { id: string; agent: AgentId; group: GroupId } & (
  | { is: 'approval'; tool: string }
  /** A server asks in the name of the agent that uses it. */
  | { is: 'question'; server: string | null }
);

/** All that waits for the person now. */
export function waits(mirror: Pick<Mirror, 'approvals' | 'questions'>): readonly Waits[] {
  const approvals = [...mirror.approvals.values()].flatMap(({ state, call: id, agent, group, tool }): Waits[] =>
    state === 'waiting' ? [{ is: 'approval', id, agent, group, tool }] : [],
  );
  const questions = [...mirror.questions.values()].flatMap(({ state, id, agent, group, server }): Waits[] =>
    state === 'waiting' ? [{ is: 'question', id, agent, group, server }] : [],
  );
  return [...approvals, ...questions];
}

/**
 * What of it is to be told, and what is known from then on. What was there when the window was
 * opened, or came while it was looked at, has been seen.
 */
export function toTell(
  known: ReadonlySet<string> | null,
  waiting: readonly Waits[],
  isLookedAt: boolean,
): { tell: readonly Waits[]; known: ReadonlySet<string> } {
  const tell = known && !isLookedAt ? waiting.filter(({ id }) => !known.has(id)) : [];
  return { tell, known: new Set(waiting.map(({ id }) => id)) };
}
