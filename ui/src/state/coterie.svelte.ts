/**
 * The window's hold on the workspace: the mirror kept up to date, and the way
 * to ask for something. It knows no screen and no words.
 */
import { createContext } from 'svelte';
import { faultOf, newRequestId, type Backend, type Desktop, type Drop, type News } from '../api/backend';
import type {
  AgentId,
  Attachment,
  Call,
  Command,
  Event,
  Fault,
  FeedSourceId,
  GroupId,
  LocalModel,
  Message,
  PassId,
  Query,
  Reply,
  RequestId,
  RunId,
  Written,
} from '../api/generated';
import { Drafts, nothing, writtenOf, type Change } from './drafts.svelte';
import { isOfFeed, isOfSchedules } from './hearing';
import {
  apply,
  opened,
  withAgent,
  withDecisions,
  withMessages,
  withVariants,
  withGroup,
  withPage,
  withReactions,
  withRuns,
  withSteps,
  type Mirror,
} from './mirror';
import { Pictures } from './pictures.svelte';
import type { Beginning, Place } from './place';
import { changesSpending, memoryIn, messageIn, type MemoryHearer } from './news';
import { Seen } from './seen.svelte';
import { answeringIn, beginsWithinMs, isAsked, isBusy, runningIn } from './select';
import { expect } from './reply';
import { Shortcuts } from './shortcuts.svelte';
import { SoulModels } from './soul-models.svelte';
import { Spending } from './spending.svelte';
import type { Undo } from './undo';

const pageLength = 100;
const decisionsLength = 500;
const frameAtMostMs = 50;
const againAfterMs = 2000;
const slowAfterMs = 1000;
const keptGroup = 'coterie.group';

export class Coterie {
  /** Undefined until the workspace has told what there is. */
  #now = $state.raw<Mirror>();
  readonly mirror = new Seen(() => this.#whole);
  /** Why the workspace cannot be opened, or opened again. */
  fault = $state.raw<Fault | null>(null);
  place = $state.raw<Place>({ page: 'conversations' });
  /** The last act that can be taken back; none once somebody else has done so, or nothing says so any more. */
  undoable = $state.raw<Undo | null>(null);
  #begins = $state.raw<Beginning | null>(null);
  /** Files are being carried over the window. */
  carriesFiles = $state(false);
  /** Where files go that are dropped: the message that is being written. */
  takesFiles: ((files: readonly File[]) => void) | null = null;
  /** Where memories come in, no file is shown with a message. */
  takesMemoryFile: ((path: string) => void) | null = null;
  /** Takes in a skill whose folder was dropped, while its page is looked at. */
  takesSkill: ((path: string) => void) | null = null;
  readonly shortcuts = new Shortcuts();
  readonly drafts = new Drafts((group, change) => this.#keepDraft(group, change));
  readonly spending = new Spending(async () => {
    return expect(await this.query({ kind: 'budgets' }), 'budgets');
  });
  readonly pictures = new Pictures((hash) => this.#attached(hash));
  readonly souls = new SoulModels(async (soul, version) => {
    return expect(await this.query({ kind: 'soul_version', soul, version }), 'soul_version').text;
  });
  /** Told about failures of what the person asked for. */
  onfault: (fault: Fault) => void = () => undefined;
  /** Told about a model's file that is on the list now. */
  onmodel: (model: LocalModel) => void = () => undefined;
  /** Told when such a failure is over: the message was stored after all, or a later one was. */
  onmended: (fault: Fault) => void = () => undefined;

  readonly desktop: Desktop | undefined;
  #backend: Backend;
  #stop: () => void = () => undefined;
  #stopDrops: () => void;
  #waiting: Event[] = [];
  #frame: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #been: Place[] = [];
  // Notes to itself that no screen looks at.
  /* eslint-disable svelte/prefer-svelte-reactivity */
  /** Conversations that are being read, with what was said there meanwhile. */
  readonly #loading = new Map<GroupId, Message[]>();
  #failed = new Map<RequestId, { group: GroupId; fault: Fault }>();
  #asking = new Set<RunId>();
  /** Groups in which answers were to come when this was opened, and when that was. */
  #owed = new Map<GroupId, number>();
  /** That messages which wait are not kept, as it was told. */
  #unkept: Fault | null = null;
  #later: ReturnType<typeof setTimeout> | undefined;
  #hearers = new Set<MemoryHearer>();
  #feedHearers = new Set<() => void>();
  #scheduleHearers = new Set<() => void>();
  /** Agents whose names were asked for. */
  #strangers = new Set<AgentId>();
  /* eslint-enable svelte/prefer-svelte-reactivity */
  #generation = 0;
  /** The news of what can be taken back has come. */
  #undoHeld = false;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.desktop = backend.desktop;
    this.#stopDrops = backend.dropped?.((drop) => void this.#dropped(drop)) ?? (() => undefined);
  }

  get canChooseFiles(): boolean {
    return this.#backend.chooseModelFile !== undefined;
  }

  /** Lets the person choose a model's file, and puts it on the list. */
  async addModelFile(): Promise<void> {
    const path = await this.attempt(() => this.#backend.chooseModelFile?.() ?? Promise.resolve(null));
    if (path) await this.#addModel(path);
  }

  /** In the system's own window: where a file lies, or a new one is to lie; null where the person chose nothing. */
  chooseMemoryFile = () => this.#chosen(this.#backend.chooseMemoryFile?.());
  chooseMemoryFolder = () => this.#chosen(this.#backend.chooseMemoryFolder?.());
  chooseBackup = () => this.#chosen(this.#backend.chooseBackup?.());
  choosePlace = (name: string) => this.#chosen(this.#backend.choosePlace?.(name));
  #chosen = async (path?: Promise<string | null>) => (await this.attempt(() => path ?? Promise.resolve(null))) ?? null;

  /** Has the workspace opened anew, with what waits to be restored; false where another process has it open. */
  reopen = async (): Promise<boolean> => (await this.#backend.reopen?.()) ?? false;

  async #addModel(path: string): Promise<void> {
    const added = await this.attempt(() => this.do({ kind: 'add_model_file', path }));
    if (added?.kind === 'local_model') this.onmodel(added.data);
  }

  async #dropped(drop: Drop): Promise<void> {
    this.carriesFiles = drop.kind === 'over';
    if (drop.kind !== 'dropped') return;
    const isModel = (path: string) => /\.gguf$/i.test(path);
    for (const path of drop.paths.filter(isModel)) await this.#addModel(path);
    const paths = drop.paths.filter((path) => !isModel(path));
    const [first] = paths;
    if (first === undefined) return;
    const takes = this.takesMemoryFile ?? this.takesSkill;
    if (takes) {
      takes(first);
      return;
    }
    const files = await this.attempt(() => Promise.all(paths.map(drop.read)));
    if (files) this.takesFiles?.(files);
  }

  get isOpen(): boolean {
    return this.#now !== undefined;
  }

  /** The whole mirror at this moment; screens read `mirror`, part by part. */
  get #whole(): Mirror {
    if (!this.#now) throw new Error('the mirror is read before the workspace is open');
    return this.#now;
  }

  /** Opens the workspace, or opens it again after news were lost. */
  async open(): Promise<void> {
    const generation = (this.#generation += 1);
    this.#stop();
    clearTimeout(this.#again);
    try {
      const overview = expect(await this.query({ kind: 'overview' }), 'overview');
      if (generation !== this.#generation) return;
      const looked = [...(this.#now?.threads.keys() ?? [])];
      this.#waiting = [];
      this.#now = opened(overview);
      this.drafts.restore(overview.drafts);
      this.#stored(this.#now.last.values());
      // No screen looks at it.
      // eslint-disable-next-line svelte/prefer-svelte-reactivity
      this.#owed = new Map(
        overview.groups.filter((view) => view.answers_to_come > 0).map((view) => [view.group.id, Date.now()]),
      );
      this.fault = null;
      for (const hear of [...this.#hearers]) hear(null);
      for (const hear of [...this.#feedHearers, ...this.#scheduleHearers]) hear();
      this.#lookAtUndo();
      this.spending.lookSoon();
      this.#stop = this.#backend.events(overview.mark, (news) => generation === this.#generation && this.#heard(news));
      const here = this.place.page === 'conversations' ? this.place.group : undefined;
      await Promise.all(looked.filter((group) => group === here).map((group) => this.openThread(group)));
      this.sendWaiting();
      this.#sendWaitingLater();
    } catch (thrown) {
      if (generation !== this.#generation) return;
      this.fault = faultOf(thrown);
      // A window that was open stays as it was, says so, and tries again.
      if (this.#now) this.#again = setTimeout(() => void this.open(), againAfterMs);
    }
  }

  close(): void {
    this.#generation += 1;
    this.#stop();
    this.#stopDrops();
    this.spending.close();
    this.drafts.close();
    clearTimeout(this.#later);
    clearTimeout(this.#frame);
    clearTimeout(this.#again);
  }

  #heard(news: News): void {
    if ('resync' in news) {
      void this.open();
      return;
    }
    this.#waiting.push(news.event);
    // Once per frame is as often as anyone can see; a hidden window has no frames.
    this.#frame ??= setTimeout(() => this.#settle(), frameAtMostMs);
    if (this.#waiting.length === 1 && typeof requestAnimationFrame === 'function')
      requestAnimationFrame(() => this.#settle());
  }

  #settle(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    if (this.#waiting.length === 0 || !this.#now) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#now = events.reduce(apply, this.#now);
    const memories = events.flatMap(memoryIn);
    if (memories.length > 0) for (const hear of [...this.#hearers]) hear(memories);
    if (events.some((event) => isOfFeed(event, this.#whole))) for (const hear of [...this.#feedHearers]) hear();
    if (events.some(isOfSchedules)) for (const hear of [...this.#scheduleHearers]) hear();
    this.#lookAtUndo();
    const said = events.flatMap(messageIn);
    this.#stored(said);
    for (const message of said) this.#loading.get(message.group)?.push(message);
    for (const group of this.#whole.branches.keys())
      if (said.some((message) => message.group === group)) void this.#lookAtVariants(group);
    if (events.some(changesSpending)) this.spending.lookSoon();
    this.sendWaiting();
  }

  /** Tells of memories that change, from now on. Gives the way to stop it. */
  hearMemories(hear: MemoryHearer): () => void {
    this.#hearers.add(hear);
    return () => this.#hearers.delete(hear);
  }

  /** Tells that something in the feed may have changed, from now on. Gives the way to stop it. */
  hearFeed(hear: () => void): () => void {
    this.#feedHearers.add(hear);
    return () => this.#feedHearers.delete(hear);
  }

  /** Tells that a schedule or what came of one may have changed, from now on. Gives the way to stop it. */
  hearSchedules(hear: () => void): () => void {
    this.#scheduleHearers.add(hear);
    return () => this.#scheduleHearers.delete(hear);
  }

  /** Asks how far the index of memories is, unless that is known. */
  async lookAtMemoryIndex(): Promise<void> {
    if (this.mirror.memoryIndex) return;
    const generation = this.#generation;
    const reply = await this.query({ kind: 'memory_index' });
    if (generation !== this.#generation || reply.kind !== 'memory_index' || this.#whole.memoryIndex) return;
    this.#now = { ...this.#whole, memoryIndex: reply.data };
  }

  ask(call: Call, id: RequestId = newRequestId()): Promise<Reply> {
    return this.#backend.ask(call, id);
  }

  query = (query: Query): Promise<Reply> => this.ask({ query });

  async do(command: Command): Promise<Reply> {
    const reply = await this.ask({ command });
    // A group that was just made is there before its event is.
    if (reply.kind === 'group' && this.#now && !this.#now.groups.has(reply.data.group.id)) {
      this.#now = withGroup(this.#now, reply.data);
    }
    return reply;
  }

  /** Does it; a failure is told to the person and gives undefined. */
  async attempt<T = Reply>(act: Command | (() => Promise<T>)): Promise<T | undefined> {
    try {
      return typeof act === 'function' ? await act() : ((await this.do(act)) as T);
    } catch (thrown) {
      this.onfault(faultOf(thrown));
      return undefined;
    }
  }

  /** The agent's name, also of one that has left; empty until it is known, and for one that never was. */
  nameOf = (agent: AgentId | PassId | FeedSourceId): string => {
    const program = this.#now?.passes.get(agent) ?? this.#now?.sources.get(agent)?.plan;
    if (program) return program.name;
    const known = this.#now?.agents.get(agent);
    if (this.#now && !known && agent) void this.#getToKnow(agent);
    return known?.name ?? '';
  };

  /** Who had a task that has ended is not in the overview. */
  async #getToKnow(agent: AgentId): Promise<void> {
    if (this.#strangers.has(agent)) return;
    this.#strangers.add(agent);
    const reply = await this.query({ kind: 'agent', agent }).catch(() => undefined);
    if (reply?.kind !== 'agent_detail' || !this.#now || this.#now.agents.has(agent)) return;
    this.#now = withAgent(this.#now, reply.data.agent);
  }

  go(place: Place): void {
    if (JSON.stringify(place) === JSON.stringify(this.place)) return;
    this.#been.push(this.place);
    this.place = place;
    if (place.page === 'conversations' && place.group) localStorage.setItem(keptGroup, place.group);
  }

  /** Leads to a page, which begins something there. */
  begin(beginning: Beginning, on: Place): void {
    this.#begins = beginning;
    this.go(on);
  }

  /** Whether this is to begin now; whoever asks does it. */
  begins(beginning: Beginning): boolean {
    if (this.#begins !== beginning) return false;
    this.#begins = null;
    return true;
  }

  back(): void {
    const before = this.#been.pop();
    if (before) this.place = before;
  }

  /** To a page as it was last seen: conversations open where they were left. */
  show(page: Place['page']): void {
    if (this.place.page === page) return;
    const before = this.#been.findLast((place) => place.page === page);
    this.go(before ?? { page });
  }

  /** Opens a conversation that there is: the one of the last time, else a group, else any. */
  settleIn(): void {
    const kept = localStorage.getItem(keptGroup);
    const groups = [...this.mirror.groups.values()].filter((group) => !group.archived);
    const found =
      groups.find((group) => group.id === kept) ?? groups.find((group) => group.kind === 'group') ?? groups[0];
    if (found) this.place = { page: 'conversations', group: found.id };
  }

  /** Stops every answer being written in a group. */
  async stop(group: GroupId): Promise<void> {
    if (runningIn(this.mirror, group).length > 0)
      await this.attempt({ kind: 'stop', target: { kind: 'group', id: group } });
  }

  /** Remembers how to take back what was just done, for as long as it holds. */
  canUndo(run: () => Promise<unknown>, holds: () => boolean): Undo {
    const undo = { run, holds };
    this.undoable = undo;
    this.#undoHeld = holds();
    return undo;
  }

  /** The answer to an act may be here before its news are, so it must have held once. */
  #lookAtUndo(): void {
    if (!this.undoable) return;
    if (this.undoable.holds()) this.#undoHeld = true;
    else if (this.#undoHeld) this.undoable = null;
  }

  async undo(): Promise<void> {
    const undo = this.undoable;
    this.undoable = null;
    if (undo) await this.attempt(undo.run);
  }

  /** Loads the newest page of a conversation, once. */
  async openThread(group: GroupId): Promise<void> {
    if (this.mirror.threads.has(group)) return;
    await this.#load(group, null);
  }

  /** Loads the page before what is known, of so many messages. */
  async older(group: GroupId, length = pageLength): Promise<void> {
    const thread = this.mirror.threads.get(group);
    const first = thread?.messages[0];
    if (thread?.hasOlder && first) await this.#load(group, first.seq, length);
  }

  async #load(group: GroupId, before: number | null, length = pageLength): Promise<void> {
    if (this.#loading.has(group)) return;
    const meanwhile: Message[] = [];
    this.#loading.set(group, meanwhile);
    const generation = this.#generation;
    const branch = this.#whole.branches.get(group);
    const isStale = () => this.#whole.branches.get(group) !== branch;
    try {
      const [page, decided, various, given, ran] = await Promise.all([
        this.query({ kind: 'messages', group, before, limit: length }),
        before === null ? this.query({ kind: 'decisions', group, message: null, limit: decisionsLength }) : undefined,
        before === null ? this.query({ kind: 'variants', group }) : undefined,
        before === null ? this.query({ kind: 'reactions', group }) : undefined,
        this.query({ kind: 'runs', filter: { group }, before: this.#firstRun(group, before), limit: length * 2 }),
      ]);
      if (generation !== this.#generation || isStale()) return;
      const messages = expect(page, 'messages');
      let next = withPage(this.#whole, group, messages, messages.length >= length);
      next = withMessages(next, group, meanwhile);
      if (decided) next = withDecisions(next, group, expect(decided, 'decisions'));
      if (various) next = withVariants(next, group, expect(various, 'variants'));
      if (given) next = withReactions(next, group, expect(given, 'reactions'));
      this.#now = withRuns(next, expect(ran, 'runs'));
      this.#stored(messages);
      this.#lookAtUndo();
    } finally {
      this.#loading.delete(group);
    }
    // What came is of a branch that is shown no longer.
    if (generation === this.#generation && isStale()) await this.#load(group, null);
  }

  /** A message may have come into the place of another. */
  async #lookAtVariants(group: GroupId): Promise<void> {
    const generation = this.#generation;
    const reply = await this.query({ kind: 'variants', group }).catch(() => null);
    if (reply?.kind === 'variants' && generation === this.#generation)
      this.#now = withVariants(this.#whole, group, reply.data);
  }

  #firstRun(group: GroupId, before: number | null): number | null {
    if (before === null) return null;
    const seqs = [...this.mirror.runs.values()]
      .filter((run) => run.group === group && run.state !== 'interrupted')
      .map((run) => run.seq);
    return seqs.length > 0 ? Math.min(...seqs) : null;
  }

  /** Loads what was done besides talking in a run, and in those that it goes on with, each once. */
  async openSteps(run: RunId): Promise<void> {
    await this.#openStepsOf(run);
    const earlier = this.#now?.runs.get(run)?.resumes;
    if (earlier) await this.openSteps(earlier);
  }

  /** A run that was seen from its first step is known. */
  async #openStepsOf(run: RunId): Promise<void> {
    if (this.mirror.steps.get(run)?.[0]?.n === 1 || this.#asking.has(run)) return;
    this.#asking.add(run);
    const generation = this.#generation;
    try {
      const detail = expect(await this.query({ kind: 'run', run }), 'run_detail');
      if (generation === this.#generation)
        this.#now = withSteps(withRuns(this.#whole, [detail.run]), run, detail.steps);
    } catch {
      // The words of the answer are there; what it did is looked for again when the row is.
    } finally {
      this.#asking.delete(run);
    }
  }

  /** Posts at once, or puts the message into the queue while answers are being written. */
  async say(group: GroupId, text: string, more: Partial<Written> = {}): Promise<void> {
    const draft = this.drafts.of(group);
    const written = { ...nothing, ...more, text };
    const request = draft.requestFor(written);
    if (draft.isGoingOut || (isBusy(this.mirror, group) && !isAsked(this.mirror, group))) {
      draft.wait(written, request);
      this.#sendWaitingLater();
    } else await this.post(group, written, request);
  }

  /** A text that was refused goes back to where it can be mended, or sent again. */
  async post(group: GroupId, written: Written, request: RequestId): Promise<void> {
    const draft = this.drafts.of(group);
    const isKept = draft.isKept(request);
    draft.send(written, request);
    const slow = setTimeout(() => draft.takesLong(request), slowAfterMs);
    try {
      const post: Command = isKept
        ? { kind: 'post_unsent', group, unsent: request }
        : { kind: 'post', group, ...writtenOf(written) };
      await this.ask({ command: post }, request);
      draft.stored(request);
      this.#mended(group);
    } catch (thrown) {
      // The news that it is stored may come although the answer does not.
      if (!draft.isSending(request)) return;
      const fault = faultOf(thrown);
      if (isKept && fault.code === 'not_found') {
        draft.takenBack(request);
        this.onfault(fault);
        return;
      }
      this.#failed.set(request, { group, fault });
      draft.refused(written, request);
      this.onfault(fault);
    } finally {
      clearTimeout(slow);
    }
  }

  /** Has the workspace keep a file that a message is to show, and gives how it is shown. */
  async attach(name: string, base64: string): Promise<Attachment> {
    const attachment = expect(await this.do({ kind: 'attach', name, base64 }), 'attachment');
    if (attachment.kind !== 'text') this.pictures.know(attachment, base64);
    return attachment;
  }

  /** What a file that a message shows says, in base64. */
  async fileOf(hash: string): Promise<string> {
    return (await this.#attached(hash)).base64;
  }

  async #attached(hash: string) {
    return expect(await this.query({ kind: 'attachment', hash }), 'attachment_content');
  }

  /** A message has the id of the request that posted it: what was stored is not to be sent again. */
  #stored(messages: Iterable<Message>): void {
    for (const { group, id } of messages) {
      this.drafts.of(group).stored(id);
      if (this.#failed.has(id)) this.#mended(group);
    }
  }

  /** What was in the way of this conversation's messages is no longer. */
  #mended(group: GroupId): void {
    for (const [id, failed] of this.#failed) {
      if (failed.group !== group) continue;
      this.#failed.delete(id);
      this.onmended(failed.fault);
    }
  }

  /** Sends what waits wherever nobody is answering. */
  sendWaiting(): void {
    for (const [group, draft] of this.drafts.waiting()) {
      const next = draft.next;
      if (!next || isBusy(this.mirror, group) || this.#isOwed(group)) continue;
      draft.take(next.id);
      void this.post(group, next, next.request);
    }
  }

  /** After the longest that an answer may take to begin which never does. */
  #sendWaitingLater(): void {
    clearTimeout(this.#later);
    if (this.drafts.waiting().length > 0) this.#later = setTimeout(() => this.sendWaiting(), beginsWithinMs + 100);
  }

  /** Whether an answer that was to come when this was opened has yet to begin. */
  #isOwed(group: GroupId): boolean {
    const since = this.#owed.get(group);
    if (since === undefined) return false;
    if (answeringIn(this.mirror, group).length === 0 && Date.now() - since < beginsWithinMs) return true;
    this.#owed.delete(group);
    return false;
  }

  /** Text that cannot be kept is only told about where it cannot be sent either. */
  async #keepDraft(group: GroupId, change: Change) {
    try {
      const kept = expect(await this.do({ kind: 'save_draft', group, ...change }), 'draft');
      if (this.#unkept) this.onmended(this.#unkept);
      this.#unkept = null;
      return kept;
    } catch (thrown) {
      if (change.keep.some((one) => !one.held) && !this.#unkept) {
        this.#unkept = faultOf(thrown);
        this.onfault(this.#unkept);
      }
      throw thrown;
    }
  }
}

export const [useCoterie, provideCoterie] = createContext<Coterie>();
