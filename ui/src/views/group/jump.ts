/** Which of a person's messages a long conversation offers to jump to. Pure. */
import type { MessageId } from '../../api/generated';
import type { Row } from '../../state';

export type Mark = { message: MessageId; words: string };

/** In a short conversation everything is in sight anyway. */
const marksAtLeast = 4;
/** As many as stand below each other in a small window. */
const marksAtMost = 12;
const wordsAtMost = 80;

/** The newest of what the person said, in the order of the conversation. */
export function marksOf(rows: readonly Row[]): readonly Mark[] {
  const own = rows.flatMap((row) =>
    row.kind === 'message' && row.message.author.kind === 'user'
      ? [{ message: row.message.id, words: firstWords(row.text) }]
      : [],
  );
  return own.length < marksAtLeast ? [] : own.slice(-marksAtMost);
}

function firstWords(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  const letters = [...line];
  return letters.length > wordsAtMost ? `${letters.slice(0, wordsAtMost).join('')}…` : line;
}
