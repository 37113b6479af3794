/**
 * What the window knows of the workspace, and how events change it.
 *
 * Pure: every function gives a new mirror and shares what did not change, so
 * that a page which looks at one part is not woken by the others.
 */
import type {
  Agent,
  AgentId,
  Approval,
  BackupProgress,
  CallId,
  Decision,
  Event,
  Fault,
  FeedSource,
  FeedSourceId,
  Grant,
  GrantId,
  Group,
  GroupId,
  GroupView,
  Keys,
  Live,
  McpServer,
  Member,
  MemoryIndex,
  MemoryProgress,
  Message,
  Overview,
  Participant,
  Pass,
  PassId,
  ProposalId,
  Provider,
  Question,
  QuestionId,
  Reaction,
  Reactions,
  Record as Row,
  Removed,
  Run,
  RunId,
  Settings,
  Skill,
  Soul,
  SoulProposal,
  Step,
  UseProgress,
  Variants,
  Waiting,
} from '../api/generated';
import { isDoing } from './doings';

/** What a run has written so far. */
export type Writing = {
  agent: AgentId;
  group: GroupId;
  /** Where the text begins in the run's text; above 0 when its first pieces were missed. */
  from: number;
  text: string;
  reasoning: string;
  /** What came last is thought and not said. */
  thinks: boolean;
};

/** A conversation that was opened: its newest messages, without gaps. */
export type Thread = {
  messages: readonly Message[];
  decisions: readonly Decision[];
  /** Where others can stand in the place of a message. */
  variants: readonly Variants[];
  /** What its messages are reacted to with, in the order in which that came. */
  reactions: readonly Reaction[];
  /** Whether the first message here is not the group's first. */
  hasOlder: boolean;
};

export type Mirror = {
  settings: Settings;
  agents: ReadonlyMap<AgentId, Agent>;
  groups: ReadonlyMap<GroupId, Group>;
  /** In their order. */
  members: ReadonlyMap<GroupId, readonly Member[]>;
  last: ReadonlyMap<GroupId, Message>;
  /** Agent messages since the person last spoke. */
  sincePost: ReadonlyMap<GroupId, number>;
  souls: ReadonlyMap<string, Soul>;
  providers: ReadonlyMap<string, Provider>;
  /** Those that are open, and those seen since or loaded with a conversation. */
  runs: ReadonlyMap<RunId, Run>;
  live: ReadonlyMap<RunId, Writing>;
  /** Of runs that a conversation shows: what they did besides talking. */
  steps: ReadonlyMap<RunId, readonly Step[]>;
  /** How far uses of tools are that go on, as whoever does them says. */
  progress: ReadonlyMap<CallId, UseProgress>;
  /** Runs that wait for a model, and their place in the line: 1 is next. */
  waiting: ReadonlyMap<RunId, Waiting>;
  threads: ReadonlyMap<GroupId, Thread>;
  /** How often another branch of a group was shown since the window opened. */
  branches: ReadonlyMap<GroupId, number>;
  starterModel: string | null;
  dataDir: string;
  /** Why the agents wait: the disk takes nothing. */
  heldUp: Fault | null;
  /** Every key, and how the places stand that they lie in. */
  keys: Keys;
  /** What the person is asked, and what they were asked since the window opened, oldest first. */
  approvals: ReadonlyMap<CallId, Approval>;
  /** What agents and servers want to know, and wanted since the window opened, oldest first. */
  questions: ReadonlyMap<QuestionId, Question>;
  /** What agents may do without asking. */
  grants: ReadonlyMap<GrantId, Grant>;
  /** What programs from outside may do, or might once: their names stand beside what they said. */
  passes: ReadonlyMap<PassId, Pass>;
  /** What is told in the feed by itself, or was once: their names stand beside what they wrote. */
  sources: ReadonlyMap<FeedSourceId, FeedSource>;
  /** What agents propose for their souls, and proposed since the window opened, oldest first. */
  proposals: ReadonlyMap<ProposalId, SoulProposal>;
  /** Servers of the Model Context Protocol, by their names. */
  servers: ReadonlyMap<string, McpServer>;
  /** Folders of instructions that agents load, by their names. */
  skills: ReadonlyMap<string, Skill>;
  /** Where a server lets the person in who asked to sign in, as it came last. */
  page: { server: string; url: string } | null;
  /** How far the index of memories is, once that was told. */
  memoryIndex: MemoryIndex | null;
  /** What takes a while with many memories, and how far it is. */
  memoryProgress: MemoryProgress | null;
  /** How far a copy of the whole workspace is, while one is made or looked through. */
  backupProgress: BackupProgress | null;
};

/** A mirror of the workspace as it stands; conversations are opened again by whoever looks at them. */
export function opened(overview: Overview): Mirror {
  const by = <K, V>(rows: readonly V[], key: (row: V) => K) => new Map(rows.map((row) => [key(row), row]));
  const groups = new Map<GroupId, Group>();
  const members = new Map<GroupId, readonly Member[]>();
  const last = new Map<GroupId, Message>();
  const sincePost = new Map<GroupId, number>();
  for (const view of overview.groups) {
    groups.set(view.group.id, view.group);
    members.set(view.group.id, inOrder(view.members));
    if (view.last) last.set(view.group.id, view.last);
    sincePost.set(view.group.id, view.messages_since_post);
  }
  return {
    settings: overview.settings,
    agents: by(overview.agents, (agent) => agent.id),
    groups,
    members,
    last,
    sincePost,
    souls: by(overview.souls, (soul) => soul.name),
    providers: by(overview.providers, (provider) => provider.name),
    runs: by(overview.open_runs, (run) => run.id),
    live: new Map(),
    steps: new Map(),
    progress: new Map(),
    waiting: by(overview.waiting, (waiting) => waiting.run),
    threads: new Map(),
    branches: new Map(),
    starterModel: overview.starter_model,
    dataDir: overview.data_dir,
    heldUp: overview.held_up,
    keys: overview.keys,
    approvals: by(overview.approvals, (approval) => approval.call),
    questions: by(overview.questions, (question) => question.id),
    grants: by(overview.grants, (grant) => grant.id),
    passes: by(overview.passes, (pass) => pass.id),
    sources: by(overview.sources, (source) => source.id),
    proposals: by(overview.proposals, (proposal) => proposal.id),
    servers: by(overview.servers, (server) => server.setup.name),
    skills: by(overview.skills, (skill) => skill.name),
    page: null,
    memoryIndex: null,
    memoryProgress: null,
    backupProgress: null,
  };
}

export function apply(mirror: Mirror, event: Event): Mirror {
  switch (event.event) {
    case 'saved':
      return saved(mirror, event.record);
    case 'removed':
      return removed(mirror, event.removed);
    case 'live':
      return wrote(mirror, event.live);
    case 'waiting':
      return waits(mirror, event.waiting);
    case 'use_progress':
      return cameFurther(mirror, event.progress);
    case 'held_up':
      return { ...mirror, heldUp: event.why };
    case 'keys':
      return { ...mirror, keys: event.keys };
    case 'servers':
      return { ...mirror, servers: new Map(event.servers.map((server) => [server.setup.name, server])) };
    case 'skills':
      return { ...mirror, skills: new Map(event.skills.map((skill) => [skill.name, skill])) };
    case 'page':
      return { ...mirror, page: { server: event.server, url: event.url } };
    case 'memory_index':
      return { ...mirror, memoryIndex: event.index };
    case 'memory_progress': {
      const { progress } = event;
      return { ...mirror, memoryProgress: progress.done < progress.of ? progress : null };
    }
    case 'backup_progress': {
      const { progress } = event;
      return { ...mirror, backupProgress: progress.done_bytes < progress.of_bytes ? progress : null };
    }
    default:
      return event satisfies never;
  }
}

function saved(mirror: Mirror, record: Row): Mirror {
  switch (record.table) {
    case 'agent':
      return { ...mirror, agents: put(mirror.agents, record.row.id, record.row) };
    case 'group':
      // A post is no conversation: the feed shows it.
      if (record.row.kind === 'post') return mirror;
      return { ...mirror, groups: put(mirror.groups, record.row.id, record.row) };
    case 'member':
      return seated(mirror, record.row);
    case 'message':
      return posted(mirror, record.row);
    case 'decision':
      return decided(mirror, record.row);
    case 'reactions':
      return reacted(mirror, record.row);
    case 'run':
      return ran(mirror, record.row);
    case 'step':
      return stepped(mirror, record.row);
    case 'soul':
      return { ...mirror, souls: put(mirror.souls, record.row.name, record.row) };
    case 'provider':
      return { ...mirror, providers: put(mirror.providers, record.row.name, record.row) };
    case 'settings':
      return { ...mirror, settings: record.row };
    case 'approval':
      return { ...mirror, approvals: put(mirror.approvals, record.row.call, record.row) };
    case 'question':
      return { ...mirror, questions: put(mirror.questions, record.row.id, record.row) };
    case 'grant':
      return { ...mirror, grants: put(mirror.grants, record.row.id, record.row) };
    case 'branch':
      // Whoever looks at it reads it anew.
      return {
        ...mirror,
        threads: without(mirror.threads, record.row),
        branches: put(mirror.branches, record.row, (mirror.branches.get(record.row) ?? 0) + 1),
      };
    case 'pass':
      return { ...mirror, passes: put(mirror.passes, record.row.id, record.row) };
    case 'source':
      return { ...mirror, sources: put(mirror.sources, record.row.id, record.row) };
    case 'proposal':
      return { ...mirror, proposals: put(mirror.proposals, record.row.id, record.row) };
    case 'community':
    case 'post':
    case 'schedule':
      // These are read by whoever looks at them, and hears of their changes.
      return mirror;
    case 'memory':
      // There may be any number: whoever looks at some of them hears of their changes.
      return mirror;
    default:
      return record satisfies never;
  }
}

function removed(mirror: Mirror, gone: Removed): Mirror {
  switch (gone.table) {
    case 'member': {
      const rest = (mirror.members.get(gone.group) ?? []).filter((member) => !same(member.who, gone.who));
      return { ...mirror, members: put(mirror.members, gone.group, rest) };
    }
    case 'provider':
      return { ...mirror, providers: without(mirror.providers, gone.name) };
    case 'grant':
      return { ...mirror, grants: without(mirror.grants, gone.id) };
    case 'schedule':
      return mirror;
    case 'soul':
      return { ...mirror, souls: without(mirror.souls, gone.name) };
    default:
      return gone satisfies never;
  }
}

function seated(mirror: Mirror, row: Member): Mirror {
  const rest = (mirror.members.get(row.group) ?? []).filter((member) => !same(member.who, row.who));
  return { ...mirror, members: put(mirror.members, row.group, inOrder([...rest, row])) };
}

function posted(mirror: Mirror, row: Message): Mirror {
  const last = mirror.last.get(row.group);
  const isNews = !last || row.seq > last.seq;
  const count = mirror.sincePost.get(row.group) ?? 0;
  const thread = mirror.threads.get(row.group);
  return {
    ...mirror,
    // What the workspace notes is nobody's word.
    last:
      row.author.kind !== 'system' && (!last || row.seq >= last.seq) ? put(mirror.last, row.group, row) : mirror.last,
    sincePost: isNews ? put(mirror.sincePost, row.group, countAfter(count, row)) : mirror.sincePost,
    threads: thread
      ? put(mirror.threads, row.group, { ...thread, messages: placed(thread.messages, row) })
      : mirror.threads,
    steps: row.body.kind === 'notice' && row.body.notice.kind === 'removed' ? unread(mirror, row.group) : mirror.steps,
  };
}

/** Forgotten words go from what was thought of them and done with them too: it is to be read anew. */
function unread({ runs, steps }: Mirror, group: GroupId): Mirror['steps'] {
  return new Map([...steps].filter(([run]) => runs.get(run)?.group !== group));
}

function countAfter(count: number, row: Message): number {
  switch (row.author.kind) {
    case 'user':
      return 0;
    case 'agent':
      return row.body.kind === 'text' ? count + 1 : count;
    case 'outside':
    case 'source':
    case 'system':
      return count;
    default:
      return row.author satisfies never;
  }
}

function decided(mirror: Mirror, row: Decision): Mirror {
  const thread = mirror.threads.get(row.group);
  if (!thread) return mirror;
  return {
    ...mirror,
    threads: put(mirror.threads, row.group, { ...thread, decisions: placed(thread.decisions, row) }),
  };
}

function reacted(mirror: Mirror, row: Reactions): Mirror {
  const thread = mirror.threads.get(row.group);
  if (!thread) return mirror;
  const reactions = [...thread.reactions.filter((one) => one.item !== row.item), ...row.all];
  return { ...mirror, threads: put(mirror.threads, row.group, { ...thread, reactions }) };
}

function ran(mirror: Mirror, row: Run): Mirror {
  const runs = put(mirror.runs, row.id, row);
  if (row.state === 'running') return { ...mirror, runs };
  const its = [...mirror.progress.values()].filter((one) => one.run === row.id);
  const progress = its.reduce((rest, one) => without(rest, one.call), mirror.progress);
  return {
    ...mirror,
    runs,
    live: without(mirror.live, row.id),
    progress,
    waiting: without(mirror.waiting, row.id),
  };
}

function stepped(mirror: Mirror, row: Step): Mirror {
  if (!isDoing(row)) return mirror;
  const steps = put(mirror.steps, row.run, inTurn(mirror.steps.get(row.run) ?? [], [row]));
  const hasEnded = row.step === 'tool_returned';
  return { ...mirror, steps, progress: hasEnded ? without(mirror.progress, row.call) : mirror.progress };
}

function waits(mirror: Mirror, place: Waiting): Mirror {
  const { run, position } = place;
  const known = mirror.runs.get(run);
  const waiting =
    position === 0 || (known && known.state !== 'running')
      ? without(mirror.waiting, run)
      : put(mirror.waiting, run, place);
  return { ...mirror, waiting };
}

function cameFurther(mirror: Mirror, now: UseProgress): Mirror {
  const run = mirror.runs.get(now.run);
  if (run && run.state !== 'running') return mirror;
  return { ...mirror, progress: put(mirror.progress, now.call, now) };
}

function wrote(mirror: Mirror, piece: Live): Mirror {
  const run = mirror.runs.get(piece.run);
  if (run && run.state !== 'running') return mirror;
  return { ...mirror, live: put(mirror.live, piece.run, grown(mirror.live.get(piece.run), piece)) };
}

/** A piece that begins before the end replaces what follows; one that begins after it starts anew. */
function grown(before: Writing | undefined, piece: Live): Writing {
  const thinks = piece.reasoning !== '' && piece.text.trim() === '';
  const start = {
    agent: piece.agent,
    group: piece.group,
    from: piece.offset,
    text: piece.text,
    reasoning: piece.reasoning,
    thinks,
  };
  // An empty piece at the start says that the text begins anew.
  if (!before || (piece.offset === 0 && piece.text === '' && piece.reasoning === '')) return start;
  const end = before.from + before.text.length;
  if (piece.offset > end || piece.offset < before.from) return start;
  if (piece.offset < end && piece.offset === 0) return start;
  const text = before.text.slice(0, piece.offset - before.from) + piece.text;
  return { ...before, text, reasoning: before.reasoning + piece.reasoning, thinks };
}

/** Somebody who is not in the overview. */
export function withAgent(mirror: Mirror, agent: Agent): Mirror {
  return { ...mirror, agents: put(mirror.agents, agent.id, agent) };
}

/** A group as a reply tells it, before its events arrive. */
export function withGroup(mirror: Mirror, view: GroupView): Mirror {
  return {
    ...mirror,
    groups: put(mirror.groups, view.group.id, view.group),
    members: put(mirror.members, view.group.id, inOrder(view.members)),
    last: view.last ? put(mirror.last, view.group.id, view.last) : mirror.last,
    sincePost: put(mirror.sincePost, view.group.id, view.messages_since_post),
  };
}

/** A page of older messages, or the newest page of a conversation that opens; oldest first. */
export function withPage(mirror: Mirror, group: GroupId, page: readonly Message[], hasOlder: boolean): Mirror {
  const thread = mirror.threads.get(group) ?? { messages: [], decisions: [], variants: [], reactions: [], hasOlder };
  const [end, next] = [page.at(-1), thread.messages[0]];
  // The usual one is older than all that is known, which may be very many.
  const isBefore = end === undefined || next === undefined || end.seq < next.seq;
  const messages = isBefore ? [...page, ...thread.messages] : merged(page, thread.messages);
  return { ...mirror, threads: put(mirror.threads, group, { ...thread, messages, hasOlder }) };
}

export function withDecisions(mirror: Mirror, group: GroupId, decisions: readonly Decision[]): Mirror {
  const thread = mirror.threads.get(group);
  if (!thread) return mirror;
  return {
    ...mirror,
    threads: put(mirror.threads, group, { ...thread, decisions: merged(decisions, thread.decisions) }),
  };
}

/** What was said while the conversation was read. */
export function withMessages(mirror: Mirror, group: GroupId, said: readonly Message[]): Mirror {
  const thread = mirror.threads.get(group);
  if (!thread || said.length === 0) return mirror;
  return { ...mirror, threads: put(mirror.threads, group, { ...thread, messages: merged(thread.messages, said) }) };
}

export function withVariants(mirror: Mirror, group: GroupId, variants: readonly Variants[]): Mirror {
  const thread = mirror.threads.get(group);
  return thread ? { ...mirror, threads: put(mirror.threads, group, { ...thread, variants }) } : mirror;
}

export function withReactions(mirror: Mirror, group: GroupId, reactions: readonly Reaction[]): Mirror {
  const thread = mirror.threads.get(group);
  return thread ? { ...mirror, threads: put(mirror.threads, group, { ...thread, reactions }) } : mirror;
}

export function withRuns(mirror: Mirror, rows: readonly Run[]): Mirror {
  // News that came meanwhile is newer than the page. Where nothing is new the map stays the one that
  // it is: whatever is made out of all runs would be made again.
  const news = rows.filter((run) => {
    const known = mirror.runs.get(run.id);
    return !known || (known.state === 'running' && run.state !== 'running');
  });
  if (news.length === 0) return mirror;
  return { ...mirror, runs: new Map([...mirror.runs, ...news.map((run) => [run.id, run] as const)]) };
}

/** What a run did, as it was stored; steps that came meanwhile stay. */
export function withSteps(mirror: Mirror, run: RunId, stored: readonly Step[]): Mirror {
  const shown = inTurn(mirror.steps.get(run) ?? [], stored.filter(isDoing));
  return { ...mirror, steps: put(mirror.steps, run, shown) };
}

/** Both in their order, each once. */
function inTurn(known: readonly Step[], more: readonly Step[]): readonly Step[] {
  const steps = new Map([...known, ...more].map((step) => [step.n, step]));
  return [...steps.values()].sort((a, b) => a.n - b.n);
}

type Numbered = { readonly seq: number };

/** Puts a row at its place in the order; a row that is there already is replaced. */
function placed<T extends Numbered>(rows: readonly T[], row: T): readonly T[] {
  const end = rows.at(-1);
  if (!end || row.seq > end.seq) return [...rows, row];
  const at = rows.findIndex((other) => other.seq >= row.seq);
  return rows.toSpliced(at, rows[at]?.seq === row.seq ? 1 : 0, row);
}

/** Both in one order; of two rows with one number the later list's stays. */
function merged<T extends Numbered>(older: readonly T[], newer: readonly T[]): readonly T[] {
  const rows = new Map(older.map((row) => [row.seq, row]));
  for (const row of newer) rows.set(row.seq, row);
  return [...rows.values()].sort((a, b) => a.seq - b.seq);
}

function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

function inOrder(members: readonly Member[]): readonly Member[] {
  return [...members].sort((a, b) => a.position - b.position);
}

export function same(one: Participant, other: Participant): boolean {
  return one.kind === 'user' ? other.kind === 'user' : other.kind === 'agent' && other.id === one.id;
}
