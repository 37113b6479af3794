/** What a use of a tool was given, in parts that a person can read: texts as lines, a change as a difference. Pure. */
import { difference, type Difference } from '../parts/difference';
import { writtenOut } from '../parts/visible';

export type Part =
  /** What is left of it, as JSON. */
  | { kind: 'rest'; text: string }
  | { kind: 'lines'; name: string; text: string; /** For its colours; empty where nobody knows. */ lang: string }
  /** `ends` says which of the two ends with a line break, where only one does. */
  | { kind: 'change'; shown: Difference; ends: 'before' | 'after' | null };

/** All of it, each argument in exactly one part: what would be run comes first, and also stands as it is where it is one line. */
export function partsOf(tool: string, given: unknown): readonly Part[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [rest(given)];
  const left: [string, unknown][] = [];
  const programs: Part[] = [];
  const parts: Part[] = [];
  const all = new Map<string, unknown>(Object.entries(given));
  const change = tool === 'edit_file' ? changeOf(all.get('old'), all.get('new')) : undefined;
  for (const [name, value] of all) {
    if (change && (name === 'old' || name === 'new')) continue;
    const isProgram = name === 'command' || name === 'code';
    if (typeof value === 'string' && (isProgram || value.includes('\n'))) {
      const lines = { kind: 'lines', name, text: value, lang: languageOf(name, all) } as const;
      (isProgram ? programs : parts).push(lines);
    } else left.push([name, value]);
  }
  if (change) parts.push(change);
  const isAll = left.length === 0 && programs.length + parts.length > 0;
  return [...programs, ...(isAll ? [] : [rest(Object.fromEntries(left))]), ...parts];
}

const rest = (value: unknown): Part => ({ kind: 'rest', text: JSON.stringify(value, null, 2) });

/** Undefined where a difference would show nothing of it. */
function changeOf(before: unknown, after: unknown): Part | undefined {
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  const shown = difference(writtenOut(before), writtenOut(after), Infinity);
  if (shown.stretches.length === 0) return undefined;
  const [first, second] = [before.endsWith('\n'), after.endsWith('\n')];
  const ends = first === second || before === '' || after === '' ? null : first ? 'before' : 'after';
  return { kind: 'change', shown, ends };
}

function languageOf(name: string, all: ReadonlyMap<string, unknown>): string {
  if (name === 'command') return 'bash';
  const language = all.get('language');
  if (name === 'code' && typeof language === 'string') return language;
  const path = all.get('path');
  return typeof path === 'string' ? (/\.(\w+)$/.exec(path)?.[1] ?? '') : '';
}
