/** What a list to pick from holds, and which of it fits what is typed. */

export type Pick = {
  value: string;
  label: string;
  /** A second, quieter line. */
  hint?: string | undefined;
  /** Short facts at the right, a column each. */
  facts?: readonly string[] | undefined;
  /** A mark beside the label. */
  tag?: string | undefined;
  /** Said instead of all of this, where it would not be understood by ear. */
  spoken?: string | undefined;
  /** What else finds it. */
  also?: string | undefined;
  /** The heading that it stands under; those of one heading stand together. */
  group?: string | undefined;
};

/** Those that hold every word of the query, wherever it stands. */
export function fitting<Option extends Pick>(query: string, picks: readonly Option[]): readonly Option[] {
  const words = folded(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return picks;
  return picks.filter((pick) => {
    const text = folded([pick.label, pick.value, pick.hint, pick.also, pick.group].join('\n'));
    return words.every((word) => text.includes(word));
  });
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

export type Group = { title: string | undefined; picks: readonly { pick: Pick; at: number }[] };

/** The same in groups, each with its place in the whole. */
export function grouped(picks: readonly Pick[]): readonly Group[] {
  const groups: { title: string | undefined; picks: { pick: Pick; at: number }[] }[] = [];
  picks.forEach((pick, at) => {
    const last = groups.at(-1);
    if (last && last.title === pick.group) last.picks.push({ pick, at });
    else groups.push({ title: pick.group, picks: [{ pick, at }] });
  });
  return groups;
}

/** Where a key leads in a list of so many; undefined for a key that leads nowhere. */
export function moved(key: string, at: number, length: number): number | undefined {
  if (length === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % length;
    case 'ArrowUp':
      return (at - 1 + length) % length;
    case 'PageDown':
      return Math.min(length - 1, at + 8);
    case 'PageUp':
      return Math.max(0, at - 8);
    default:
      return undefined;
  }
}
