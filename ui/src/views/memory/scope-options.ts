/** Whom a memory can be for: everybody, the agents of a conversation, one agent. */
import { living, type Coterie } from '../../state';
import { sayMemoryScope, type Names } from '../../words';
import type { MemoryScope } from '../../api/generated';
import { scopeValue } from './filter';

export function scopeOptions(coterie: Coterie, names: Names): { value: string; label: string }[] {
  const { mirror } = coterie;
  const scopes: MemoryScope[] = [
    { kind: 'user' },
    { kind: 'workspace' },
    ...[...mirror.groups.values()]
      .filter((group) => group.kind === 'group' && !group.archived)
      .map((group): MemoryScope => ({ kind: 'group', id: group.id })),
    ...living(mirror).map((agent): MemoryScope => ({ kind: 'agent', id: agent.id })),
  ];
  return scopes.map((scope) => ({ value: scopeValue(scope), label: sayMemoryScope(scope, names) }));
}
