/** What the fake workspace keeps of what was not said yet. */
import type { Command, Draft, GroupId, Message } from '../generated';

type Saved = Extract<Command, { kind: 'save_draft' }>;

export class FakeDrafts {
  #of = new Map<GroupId, Draft>();

  get all(): Draft[] {
    return [...this.#of.values()];
  }

  of(group: GroupId): Draft {
    return this.#of.get(group) ?? { group, written: { text: '', reply_to: null, attachments: [] }, unsent: [] };
  }

  save({ group, written, keep, drop }: Saved): Draft {
    const before = this.of(group);
    const replaced = before.unsent.map((one) => keep.find((other) => other.id === one.id) ?? one);
    const added = keep.filter((one) => !before.unsent.some((other) => other.id === one.id));
    const unsent = [...replaced, ...added].filter((one) => !drop.includes(one.id));
    const draft = { group, written: written ?? before.written, unsent };
    this.#of.set(group, draft);
    return draft;
  }

  said({ id, group }: Message): void {
    const draft = this.of(group);
    this.#of.set(group, { ...draft, unsent: draft.unsent.filter((one) => one.id !== id) });
  }
}
