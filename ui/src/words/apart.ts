/**
 * Puts parts of a sentence together: where Chinese meets Latin letters or a number, a space stands
 * between. What is in a part is somebody's, and stays as it is.
 */
export const apart = (parts: readonly string[]): string =>
  parts.reduce((said, part) => `${said}${meet(said, part) ? ' ' : ''}${part}`, '');

const meet = (before: string, after: string) =>
  (endsInHan.test(before) && beginsLatin.test(after)) || (endsLatin.test(before) && beginsInHan.test(after));

const endsInHan = /\p{Script=Han}$/u;
const beginsInHan = /^\p{Script=Han}/u;
const endsLatin = /[\p{Script=Latin}\d]$/u;
const beginsLatin = /^[\p{Script=Latin}\d]/u;
