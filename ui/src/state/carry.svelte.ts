/**
 * An agent on its way to somewhere: what may take it, and what that would do.
 *
 * The same whether a pointer carries it or the keys do. Knows no screen; the
 * rules are plain functions over the mirror.
 */
import type { AgentId, GroupId, History } from '../api/generated';
import type { Coterie } from './coterie.svelte';
import { expect } from './reply';
import { type Mirror } from './mirror';
import { agentsOf, groupsShown, isMember, living } from './select';

export type Carried = { agent: AgentId; /** The group whose panel it was taken from. */ from: GroupId | null };
export type Target = { kind: 'agent'; id: AgentId } | { kind: 'group'; id: GroupId } | { kind: 'out' };
export type Effect =
  | { kind: 'new_group'; agent: AgentId; with: AgentId }
  | { kind: 'join'; agent: AgentId; group: GroupId }
  | { kind: 'leave'; agent: AgentId; group: GroupId };

/** How much of the past a newcomer sees when nothing else was said. */
export const lastMessages = 20;

/** What dropping would do; null where nothing takes it. */
export function effectOf(
  mirror: Pick<Mirror, 'agents' | 'groups' | 'members'>,
  carried: Carried,
  target: Target,
): Effect | null {
  const { agent, from } = carried;
  switch (target.kind) {
    case 'agent': {
      const other = mirror.agents.get(target.id);
      return other && other.id !== agent && other.state !== 'terminated'
        ? { kind: 'new_group', agent, with: other.id }
        : null;
    }
    case 'group': {
      const group = mirror.groups.get(target.id);
      return group?.kind === 'group' && !isMember(mirror, group.id, agent)
        ? { kind: 'join', agent, group: group.id }
        : null;
    }
    case 'out': {
      // The last agent stays: a group of nobody answers nobody.
      const stays = from === null || agentsOf(mirror, from).length < 2;
      return stays ? null : { kind: 'leave', agent, group: from };
    }
    default:
      return target satisfies never;
  }
}

/** Everything that would take it, in the order in which keys walk. */
export function targetsOf(
  mirror: Pick<Mirror, 'agents' | 'groups' | 'members' | 'last'>,
  carried: Carried,
): readonly Target[] {
  const all: Target[] = [
    { kind: 'out' },
    ...living(mirror).map((agent) => ({ kind: 'agent', id: agent.id }) as const),
    ...groupsShown(mirror).map((group) => ({ kind: 'group', id: group.id }) as const),
  ];
  return all.filter((target) => effectOf(mirror, carried, target) !== null);
}

export function sameTarget(one: Target | null, other: Target | null): boolean {
  if (one === null || other === null || one.kind !== other.kind) return one === other;
  return one.kind === 'out' || (other.kind !== 'out' && one.id === other.id);
}

/** `agent:ID`, `group:ID` or `out`: how a target is written on an element. */
export function written(target: Target): string {
  return target.kind === 'out' ? 'out' : `${target.kind}:${target.id}`;
}

export function read(text: string): Target | null {
  if (text === 'out') return { kind: 'out' };
  const [kind, id] = text.split(':');
  return (kind === 'agent' || kind === 'group') && id ? { kind, id } : null;
}

/** What was done, and how to take it back. */
export type Done = {
  effect: Effect;
  group: GroupId;
  /** What a newcomer sees; the usual when left out. */
  sees?: History;
  undo: () => Promise<unknown>;
  /** Whether it is still as it was left. */
  holds: () => boolean;
};

export async function carryOut(coterie: Coterie, effect: Effect): Promise<Done> {
  const isIn = (group: GroupId, agent: AgentId) => isMember(coterie.mirror, group, agent);
  const isOpen = (group: GroupId) => coterie.mirror.groups.get(group)?.archived === false;
  switch (effect.kind) {
    case 'new_group': {
      const made = expect(
        await coterie.do({ kind: 'new_group', name: null, members: [effect.with, effect.agent], policy: null }),
        'group',
      );
      const group = made.group.id;
      const undo = async () => {
        await coterie.do({ kind: 'edit_group', group, patch: { archived: true } });
        // Nobody wants to stay where nothing is.
        const { place } = coterie;
        if (place.page === 'conversations' && place.group === group) coterie.back();
      };
      return { effect, group, undo, holds: () => isOpen(group) };
    }
    case 'join': {
      const { agent, group } = effect;
      await coterie.do({ kind: 'add_member', group, agent, sees: { kind: 'last', messages: lastMessages } });
      const undo = () => coterie.do({ kind: 'remove_member', group, agent });
      return { effect, group, undo, holds: () => isIn(group, agent) };
    }
    case 'leave': {
      const { agent, group } = effect;
      const { default_agent, supervisor } = coterie.mirror.groups.get(group) ?? {};
      await coterie.do({ kind: 'remove_member', group, agent });
      const undo = async () => {
        await coterie.do({ kind: 'bring_back', group, agent });
        // What it was for the group went with it.
        const patch = {
          ...(default_agent === agent ? { default_agent } : {}),
          ...(supervisor === agent ? { supervisor } : {}),
        };
        if (Object.keys(patch).length > 0) await coterie.do({ kind: 'edit_group', group, patch });
      };
      const holds = () =>
        isOpen(group) && !isIn(group, agent) && coterie.mirror.agents.get(agent)?.state !== 'terminated';
      return { effect, group, undo, holds };
    }
    default:
      return effect satisfies never;
  }
}

export class Carry {
  carried = $state.raw<(Carried & { by: 'pointer' | 'keys' }) | null>(null);
  target = $state.raw<Target | null>(null);
  /** Nothing was done with it yet: who carries it by keys is to be told which ones. */
  justLifted = $state(false);
  /** Where the pointer is. */
  x = $state(0);
  y = $state(0);
  #coterie: Coterie;

  constructor(coterie: Coterie) {
    this.#coterie = coterie;
  }

  /** What dropping here would do. */
  get effect(): Effect | null {
    return this.carried && this.target ? effectOf(this.#coterie.mirror, this.carried, this.target) : null;
  }

  lift(carried: Carried, by: 'pointer' | 'keys'): void {
    this.carried = { ...carried, by };
    this.justLifted = true;
    this.target = by === 'keys' ? (targetsOf(this.#coterie.mirror, carried)[0] ?? null) : null;
  }

  over(target: Target | null): void {
    if (!this.carried || sameTarget(target, this.target)) return;
    this.target = target && effectOf(this.#coterie.mirror, this.carried, target) ? target : null;
  }

  /** To the next valid target, or the one before. */
  step(by: 1 | -1): void {
    if (!this.carried) return;
    this.justLifted = false;
    const targets = targetsOf(this.#coterie.mirror, this.carried);
    const at = targets.findIndex((target) => sameTarget(target, this.target));
    this.target = targets.at((at + by + targets.length) % Math.max(targets.length, 1)) ?? null;
  }

  /** Whether this could take what is carried; null when nothing is. */
  takes(target: Target): boolean | null {
    return this.carried && effectOf(this.#coterie.mirror, this.carried, target) !== null;
  }

  isOver(target: Target): boolean {
    return sameTarget(this.target, target);
  }

  cancel(): void {
    this.carried = null;
    this.target = null;
  }

  /** Puts it down and gives what was done, if this took it. */
  async drop(): Promise<Done | undefined> {
    const effect = this.effect;
    this.cancel();
    return effect ? this.#coterie.attempt(() => carryOut(this.#coterie, effect)) : undefined;
  }
}
