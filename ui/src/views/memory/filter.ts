/** Which memories the page shows: what a person chose, as the workspace and the page itself understand it. */
import type { AgentId, GroupId, Memory, MemoryFilter, MemoryKind, MemoryScope, Standing } from '../../api/generated';
import { isOver } from '../../words';

export const kinds: readonly MemoryKind[] = ['fact', 'preference', 'skill', 'relationship', 'episode', 'summary'];
export const standings: readonly Standing[] = ['holding', 'contested', 'past', 'any'];
export const periods = ['any', 'week', 'month', 'year', 'last_year', 'before'] as const;
export type Period = (typeof periods)[number];

/** A select has no choice for "none", so it has a value for "all". */
export const all = '*';

export type Choice = {
  kinds: readonly MemoryKind[];
  /** As `scopeValue` writes it, or `all`. */
  scope: string;
  agent: AgentId | typeof all;
  tag: string;
  period: Period;
  /** Only those that are read in every turn. */
  pinned: boolean;
  standing: Standing;
};

export const nothingChosen: Choice = {
  kinds: [],
  scope: all,
  agent: all,
  tag: '',
  period: 'any',
  pinned: false,
  standing: 'holding',
};

/** The scope as the value of a select. */
export function scopeValue(scope: MemoryScope): string {
  return 'id' in scope ? `${scope.kind}:${scope.id}` : scope.kind;
}

export function scopeOf(value: string): MemoryScope | undefined {
  const [kind, id = ''] = value.split(':');
  switch (kind) {
    case 'user':
    case 'workspace':
      return { kind };
    case 'agent':
    case 'group':
      return { kind, id };
    default:
      return undefined;
  }
}

/** What is asked of the workspace; what leaves nothing out is left out. */
export function filterOf(choice: Choice, nowMs: number): MemoryFilter {
  const scope = scopeOf(choice.scope);
  return {
    ...(choice.kinds.length > 0 ? { kinds: [...choice.kinds] } : {}),
    ...(scope ? { scopes: [scope] } : {}),
    ...(choice.agent !== all ? { agent: choice.agent } : {}),
    ...(choice.tag.trim() !== '' ? { tag: choice.tag.trim() } : {}),
    ...(choice.pinned ? { pinned: true } : {}),
    ...span(choice.period, nowMs),
    ...(choice.standing !== 'holding' ? { standing: choice.standing } : {}),
  };
}

const dayMs = 86_400_000;

function span(period: Period, nowMs: number): Pick<MemoryFilter, 'since_ms' | 'until_ms'> {
  const now = new Date(nowMs);
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const year = (ago: number) => new Date(now.getFullYear() - ago, 0, 1).getTime();
  switch (period) {
    case 'any':
      return {};
    case 'week':
      return { since_ms: midnight - 6 * dayMs };
    case 'month':
      return { since_ms: midnight - 29 * dayMs };
    case 'year':
      return { since_ms: year(0) };
    case 'last_year':
      return { since_ms: year(1), until_ms: year(0) };
    case 'before':
      return { until_ms: year(1) };
    default:
      return period satisfies never;
  }
}

/** By when it was so or, where nobody knows, when it was written down. */
export function sinceOf(memory: Memory): number {
  return memory.valid_from_ms ?? memory.created_at_ms;
}

/** Whether a memory that changed is one of those shown; the workspace decides the same way. */
export function fits(
  memory: Memory,
  filter: MemoryFilter,
  nowMs: number,
  isIn: (agent: AgentId, group: GroupId) => boolean,
): boolean {
  const since = sinceOf(memory);
  const tag = filter.tag?.toLowerCase();
  return (
    stands(memory, filter.standing ?? 'holding', nowMs) &&
    (!filter.kinds?.length || filter.kinds.includes(memory.kind)) &&
    (!filter.scopes?.length || filter.scopes.some((scope) => scopeValue(scope) === scopeValue(memory.scope))) &&
    (!filter.agent || reads(filter.agent, memory.scope, isIn)) &&
    (tag === undefined || memory.tags.some((one) => one.toLowerCase() === tag)) &&
    (!filter.pinned || memory.pinned) &&
    (filter.since_ms === undefined || since >= filter.since_ms) &&
    (filter.until_ms === undefined || since < filter.until_ms)
  );
}

function stands(memory: Memory, standing: Standing, nowMs: number): boolean {
  const ended = isOver(memory, nowMs);
  const begun = memory.valid_from_ms === null || memory.valid_from_ms <= nowMs;
  const state = memory.state.kind;
  switch (standing) {
    case 'holding':
      return state === 'current' && begun && !ended;
    case 'contested':
      return state === 'contested';
    case 'past':
      return state === 'superseded' || state === 'wrong' || (state === 'current' && ended);
    case 'any':
      return true;
    default:
      return standing satisfies never;
  }
}

function reads(agent: AgentId, scope: MemoryScope, isIn: (agent: AgentId, group: GroupId) => boolean): boolean {
  switch (scope.kind) {
    case 'user':
    case 'workspace':
      return true;
    case 'agent':
      return scope.id === agent;
    case 'group':
      return isIn(agent, scope.id);
    default:
      return scope satisfies never;
  }
}
