/** The fake workspace's feed: who answers is whoever comes first, and what it says is short. */
import type {
  AgentId,
  Author,
  BudgetScope,
  Command,
  Community,
  Fault,
  FeedDay,
  FeedEvent,
  FeedItem,
  FeedQueue,
  GroupId,
  HeldAnswers,
  Message,
  MessageId,
  Moderated,
  Post,
  PostView,
  Query,
  Reason,
  Reply,
  Run,
  Thread,
  WouldAnswer,
} from '../generated';
import type { Budgets } from './budgets';
import type { World } from './world';

const commands = [
  'new_community',
  'edit_community',
  'write_post',
  'ask_for_post',
  'comment',
  'moderate',
  'tick',
  'turn_on_feed',
  'turn_off_feed',
  'retry_feed_event',
] as const;
const queries = ['communities', 'feed', 'thread', 'feed_item', 'would_answer', 'feed_queue', 'feed_activity'] as const;
type FeedCommand = Extract<Command, { kind: (typeof commands)[number] }>;
type FeedQuery = Extract<Query, { kind: (typeof queries)[number] }>;

export const isOfFeed = (command: Command): command is FeedCommand => commands.some((kind) => kind === command.kind);
export const asksFeed = (query: Query): query is FeedQuery => queries.some((kind) => kind === query.kind);

const gone = (what: string): Fault => ({ code: 'not_found', message: `there is no ${what}`, fix: '' });
const done: Reply = { kind: 'done' };

export class FakeFeed {
  readonly communities: Community[] = [];
  /** Set by a test. */
  failed: FeedEvent[] = [];
  /** How many of those that the next ticks take up fail. */
  failing = 0;
  held: HeldAnswers[] = [];
  noRoom: BudgetScope | null = null;
  interrupted: Run[] = [];
  withoutCap = false;
  foreseen: Partial<WouldAnswer> = {};
  #posts: Post[] = [];
  #moderated: Moderated[] = [];
  #waiting: Message[] = [];
  #seen = new Map<GroupId, number>();
  #world: World;
  #budgets: Budgets;

  constructor(world: World, budgets: Budgets) {
    this.#world = world;
    this.#budgets = budgets;
  }

  /** Whether this is a post or a comment; everybody looks at it again. */
  reacted(item: string): boolean {
    const message = this.#world.messages.find((one) => one.id === item);
    if (!message || !this.#posts.some((post) => post.group === message.group)) return false;
    this.#tell(message.group);
    return true;
  }

  do(command: FeedCommand): Reply {
    const world = this.#world;
    switch (command.kind) {
      case 'new_community': {
        const { name, rules, members } = command;
        const row = { id: world.nextId(), name, rules, members, archived: false, created_ms: world.now() };
        this.communities.push(row);
        world.save({ table: 'community', row });
        return { kind: 'community', data: row };
      }
      case 'edit_community': {
        const known = this.communities.find((one) => one.id === command.community);
        if (!known) throw gone('community');
        const row = Object.assign(known, command.patch);
        world.save({ table: 'community', row });
        return { kind: 'community', data: row };
      }
      case 'write_post': {
        const group = world.nextId();
        const message = this.#write(group, { kind: 'user' }, command.text, null);
        return { kind: 'post', data: this.#view(this.#add(group, command.community, message.id)) };
      }
      case 'ask_for_post': {
        const group = world.nextId();
        const author: Author = { kind: 'agent', id: command.agent };
        const message = this.#write(group, author, 'Something I care about.', null);
        return { kind: 'post', data: this.#view(this.#add(group, command.community, message.id)) };
      }
      case 'comment': {
        const to = this.#message(command.to);
        const { name, archived } = this.#community(this.#post(to.group));
        if (archived)
          throw { ...gone('open post'), code: 'refused', kind: { is: 'community_archived', name } } as Fault;
        if (this.#post(to.group).locked)
          throw { ...gone('open post'), code: 'refused', kind: { is: 'thread_locked' } } as Fault;
        return { kind: 'message', data: this.#write(to.group, { kind: 'user' }, command.text, to.id) };
      }
      case 'moderate': {
        const { item, how, why } = command;
        const message = this.#message(item);
        const post = this.#post(message.group);
        this.#moderated.push({ item, how, why, at_ms: world.now() });
        if (how === 'remove') message.body = { kind: 'notice', notice: { kind: 'removed' } };
        if (how === 'lock' || how === 'unlock') post.locked = how === 'lock';
        this.#tell(message.group);
        return done;
      }
      case 'tick':
        if (world.settings.all_paused) throw { ...gone('tick'), code: 'refused', kind: { is: 'all_paused' } } as Fault;
        return { kind: 'ticked', data: this.#tick() };
      case 'turn_on_feed': {
        const { every_minutes, tokens_a_day, microusd_a_day } = command;
        this.#budgets.set({ scope: { kind: 'feed' }, tokens: tokens_a_day, microusd: microusd_a_day });
        const feed = { ...world.settings.feed, on: true, every_minutes };
        world.save({ table: 'settings', row: { ...world.settings, feed } });
        return { kind: 'settings', data: world.settings };
      }
      case 'turn_off_feed': {
        const feed = { ...world.settings.feed, on: false };
        world.save({ table: 'settings', row: { ...world.settings, feed } });
        return { kind: 'settings', data: world.settings };
      }
      case 'retry_feed_event':
        throw gone('such event');
      default:
        return command satisfies never;
    }
  }

  answer(query: FeedQuery): Reply {
    switch (query.kind) {
      case 'communities':
        return { kind: 'communities', data: [...this.communities] };
      case 'feed': {
        const { filter, before, limit } = query;
        const { community, author, unread } = filter;
        const isHere = (post: Post) => (community ? post.community === community : !this.#community(post).archived);
        const here = this.#posts.filter((post) => isHere(post) && (before === null || post.seq < before));
        const isBy = ({ item }: PostView) =>
          !author || (item && JSON.stringify(item.message.author) === JSON.stringify(author));
        const views = here.reverse().map((post) => this.#view(post));
        const fitting = views.filter((view) => isBy(view) && (!unread || view.unread > 0));
        return { kind: 'posts', data: fitting.slice(0, limit) };
      }
      case 'thread':
        return { kind: 'thread', data: this.#thread(this.#post(query.post)) };
      case 'feed_item': {
        const found = this.#world.messages.find((message) => message.seq === query.seq);
        if (!found || !this.#posts.some((post) => post.group === found.group)) throw gone('post or comment');
        return { kind: 'message', data: found };
      }
      case 'would_answer':
        return { kind: 'would_answer', data: this.#wouldAnswer(query.text) };
      case 'feed_queue': {
        const data: FeedQueue = {
          waiting: this.#waiting.length,
          taken: 0,
          done: 0,
          failed: this.failed,
          interrupted: this.interrupted,
          quotas: [...this.#world.agents.values()].map((agent) => ({ agent: agent.id, ...this.#left(agent.id) })),
          answers_to_come: 0,
          held: this.held,
          no_room: this.noRoom,
          problems: [],
          without_cap: this.withoutCap,
          next_tick_ms: null,
        };
        return { kind: 'feed_queue', data };
      }
      case 'feed_activity':
        return { kind: 'feed_activity', data: this.#activity(query.community, query.since_ms) };
      default:
        return query satisfies never;
    }
  }

  /** Whether it is a thread; then it has been seen up to there. */
  markRead(group: GroupId, seq: number): boolean {
    if (!this.#posts.some((post) => post.group === group)) return false;
    this.#seen.set(group, seq);
    const read = { muted: false, talkativeness: null, cursor: seq, joined_after: 0 };
    const row = { group, who: { kind: 'user' as const }, position: 0, ...read };
    this.#world.tell({ event: 'saved', record: { table: 'member', row } });
    return true;
  }

  #add(group: GroupId, community: string, message: MessageId): Post {
    const at_ms = this.#world.now();
    const post: Post = { seq: this.#posts.length + 1, group, community, message, locked: false, at_ms };
    this.#posts.push(post);
    this.#tell(group);
    return post;
  }

  /** Whom it names answer at once, and the first of the others at a tick. */
  #wouldAnswer(text: string): WouldAnswer {
    const agents = [...this.#world.agents.values()];
    const named = agents.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id);
    const first = agents.map(({ id }) => id).filter((id) => !named.includes(id));
    return { at_once: named, by_tick: first.slice(0, 1), ...this.#budgets.answers(named.length + 1), ...this.foreseen };
  }

  /** Each that waits is answered by the first agent that has not written in its thread. */
  #tick() {
    const waiting = this.#waiting.filter((item) => item.author.kind === 'user');
    const events = this.#waiting.length;
    this.#waiting = [];
    for (const item of waiting) {
      const [first, ...others] = this.#world.agents.values();
      if (!first) continue;
      this.#decide(item, first.id, { kind: 'interested', interest: 'plans', percent: null });
      for (const other of others) this.#decide(item, other.id, { kind: 'not_interested' });
      this.#write(item.group, { kind: 'agent', id: first.id }, 'I would count them first.', item.id);
    }
    return { events, woken: waiting.length, failed: this.failing, without_room: 0, out_of_quota: 0 };
  }

  #decide(item: Message, agent: string, reason: Reason): void {
    const { group, id: message, root } = item;
    const verdict = reason.kind === 'interested' ? 'speak' : 'pass';
    const [seq, at_ms] = [this.#world.nextSeq(), this.#world.now()];
    const row = { seq, group, agent, message, root, verdict, reason, run: null, at_ms } as const;
    this.#world.save({ table: 'decision', row });
  }

  #write(group: GroupId, author: Author, text: string, parent: MessageId | null): Message {
    const world = this.#world;
    const id = world.nextId();
    const depth = author.kind === 'agent' ? 1 : 0;
    const row: Message = {
      seq: world.nextSeq(),
      id,
      group,
      parent,
      author,
      body: { kind: 'text', text, cut_short: false },
      chain_depth: depth,
      root: parent ?? id,
      run: null,
      at_ms: world.now(),
    };
    this.#waiting.push(row);
    world.save({ table: 'message', row });
    return row;
  }

  #activity(community: string | null, since_ms: number): FeedDay[] {
    const days = new Map<string, FeedDay>();
    const count = (at_ms: number, who: Author, what: 'posts' | 'comments' | 'given' | 'refused') => {
      if (at_ms < since_ms) return;
      const day = new Date(at_ms).toISOString().slice(0, 10);
      const key = `${day} ${JSON.stringify(who)}`;
      const row = days.get(key) ?? { day, who, posts: 0, comments: 0, given: 0, refused: 0 };
      row[what] += 1;
      days.set(key, row);
    };
    for (const post of this.#posts.filter((one) => !community || one.community === community)) {
      for (const message of this.#world.messages.filter((one) => one.group === post.group))
        count(message.at_ms, message.author, message.id === post.message ? 'posts' : 'comments');
      for (const decision of this.#world.decisions.filter((one) => one.group === post.group))
        count(decision.at_ms, { kind: 'agent', id: decision.agent }, decision.verdict === 'pass' ? 'refused' : 'given');
    }
    return [...days.values()].sort((a, b) => a.day.localeCompare(b.day));
  }

  #thread(post: Post): Thread {
    const comments = this.#comments(post).map((message) => this.#item(message));
    const items = new Set([post.message, ...comments.map((one) => one.message.id)]);
    const said = comments.filter((one) => one.message.author.kind === 'agent').length;
    const answers = { left: 10 - said, of: 10 };
    return {
      view: this.#view(post),
      comments,
      answers,
      moderated: this.#moderated.filter((one) => items.has(one.item)),
    };
  }

  #view(post: Post): PostView {
    const comments = this.#comments(post);
    const first = post.message && this.#message(post.message);
    const seen = this.#seen.get(post.group) ?? 0;
    const all = first ? [this.#message(first.id), ...comments] : comments;
    const unread = all.filter((one) => one.seq > seen && one.author.kind === 'agent').length;
    const item = first ? this.#item(first) : null;
    const last_ms = comments.at(-1)?.at_ms ?? post.at_ms;
    return { post: { ...post }, item, comments: comments.length, unread, answers_to_come: 0, answers_held: 0, last_ms };
  }

  #item(message: Message): FeedItem {
    const shown = this.#moderated.filter((one) => one.item === message.id && /^(hide|show)$/.test(one.how));
    const reactions = this.#world.reactions.filter((one) => one.item === message.id);
    const given = this.#world.decisions.filter((one) => one.message === message.id && one.verdict === 'speak').length;
    const answers = { left: 2 - given, of: 2 };
    const dead = this.failed.some((one) => one.item === message.id && one.state === 'dead');
    const event = this.#waiting.includes(message) ? 'waiting' : dead ? 'dead' : 'done';
    return { message: { ...message }, hidden: shown.at(-1)?.how === 'hide', reactions, answers, event };
  }

  #left(agent: AgentId) {
    const given = this.#world.decisions.filter((one) => one.agent === agent && one.verdict === 'speak').length;
    return { left: 12 - given, of: 12 };
  }

  #comments(post: Post): Message[] {
    return this.#world.messages.filter((one) => one.group === post.group && one.id !== post.message);
  }

  #message(id: MessageId): Message {
    const found = this.#world.messages.find((message) => message.id === id);
    if (!found) throw gone('post or comment');
    return found;
  }

  #community(post: Post): Community {
    const found = this.communities.find((one) => one.id === post.community);
    if (!found) throw gone('community');
    return found;
  }

  #post(group: GroupId): Post {
    const found = this.#posts.find((post) => post.group === group);
    if (!found) throw gone('post');
    return found;
  }

  #tell(group: GroupId): void {
    this.#world.save({ table: 'post', row: { ...this.#post(group) } });
  }
}
