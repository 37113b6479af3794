/**
 * What the person is told through the system while they do not look at the window: each thing that
 * waits for their answer, and each that went wrong, once. Nothing of what it is about is told, only
 * who it is and where.
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

export type Trouble = { id: string; agent: AgentId } & (
  | { is: 'failed'; group: GroupId }
  /** It does nothing more before a person has looked. */
  | { is: 'stopped' }
);

/** All that went wrong and has not been followed by anything else. */
export function troubles(mirror: Pick<Mirror, 'agents' | 'last'>): readonly Trouble[] {
  const stopped = [...mirror.agents.values()].flatMap(({ state, id: agent }): Trouble[] =>
    state === 'error' ? [{ is: 'stopped', id: agent, agent }] : [],
  );
  const failed = [...mirror.last.values()].flatMap(({ body, id, group }): Trouble[] =>
    body.kind === 'notice' && body.notice.kind === 'run_failed'
      ? [{ is: 'failed', id, agent: body.notice.agent, group }]
      : [],
  );
  return [...stopped, ...failed];
}

/** What is left to tell of it: who has stopped could not answer either. */
export function worthTelling(told: readonly Trouble[], mirror: Pick<Mirror, 'agents'>): readonly Trouble[] {
  return told.filter(({ is, agent }) => is === 'stopped' || mirror.agents.get(agent)?.state !== 'error');
}

/**
 * What of it is to be told, and what is known from then on. What was there when the window was
 * opened, or came while it was looked at, has been seen.
 */
export function toTell<T extends { id: string }>(
  known: ReadonlySet<string> | null,
  all: readonly T[],
  isLookedAt: boolean,
): { tell: readonly T[]; known: ReadonlySet<string> } {
  const tell = known && !isLookedAt ? all.filter(({ id }) => !known.has(id)) : [];
  return { tell, known: new Set(all.map(({ id }) => id)) };
}
