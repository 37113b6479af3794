/** Tells which script a text is mostly written in, for its line height and its fonts. */

const counts: readonly (readonly [tag: string, letters: RegExp, weight: number])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 3],
  ['ko', /\p{Script=Hangul}/gu, 2],
  ['zh-CN', /\p{Script=Han}/gu, 2],
  ['en', /\p{Script=Latin}/gu, 0.5],
];

/**
 * A BCP 47 tag, or undefined where no script leads (digits, signs, nothing).
 *
 * One Han character says about as much as a word, hence the weights. Text in
 * a code span says nothing about the language around it.
 */
export function scriptOf(text: string): string | undefined {
  const prose = text.slice(0, 2000).replace(/```[\s\S]*?(```|$)|`[^`\n]*`/g, ' ');
  let best: string | undefined;
  let most = 0;
  for (const [tag, letters, weight] of counts) {
    const score = (prose.match(letters)?.length ?? 0) * weight;
    if (score > most) {
      best = tag;
      most = score;
    }
  }
  return best;
}
