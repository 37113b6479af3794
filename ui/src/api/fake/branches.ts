/** Branches of conversations, as the runtime's are: what each message follows, and what is aside. */
import type { GroupId, Message, MessageId, Variants } from '../generated';

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
