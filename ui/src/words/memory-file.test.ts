import { afterEach, describe, expect, it } from 'vitest';
import type { LeftOutWhy, PlaceInFile } from '../api/generated';
import { sayLeftOut } from './memory-file';
import { setLanguage } from './words.svelte';

const line: PlaceInFile = { file: 'notes/MEMORY.md', part: { is: 'line', number: 1234 } };
const whys: readonly LeftOutWhy[] = [
  { is: 'no_conversation' },
  { is: 'shown', files: 2 },
  { is: 'nothing_said', title: '茶' },
  { is: 'file', wrong: { is: 'too_long', most_mb: 16 } },
  { is: 'file', wrong: { is: 'packed' } },
  { is: 'too_many_files' },
  { is: 'folder_too_deep' },
  { is: 'of_soul' },
  { is: 'of_skill' },
  { is: 'other_file' },
  { is: 'forgotten' },
  { is: 'other_words', text: '喜欢茶' },
  { is: 'no_reader' },
  { is: 'no_time' },
];

afterEach(() => setLanguage('en'));

describe('what of a file becomes no memory', () => {
  it('is told with its place and the reason, in either language', () => {
    expect(sayLeftOut({ place: line, why: { is: 'forgotten' } })).toBe(
      'notes/MEMORY.md, line 1234: you have forgotten it here',
    );
    setLanguage('zh');
    expect(sayLeftOut({ place: line, why: { is: 'forgotten' } })).toBe('notes/MEMORY.md，第 1234 行：你在这里忘掉了它');
    const said = whys.map((why) => sayLeftOut({ place: { file: null, part: { is: 'conversation', number: 3 } }, why }));
    for (const text of said) expect(text).toMatch(/^第 3 个对话：[^{}]*\p{Script=Han}[^{}]*$/u);
    expect(new Set(said).size).toBe(whys.length);
    expect(sayLeftOut({ place: { file: 'SOUL.md', part: null }, why: { is: 'of_soul' } })).toMatch(/^SOUL\.md：说/);
  });
});
