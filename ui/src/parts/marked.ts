/** Finds the words of a question in a text, so that they can be set off, as those are that the palette finds. Pure. */

export type Piece = { text: string; isMarked: boolean };

/** Shorter ones are looked for as they are: what begins so is too much. */
const shortest = 4;

/** What a question has because it is one. */
const asking = new Set(
  `a an the and or but if then of to in on at by for with from as into about over under between through during
  before after is are was were be been being am do does did doing have has had having will would can could should
  shall may might must i you he she it we they me him her us them my your his its our their mine yours this that
  these those there here what which who whom whose when where why how not no nor so than too very just also any some
  such own same s t d ll m re ve`.split(/\s+/),
);

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

/**
 * Words without their endings, which may stand there with others; in Chinese each two characters, or the one that
 * there is. The last word may be still on its way.
 */
function stemsOf(question: string): readonly string[] {
  const runs = question.match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu) ?? [];
  const last = /[\p{L}\p{N}]$/u.test(question) ? runs.at(-1) : undefined;
  const said = runs.filter((run) => !asking.has(run.toLowerCase()));
  const stems = (said.length > 0 ? said : runs).flatMap((run) => {
    if (/^\p{Script=Han}/u.test(run)) {
      const letters = [...run];
      return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
    }
    const isWhole = run.length < shortest && run !== last;
    const stem = run.length < shortest ? run : run.replace(/(?:ing|ed|er|es|s)$/i, '');
    const end = isWhole ? '(?:es|s)?(?![\\p{L}\\p{N}])' : '\\p{L}*';
    return [`(?<![\\p{L}\\p{N}])${stem.length < 3 ? run : stem}${end}`];
  });
  return [...new Set(stems)];
}
