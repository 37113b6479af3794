/** Which lines of a text were added and removed, with long equal stretches folded. */
import { diffLines } from 'diff';

export type Stretch =
  | { kind: 'same' | 'added' | 'removed'; lines: readonly string[] }
  /** Equal lines that are left out, so that the changes stand together. */
  | { kind: 'folded'; count: number };

export type Difference = { stretches: readonly Stretch[]; added: number; removed: number };

/** With so many equal lines around each change. */
export function difference(before: string, after: string, around = 2): Difference {
  // A last line without its line end is the same line.
  const parts = diffLines(ended(before), ended(after));
  const stretches: Stretch[] = [];
  let added = 0;
  let removed = 0;
  for (const [at, part] of parts.entries()) {
    const lines = part.value.replace(/\n$/, '').split('\n');
    if (part.added) {
      added += lines.length;
      stretches.push({ kind: 'added', lines });
    } else if (part.removed) {
      removed += lines.length;
      stretches.push({ kind: 'removed', lines });
    } else {
      stretches.push(...folded(lines, at === 0 ? 0 : around, at === parts.length - 1 ? 0 : around));
    }
  }
  return { stretches: added + removed === 0 ? [] : stretches, added, removed };
}

const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

function folded(lines: readonly string[], head: number, tail: number): Stretch[] {
  const hidden = lines.length - head - tail;
  if (hidden < 2) return [{ kind: 'same', lines }];
  const shown: Stretch[] = [];
  if (head > 0) shown.push({ kind: 'same', lines: lines.slice(0, head) });
  shown.push({ kind: 'folded', count: hidden });
  if (tail > 0) shown.push({ kind: 'same', lines: lines.slice(-tail) });
  return shown;
}
