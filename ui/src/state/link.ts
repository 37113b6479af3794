/** Links to something in the workspace, as `coterie://group/First%20group`: what they name, and where that is shown. */
import type { Call, Reply } from '../api/generated';
import type { Mirror } from './mirror';
import type { Place } from './place';

type Named = { is: 'group' | 'message' | 'run' | 'memory' | 'soul' | 'approval' | 'question'; name: string };

/** Questions that are looked through for one. */
const MOST = 500;

/** What it names; null for anything that is not such a link. */
export function named(link: string): Named | null {
  const found = /^coterie:\/\/(group|message|run|memory|soul|approval|question)\/([^/?#]+)\/?$/.exec(link);
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
  const answer = (query: Extract<Call, { query: unknown }>['query']) => ask({ query }).catch(() => null);
  const is_there = (query: Extract<Call, { query: unknown }>['query']) => answer(query).then((reply) => reply !== null);
  /** No conversation of the list: a post, if it is one. */
  const inFeed = async (post: string): Promise<Place | null> =>
    (await is_there({ kind: 'thread', post })) ? { page: 'feed', post } : null;
  switch (is) {
    case 'group': {
      const byName = [...mirror.groups.values()].find((group) => group.kind === 'group' && alike(group.name, name));
      const group = mirror.groups.get(name) ?? byName;
      if (!group) return inFeed(name);
      return group.kind === 'post' ? { page: 'feed', post: group.id } : { page: 'conversations', group: group.id };
    }
    case 'message': {
      const reply = await answer({ kind: 'message', message: name });
      if (reply?.kind !== 'message') return null;
      const { group, id } = reply.data;
      return mirror.groups.has(group) ? { page: 'conversations', group, message: id } : inFeed(group);
    }
    case 'soul': {
      const soul = [...mirror.souls.keys()].find((one) => alike(one, name));
      return soul === undefined ? null : { page: 'souls', soul };
    }
    case 'run':
      return (await is_there({ kind: 'run', run: name })) ? { page: 'runs', run: name } : null;
    case 'memory':
      return (await is_there({ kind: 'memory', memory: name })) ? { page: 'memory', memory: name } : null;
    case 'approval': {
      const reply = await answer({ kind: 'approvals', limit: MOST });
      const found = reply?.kind === 'approvals' && reply.data.some((one) => one.call === name);
      return found ? { page: 'approvals' } : null;
    }
    case 'question': {
      const reply = await answer({ kind: 'questions', limit: MOST });
      const found = reply?.kind === 'questions' && reply.data.some((one) => one.id === name);
      return found ? { page: 'approvals' } : null;
    }
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
