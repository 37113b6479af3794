/**
 * The door as the window sees it: calls go in, answers and news come out.
 *
 * `tauri` is the real one; `fake` plays the runtime in memory for development
 * and tests. Nothing outside this folder knows which of them it has.
 */
import type { Call, Event, Fault, Mark, Reply, RequestId } from './generated';

/** What comes without having been asked for. */
export type News = { event: Event } | { resync: { now: Mark } };

/** Files that are carried over the window and dropped on it. */
export type Drop =
  | { kind: 'over' }
  | { kind: 'left' }
  | { kind: 'dropped'; paths: readonly string[]; read: (path: string) => Promise<File> };

/** How everybody stands, in the words that the icon beside the clock shows. */
export type Stand = {
  works: string;
  waits: string;
  open: string;
  /** Pauses everybody, or has them go on. */
  pause: string;
  isPaused: boolean;
  quit: string;
  /** Whoever closes the window leaves the agents at work. */
  stays: boolean;
};

/** The desktop that the window is on. */
export interface Desktop {
  stand(stand: Stand): Promise<void>;
  startsWithSystem(): Promise<boolean>;
  startWithSystem(on: boolean): Promise<void>;
  /** Tells of links that the program was started with. Gives the way to stop it. */
  links(on: (link: string) => void): () => void;
  quit(): Promise<void>;
}

export interface Backend {
  /**
   * Gives the reply or throws a `Fault`. Asked again under the same id, it is
   * done once; without one it gets an id of its own.
   */
  ask(call: Call, id?: RequestId): Promise<Reply>;
  /** Tells everything that happens after the mark; without one, from now on. Gives the way to stop it. */
  events(after: Mark | null, on: (news: News) => void): () => void;
  /** Lets the person choose a model's file; null when none was chosen. */
  chooseModelFile?(): Promise<string | null>;
  /** The same for a file with memories. */
  chooseMemoryFile?(): Promise<string | null>;
  /** The same for a folder with them. */
  chooseMemoryFolder?(): Promise<string | null>;
  /** The same for a backup of a workspace. */
  chooseBackup?(): Promise<string | null>;
  /** Has the workspace opened anew and the page loaded again; false where another process has it open. */
  reopen?(): Promise<boolean>;
  /** Lets the person choose where a new file of this name is to lie; null when they chose nowhere. */
  choosePlace?(name: string): Promise<string | null>;
  /** Tells the person through the system; true when they clicked on it, which brings the window too. */
  tell?(title: string, text: string): Promise<boolean>;
  /** Draws everything at so many percent of its own size, as a browser does: the page has less or more room then. */
  zoom?(percent: number): Promise<void>;
  /** None where no shell is around the page. */
  desktop?: Desktop;
  /** Tells of files that are dropped on the window. Gives the way to stop it. */
  dropped?(on: (drop: Drop) => void): () => void;
}

/** A UUID of version 7: what a request makes takes its id, so ids sort by time. */
export function newRequestId(): RequestId {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, (BigInt(Date.now()) << 16n) | BigInt(view.getUint16(6)));
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Whatever was thrown, as the one kind of failure that screens know. */
export function faultOf(thrown: unknown): Fault {
  if (isFault(thrown)) return thrown;
  return { code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown), fix: '' };
}

function isFault(thrown: unknown): thrown is Fault {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'message' in thrown && 'fix' in thrown;
}
