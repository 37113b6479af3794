/** Sentences for what a memory says of itself: its kind, who reads it, how it stands. */
import type {
  AgentId,
  GroupId,
  Memory,
  MemoryChange,
  MemoryKind,
  MemoryScope,
  MemoryScores,
  Statement,
  Trust,
} from '../api/generated';
import { list } from './format';
import { languageTag, t } from './words.svelte';

/** What those are called whom a scope names. */
export type Names = {
  agent: (agent: AgentId) => string;
  group: (group: GroupId) => string;
  /** The names of the agents in a group. */
  members: (group: GroupId) => readonly string[];
};

export const sayMemoryKind = (kind: MemoryKind): string => t(`memory.kind_${kind}`);
export const sayMemoryKindHint = (kind: MemoryKind): string => t(`memory.kind_${kind}_hint`);
/** Why meanings were not compared. What is passing is said in these very words; anything else is trouble. */
export function sayWordsOnly(why: string): string {
  switch (why) {
    case 'the model that compares meanings is being loaded':
      return t('memory.model_loading');
    case 'the model that compares meanings is at work on new memories':
      return t('memory.model_busy');
    default:
      return why;
  }
}

export const sayTrust = (trust: Trust): string => t(`memory.trust_${trust}`);
export const sayMemoryChange = (change: MemoryChange): string => t(`memory.change_${change}`);
export const sayStatement = (of: Statement): string =>
  t('memory.statement_said', { ...of, subject: saySubject(of.subject) });

/** The person is called so in every record, in whatever language they read. */
export const saySubject = (subject: string): string => (subject === 'user' ? t('memory.the_person') : subject);

/** Who reads it, in a few words. */
export function sayMemoryScope(scope: MemoryScope, names: Pick<Names, 'agent' | 'group'>): string {
  switch (scope.kind) {
    case 'user':
    case 'workspace':
      return t(`memory.scope_${scope.kind}`);
    case 'agent':
      return t('memory.scope_agent', { name: names.agent(scope.id) });
    case 'group':
      return t('memory.scope_group', { group: names.group(scope.id) });
    default:
      return scope satisfies never;
  }
}

/** Who reads it, in a sentence that leaves nothing open. */
export function sayReaders(scope: MemoryScope, names: Names): string {
  switch (scope.kind) {
    case 'user':
    case 'workspace':
      return t(`memory.readers_${scope.kind}`);
    case 'agent':
      return t('memory.readers_agent', { name: names.agent(scope.id) });
    case 'group': {
      const group = names.group(scope.id);
      const there = names.members(scope.id);
      return there.length === 0
        ? t('memory.readers_group_none', { group })
        : t('memory.readers_group', { group, names: list(there) });
    }
    default:
      return scope satisfies never;
  }
}

/** Whether it was so once, and is no more. What happened from one time to another has happened for good. */
export function isOver(memory: Memory, nowMs: number): boolean {
  const happened = memory.kind === 'episode' && memory.valid_from_ms !== null;
  return !happened && memory.valid_to_ms !== null && memory.valid_to_ms <= nowMs;
}

/** Whether it holds. */
export function sayMemoryState(memory: Memory, nowMs: number = Date.now()): string {
  if (memory.state.kind !== 'current') return t(`memory.state_${memory.state.kind}`);
  if (isOver(memory, nowMs)) return t('memory.state_ended');
  if (memory.valid_from_ms !== null && memory.valid_from_ms > nowMs) return t('memory.state_later');
  return t('memory.state_current');
}

/** `0.83`: two digits are as much as a person compares. */
export function score(value: number): string {
  return new Intl.NumberFormat(languageTag(), { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);
}

/** The parts of a score in one line. */
export function sayScores(scores: MemoryScores): string {
  const [words, total] = [score(scores.words), score(scores.total * scores.weight)];
  return scores.meaning === null
    ? t('memory.score_line_words', { words, total })
    : t('memory.score_line', { words, meaning: score(scores.meaning), total });
}
