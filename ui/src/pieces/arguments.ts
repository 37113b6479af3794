/** What a use of a tool was given, in parts that a person can read: texts as lines, a change as a difference. Pure. */
import { difference, type Difference } from '../parts/difference';
import { writtenOut } from '../parts/visible';

export type Part =
  /** All of what is given without names, as JSON. */
  | { kind: 'whole'; text: string }
  | { kind: 'fields'; fields: readonly Field[] }
  | { kind: 'lines'; name: string; text: string; /** For its colours; empty where nobody knows. */ lang: string }
  /** `ends` says which of the two ends with a line break, where only one does. */
  | { kind: 'change'; shown: Difference; ends: 'before' | 'after' | null };

/** A value as it is to be read: what is in quotes is text, as JSON writes it. */
export type Field = { name: string; value: string };

/**
 * All of it, each argument in exactly one part: what would be run comes first, and also stands as it is where it is one
 * line. With the text that `content` would take the place of, that is a change.
 */
export function partsOf(tool: string, given: unknown, replaced?: string | null): readonly Part[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [whole(given)];
  const fields: Field[] = [];
  const programs: Part[] = [];
  const parts: Part[] = [];
  const all = new Map<string, unknown>(Object.entries(given));
  const edit = tool === 'edit_file' ? changeOf(all.get('old'), all.get('new')) : undefined;
  const change = edit ?? changeOf(replaced, all.get('content'));
  const changed = edit ? ['old', 'new'] : ['content'];
  for (const [name, value] of all) {
    if (change && changed.includes(name)) continue;
    const isProgram = name === 'command' || name === 'code';
    if (typeof value === 'string' && (isProgram || value.includes('\n'))) {
      const lines = { kind: 'lines', name, text: value, lang: languageOf(name, all) } as const;
      (isProgram ? programs : parts).push(lines);
    } else fields.push({ name, value: read(value) });
  }
  if (change) parts.push(change);
  if (all.size === 0) return [whole(given)];
  return [...programs, ...(fields.length > 0 ? [{ kind: 'fields', fields } as const] : []), ...parts];
}

const whole = (value: unknown): Part => ({ kind: 'whole', text: JSON.stringify(value, null, 2) });

/** Longer values of several parts are in several lines. */
const shortest = 80;

function read(value: unknown): string {
  if (typeof value === 'string') return plainly(value);
  const short = JSON.stringify(value);
  return writtenOut(short.length > shortest ? JSON.stringify(value, null, 2) : short);
}

/** Text as it is, in quotes where it would be taken for something else, or for nothing. */
export const plainly = (text: string): string => (isPlain(text) ? text : writtenOut(JSON.stringify(text)));

function isPlain(text: string): boolean {
  const hasBlanksAround = text.trim() !== text || text.includes('\t');
  // A sign that is written out is told from one that was written so.
  const hasUnseen = writtenOut(text) !== text || /\\u([\da-f]{4}|\{)/i.test(text);
  return text !== '' && !hasBlanksAround && !hasUnseen && Number.isNaN(Number(text)) && !isJson(text);
}

/** Or begins as such, and would be taken for it. */
const isJson = (text: string) => /^(true|false|null|undefined)$|^["[{]/i.test(text);

/** A name that is none in any language of programs is in quotes, too. */
export const plainName = (name: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u.test(name) ? name : writtenOut(JSON.stringify(name));

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
