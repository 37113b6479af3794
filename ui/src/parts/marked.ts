/** Finds the words of a question in a text, so that they can be set off. Pure. */

export type Piece = { text: string; isMarked: boolean };

/** Shorter ones are in every text. */
const shortest = 4;

export function marked(text: string, question: string): readonly Piece[] {
  const stems = stemsOf(question);
  if (stems.length === 0) return [{ text, isMarked: false }];
  const found = new RegExp(stems.join('|'), 'giu');
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(found)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), isMarked: false });
    pieces.push({ text: match[0], isMarked: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isMarked: false });
  return pieces;
}

/** Words without their endings, which may stand there with others; in Chinese each two characters. */
function stemsOf(question: string): readonly string[] {
  const runs = question.match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu) ?? [];
  const stems = runs.flatMap((run) => {
    if (/^\p{Script=Han}/u.test(run)) {
      const letters = [...run];
      return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
    }
    if (run.length < shortest) return [];
    const stem = run.replace(/(?:ing|ed|er|es|s)$/i, '');
    return [`(?<![\\p{L}\\p{N}])${stem.length < 3 ? run : stem}\\p{L}*`];
  });
  return [...new Set(stems)];
}
