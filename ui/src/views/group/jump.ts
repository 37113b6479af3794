/** Which of a person's messages a long conversation offers to jump to. Pure. */
import type { MessageId } from '../../api/generated';
import type { Row } from '../../state';

export type Mark = { message: MessageId; words: string };

/** In a short conversation everything is in sight anyway. */
const marksAtLeast = 4;
/** As many as stand below each other in a small window. */
const marksAtMost = 12;
const wordsAtMost = 80;

/** What the person said, and in which row it stands. */
export type Own = { at: number; message: MessageId; text: string };

/** All of it, in the order of the conversation. */
export function ownOf(rows: readonly Row[]): readonly Own[] {
  const own: Own[] = [];
  for (const [at, row] of rows.entries())
    if (row.kind === 'message' && row.message.author.kind === 'user')
      own.push({ at, message: row.message.id, text: row.text });
  return own;
}

/** What of it stands around a row. */
export function marksOf(own: readonly Own[], around: number): readonly Mark[] {
  if (own.length < marksAtLeast) return [];
  const next = own.findIndex(({ at }) => at >= around);
  const before = next === -1 ? own.length : next;
  const first = Math.min(Math.max(0, before - marksAtMost / 2), Math.max(0, own.length - marksAtMost));
  return own.slice(first, first + marksAtMost).map(({ message, text }) => ({ message, words: firstWords(text) }));
}

function firstWords(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  const letters = [...line];
  return letters.length > wordsAtMost ? `${letters.slice(0, wordsAtMost).join('')}…` : line;
}
