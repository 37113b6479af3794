/** What the person is about to say in each group: the text in the composer, and what waits for its turn. */
import { newRequestId } from '../api/backend';
import type { Attachment, GroupId, RequestId } from '../api/generated';

export type Queued = {
  id: number;
  text: string;
  attachments: readonly Attachment[];
  /** The message's own id: sent again under it, the message is stored once. */
  request: RequestId;
  /** It was refused once, so it goes out only when the person sends it. */
  held: boolean;
};

/** On its way to be stored. */
export type Sending = { text: string; attachments: readonly Attachment[]; request: RequestId; isSlow: boolean };

const none: readonly Attachment[] = [];

/** Whether the same files are shown. */
const same = (one: readonly Attachment[], other: readonly Attachment[]) =>
  one.length === other.length && one.every(({ hash, name }, at) => hash === other[at]?.hash && name === other[at].name);

export class Draft {
  text = $state('');
  /** What the message is to show, kept by the workspace already. */
  attachments = $state.raw<readonly Attachment[]>(none);
  queue = $state.raw<readonly Queued[]>([]);
  sending = $state.raw<readonly Sending[]>([]);
  /** The text that came back into the composer; it may be stored all the same. */
  #back: { text: string; attachments: readonly Attachment[]; request: RequestId } | null = null;
  #next = 1;

  /** The id to send a text under: its own if it came back unchanged, else a new one. */
  requestFor(text: string, attachments = none): RequestId {
    const isBack = this.#back?.text === text && same(this.#back.attachments, attachments);
    const request = this.#back && isBack ? this.#back.request : newRequestId();
    this.#back = null;
    return request;
  }

  /** Puts a message behind those that wait. */
  wait(text: string, request: RequestId, held = false, attachments = none): void {
    this.queue = [...this.queue, { id: this.#next, text, attachments, request, held }];
    this.#next += 1;
  }

  /** Takes one out of the queue. */
  take(id: number): Queued | undefined {
    const found = this.queue.find((queued) => queued.id === id);
    this.queue = this.queue.filter((queued) => queued.id !== id);
    return found;
  }

  /** Takes one out of the queue and into the composer. */
  edit(id: number): Queued | undefined {
    const found = this.take(id);
    if (!found) return undefined;
    // What was being written is not lost: it waits in turn.
    const written = this.text.trim();
    const shown = this.attachments;
    if (written !== '' || shown.length > 0) this.wait(written, this.requestFor(written, shown), false, shown);
    this.#bring(found.text, found.request, found.attachments);
    return found;
  }

  send(text: string, request: RequestId, attachments = none): void {
    this.sending = [...this.sending, { text, attachments, request, isSlow: false }];
  }

  takesLong(request: RequestId): void {
    this.sending = this.sending.map((one) => (one.request === request ? { ...one, isSlow: true } : one));
  }

  isSending(request: RequestId): boolean {
    return this.sending.some((one) => one.request === request);
  }

  /** Brings back what could not be sent: into the composer if that is empty. */
  refused(text: string, request: RequestId, attachments = none): void {
    this.#sent(request);
    if (this.text === '' && this.attachments.length === 0) this.#bring(text, request, attachments);
    else this.wait(text, request, true, attachments);
  }

  /** The message is stored, whatever was heard before: nothing of it is left to send. */
  stored(request: RequestId): void {
    this.#sent(request);
    if (this.queue.some((queued) => queued.request === request))
      this.queue = this.queue.filter((queued) => queued.request !== request);
    if (this.#back?.request !== request) return;
    if (this.text.trim() === this.#back.text && same(this.attachments, this.#back.attachments)) {
      this.text = '';
      this.attachments = none;
    }
    this.#back = null;
  }

  #bring(text: string, request: RequestId, attachments: readonly Attachment[]): void {
    this.text = text;
    this.attachments = attachments;
    this.#back = { text, attachments, request };
  }

  #sent(request: RequestId): void {
    if (this.isSending(request)) this.sending = this.sending.filter((one) => one.request !== request);
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
