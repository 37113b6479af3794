import { expect, it } from 'vitest';
import { withBlanks, writtenOut } from './visible';

it.each([
  ['a\u202Egpj.exe', 'a\\u202egpj.exe'],
  ['ls ; : \u202E\u2066 ; touch x ; : \u2069\u202C', 'ls ; : \\u202e\\u2066 ; touch x ; : \\u2069\\u202c'],
  ['rm\u200B -r \u{E0041}', 'rm\\u200b -r \\u{e0041}'],
  ['\u001B[2K\r', '\\u001b[2K\\u000d'],
  ['two\n\tlines, 林夏 हिन्दी 👩‍🍳', 'two\n\tlines, 林夏 हिन्दी 👩‍🍳'],
])('what is not seen is written out: %j', (text, seen) => {
  expect(writtenOut(text)).toBe(seen);
});

it.each([
  ['a b  ', 'a b··'],
  ['\tif:\t', '→\tif:→\t'],
  ['   ', '···'],
  ['as it is', 'as it is'],
])('blanks that a change may be of are shown: %j', (line, seen) => {
  expect(withBlanks(line)).toBe(seen);
});
