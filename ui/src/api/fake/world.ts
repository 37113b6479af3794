/** The fake workspace's records, and the stream of what happens to them. */
import type { News } from '../backend';
import type {
  Agent,
  AgentId,
  Approval,
  Decision,
  Event,
  FeedSource,
  Grant,
  Group,
  GroupId,
  GroupView,
  Mark,
  Member,
  Message,
  Participant,
  Pass,
  Provider,
  Question,
  Reaction,
  Record as Row,
  Run,
  RunId,
  Settings,
  Soul,
  SoulProposal,
  SoulVersion,
  Step,
  StepKind,
} from '../generated';
import { FakeBranches } from './branches';

type Update = Event extends infer E ? (E extends { n: number } ? Omit<E, 'n'> : never) : never;

export class World {
  readonly agents = new Map<AgentId, Agent>();
  readonly groups = new Map<GroupId, Group>();
  readonly members = new Map<GroupId, Member[]>();
  readonly messages: Message[] = [];
  readonly branches = new FakeBranches();
  readonly decisions: Decision[] = [];
  reactions: Reaction[] = [];
  readonly runs = new Map<RunId, Run>();
  readonly steps = new Map<RunId, Step[]>();
  readonly souls = new Map<string, Soul>();
  readonly files = new Map<string, string>();
  readonly versions = new Map<string, SoulVersion[]>();
  readonly providers = new Map<string, Provider>();
  readonly approvals = new Map<string, Approval>();
  /** What files hold that are there already, by their whole paths. */
  readonly onDisk = new Map<string, string>();
  readonly questions = new Map<string, Question>();
  readonly grants = new Map<string, Grant>();
  readonly passes = new Map<string, Pass>();
  readonly proposals = new Map<string, SoulProposal>();
  readonly sources = new Map<string, FeedSource>();
  settings: Settings = {
    your_name: '',
    appearance: { theme: 'system', language: 'system', high_contrast: false, zoom_percent: 100 },
    models: { default: 'local/smollm2-135m', fast: null, reasoning: null, embedding: null, fallback: null },
    limits: { max_concurrent: 2, message_characters: 32_000 },
    prices: [],
    response_cache: { on: true, sampled: false },
    memory: { notices: true, looks_back: true, reminds: true },
    approvals: { minutes: 10, notifies: true, blocked: [], near_hosts: [] },
    feed: { on: false, every_minutes: 30, answers_per_item: 2, per_hour: 12, rest_minutes: 10 },
    manners: { stays: false, tells_trouble: true },
    all_paused: false,
  };
  /** Milliseconds; a test sets it by hand. */
  now: () => number;

  /** Who has left, as they sat. */
  #left = new Map<string, Member>();
  #events: Event[] = [];
  #hearers = new Set<(news: News) => void>();
  #seq = 0;
  #id = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  get mark(): Mark {
    return { epoch: 1, n: this.#events.length };
  }

  nextSeq(): number {
    return (this.#seq += 1);
  }

  nextId(): string {
    this.#id += 1;
    return `00000000-0000-7000-8000-${this.#id.toString(16).padStart(12, '0')}`;
  }

  hear(after: Mark | null, on: (news: News) => void): () => void {
    for (const event of this.#events.slice(after?.n ?? this.#events.length)) on({ event });
    this.#hearers.add(on);
    return () => this.#hearers.delete(on);
  }

  /** As if the events were no longer held. */
  forget(): void {
    for (const on of [...this.#hearers]) on({ resync: { now: this.mark } });
  }

  tell(update: Update): void {
    const event = { n: this.#events.length + 1, ...update } as Event;
    this.#events.push(event);
    for (const on of [...this.#hearers]) on({ event });
  }

  save(record: Row): void {
    this.keep(record);
    this.tell({ event: 'saved', record });
  }

  /** Keeps a record without telling anybody: how things were at the start. */
  keep(record: Row): void {
    switch (record.table) {
      case 'agent':
        this.agents.set(record.row.id, record.row);
        return;
      case 'group':
        this.groups.set(record.row.id, record.row);
        return;
      case 'member': {
        const rest = this.membersOf(record.row.group).filter((member) => !same(member.who, record.row.who));
        this.members.set(
          record.row.group,
          [...rest, record.row].sort((a, b) => a.position - b.position),
        );
        return;
      }
      case 'message':
        this.branches.grow(record.row);
        this.messages.push(record.row);
        return;
      case 'decision':
        this.decisions.push(record.row);
        return;
      case 'run':
        this.runs.set(record.row.id, record.row);
        return;
      case 'step':
        this.steps.set(record.row.run, [...(this.steps.get(record.row.run) ?? []), record.row]);
        return;
      case 'soul':
        this.souls.set(record.row.name, record.row);
        return;
      case 'provider':
        this.providers.set(record.row.name, record.row);
        return;
      case 'settings':
        this.settings = record.row;
        return;
      case 'approval':
        this.approvals.set(record.row.call, record.row);
        return;
      case 'question':
        this.questions.set(record.row.id, record.row);
        return;
      case 'grant':
        this.grants.set(record.row.id, record.row);
        return;
      case 'branch':
      case 'reactions':
        return;
      case 'pass':
        this.passes.set(record.row.id, record.row);
        return;
      case 'proposal':
        this.proposals.set(record.row.id, record.row);
        return;
      case 'source':
        this.sources.set(record.row.id, record.row);
        return;
      case 'community':
      case 'post':
      case 'schedule':
        // Kept by whoever has them all.
        return;
      case 'memory':
        // Kept with its versions by who changed it.
        return;
      default:
        record satisfies never;
    }
  }

  leave(group: GroupId, who: Participant): void {
    const leaving = this.membersOf(group).find((member) => same(member.who, who));
    if (leaving) this.#left.set(`${group} ${JSON.stringify(who)}`, leaving);
    this.members.set(
      group,
      this.membersOf(group).filter((member) => !same(member.who, who)),
    );
    this.tell({ event: 'removed', removed: { table: 'member', group, who } });
  }

  /** Where it sat before it left. */
  comeBack(group: GroupId, agent: AgentId): void {
    const left = this.#left.get(`${group} ${JSON.stringify({ kind: 'agent', id: agent })}`);
    if (left) this.save({ table: 'member', row: left });
  }

  step(run: RunId, kind: StepKind): void {
    const n = (this.steps.get(run)?.length ?? 0) + 1;
    this.save({ table: 'step', row: { run, n, at_ms: this.now(), ...kind } as Step });
  }

  /** Puts a member in this place; the others keep their order. */
  reseat(group: GroupId, member: Member, position: number | undefined): void {
    const who = JSON.stringify(member.who);
    const others = this.membersOf(group).filter((one) => one !== member && JSON.stringify(one.who) !== who);
    const at = position ?? member.position;
    const order = [...others.slice(0, at), member, ...others.slice(at)];
    order.forEach((one, place) => this.save({ table: 'member', row: { ...one, position: place } }));
  }

  membersOf(group: GroupId): readonly Member[] {
    return this.members.get(group) ?? [];
  }

  messagesOf(group: GroupId): Message[] {
    return this.messages.filter((message) => message.group === group && this.branches.isShown(message));
  }

  view(group: Group): GroupView {
    const messages = this.messagesOf(group.id);
    const asked = messages.findLastIndex((message) => message.author.kind === 'user');
    const running = [...this.runs.values()].filter((run) => run.group === group.id && run.state === 'running');
    const since = messages.slice(asked + 1).filter((message) => message.author.kind === 'agent');
    return {
      group,
      members: [...this.membersOf(group.id)],
      last: messages.at(-1) ?? null,
      messages_since_post: since.length,
      answers_to_come: running.length,
    };
  }
}

function same(one: Participant, other: Participant): boolean {
  return one.kind === 'user' ? other.kind === 'user' : other.kind === 'agent' && other.id === one.id;
}
