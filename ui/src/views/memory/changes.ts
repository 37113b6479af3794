/** What one version of a memory changed, in words. */
import type { Memory, MemoryVersion } from '../../api/generated';
import { list, moment, number, sayMemoryKind, sayMemoryScope, sayTrust, t, type Names } from '../../words';

export type Change = {
  version: MemoryVersion;
  /** The words that it took the place of; null where they stayed. */
  words: { from: string; to: string } | null;
  /** Everything else that is other than before. */
  facts: readonly string[];
};

/** The last version first. */
export function changesOf(versions: readonly MemoryVersion[], names: Names): readonly Change[] {
  return versions
    .map((version, at) => {
      const [before, after] = [versions[at - 1]?.memory ?? null, version.memory];
      if (!before || !after) return { version, words: null, facts: [] };
      const words = before.text === after.text ? null : { from: before.text, to: after.text };
      return { version, words, facts: factsOf(before, after, names) };
    })
    .reverse();
}

function factsOf(before: Memory, after: Memory, names: Names): readonly string[] {
  const when = (ms: number | null) => (ms === null ? t('memory.nothing') : moment(ms));
  const tags = (of: Memory) => (of.tags.length > 0 ? list(of.tags) : t('memory.nothing'));
  const scope = (of: Memory) => sayMemoryScope(of.scope, names);
  const pairs = [
    ['changed_kind', sayMemoryKind(before.kind), sayMemoryKind(after.kind)],
    ['changed_scope', scope(before), scope(after)],
    ['changed_trust', sayTrust(before.trust), sayTrust(after.trust)],
    ['changed_importance', number(before.importance), number(after.importance)],
    ['changed_tags', tags(before), tags(after)],
    ['changed_since', when(before.valid_from_ms), when(after.valid_from_ms)],
    ['changed_until', when(before.valid_to_ms), when(after.valid_to_ms)],
  ] as const;
  return pairs.filter(([, from, to]) => from !== to).map(([key, from, to]) => t(`memory.${key}`, { from, to }));
}

/** Whether there is a change left to take back: of those that were not, one before the last. */
export function canUndo(versions: readonly MemoryVersion[]): boolean {
  let standing = 0;
  for (const { change } of versions) standing += change === 'undone' ? -1 : 1;
  return standing > 1 && versions.at(-1)?.change !== 'forgotten';
}
