/**
 * A conversation as rows to draw, in the order in which they are read.
 *
 * A reply stands after the last message that it read, where it already stood
 * while it was written: nothing moves when it settles. It stands after what was
 * noted before it began too. Silence folds into one
 * line at the end of what a person's message set off. Text being written is
 * looked up by whoever draws the row, so that a new word changes one row only.
 */
import type {
  AgentId,
  Author,
  Decision,
  Fault,
  GroupId,
  Message,
  MessageId,
  Notice,
  Reason,
  Run,
  RunId,
  Written,
} from '../api/generated';
import type { Sending } from './drafts.svelte';
import type { Thread } from './mirror';

export type Row =
  | { kind: 'day'; key: string; atMs: number }
  | { kind: 'message'; key: string; message: Message; run: Run | undefined; text: string; cutShort: boolean }
  | { kind: 'sending'; key: string; written: Written }
  | { kind: 'writing'; key: string; run: Run }
  | { kind: 'notice'; key: string; message: Message; notice: Exclude<Notice, { kind: 'run_failed' }> }
  | { kind: 'failed'; key: string; message: Message; agent: AgentId; fault: Fault; run: Run | undefined }
  | { kind: 'interrupted'; key: string; run: Run }
  | { kind: 'silence'; key: string; root: MessageId; heard: readonly Heard[]; silent: readonly Silent[] };

/** Who said nothing to what a person's message set off, and why. */
export type Silent = {
  agent: AgentId;
  decision: Decision;
  /** Turns of it that ended without words, oldest first. They have no row of their own. */
  runs: readonly RunId[];
};

/** What was decided about one message: the person's, or a reply to it. */
export type Heard = {
  message: MessageId;
  /** Null while the message is not loaded. */
  author: Author | null;
  decisions: readonly Decision[];
};

/** `readTo` is how far somebody had read who speaks in it. */
type Piece = { after: number; tie: number; readTo: number; root: MessageId; atMs: number; row: Row };

export function transcript(
  thread: Thread,
  runs: ReadonlyMap<RunId, Run>,
  group: GroupId,
  sending: readonly Sending[] = [],
): readonly Row[] {
  const pieces = written(thread, runs, group);
  for (const piece of open(thread, runs, group)) pieces.push(piece);
  pieces.sort((a, b) => a.after - b.after || a.tie - b.tie);
  return [...withDays(withSilence(pieces, thread, runs, group)), ...slow(sending)];
}

/** What the person said and is not stored yet; only when that takes its time. */
function slow(sending: readonly Sending[]): Row[] {
  return sending.flatMap((one) => (one.isSlow ? [{ kind: 'sending', key: one.request, written: one }] : []));
}

function written(thread: Thread, runs: ReadonlyMap<RunId, Run>, group: GroupId): Piece[] {
  const pieces: Piece[] = [];
  const named = new Set<RunId>();
  for (const message of thread.messages) {
    // Where it found nothing to do, there is nothing to see.
    if (message.body.kind === 'notice' && message.body.notice.kind === 'heartbeat') continue;
    const cut = cutOff(message, runs);
    if (cut) {
      // One that was given up stays where it was noted; of any other its own row tells. That of a
      // task has its row where nobody looks, and waits for a person here.
      const isShown = cut.state === 'dropped' || (cut.state === 'interrupted' && cut.group !== group);
      const row: Row = { kind: 'interrupted', key: cut.id, run: cut };
      if (isShown) pieces.push({ ...at(message), root: message.root, atMs: message.at_ms, row });
      continue;
    }
    const run = message.run === null ? endedWith(message, runs, ['failed']) : runs.get(message.run);
    // One run, one row: the row that was written in becomes the message.
    const key = message.run !== null && !named.has(message.run) ? message.run : message.id;
    if (message.run !== null) named.add(message.run);
    const reply = message.author.kind === 'agent' && message.body.kind === 'text' ? run : undefined;
    pieces.push(pieceOf(message, run, key, reply ? begunAt(reply, thread) : at(message)));
  }
  return pieces;
}

type Place = Pick<Piece, 'after' | 'tie' | 'readTo'>;

/** What was made of messages last. */
const made = new WeakMap<Message, Piece & { run: Run | undefined }>();

/** The same as before where nothing of it is new, so that no row of a long conversation is drawn anew for others. */
function pieceOf(message: Message, run: Run | undefined, key: string, { after, tie, readTo }: Place): Piece {
  const known = made.get(message);
  const isSame = known?.run === run && known?.row.key === key && known.after === after && known.tie === tie;
  if (known && isSame && known.readTo === readTo) return known;
  const row = rowOf(message, run, key);
  const piece = { after, tie, readTo, root: message.root, atMs: message.at_ms, row, run };
  made.set(message, piece);
  return piece;
}

const at = ({ seq }: Message): Place => ({ after: seq, tie: 0, readTo: seq });

/**
 * After what it read, and what was noted from there on until it began: what it says came after that. A
 * person's words that it had not read stay behind it.
 */
function begunAt(run: Run, { messages }: Thread): Place {
  let after = run.reads_to;
  for (let next = firstAfter(messages, run.reads_to); next < messages.length; next += 1) {
    const message = messages[next];
    if (!message || message.at_ms > run.started_ms) break;
    if (message.author.kind === 'agent') continue;
    if (message.body.kind !== 'notice') break;
    after = message.seq;
  }
  return { after, tie: run.seq, readTo: run.reads_to };
}

/** Where the first message stands that has a greater number. */
function firstAfter(messages: readonly Message[], seq: number): number {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle]?.seq ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The run whose interruption a notice tells of. */
function cutOff(message: Message, runs: ReadonlyMap<RunId, Run>): Run | undefined {
  return endedWith(message, runs, ['interrupted', 'resumed', 'dropped']);
}

/** The run whose end a notice tells of; both were noted in the same moment. */
function endedWith(message: Message, runs: ReadonlyMap<RunId, Run>, as: readonly Run['state'][]): Run | undefined {
  if (message.body.kind !== 'notice' || message.body.notice.kind !== 'run_failed') return undefined;
  const { agent } = message.body.notice;
  for (const run of runs.values()) {
    if (run.agent === agent && run.ended_ms === message.at_ms && as.includes(run.state)) return run;
  }
  return undefined;
}

function rowOf(message: Message, run: Run | undefined, key: string): Row {
  if (message.body.kind === 'text') {
    return { kind: 'message', key, message, run, text: message.body.text, cutShort: message.body.cut_short };
  }
  const notice = message.body.notice;
  if (notice.kind === 'run_failed') {
    return { kind: 'failed', key, message, agent: notice.agent, fault: notice.fault, run };
  }
  return { kind: 'notice', key, message, notice };
}

/** Runs that go on or were interrupted; one whose message is there already is the message's. */
function open(thread: Thread, runs: ReadonlyMap<RunId, Run>, group: GroupId): Piece[] {
  const going: Run[] = [];
  for (const run of runs.values())
    if (run.group === group && (run.state === 'running' || run.state === 'interrupted')) going.push(run);
  if (going.length === 0) return [];
  const replied = new Set(thread.messages.map((message) => message.run));
  return going
    .filter((run) => !replied.has(run.id))
    .map((run) => {
      const row: Row = { kind: run.state === 'running' ? 'writing' : 'interrupted', key: run.id, run };
      return { ...begunAt(run, thread), root: run.root, atMs: run.started_ms, row };
    });
}

/** Adds one line of silence after the last row of each message of a person that somebody left unanswered. */
function withSilence(
  pieces: readonly Piece[],
  thread: Thread,
  runs: ReadonlyMap<RunId, Run>,
  group: GroupId,
): readonly Piece[] {
  const byRoot = new Map<MessageId, Root>();
  for (const decision of thread.decisions) {
    const { root } = decision;
    const found = byRoot.get(root);
    if (found) found.decisions.push(decision);
    else byRoot.set(root, { decisions: [decision], spoke: new Map(), last: -1 });
  }
  if (byRoot.size === 0) return pieces;
  const shown = new Set<RunId>();
  pieces.forEach(({ row, root, readTo }, at) => {
    if (row.kind === 'notice') return;
    const run = runOf(row);
    if (run) shown.add(run);
    const of = byRoot.get(root);
    if (!of) return;
    of.last = at;
    const agent = speaker(row);
    if (agent) of.spoke.set(agent, readTo);
  });
  const about = decidedAbout(thread);
  const turns = turnsOf(about, runs, group);
  const out: Piece[] = [];
  pieces.forEach((piece, at) => {
    out.push(piece);
    const { root } = piece;
    const of = byRoot.get(root);
    const silent = of?.last === at ? silentAmong(of.decisions, of.spoke, turns, shown) : [];
    if (!of || silent.length === 0) return;
    const row = { kind: 'silence', key: `silence ${root}`, root, heard: heard(of.decisions, about), silent } as const;
    out.push({ ...piece, row });
  });
  return out;
}

/** What a person's message set off, as far as it was decided about. */
type Root = {
  decisions: Decision[];
  /** Who spoke, and how far they had read then. */
  spoke: Map<AgentId, number>;
  /** The place of its last row; -1 where there is none. */
  last: number;
};

function speaker(row: Row): AgentId | null {
  switch (row.kind) {
    case 'message':
      return row.message.author.kind === 'agent' ? row.message.author.id : null;
    case 'writing':
    case 'interrupted':
      return row.run.agent;
    case 'failed':
      return row.agent;
    case 'day':
    case 'sending':
    case 'notice':
    case 'silence':
      return null;
    default:
      return row satisfies never;
  }
}

/** The turn that has this row. */
function runOf(row: Row): RunId | null | undefined {
  if (row.kind === 'message') return row.message.run;
  return 'run' in row ? row.run?.id : undefined;
}

/** The decisions, each with the message that it is about. */
function heard(decisions: readonly Decision[], about: ReadonlyMap<MessageId, Message>): readonly Heard[] {
  const messages = [...new Set(decisions.map((decision) => decision.message))];
  return messages.map((message) => ({
    message,
    author: about.get(message)?.author ?? null,
    decisions: decisions.filter((decision) => decision.message === message),
  }));
}

type Turns = {
  /** Where a message stands; undefined while it is not loaded. */
  seqOf: (message: MessageId) => number | undefined;
  /** The newest turn in which the agent read what was decided about. */
  of: (decision: Decision) => Run | undefined;
};

/** The messages that somebody was decided about, as far as they are loaded. */
function decidedAbout({ messages, decisions }: Thread): ReadonlyMap<MessageId, Message> {
  const wanted = new Set(decisions.map((decision) => decision.message));
  return new Map(messages.flatMap((message) => (wanted.has(message.id) ? [[message.id, message]] : [])));
}

/** There may be very many runs, of which few are asked for: they are sorted when the first is. */
function turnsOf(about: ReadonlyMap<MessageId, Message>, runs: ReadonlyMap<RunId, Run>, group: GroupId): Turns {
  let sorted: readonly Run[] | undefined;
  const newestFirst = () =>
    (sorted ??= [...runs.values()].filter((run) => run.group === group).sort((a, b) => b.seq - a.seq));
  return {
    seqOf: (message) => about.get(message)?.seq,
    of: ({ agent, message }) => {
      const seq = about.get(message)?.seq;
      if (seq === undefined) return undefined;
      return newestFirst().find((run) => run.agent === agent && run.reads_after < seq && seq <= run.reads_to);
    },
  };
}

/**
 * Each agent once, with what was decided about it last; not who is about to
 * speak, and who spoke only if a limit kept it from going on, or it owes an
 * answer to something later.
 */
function silentAmong(
  decisions: readonly Decision[],
  spoke: ReadonlyMap<AgentId, number>,
  turns: Turns,
  shown: ReadonlySet<RunId>,
): readonly Silent[] {
  const latest = new Map<AgentId, Decision>();
  const ended = new Map<AgentId, Set<RunId>>();
  for (const decision of decisions) {
    const { agent, run } = decision;
    if (run && !shown.has(run)) ended.set(agent, (ended.get(agent) ?? new Set()).add(run));
    // What was decided at first says more than "nobody addressed it" after each
    // reply, and whoever owes an answer then owes it still.
    if (latest.has(agent) && decision.reason.kind === 'nobody_addressed') continue;
    latest.set(agent, decision);
  }
  return [...latest].flatMap(([agent, decision]): Silent[] => {
    const hasAnswered = (spoke.get(agent) ?? -1) >= (turns.seqOf(decision.message) ?? 0);
    const runs = [...(ended.get(agent) ?? [])];
    switch (decision.verdict) {
      case 'pass':
        return spoke.has(agent) && !isLimit(decision.reason) ? [] : [{ agent, decision, runs }];
      case 'wait':
        // It may have answered this together with what came later.
        return !hasAnswered && owesStill(turns.of(decision)) ? [{ agent, decision, runs }] : [];
      case 'speak':
        return !hasAnswered && wasPutBack(turns.of(decision))
          ? [{ agent, decision: { ...decision, verdict: 'wait', reason: { kind: 'paused' } }, runs }]
          : [];
      default:
        return decision.verdict satisfies never;
    }
  });
}

const owesStill = (turn: Run | undefined) => !turn || wasPutBack(turn);

/** A pause ended it before it had answered: the agent takes the turn up again when it goes on. */
function wasPutBack(turn: Run | undefined): boolean {
  return turn?.state === 'stopped' && turn.outcome?.kind === 'silent' && turn.outcome.reason.kind === 'paused';
}

function isLimit(reason: Reason): boolean {
  return ['chain_depth', 'message_cap', 'pair_hops', 'hourly_quota', 'over_budget'].includes(reason.kind);
}

function withDays(pieces: readonly Piece[]): readonly Row[] {
  const rows: Row[] = [];
  let ends = -Infinity;
  for (const { atMs, row } of pieces) {
    // Times that go back a little, as parallel replies do, begin no new day.
    if (atMs >= ends && row.kind !== 'silence') {
      const day = new Date(atMs);
      rows.push({ kind: 'day', key: `day ${day.toDateString()}`, atMs });
      ends = day.setHours(24, 0, 0, 0);
    }
    rows.push(row);
  }
  return rows;
}
