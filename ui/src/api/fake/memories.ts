/** What the fake workspace remembers: the same rules as the runtime's, in short. */
import type {
  AgentId,
  Command,
  Fault,
  FoundMemories,
  ImportCutOff,
  Memory,
  MemoryChange,
  MemoryDetail,
  MemoryFilter,
  MemoryHit,
  MemoryId,
  MessageId,
  MemoryIndex,
  MemoryPage,
  MemoryVersion,
  NewMemory,
  Recalled,
  Source,
  Trust,
} from '../generated';
import type { World } from './world';

type Act = Extract<Command, { kind: `${string}_memory` | 'merge_memories' }>;
type Kept = { memory: Memory; versions: MemoryVersion[]; changed: number };
type Origin = { trust: Trust; source?: Partial<Source>; by?: AgentId | null };

const byPerson: Origin = { trust: 'person' };
const longest = 500;

export class FakeMemories {
  /** Why words alone are compared; a test sets it. */
  wordsOnly: string | null = null;
  /** Imports that were cut off; a test sets them. */
  cutOff: readonly ImportCutOff[] = [];
  /** Which can be found by what they mean; all of them when null. */
  meaning: number | null = null;
  #world: World;
  #kept = new Map<MemoryId, Kept>();
  #changes = 0;
  /** The last changed first; null once something has changed. */
  #order: Kept[] | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  /** What was remembered of a message. */
  of(message: MessageId): Memory[] {
    const all = [...this.#kept.values()].map((kept) => kept.memory);
    return all.filter((one) => one.source.message === message && one.state.kind !== 'forgotten');
  }

  do(command: Exclude<Act, { kind: 'rebuild_memory_index' }>): Memory {
    switch (command.kind) {
      case 'add_memory':
        return this.add(command.memory);
      case 'edit_memory': {
        const before = this.#standing(command.memory);
        const { patch } = command;
        const text = patch.text?.trim() ?? before.text;
        const statement = patch.statement ?? (text === before.text ? before.statement : null);
        const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
        check({ ...before, text });
        return this.#put({ ...before, ...given, text, statement, trust: 'person' }, 'edited');
      }
      case 'pin_memory': {
        const before = this.#standing(command.memory);
        if (command.pinned && before.state.kind !== 'current')
          throw fault('refused', 'only what holds can be pinned', 'say first that it is right');
        return this.#put({ ...before, pinned: command.pinned }, command.pinned ? 'pinned' : 'unpinned');
      }
      case 'judge_memory':
        return this.#judge(command.memory, command.judgement);
      case 'merge_memories':
        return this.#merge(command.memories, command.text);
      case 'forget_memory': {
        const before = this.#find(command.memory);
        const bare = { text: '', statement: null, tags: [], pinned: false };
        const gone = this.#put({ ...before, ...bare, state: { kind: 'forgotten' } }, 'forgotten');
        const kept = this.#kept.get(gone.id);
        if (kept) kept.versions = kept.versions.map((version) => ({ ...version, memory: null }));
        return gone;
      }
      case 'undo_memory':
        return this.#undo(command.memory);
      default:
        return command satisfies never;
    }
  }

  add(given: NewMemory, origin: Origin = byPerson, more: Partial<Memory> = {}): Memory {
    check(given);
    const now = this.#world.now();
    const rivals = [...this.#kept.values()]
      .map((kept) => kept.memory)
      .filter((one) => one.state.kind === 'current' && sameScope(one, given));
    const same = rivals.find((one) => one.text.trim().toLowerCase() === given.text.trim().toLowerCase());
    if (same) return this.#put({ ...same, evidence: same.evidence + 1 }, 'repeated');
    const { statement } = given;
    const against =
      statement &&
      rivals.find(
        (one) =>
          one.statement?.subject === statement.subject &&
          one.statement.attribute === statement.attribute &&
          one.statement.value !== statement.value,
      );
    const contested = against && ranks[origin.trust] < ranks[against.trust];
    const memory: Memory = {
      id: this.#world.nextId(),
      kind: given.kind,
      scope: given.scope,
      text: given.text.trim(),
      statement: statement ?? null,
      tags: given.tags,
      trust: origin.trust,
      importance: given.importance ?? (origin.by ? 50 : 80),
      pinned: false,
      source: { message: null, run: null, tool: null, file: null, ...origin.source },
      valid_from_ms: given.valid_from_ms,
      valid_to_ms: given.valid_to_ms,
      created_at_ms: now,
      changed_at_ms: now,
      state: contested ? { kind: 'contested', by: against.id } : { kind: 'current' },
      evidence: 1,
      recalled: 0,
      recalled_at_ms: null,
      version: 0,
      ...more,
    };
    const added = this.#put(memory, contested ? 'contested' : 'added', origin.by ?? null);
    if (against && !contested) this.#giveWay(against, added);
    return added;
  }

  /** Many at once, that nobody is told of: how things were at the start. */
  fill(count: number): void {
    const kinds = ['fact', 'preference', 'skill', 'episode'] as const;
    const now = this.#world.now();
    for (let n = 0; n < count; n += 1) {
      const at = now - (count - n) * 60_000;
      const memory: Memory = {
        id: this.#world.nextId(),
        kind: kinds[n % kinds.length] ?? 'fact',
        scope: n % 3 === 0 ? { kind: 'workspace' } : { kind: 'user' },
        text: `Note ${n + 1}: ${'the smallest step that can fail comes first. '.repeat(1 + (n % 3)).trim()}`,
        statement: null,
        tags: n % 5 === 0 ? ['plan'] : [],
        trust: 'person',
        importance: 50,
        pinned: false,
        source: { message: null, run: null, tool: null, file: null },
        valid_from_ms: null,
        valid_to_ms: null,
        created_at_ms: at,
        changed_at_ms: at,
        state: { kind: 'current' },
        evidence: 1,
        recalled: 0,
        recalled_at_ms: null,
        version: 1,
      };
      const version: MemoryVersion = { version: 1, at_ms: at, change: 'added', by: null, memory };
      this.#kept.set(memory.id, { memory, versions: [version], changed: (this.#changes += 1) });
    }
    this.#order = null;
  }

  page(filter: MemoryFilter, before: number | null, limit: number): MemoryPage {
    const fitting = this.#inOrder().filter(({ memory }) => this.#fits(memory, filter));
    const rest = fitting
      .filter(({ changed }) => changed < (before ?? Infinity))
      .slice(0, limit === Infinity ? undefined : Math.min(limit, longest));
    const next = rest.length === limit ? (rest.at(-1)?.changed ?? null) : null;
    return { memories: rest.map(({ memory }) => memory), total: fitting.length, next };
  }

  search(text: string, filter: MemoryFilter, limit: number, least: number | null): FoundMemories {
    if (text.trim() === '') throw fault('bad_input', 'there is nothing to look for', 'say what to look for');
    const asked = wordsOf(text);
    const scored = this.#inOrder()
      .filter(({ memory }) => memory.state.kind !== 'forgotten' && this.#fits(memory, filter))
      .map(({ memory }): MemoryHit => {
        const there = wordsOf(memory.text);
        const shared = [...asked].filter((word) => there.has(word)).length;
        const words = shared * 2.1;
        const near = likeness(text, memory.text);
        const meaning = this.wordsOnly ? null : 0.78 + 0.2 * near;
        const fused = Math.min(1, (shared / Math.max(1, asked.size)) * 0.5 + (this.wordsOnly ? 0 : near * 0.5));
        const scores = { total: fused, words, meaning, fused, weight: 1 };
        return { memory, scores: meaning === null ? scores : { ...scores, apart: shared > 0 ? fused : near - 0.3 } };
      })
      .filter(({ scores }) => scores.fused > 0.12 && scores.total >= (least ?? 0))
      .sort((a, b) => b.scores.total - a.scores.total);
    return { hits: scored.slice(0, limit), words_only: this.wordsOnly, to_come: false };
  }

  /** What a turn is reminded of, as its step says it. */
  recall(agent: AgentId, group: string, heard: string): { memories: Recalled[]; words_only: string | null } {
    const scopes: Memory['scope'][] = [
      { kind: 'user' },
      { kind: 'workspace' },
      { kind: 'agent', id: agent },
      { kind: 'group', id: group },
    ];
    const found = heard.trim() ? this.search(heard, { scopes }, 8, null).hits : [];
    const pinned = this.page({ scopes }, null, longest).memories.filter(
      (one) => one.pinned && !found.some(({ memory }) => memory.id === one.id),
    );
    const all = [...pinned.map((memory) => ({ memory, scores: null })), ...found];
    const memories = all.map(({ memory, scores }) => {
      const kept = this.#kept.get(memory.id);
      const recalled = { recalled: memory.recalled + 1, recalled_at_ms: this.#world.now() };
      if (kept) kept.memory = { ...kept.memory, ...recalled };
      return { memory: memory.id, version: memory.version, pinned: memory.pinned, scores };
    });
    return { memories, words_only: this.wordsOnly };
  }

  detail(id: MemoryId): MemoryDetail {
    const memory = this.#find(id);
    const others = [...this.#kept.values()].map((kept) => kept.memory);
    const names = (one: Memory, other: MemoryId) => 'by' in one.state && one.state.by === other;
    const related = others.filter((one) => names(one, id) || names(memory, one.id));
    const reads = [...this.#world.steps.entries()].flatMap(([run, steps]) =>
      steps.some((step) => step.step === 'recalled' && step.memories.some((one) => one.memory === id)) ? [run] : [],
    );
    const versions = this.#kept.get(id)?.versions ?? [];
    return { memory, versions, related, recalled_by: reads.reverse() };
  }

  index(): MemoryIndex {
    const memories = [...this.#kept.values()].filter(({ memory }) => memory.state.kind !== 'forgotten').length;
    return {
      memories,
      words: memories,
      meaning: this.wordsOnly ? 0 : Math.min(memories, this.meaning ?? memories),
      model: 'multilingual-e5-small',
      left_out: 0,
      words_only: this.wordsOnly,
      made_again: null,
      cut_off: [...this.cutOff],
    };
  }

  /** Whatever is done about the index, everybody is told how it is then. */
  seeTo(command: Extract<Command, { kind: 'rebuild_memory_index' | 'drop_import' }>): void {
    if (command.kind === 'drop_import') this.cutOff = this.cutOff.filter((one) => one.path !== command.path);
    this.tell();
  }

  /** Says how far the index is. */
  tell(): void {
    this.#world.tell({ event: 'memory_index', index: this.index() });
  }

  #judge(id: MemoryId, judgement: Extract<Act, { kind: 'judge_memory' }>['judgement']): Memory {
    const before = this.#standing(id);
    const now = this.#world.now();
    switch (judgement) {
      case 'right': {
        const right = this.#put(
          { ...before, state: { kind: 'current' }, trust: 'person', valid_to_ms: null },
          'edited',
        );
        const other = 'by' in before.state ? this.#kept.get(before.state.by)?.memory : undefined;
        if (other?.state.kind === 'current') this.#giveWay(other, right);
        return right;
      }
      case 'wrong':
        return this.#put({ ...before, state: { kind: 'wrong' }, pinned: false }, 'wrong');
      case 'outdated':
        return this.#put(
          {
            ...before,
            valid_from_ms: before.kind === 'episode' ? null : before.valid_from_ms,
            valid_to_ms: now,
            pinned: false,
          },
          'outdated',
        );
      default:
        return judgement satisfies never;
    }
  }

  #merge(ids: readonly MemoryId[], text: string): Memory {
    const [first, ...others] = [...new Set(ids)].map((id) => this.#standing(id));
    if (!first || others.length === 0) throw fault('bad_input', 'one memory cannot be merged', 'name two or more');
    if (others.some((one) => !sameScope(one, first)))
      throw fault('bad_input', 'they are read by different agents', 'merge memories of one scope');
    const merged = this.#put(
      {
        ...first,
        text: text.trim() || first.text,
        statement: text.trim() === first.text ? first.statement : null,
        evidence: [first, ...others].reduce((sum, one) => sum + one.evidence, 0),
        tags: [...new Set([first, ...others].flatMap((one) => one.tags))],
        state: { kind: 'current' },
        trust: 'person',
      },
      'merged',
    );
    for (const other of others) this.#giveWay(other, merged);
    return merged;
  }

  #undo(id: MemoryId): Memory {
    const memory = this.#standing(id);
    const newer = memory.state.kind === 'superseded' ? this.#kept.get(memory.state.by)?.memory : undefined;
    const last = newer && this.#standingVersions(newer.id).at(-1);
    if (newer && last?.change === 'merged' && this.#wentWith(last, memory)) {
      this.#takeBack(newer);
      return this.#find(id);
    }
    const undone = this.#takeBack(memory);
    if (undone.state.kind === 'current' && newer?.state.kind === 'current') this.#giveWay(newer, undone);
    return undone;
  }

  /** With those that gave way to it in the same change. */
  #takeBack(memory: Memory): Memory {
    const standing = this.#standingVersions(memory.id);
    const [earlier, last] = [standing.at(-2)?.memory, standing.at(-1)];
    if (!earlier || !last)
      throw fault('refused', 'there is nothing left to undo', 'forget it, if it should not be there');
    const undone = this.#put({ ...earlier, version: memory.version }, 'undone');
    if (last.change === 'merged')
      for (const { memory: other } of [...this.#kept.values()])
        if ('by' in other.state && other.state.by === memory.id && this.#wentWith(last, other)) this.#takeBack(other);
    return undone;
  }

  #wentWith(merge: MemoryVersion, other: Memory): boolean {
    const last = this.#standingVersions(other.id).at(-1);
    return last?.change === 'superseded' && last.at_ms === merge.at_ms;
  }

  /** Those whose change has not been taken back. */
  #standingVersions(id: MemoryId): MemoryVersion[] {
    const standing: MemoryVersion[] = [];
    for (const version of this.#kept.get(id)?.versions ?? [])
      if (version.change === 'undone') standing.pop();
      else standing.push(version);
    return standing;
  }

  #giveWay(old: Memory, newer: Memory): void {
    const now = this.#world.now();
    this.#put({ ...old, state: { kind: 'superseded', by: newer.id }, valid_to_ms: now, pinned: false }, 'superseded');
  }

  #put(memory: Memory, change: MemoryChange, by: AgentId | null = null): Memory {
    const now = this.#world.now();
    const row: Memory = { ...memory, version: memory.version + 1, changed_at_ms: now };
    const versions = this.#kept.get(row.id)?.versions ?? [];
    const version: MemoryVersion = { version: row.version, at_ms: now, change, by, memory: row };
    this.#kept.set(row.id, { memory: row, versions: [...versions, version], changed: (this.#changes += 1) });
    this.#order = null;
    this.#world.save({ table: 'memory', row });
    return row;
  }

  #inOrder(): Kept[] {
    this.#order ??= [...this.#kept.values()].sort((a, b) => b.changed - a.changed);
    return this.#order;
  }

  #find(id: MemoryId): Memory {
    const kept = this.#kept.get(id);
    if (!kept) throw fault('not_found', `there is no memory ${id}`, 'look it up: coterie memory list');
    return kept.memory;
  }

  #standing(id: MemoryId): Memory {
    const memory = this.#find(id);
    if (memory.state.kind === 'forgotten')
      throw fault('refused', `the memory ${id} is forgotten`, 'add it again, if it should be remembered');
    return memory;
  }

  #fits(memory: Memory, filter: MemoryFilter): boolean {
    const now = this.#world.now();
    const since = memory.valid_from_ms ?? memory.created_at_ms;
    const { kinds = [], scopes = [], agent, tag, pinned = false, since_ms, until_ms, standing = 'holding' } = filter;
    const happened = memory.kind === 'episode' && memory.valid_from_ms !== null;
    const ended = !happened && memory.valid_to_ms !== null && memory.valid_to_ms <= now;
    const state = memory.state.kind;
    const stands = {
      holding: state === 'current' && !ended && (memory.valid_from_ms ?? 0) <= now,
      contested: state === 'contested',
      past: state === 'superseded' || state === 'wrong' || (state === 'current' && ended),
      any: true,
    }[standing];
    return (
      stands &&
      (kinds.length === 0 || kinds.includes(memory.kind)) &&
      (scopes.length === 0 || scopes.some((scope) => sameScope(memory, { scope }))) &&
      (!agent || this.#reads(agent, memory)) &&
      (!tag || memory.tags.some((one) => one.toLowerCase() === tag.toLowerCase())) &&
      (!pinned || memory.pinned) &&
      (since_ms === undefined || since >= since_ms) &&
      (until_ms === undefined || since < until_ms)
    );
  }

  #reads(agent: AgentId, { scope }: Memory): boolean {
    if (scope.kind === 'agent') return scope.id === agent;
    if (scope.kind !== 'group') return true;
    return this.#world.membersOf(scope.id).some((member) => member.who.kind === 'agent' && member.who.id === agent);
  }
}

const ranks: Record<Trust, number> = { untrusted: 0, agent: 1, person: 2 };

function fault(code: Fault['code'], message: string, fix: string): Fault {
  return { code, message, fix };
}

function check({ text }: { text: string }): void {
  if (!/[\p{L}\p{N}]/u.test(text)) throw fault('bad_input', 'the memory says nothing', 'say what is to be remembered');
}

function sameScope(one: Pick<Memory, 'scope'>, other: Pick<Memory, 'scope'>): boolean {
  return JSON.stringify(one.scope) === JSON.stringify(other.scope);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]{3,}/gu) ?? []);
}

/** How many pairs of letters two texts share, 0 to 1: what stands for their meaning here. */
function likeness(one: string, other: string): number {
  const pairs = (text: string) => {
    const letters = [...text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')];
    return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`));
  };
  const [a, b] = [pairs(one), pairs(other)];
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return shared / Math.max(1, Math.min(a.size, b.size));
}
