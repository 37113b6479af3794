/** What the person is about to say in each group: the text in the composer, and what waits for its turn. */
import type { GroupId } from '../api/generated';

export type Queued = {
  id: number;
  text: string;
  /** It was refused once, so it goes out only when the person sends it. */
  held: boolean;
};

export class Draft {
  text = $state('');
  queue = $state.raw<readonly Queued[]>([]);
  #next = 1;

  /** Puts a message behind those that wait. */
  wait(text: string, held = false): void {
    this.queue = [...this.queue, { id: this.#next, text, held }];
    this.#next += 1;
  }

  /** Takes one out of the queue. */
  take(id: number): Queued | undefined {
    const found = this.queue.find((queued) => queued.id === id);
    this.queue = this.queue.filter((queued) => queued.id !== id);
    return found;
  }

  /** Brings back what could not be sent: into the composer if that is empty. */
  refused(text: string): void {
    if (this.text === '') this.text = text;
    else this.wait(text, true);
  }
}

export class Drafts {
  // Each draft is reactive; which groups have one is nobody's concern.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  #of = new Map<GroupId, Draft>();

  of(group: GroupId): Draft {
    const known = this.#of.get(group);
    if (known) return known;
    const draft = new Draft();
    this.#of.set(group, draft);
    return draft;
  }

  /** Groups in which something waits. */
  waiting(): readonly (readonly [GroupId, Draft])[] {
    return [...this.#of].filter(([, draft]) => draft.queue.length > 0);
  }
}
