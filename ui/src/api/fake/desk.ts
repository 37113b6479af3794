/** Turns of the fake agents: they begin, write piece by piece, and settle, as the runtime's do. */
import type {
  Author,
  Fault,
  Group,
  GroupId,
  Message,
  MessageId,
  Outcome,
  Reason,
  Run,
  RunId,
  Target,
} from '../generated';
import { Budgets } from './budgets';
import { lineOf, type Use } from './lines';
import { FakeMemories } from './memories';
import { decide } from './turns';
import type { World } from './world';

export type Pause = (ms: number) => Promise<void>;

const refused: Fault = {
  code: 'provider',
  message: 'Ollama does not answer at http://127.0.0.1:11434',
  fix: 'Start Ollama, or choose another model in Settings',
};

const usedUp: Fault = {
  code: 'budget',
  message: 'the budget of the day is used up',
  fix: 'raise it under Settings, Budgets',
  kind: {
    is: 'over_budget',
    scope: { kind: 'day' },
    name: null,
    unit: 'microusd',
    limit: 5_000_000,
    used: 4_990_000,
    needed: 20_000,
  },
};

export class Desk {
  readonly budgets: Budgets;
  readonly memories: FakeMemories;
  #world: World;
  #pause: Pause;
  #stopped = new Set<RunId>();

  constructor(world: World, pause: Pause) {
    this.#world = world;
    this.budgets = new Budgets(world);
    this.memories = new FakeMemories(world);
    this.#pause = pause;
  }

  post(group: Group, author: Author, text: string, more: Partial<Message> = {}): Message {
    const world = this.#world;
    const id = world.nextId();
    const body = { kind: 'text', text, cut_short: false } as const;
    const message: Message = {
      seq: world.nextSeq(),
      id,
      group: group.id,
      parent: null,
      author,
      body,
      chain_depth: 0,
      root: id,
      run: null,
      at_ms: world.now(),
      ...more,
    };
    world.save({ table: 'message', row: message });
    this.#wake(group, message, text);
    return message;
  }

  notice(group: GroupId, body: Message['body'], at_ms = this.#world.now()): void {
    const world = this.#world;
    const id = world.nextId();
    const row: Message = {
      seq: world.nextSeq(),
      id,
      group,
      parent: null,
      author: { kind: 'system' },
      body,
      chain_depth: 0,
      root: id,
      run: null,
      at_ms,
    };
    world.save({ table: 'message', row });
  }

  #wake(group: Group, message: Message, text: string): void {
    const world = this.#world;
    for (const ruling of decide(message.author, text, group, world.membersOf(group.id), world.agents)) {
      const over = ruling.verdict === 'speak' && message.chain_depth >= group.caps.chain_depth;
      const verdict = over ? 'pass' : ruling.verdict;
      const reason: Reason = over ? { kind: 'chain_depth', limit: group.caps.chain_depth } : ruling.reason;
      const about = { group: group.id, agent: ruling.agent, message: message.id, root: message.root, run: null };
      world.save({ table: 'decision', row: { seq: world.nextSeq(), ...about, verdict, reason, at_ms: world.now() } });
      if (verdict === 'speak') void this.run(group, ruling.agent, message, reason);
    }
  }

  async run(group: Group, agent: string, cause: Message, reason: Reason): Promise<void> {
    const world = this.#world;
    await this.#free(agent);
    const known = world.agents.get(agent);
    if (!known || known.state === 'paused' || known.state === 'terminated') return;
    const run: Run = {
      seq: world.nextSeq(),
      id: world.nextId(),
      agent,
      group: group.id,
      state: 'running',
      cause: { message: cause.id, author: cause.author, reason },
      root: cause.root,
      depth: cause.chain_depth + 1,
      model: world.settings.models.default ?? 'local/smollm2-135m',
      soul_version: known.soul_version,
      reads_after: 0,
      reads_to: world.messagesOf(group.id).at(-1)?.seq ?? cause.seq,
      usage: { input_tokens: null, output_tokens: null, cached_tokens: null, cache_write_tokens: null },
      estimated: false,
      asked_instead: null,
      cost_microusd: null,
      outcome: null,
      attempt: 1,
      resumes: null,
      started_ms: world.now(),
      first_token_ms: null,
      ended_ms: null,
    };
    world.save({ table: 'run', row: run });
    world.save({ table: 'agent', row: { ...known, state: 'running' } });
    world.step(run.id, { step: 'woken', by: cause.id });
    world.step(run.id, { step: 'decided', verdict: 'speak', reason });
    world.step(run.id, { step: 'brief_built', messages: world.messagesOf(group.id).length, characters: 2400 });
    const heard = cause.body.kind === 'text' ? cause.body.text : '';
    const reminded = this.memories.recall(agent, group.id, heard);
    if (reminded.memories.length > 0) world.step(run.id, { step: 'recalled', query: heard, ...reminded });
    world.step(run.id, { step: 'model_called', model: run.model });
    const over = this.budgets.inTheWay(agent, group.id);
    if (over) return this.#fail(group, run, usedUp);
    await this.#pause(400);
    const line = lineOf(known.name, heard);
    if (line.kind === 'failure') return this.#fail(group, run, refused);
    const first = line.thinks?.first;
    if (first) {
      await this.#think(run, first);
      world.step(run.id, { step: 'delta', text: '', reasoning: first });
    }
    if (line.use) await this.#use(run.id, line.use);
    if (line.kind === 'silence')
      return this.#settle(group, run, '', { kind: 'silent', reason: { kind: 'chose_silence', why: line.why } });
    const first_token_ms = world.now();
    if (line.thinks) await this.#think(run, line.thinks.last);
    let text = '';
    for (const piece of line.text.match(/\S+\s*/g) ?? []) {
      if (this.#stopped.has(run.id))
        return this.#settle(group, { ...run, first_token_ms, state: 'stopped' }, text, null);
      world.tell({
        event: 'live',
        live: { run: run.id, agent, group: group.id, offset: text.length, text: piece, reasoning: '' },
      });
      text += piece;
      await this.#pause(45);
    }
    if (line.thinks || line.breaks) world.step(run.id, { step: 'delta', text, reasoning: line.thinks?.last ?? '' });
    if (line.breaks) return this.#fail(group, { ...run, first_token_ms }, refused);
    this.#settle(group, { ...run, first_token_ms }, text, null);
  }

  async #think({ id, agent, group }: Run, what: string): Promise<void> {
    for (const reasoning of what.match(/\S+\s*/g) ?? []) {
      this.#world.tell({ event: 'live', live: { run: id, agent, group, offset: 0, text: '', reasoning } });
      await this.#pause(45);
    }
  }

  /** One agent does one thing at a time. */
  async #free(agent: string): Promise<void> {
    while (this.#world.agents.get(agent)?.state === 'running') await this.#pause(60);
  }

  stopAt(target: Target): void {
    const isMeant = (run: Run) => (target.kind === 'run' ? run.id === target.id : run.group === target.id);
    this.stop([...this.#world.runs.values()].filter((run) => run.state === 'running' && isMeant(run)));
  }

  stop(runs: readonly Run[]): void {
    for (const run of runs) this.#stopped.add(run.id);
  }

  #settle(group: Group, run: Run, text: string, silent: Outcome | null): void {
    const world = this.#world;
    const stopped = run.state === 'stopped';
    const usage = {
      input_tokens: 640,
      output_tokens: Math.ceil(text.length / 4),
      cached_tokens: 512,
      cache_write_tokens: null,
    };
    const ended = {
      ...run,
      state: stopped ? ('stopped' as const) : ('settled' as const),
      usage,
      ended_ms: world.now(),
    };
    const now = world.agents.get(run.agent);
    if (now?.state === 'running') world.save({ table: 'agent', row: { ...now, state: 'idle' } });
    if (silent || text === '') {
      const reason: Reason = silent?.kind === 'silent' ? silent.reason : { kind: 'stopped_by_user' };
      const about = { group: group.id, agent: run.agent, message: run.cause.message, root: run.root, run: run.id };
      world.save({
        table: 'decision',
        row: { seq: world.nextSeq(), ...about, verdict: 'pass', reason, at_ms: world.now() },
      });
      world.save({ table: 'run', row: { ...ended, outcome: { kind: 'silent', reason } } });
      this.#handOn(group, run);
      return;
    }
    const author: Author = { kind: 'agent', id: run.agent };
    const body = { kind: 'text', text: text.trim(), cut_short: stopped } as const;
    const said = this.post(group, author, text.trim(), { body, chain_depth: run.depth, root: run.root, run: run.id });
    world.step(run.id, { step: 'message_posted', message: said.id });
    world.step(run.id, { step: 'settled', outcome: { kind: 'replied', message: said.id, gave_up: false } });
    world.save({ table: 'run', row: { ...ended, outcome: { kind: 'replied', message: said.id, gave_up: false } } });
    if (!stopped) this.#handOn(group, run);
  }

  /** One use of a tool, from its proposal to its return. */
  async #use(run: RunId, { tool, arguments: args, result }: Use): Promise<void> {
    const world = this.#world;
    const call = world.nextId();
    world.step(run, { step: 'tool_proposed', call, model_id: 'call_1', tool, arguments: args });
    world.step(run, { step: 'tool_dispatched', call });
    await this.#pause(300);
    world.step(run, { step: 'tool_returned', call, state: 'succeeded', text: result });
  }

  #fail(group: Group, run: Run, fault: Fault): void {
    const world = this.#world;
    // Both are noted in the same moment.
    const ended_ms = world.now();
    world.save({
      table: 'run',
      row: { ...run, state: 'failed', outcome: { kind: 'failed', fault }, ended_ms },
    });
    const agent = world.agents.get(run.agent);
    if (agent) world.save({ table: 'agent', row: { ...agent, state: 'error', problem: fault } });
    this.notice(group.id, { kind: 'notice', notice: { kind: 'run_failed', agent: run.agent, fault } }, ended_ms);
  }

  /** In rounds the next one has the floor. */
  #handOn(group: Group, run: Run): void {
    if (run.cause.reason.kind !== 'turn') return;
    const world = this.#world;
    const order = world
      .membersOf(group.id)
      .flatMap((member) => (member.who.kind === 'agent' && !member.muted ? [member.who.id] : []));
    const next = order[order.indexOf(run.agent) + 1];
    const root = world.messages.find((message) => message.id === run.root);
    if (!next || !root) return;
    const reason: Reason = { kind: 'turn', round: 1 };
    const about = { group: group.id, agent: next, message: root.id, root: root.id, run: null };
    world.save({
      table: 'decision',
      row: { seq: world.nextSeq(), ...about, verdict: 'speak', reason, at_ms: world.now() },
    });
    void this.run(group, next, root, reason);
  }

  /** Whom a message of the person would wake, in their order. */
  wouldWake(group: Group, text: string): string[] {
    const rulings = decide({ kind: 'user' }, text, group, this.#world.membersOf(group.id), this.#world.agents);
    return rulings.filter((ruling) => ruling.verdict === 'speak').map((ruling) => ruling.agent);
  }

  message(id: MessageId): Message | undefined {
    return this.#world.messages.find((message) => message.id === id);
  }
}
