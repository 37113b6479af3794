/**
 * The door as the window sees it: calls go in, answers and news come out.
 *
 * `tauri` is the real one; `fake` plays the runtime in memory for development
 * and tests. Nothing outside this folder knows which of them it has.
 */
import type { Call, Event, Fault, Mark, Reply } from './generated';

/** What comes without having been asked for. */
export type News = { event: Event } | { resync: { now: Mark } };

export interface Backend {
  /** Gives the reply or throws a `Fault`. */
  ask(call: Call): Promise<Reply>;
  /** Tells everything that happens after the mark; without one, from now on. Gives the way to stop it. */
  events(after: Mark | null, on: (news: News) => void): () => void;
}

/** Whatever was thrown, as the one kind of failure that screens know. */
export function faultOf(thrown: unknown): Fault {
  if (isFault(thrown)) return thrown;
  return { code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown), fix: '' };
}

function isFault(thrown: unknown): thrown is Fault {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'message' in thrown && 'fix' in thrown;
}
