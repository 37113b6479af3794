/** What is not seen and what turns the direction of writing, written out: a question is about what runs, not about how it looks. */

// Control signs, marks and turns of direction, signs without width, breaks of lines in one line, tags.
const unseen =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;

/** `a\u202etxt.exe`, as JSON writes it; new lines and tabs stay. */
export const writtenOut = (text: string): string =>
  text.replace(unseen, (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });

/** The same on one line, with a sign where lines break: `echo a⏎rm b` is two commands. */
export const inOneLine = (text: string): string => writtenOut(text).replaceAll('\n', '⏎');

/** With a sign for each blank at the end of a line, and in front of tabs: a change may be of nothing else. */
export const withBlanks = (line: string): string =>
  line.replace(/\s+$/u, (blanks) => blanks.replace(/[^\t]/gu, '·')).replaceAll('\t', '→\t');
