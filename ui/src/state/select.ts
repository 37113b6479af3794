/** Facts that follow from the mirror. Pure; wrap them in `$derived`. */
import type {
  Agent,
  AgentId,
  AgentState,
  Decision,
  Group,
  GroupId,
  Member,
  Message,
  ModelInfo,
  Run,
  RunId,
  Soul,
  SoulProposal,
  Waiting,
} from '../api/generated';
import type { Mirror } from './mirror';
import { standingOf } from './standing';

/** The agents of a group, in their order. */
export function agentsOf(mirror: Pick<Mirror, 'members' | 'agents'>, group: GroupId): readonly Agent[] {
  return (mirror.members.get(group) ?? []).flatMap((member) => {
    const agent = member.who.kind === 'agent' ? mirror.agents.get(member.who.id) : undefined;
    return agent ? [agent] : [];
  });
}

/** Agents that can still be talked to, as they came: ids of one millisecond are in order too. */
export function living(mirror: Pick<Mirror, 'agents'>): readonly Agent[] {
  return [...mirror.agents.values()]
    .filter((agent) => agent.state !== 'terminated')
    .sort((a, b) => a.created_ms - b.created_ms || (a.id < b.id ? -1 : 1));
}

/** The souls as the roster has their agents; those that nobody has yet come after them, by name. None that was deleted. */
export function soulsInOrder(mirror: Pick<Mirror, 'agents' | 'souls'>): readonly Soul[] {
  const order = living(mirror).map((agent) => agent.soul);
  const place = (soul: Soul) => (order.includes(soul.name) ? order.indexOf(soul.name) : order.length);
  const there = [...mirror.souls.values()].filter(
    (soul) => standingOf(soul) !== 'deleted' || order.includes(soul.name),
  );
  return there.sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name));
}

/** Those that can be brought back, by name. */
export function deletedSouls(mirror: Pick<Mirror, 'agents' | 'souls'>): readonly Soul[] {
  const there = soulsInOrder(mirror);
  const gone = [...mirror.souls.values()].filter((soul) => !there.includes(soul));
  return gone.sort((a, b) => a.name.localeCompare(b.name));
}

/** What agents propose for their souls, or for this one, and waits for the person. */
export function proposalsOf(mirror: Pick<Mirror, 'proposals'>, soul?: string): readonly SoulProposal[] {
  const waiting = [...mirror.proposals.values()].filter((one) => one.state === 'waiting');
  return soul === undefined ? waiting : waiting.filter((one) => one.soul === soul);
}

/** A soul whose file cannot come into force, and the agents of a group that it concerns. */
export type SoulTrouble = { soul: Soul; agents: readonly Agent[] };

/** What is wrong with the soul files of a group's agents; each file once. */
export function soulTroubles(
  mirror: Pick<Mirror, 'agents' | 'members' | 'souls'>,
  group: GroupId,
): readonly SoulTrouble[] {
  const agents = agentsOf(mirror, group);
  return [...new Set(agents.map((agent) => agent.soul))].flatMap((name) => {
    const soul = mirror.souls.get(name);
    const isBroken = soul && (soul.problem !== null || soul.file_hash === null);
    return isBroken ? [{ soul, agents: agents.filter((agent) => agent.soul === name) }] : [];
  });
}

/** The conversation between the person and one agent. */
export function directOf(mirror: Pick<Mirror, 'groups' | 'members'>, agent: AgentId): Group | undefined {
  return [...mirror.groups.values()].find((group) => group.kind === 'direct' && isMember(mirror, group.id, agent));
}

/** Where an agent is talked with, or can be listened to: a child has only its task. */
export function conversationOf(mirror: Pick<Mirror, 'groups' | 'members'>, agent: AgentId): Group | undefined {
  const isTask = (group: Group) => group.kind === 'task' && !group.archived && isMember(mirror, group.id, agent);
  return directOf(mirror, agent) ?? [...mirror.groups.values()].findLast(isTask);
}

/** Groups of several, those spoken in last at the top. */
export function groupsShown(mirror: Pick<Mirror, 'groups' | 'last'>): readonly Group[] {
  return byLastWord(mirror, (group) => !group.archived);
}

/** Groups that were put away, those spoken in last at the top. */
export function groupsArchived(mirror: Pick<Mirror, 'groups' | 'last'>): readonly Group[] {
  return byLastWord(mirror, (group) => group.archived);
}

function byLastWord(mirror: Pick<Mirror, 'groups' | 'last'>, which: (group: Group) => boolean): readonly Group[] {
  const since = (group: Group) => mirror.last.get(group.id)?.at_ms ?? group.created_ms;
  return [...mirror.groups.values()]
    .filter((group) => group.kind === 'group' && which(group))
    .sort((a, b) => since(b) - since(a));
}

export function isMember(mirror: Pick<Mirror, 'members'>, group: GroupId, agent: AgentId): boolean {
  return (mirror.members.get(group) ?? []).some((member) => member.who.kind === 'agent' && member.who.id === agent);
}

export function memberOf(mirror: Pick<Mirror, 'members'>, group: GroupId, agent: AgentId): Member | undefined {
  return (mirror.members.get(group) ?? []).find((member) => member.who.kind === 'agent' && member.who.id === agent);
}

/** Whether an agent or a program from outside has written it. */
const isOfOthers = ({ author }: Message) => author.kind === 'agent' || author.kind === 'outside';

/** Whether somebody else has written since the person last looked. */
export function isUnread(mirror: Pick<Mirror, 'members' | 'last'>, group: GroupId): boolean {
  const last = mirror.last.get(group);
  const you = (mirror.members.get(group) ?? []).find((member) => member.who.kind === 'user');
  return Boolean(last && you && isOfOthers(last) && last.seq > you.cursor);
}

const open = new WeakMap<Mirror['runs'], readonly Run[]>();

/** Runs that go on or were interrupted: a few of very many, which are looked through once for everybody. */
export function openRuns({ runs }: Pick<Mirror, 'runs'>): readonly Run[] {
  const isOpen = ({ state }: Run) => state === 'running' || state === 'interrupted';
  const known = open.get(runs) ?? [...runs.values()].filter(isOpen).sort((a, b) => a.seq - b.seq);
  open.set(runs, known);
  return known;
}

/** Runs in progress in a group, those begun first at the front. */
export function runningIn(mirror: Pick<Mirror, 'runs'>, group: GroupId): readonly Run[] {
  return openRuns(mirror).filter((run) => run.group === group && run.state === 'running');
}

/** Those of them that answer somebody: who only looks back for what is worth remembering lets a message come first. */
export function answeringIn(mirror: Pick<Mirror, 'runs'>, group: GroupId): readonly Run[] {
  return runningIn(mirror, group).filter((run) => run.cause.reason.kind !== 'looking_back');
}

/** Whether a run waits for its turn to ask its model, or for a budget. */
export function isInLine(mirror: Pick<Mirror, 'waiting'>, run: RunId): boolean {
  return mirror.waiting.has(run);
}

/** The run in progress of an agent, wherever it is. */
export function runOf(mirror: Pick<Mirror, 'runs'>, agent: AgentId): Run | undefined {
  return openRuns(mirror).find((run) => run.agent === agent && run.state === 'running');
}

/** The agents that this one gave tasks to, and theirs. */
export function subtreeOf(mirror: Pick<Mirror, 'agents'>, of: AgentId): readonly Agent[] {
  const children = living(mirror).filter((agent) => agent.parent === of);
  return children.flatMap((child) => [child, ...subtreeOf(mirror, child.id)]);
}

/** Everyone to talk to, each followed by those that work for it. */
export function families(mirror: Pick<Mirror, 'agents'>): readonly { agent: Agent; depth: number }[] {
  const agents = living(mirror);
  const known = new Set(agents.map((agent) => agent.id));
  const under = (parent: AgentId | null, depth: number): { agent: Agent; depth: number }[] =>
    agents
      // Whoever outlived the agent it worked for stands on its own.
      .filter((agent) => (agent.parent !== null && known.has(agent.parent) ? agent.parent : null) === parent)
      .flatMap((agent) => [{ agent, depth }, ...under(agent.id, depth + 1)]);
  return under(null, 0);
}

/** Who names the next speaker. */
export function supervisorOf(group: Group, agents: readonly Agent[]): Agent | undefined {
  const named = (id: AgentId | null) => agents.find((agent) => agent.id === id);
  return named(group.supervisor) ?? named(group.default_agent) ?? agents[0];
}

/** What an agent waits for, and its place there: for a model, or for a budget; in one group, or anywhere. */
export function placeInLine(
  mirror: Pick<Mirror, 'runs' | 'waiting'>,
  agent: AgentId,
  group?: GroupId,
): Waiting | undefined {
  const places = [...mirror.waiting].flatMap(([id, place]) => {
    const run = mirror.runs.get(id);
    return run?.agent === agent && (group === undefined || run.group === group) ? [place] : [];
  });
  return places.sort((a, b) => a.position - b.position)[0];
}

/** Runs that were cut off and wait for the person's word, those begun first at the front. */
export function interruptedIn(mirror: Pick<Mirror, 'runs'>, group: GroupId): readonly Run[] {
  return openRuns(mirror).filter((run) => run.group === group && run.state === 'interrupted');
}

/** How long an agent that is free may take to begin what it was woken for. */
export const beginsWithinMs = 5000;

/** Whether an answer is being written, or was promised and has not begun. */
export function isBusy(
  mirror: Pick<Mirror, 'runs' | 'threads' | 'agents'>,
  group: GroupId,
  nowMs: number = Date.now(),
): boolean {
  if (answeringIn(mirror, group).length > 0) return true;
  const thread = mirror.threads.get(group);
  const root = thread?.messages.findLast((message) => message.author.kind === 'user')?.id;
  if (!thread || root === undefined) return false;
  const latest = new Map<AgentId, Decision>();
  for (const decision of thread.decisions) if (decision.root === root) latest.set(decision.agent, decision);
  const begun = new Set([...mirror.runs.values()].filter((run) => run.root === root).map((run) => run.agent));
  return [...latest.values()].some(({ agent, verdict, at_ms }) => {
    if (verdict !== 'speak' || begun.has(agent)) return false;
    const state = mirror.agents.get(agent)?.state;
    // A promise that is never kept must not hold up the person's messages.
    return state === 'running' || (state === 'idle' && nowMs - at_ms < beginsWithinMs);
  });
}

/** Whether an agent asks the person there: what they say is the answer to it. */
export function isAsked(mirror: Pick<Mirror, 'questions'>, group: GroupId): boolean {
  return [...mirror.questions.values()].some(
    (one) => one.group === group && one.state === 'waiting' && one.server === null,
  );
}

/** How many agent messages may follow one of the person's. */
export function messageCap(group: Group, agents: number): number {
  const cap = group.caps.messages_per_post;
  return group.policy === 'rounds' ? Math.min(cap * Math.max(agents, 1), 30) : cap;
}

/** What the catalogue says of a `provider/model`. */
export function modelInfo(mirror: Pick<Mirror, 'providers'>, model: string): ModelInfo | undefined {
  const slash = model.indexOf('/');
  return mirror.providers.get(model.slice(0, slash))?.models.find((info) => info.name === model.slice(slash + 1));
}

/** How much a model reads at once: as the person wants it, or as its provider says; undefined where nobody does. */
export function windowOf(mirror: Pick<Mirror, 'providers'>, model: string): number | undefined {
  const info = modelInfo(mirror, model);
  return info?.chosen_tokens ?? info?.context_tokens ?? undefined;
}

/** The last turn in a group of which it is known how much its model read. */
export function lastTurnIn(mirror: Pick<Mirror, 'runs'>, group: GroupId): Run | undefined {
  const isKnown = (run: Run) => run.group === group && run.state === 'settled' && run.usage.input_tokens !== null;
  const ended = (run: Run) => run.ended_ms ?? 0;
  return [...mirror.runs.values()]
    .filter(isKnown)
    .reduce<Run | undefined>((last, run) => (last && ended(last) > ended(run) ? last : run), undefined);
}

/** Below these a rate says more about the clock than about the model. */
const tellingMs = 500;
const tellingTokens = 8;

/** Tokens per second of what a run wrote, once it has ended; none of an answer too short to tell. */
export function speed(run: Run): number | undefined {
  const tokens = run.usage.output_tokens;
  if (tokens === null || run.first_token_ms === null || run.ended_ms === null) return undefined;
  const ms = run.ended_ms - run.first_token_ms;
  return ms >= tellingMs && tokens >= tellingTokens ? (tokens * 1000) / ms : undefined;
}

/** The faces of a group's avatar: who spoke last in front. */
export function facesOf(mirror: Mirror, group: GroupId): readonly Agent[] {
  const agents = agentsOf(mirror, group);
  const speakers: Message[] = [...(mirror.threads.get(group)?.messages.slice(-12) ?? [])].reverse();
  const last = mirror.last.get(group);
  const order = [...(last ? [last] : []), ...speakers].flatMap((message) =>
    message.author.kind === 'agent' ? [message.author.id] : [],
  );
  const place = (agent: Agent) => (order.includes(agent.id) ? order.indexOf(agent.id) : order.length);
  return [...agents]
    .sort((a, b) => place(a) - place(b))
    .slice(0, 2)
    .reverse();
}

/** The sign of a state at the corner of an avatar; none for one that is idle. */
export function presenceOf(
  state: AgentState,
  waits = false,
): 'running' | 'queued' | 'needs' | 'paused' | 'error' | undefined {
  switch (state) {
    case 'running':
      return waits ? 'queued' : 'running';
    case 'paused':
    case 'error':
      return state;
    case 'waiting_approval':
      return 'needs';
    case 'idle':
    case 'terminated':
      return undefined;
    default:
      return state satisfies never;
  }
}
