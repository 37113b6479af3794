/** Whom a memory can be for: everybody, the agents of a conversation, one agent. */
import { living, type Coterie } from '../../state';
import { sayMemoryScope, type Names } from '../../words';
import type { MemoryScope } from '../../api/generated';
import { scopeValue } from './filter';

/** `also` is among them, whatever it is. */
export function scopeOptions(coterie: Coterie, names: Names, also?: MemoryScope): { value: string; label: string }[] {
  const { mirror } = coterie;
  const scopes: MemoryScope[] = [
    { kind: 'user' },
    { kind: 'workspace' },
    ...[...mirror.groups.values()]
      .filter((group) => group.kind === 'group' && !group.archived)
      .map((group): MemoryScope => ({ kind: 'group', id: group.id })),
    ...living(mirror).map((agent): MemoryScope => ({ kind: 'agent', id: agent.id })),
  ];
  if (also && !scopes.some((scope) => scopeValue(scope) === scopeValue(also))) scopes.push(also);
  return scopes.map((scope) => ({ value: scopeValue(scope), label: sayMemoryScope(scope, names) }));
}
