/** How comments stand below each other, and what is said to each. */
import type { FeedItem, MessageId } from '../../api/generated';

/** Deeper ones stand where this one does. */
const deepest = 4;

/** In the order in which they are read: each below what it answers. */
export function laid(comments: readonly FeedItem[], post: MessageId | null): { item: FeedItem; depth: number }[] {
  const known = new Set(comments.map((one) => one.message.id));
  const parentOf = ({ message: { parent } }: FeedItem) =>
    parent !== null && parent !== post && known.has(parent) ? parent : null;
  const below = grouped(comments, parentOf);
  const laid: { item: FeedItem; depth: number }[] = [];
  const lay = (parent: MessageId | null, depth: number) => {
    for (const item of below.get(parent) ?? []) {
      laid.push({ item, depth: Math.min(depth, deepest) });
      lay(item.message.id, depth + 1);
    }
  };
  lay(null, 0);
  return laid;
}

function grouped<K, V>(all: readonly V[], keyOf: (one: V) => K): ReadonlyMap<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}
