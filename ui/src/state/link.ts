/** Links to something in the workspace, as `coterie://group/First%20group`: what they name, and where that is shown. */
import type { Call, Reply } from '../api/generated';
import type { Mirror } from './mirror';
import type { Place } from './place';

type Named = { is: 'group' | 'run' | 'memory' | 'soul'; name: string };

/** What it names; null for anything that is not such a link. */
export function named(link: string): Named | null {
  const found = /^coterie:\/\/(group|run|memory|soul)\/([^/?#]+)\/?$/.exec(link);
  if (!found?.[1] || !found[2]) return null;
  try {
    return { is: found[1] as Named['is'], name: decodeURIComponent(found[2]) };
  } catch {
    return null;
  }
}

/** Where it is shown; null when it is not there. Asks, and changes nothing. */
export async function placeOf(
  { is, name }: Named,
  mirror: Pick<Mirror, 'groups' | 'souls'>,
  ask: (call: Call) => Promise<Reply>,
): Promise<Place | null> {
  const is_there = (query: Extract<Call, { query: unknown }>['query']) =>
    ask({ query }).then(
      () => true,
      () => false,
    );
  switch (is) {
    case 'group': {
      const byName = [...mirror.groups.values()].find((group) => group.kind === 'group' && alike(group.name, name));
      const group = mirror.groups.get(name) ?? byName;
      if (!group) return null;
      return group.kind === 'post' ? { page: 'feed', post: group.id } : { page: 'conversations', group: group.id };
    }
    case 'soul': {
      const soul = [...mirror.souls.keys()].find((one) => alike(one, name));
      return soul === undefined ? null : { page: 'souls', soul };
    }
    case 'run':
      return (await is_there({ kind: 'run', run: name })) ? { page: 'runs', run: name } : null;
    case 'memory':
      return (await is_there({ kind: 'memory', memory: name })) ? { page: 'memory', memory: name } : null;
    default:
      return is satisfies never;
  }
}

/** A link to what is shown there; null where nothing of its own is. */
export function linkTo(place: Place): string | null {
  const link = (is: Named['is'], name: string | undefined) =>
    name === undefined ? null : `coterie://${is}/${encodeURIComponent(name)}`;
  switch (place.page) {
    case 'conversations':
      return link('group', place.group);
    case 'feed':
      return link('group', place.post);
    case 'souls':
      return link('soul', place.soul);
    case 'runs':
      return link('run', place.run);
    case 'memory':
      return link('memory', place.memory);
    case 'approvals':
    case 'schedules':
    case 'fleet':
    case 'settings':
      return null;
    default:
      return place satisfies never;
  }
}

const alike = (one: string, other: string) => one.toLocaleLowerCase() === other.toLocaleLowerCase();
