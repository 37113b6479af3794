import { expect, it } from 'vitest';
import { unmarked } from './unmarked';

it.each([
  ['# Tea\n\n**hot** and [here](https://example.org)', 'Tea hot and here'],
  ['> [!NOTE]\n> H<sub>2</sub>O<br>and `salt`', 'H2O and salt'],
  ['_Read_ __all__ of `my_file_2.md`', 'Read all of my_file_2.md'],
  ['| a | b |\n|---|:-:|\n| 1 | 2 |\n\n---\n- a list\n--- and words', 'a b 1 2 - a list --- and words'],
  ['a < b and <b>c</b>', 'a < b and <b>c</b>'],
])('a text is told without its signs: %j', (text, told) => {
  expect(unmarked(text)).toBe(told);
});
