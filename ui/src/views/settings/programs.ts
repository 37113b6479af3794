/** What a program from outside can be let read, and say something in. */
import { directOf, living, type Mirror } from '../../state';
import type { MemoryScope } from '../../api/generated';

type Option = { value: string; label: string };

/** Groups of several, and the direct chat of each agent under its name. */
export function conversations(mirror: Mirror): Option[] {
  const groups = [...mirror.groups.values()].filter((group) => group.kind === 'group' && !group.archived);
  const direct = living(mirror).flatMap((agent) => {
    const group = directOf(mirror, agent.id);
    return group ? [{ value: group.id, label: agent.name }] : [];
  });
  return [...groups.map((group) => ({ value: group.id, label: group.name })), ...direct];
}

/** What of the memories is everybody's, and those of the conversations that it may read. */
export function scopesFor(reads: readonly string[]): MemoryScope[] {
  return [{ kind: 'user' }, { kind: 'workspace' }, ...reads.map((id): MemoryScope => ({ kind: 'group', id }))];
}
