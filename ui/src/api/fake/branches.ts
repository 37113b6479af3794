/** Branches of conversations, as the runtime's are: what each message follows, and what is aside. */
import type { AgentId, Author, Command, Group, GroupId, Message, MessageId, Reply, Variants } from '../generated';
import type { Desk } from './desk';
import type { World } from './world';

export type OfBranches = Extract<Command, { kind: 'edit_message' | 'answer_again' | 'show_branch' | 'fork' }>;

const kinds: readonly Command['kind'][] = ['edit_message', 'answer_again', 'show_branch', 'fork'];
export const isOfBranches = (command: Command): command is OfBranches => kinds.includes(command.kind);

export class FakeBranches {
  /** What each message stood behind when it was written. */
  #follows = new Map<MessageId, MessageId | null>();
  #aside = new Set<MessageId>();
  /** The last message that is shown, of each group. */
  #last = new Map<GroupId, MessageId | null>();

  isShown(message: Message): boolean {
    return !this.#aside.has(message.id);
  }

  grow(message: Message): void {
    this.#follows.set(message.id, this.#last.get(message.group) ?? null);
    this.#last.set(message.group, message.id);
  }

  setAsideFrom(message: Message, all: readonly Message[]): void {
    for (const one of all) if (one.group === message.group && one.seq >= message.seq) this.#aside.add(one.id);
    this.#last.set(message.group, this.#follows.get(message.id) ?? null);
  }

  show(message: Message, all: readonly Message[]): void {
    const here = all.filter((one) => one.group === message.group);
    const behind = this.#behind(here);
    const branch = new Set<MessageId>();
    for (let at: MessageId | null | undefined = message.id; at; at = this.#follows.get(at)) branch.add(at);
    for (let at: MessageId | undefined = message.id; at; at = behind.get(at)?.at(-1)?.id) {
      branch.add(at);
      this.#last.set(message.group, at);
    }
    for (const one of here) {
      if (branch.has(one.id)) this.#aside.delete(one.id);
      else this.#aside.add(one.id);
    }
  }

  variants(group: GroupId, all: readonly Message[]): Variants[] {
    const here = all.filter((one) => one.group === group);
    return [...this.#behind(here).values()].flatMap((next) => {
      const shown = next.find((one) => this.isShown(one));
      if (next.length < 2 || !shown) return [];
      return [{ shown: shown.id, all: next.map((one) => ({ message: one.id, seq: one.seq })) }];
    });
  }

  #behind(here: readonly Message[]): Map<MessageId | null, Message[]> {
    const behind = new Map<MessageId | null, Message[]>();
    for (const one of here) {
      const follows = this.#follows.get(one.id) ?? null;
      behind.set(follows, [...(behind.get(follows) ?? []), one]);
    }
    return behind;
  }
}

export function doBranches(
  world: World,
  desk: Desk,
  command: OfBranches,
  post: (command: Command) => Reply,
  make: (like: Group, agents: AgentId[]) => Group,
): Reply {
  const said = desk.message(command.message);
  const group = said && world.groups.get(said.group);
  if (!group) throw { code: 'not_found', message: 'there is no such message', fix: '' };
  switch (command.kind) {
    case 'edit_message': {
      const { text, attachments } = command;
      setAside(world, said, 'user');
      return post({ kind: 'post', group: group.id, text, attachments, reply_to: said.parent });
    }
    case 'answer_again': {
      setAside(world, said, 'agent');
      const run = said.run === null ? undefined : world.runs.get(said.run);
      const cause = run && desk.message(run.cause.message);
      if (run && cause) void desk.run(group, run.agent, cause, { kind: 'asked_by_user' });
      return { kind: 'done' };
    }
    case 'show_branch':
      world.branches.show(said, world.messages);
      world.save({ table: 'branch', row: group.id });
      return { kind: 'done' };
    case 'fork': {
      const agents = world.membersOf(group.id).flatMap((one) => (one.who.kind === 'agent' ? [one.who.id] : []));
      const forked = make(group, agents);
      copyUpTo(world, said, forked.id);
      return { kind: 'group', data: world.view(forked) };
    }
    default:
      return command satisfies never;
  }
}

/** Sets a message aside with all that came after it, if it is of such an author. */
function setAside(world: World, message: Message, of: Author['kind']): void {
  if (message.author.kind !== of) throw { code: 'refused', message: 'somebody else wrote this', fix: '' };
  world.branches.setAsideFrom(message, world.messages);
  world.save({ table: 'branch', row: message.group });
}

function copyUpTo(world: World, last: Message, into: GroupId): void {
  for (const one of world.messagesOf(last.group).filter((said) => said.seq <= last.seq))
    world.save({ table: 'message', row: { ...one, seq: world.nextSeq(), id: world.nextId(), group: into, run: null } });
}
