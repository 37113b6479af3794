/** Which lines of a text were added and removed, with long equal stretches folded. */
import { diffLines } from 'diff';

export type Stretch =
  | { kind: 'same' | 'added' | 'removed'; lines: readonly string[] }
  /** Equal lines that are left out, so that the changes stand together. */
  | { kind: 'folded'; count: number };

export type Difference = { stretches: readonly Stretch[]; added: number; removed: number };

/** Equal lines shown around a change. */
const context = 2;

export function difference(before: string, after: string): Difference {
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
      stretches.push(...folded(lines, at === 0, at === parts.length - 1));
    }
  }
  return { stretches: added + removed === 0 ? [] : stretches, added, removed };
}

const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

function folded(lines: readonly string[], first: boolean, last: boolean): Stretch[] {
  const head = first ? 0 : context;
  const tail = last ? 0 : context;
  const hidden = lines.length - head - tail;
  if (hidden < 2) return [{ kind: 'same', lines }];
  const shown: Stretch[] = [];
  if (head > 0) shown.push({ kind: 'same', lines: lines.slice(0, head) });
  shown.push({ kind: 'folded', count: hidden });
  if (tail > 0) shown.push({ kind: 'same', lines: lines.slice(-tail) });
  return shown;
}
