/**
 * What the person is about to say in each group: the text in the composer, and
 * what waits for its turn. The workspace keeps all of it, so that it is there
 * again after the window has gone.
 */
// Maps are replaced as a whole, never changed in place.
/* eslint-disable svelte/prefer-svelte-reactivity */
import { newRequestId } from '../api/backend';
import type { Attachment, Draft as Kept, GroupId, MessageId, RequestId, Unsent, Written } from '../api/generated';
import { Elsewhere } from './elsewhere.svelte';

export type Queued = Written & {
  id: number;
  /** The message's own id: sent again under it, the message is stored once. */
  request: RequestId;
  /** Those that it had before it was moved: what was stored under one of them is not to be sent again. */
  was: readonly RequestId[];
  /** It was refused once, so it goes out only when the person sends it. */
  held: boolean;
};

/** On its way to be stored. */
export type Sending = Written & { request: RequestId; isSlow: boolean };

/** What has changed since the workspace was told. */
export type Change = {
  written: Written | null;
  keep: Unsent[];
  drop: RequestId[];
};

/** Has a change kept, and gives all that is kept of the group then. */
export type Keep = (change: Change) => Promise<Kept>;

export const nothing: Written = { text: '', reply_to: null, attachments: [] };

/** A pause in the typing. */
const typedMs = 300;
/** After the workspace could not keep it. */
const againMs = 2000;

/** Whether the same is said, and the same files are shown. */
const same = (one: Written, other: Written) =>
  one.text === other.text &&
  one.reply_to === other.reply_to &&
  one.attachments.length === other.attachments.length &&
  one.attachments.every(
    ({ hash, name }, at) => hash === other.attachments[at]?.hash && name === other.attachments[at].name,
  );

const isNothing = (written: Written) => same(written, nothing);

/** As it is sent: without space around it. */
const trimmed = (written: Written): Written => ({ ...written, text: written.text.trim() });

/** Both in one message, which quotes what the first quotes. */
const joined = (first: Written, then: Written): Written => ({
  text: [first.text, then.text].filter((text) => text !== '').join('\n\n'),
  reply_to: first.reply_to ?? then.reply_to,
  attachments: [...first.attachments, ...then.attachments],
});

export const writtenOf = ({ text, reply_to, attachments }: Written): Written => ({ text, reply_to, attachments });

/** The queue with one of it at another place. */
export function placed(queue: readonly Queued[], id: number, to: number): readonly Queued[] {
  const one = queue.find((queued) => queued.id === id);
  return one ? queue.filter((queued) => queued !== one).toSpliced(to, 0, one) : queue;
}

const unsentOf = (queued: Queued): Unsent => ({ id: queued.request, ...writtenOf(queued), held: queued.held });

export class Draft {
  #written = $state.raw<Written>(nothing);
  #queue = $state.raw<readonly Queued[]>([]);
  sending = $state.raw<readonly Sending[]>([]);
  /** The text that came back into the composer; it may be stored all the same. */
  #back: { written: Written; request: RequestId } | null = null;
  #next = 1;

  // How the workspace has it, as far as it said so.
  #keep: Keep;
  #keptWritten = nothing;
  #kept = $state.raw<ReadonlyMap<RequestId, Unsent>>(new Map());
  #saving = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  get text(): string {
    return this.#written.text;
  }

  set text(text: string) {
    if (text === this.text) return;
    this.#written = { ...this.#written, text };
    this.#saveIn(typedMs);
  }

  /** What the message is to show, kept by the workspace already. */
  get attachments(): readonly Attachment[] {
    return this.#written.attachments;
  }

  set attachments(attachments: readonly Attachment[]) {
    this.#set({ ...this.#written, attachments: [...attachments] });
  }

  /** The message that it quotes. */
  get replyTo(): MessageId | null {
    return this.#written.reply_to;
  }

  set replyTo(reply_to: MessageId | null) {
    this.#set({ ...this.#written, reply_to });
  }

  /** What is to be sent, of which nothing stays. */
  takeAll(): Written {
    const all = trimmed(this.#written);
    this.#set(nothing);
    return all;
  }

  get queue(): readonly Queued[] {
    return this.#queue;
  }

  /** The one whose turn it is to go out. */
  get next(): Queued | undefined {
    const first = this.#queue[0];
    return first && !first.held && this.sending.length === 0 ? first : undefined;
  }

  /** Something is on its way, or waits to be. */
  get isGoingOut(): boolean {
    return this.sending.length > 0 || this.#queue.some((queued) => !queued.held);
  }

  /** Whether it is there again after the window has gone. */
  isKept(request: RequestId): boolean {
    return this.#kept.has(request);
  }

  /** The id to send it under: its own if it came back unchanged, else a new one. */
  requestFor(written: Written): RequestId {
    const request = this.#back && same(this.#back.written, written) ? this.#back.request : newRequestId();
    this.#back = null;
    return request;
  }

  /** Puts a message behind those that wait. */
  wait(written: Written, request: RequestId, held = false): void {
    this.#setQueue([...this.#queue, { id: this.#next, ...writtenOf(written), request, was: [], held }]);
    this.#next += 1;
  }

  /**
   * Puts one at another place: they go out in the new order.
   *
   * The workspace keeps them in the order in which it came to know them, so whatever
   * goes behind others there becomes a new one to it.
   */
  move(id: number, to: number): void {
    const order = placed(this.#queue, id, to);
    const places = order.map((queued) => this.#queue.indexOf(queued));
    const behind = places.findIndex((place, at) => at > 0 && place < (places[at - 1] ?? 0));
    if (behind !== -1) this.#setNewFrom(order, behind);
  }

  /** Takes one out of the queue. */
  take(id: number): Queued | undefined {
    const found = this.#queue.find((queued) => queued.id === id);
    this.#setQueue(this.#queue.filter((queued) => queued.id !== id));
    return found;
  }

  /** Takes one out of the queue for good. What it gives puts it back before those that stood behind it. */
  remove(id: number): (() => void) | undefined {
    const at = this.#queue.findIndex((queued) => queued.id === id);
    const gone = this.take(id);
    if (!gone) return undefined;
    const behind = new Set(this.#queue.slice(at).map((queued) => queued.id));
    return () => {
      const found = this.#queue.findIndex((queued) => behind.has(queued.id));
      const to = found === -1 ? this.#queue.length : found;
      this.#setNewFrom(this.#queue.toSpliced(to, 0, gone), to);
    };
  }

  /** Takes one out of the queue and into the composer, before what is being written there. */
  edit(id: number): Queued | undefined {
    const found = this.take(id);
    if (!found) return undefined;
    // What was only typed stays where it was typed: nobody has said that it is to be sent.
    const typed = trimmed(this.#written);
    this.#bring(found, found.request);
    this.#set(joined(found, typed));
    return found;
  }

  send(written: Written, request: RequestId): void {
    this.sending = [...this.sending, { ...writtenOf(written), request, isSlow: false }];
  }

  takesLong(request: RequestId): void {
    this.sending = this.sending.map((one) => (one.request === request ? { ...one, isSlow: true } : one));
  }

  isSending(request: RequestId): boolean {
    return this.sending.some((one) => one.request === request);
  }

  /** Brings back what could not be sent: into the composer if that is empty. */
  refused(written: Written, request: RequestId): void {
    this.#sent(request);
    if (isNothing(this.#written)) this.#bring(written, request);
    else this.wait(written, request, true);
  }

  /** Somebody else has taken it back: there is nothing to send, nor to bring back. */
  takenBack(request: RequestId): void {
    this.#sent(request);
    this.#forget(request);
  }

  /** The message is stored, whatever was heard before: nothing of it is left to send. */
  stored(request: RequestId): void {
    this.#sent(request);
    this.#forget(request);
    if (this.#back?.request !== request) return;
    if (same(trimmed(this.#written), this.#back.written)) this.#set(nothing);
    this.#back = null;
  }

  /** What the workspace keeps: all of it after a start, else what other windows did to what waits. */
  restore(kept: Kept): void {
    const isUntouched = same(this.#written, this.#keptWritten);
    this.#keptWritten = kept.written;
    if (isUntouched) this.#written = kept.written;
    this.#merge(kept.unsent);
    if (this.#change()) this.#saveIn(0);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #merge(unsent: readonly Unsent[]): void {
    const there = new Map(unsent.map((one) => [one.id, one]));
    const isHere = (id: RequestId) =>
      this.isSending(id) ||
      this.#back?.request === id ||
      this.#queue.some(({ request, was }) => request === id || was.includes(id));
    // What this window has just taken out is no news of another one.
    const isNews = ({ id }: Unsent) => !isHere(id) && !this.#kept.has(id);
    const stays = ({ request }: Queued) => there.has(request) || !this.#kept.has(request);
    const news = unsent.filter(isNews).map((one) => {
      const queued = { id: this.#next, ...writtenOf(one), request: one.id, was: [], held: one.held };
      this.#next += 1;
      return queued;
    });
    this.#queue = [...this.#queue.filter(stays), ...news];
    this.#kept = there;
  }

  #setNewFrom(order: readonly Queued[], at: number): void {
    const renewed = order
      .slice(at)
      .map((queued) => ({ ...queued, request: newRequestId(), was: [...queued.was, queued.request] }));
    this.#setQueue([...order.slice(0, at), ...renewed]);
  }

  #setQueue(queue: readonly Queued[]): void {
    this.#queue = queue;
    this.#saveIn(0);
  }

  #forget(request: RequestId): void {
    const isIt = (queued: Queued) => queued.request === request || queued.was.includes(request);
    if (this.#queue.some(isIt)) this.#setQueue(this.#queue.filter((queued) => !isIt(queued)));
    if (this.#kept.has(request)) this.#kept = new Map([...this.#kept].filter(([id]) => id !== request));
  }

  #bring(said: Written, request: RequestId): void {
    const written = writtenOf(said);
    this.#set(written);
    this.#back = { written, request };
  }

  #set(written: Written): void {
    this.#written = written;
    this.#saveIn(0);
  }

  #sent(request: RequestId): void {
    if (this.isSending(request)) this.sending = this.sending.filter((one) => one.request !== request);
  }

  /** What the workspace does not know yet. */
  #change(): Change | null {
    const waiting = this.#queue.map(unsentOf);
    const isKnown = (one: Unsent) => JSON.stringify(this.#kept.get(one.id)) === JSON.stringify(one);
    // What is on its way is taken out by the post itself, so that no moment is without it.
    const isGone = (id: RequestId) => !this.isSending(id) && !waiting.some((one) => one.id === id);
    const written = same(this.#written, this.#keptWritten) ? null : this.#written;
    const keep = waiting.filter((one) => !isKnown(one));
    const drop = [...this.#kept.keys()].filter(isGone);
    const isChanged = written !== null || keep.length > 0 || drop.length > 0;
    return isChanged ? { written, keep, drop } : null;
  }

  #saveIn(ms: number): void {
    clearTimeout(this.#timer);
    // After what the person did is done as a whole: a card that becomes the text is moved at once.
    if (ms === 0) queueMicrotask(() => void this.#save());
    else this.#timer = setTimeout(() => void this.#save(), ms);
  }

  async #save(): Promise<void> {
    // One after the other, so that the last one is the last.
    const change = this.#saving ? null : this.#change();
    if (!change) return;
    this.#saving = true;
    clearTimeout(this.#timer);
    let again = 0;
    try {
      const kept = await this.#keep(change);
      this.#keptWritten = change.written ?? this.#keptWritten;
      const dropped = new Set(change.drop);
      const known = new Map([...this.#kept].filter(([id]) => !dropped.has(id)));
      // What was posted meanwhile is not there any more.
      for (const one of change.keep) if (kept.unsent.some(({ id }) => id === one.id)) known.set(one.id, one);
      this.#kept = known;
    } catch {
      again = againMs;
    } finally {
      this.#saving = false;
    }
    if (this.#change()) this.#saveIn(again);
  }
}

export class Drafts {
  readonly elsewhere = new Elsewhere();
  // Each draft is reactive; which groups have one is nobody's concern.
  #of = new Map<GroupId, Draft>();
  #keep: (group: GroupId, change: Change) => Promise<Kept>;

  constructor(keep: (group: GroupId, change: Change) => Promise<Kept>) {
    this.#keep = keep;
  }

  of(group: GroupId): Draft {
    const known = this.#of.get(group);
    if (known) return known;
    const draft = new Draft((change) => this.#keep(group, change));
    this.#of.set(group, draft);
    return draft;
  }

  /** What the workspace keeps of every group. */
  restore(kept: readonly Kept[]): void {
    for (const one of kept) this.of(one.group).restore(one);
    const rest = [...this.#of].filter(([group]) => !kept.some((one) => one.group === group));
    for (const [group, draft] of rest) draft.restore({ group, written: nothing, unsent: [] });
  }

  /** Groups in which something waits. */
  waiting(): readonly (readonly [GroupId, Draft])[] {
    return [...this.#of].filter(([, draft]) => draft.queue.length > 0);
  }

  close(): void {
    for (const draft of this.#of.values()) draft.close();
  }
}
