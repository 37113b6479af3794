import { expect, it } from 'vitest';
import { Announcer, sentencesEnd, wentTo } from './announce';

it('finds where the last whole sentence ends', () => {
  expect(sentencesEnd('One. Two')).toBe(4);
  expect(sentencesEnd('2.3 °C and')).toBe(0);
  expect(sentencesEnd('先别急。再听')).toBe(4);
});

it('tells every sentence once, and the rest when the reply is complete', () => {
  const announcer = new Announcer();
  expect(announcer.news('r', 'One. Tw', false)).toBe('One.');
  expect(announcer.news('r', 'One. Two', false)).toBe('');
  expect(announcer.news('r', 'One. Two. Th', false)).toBe('Two.');
  expect(announcer.news('r', 'One. Two. Three', true)).toBe('Three');
});

it('tells of the version that was gone to, and of none that has just been made', () => {
  const versions = (shown: string, ...all: string[]) => ({ shown, all: all.map((message, seq) => ({ message, seq })) });
  expect(wentTo([versions('b', 'a', 'b')], [versions('a', 'a', 'b')])).toEqual({ message: 'a', n: 1, all: 2 });
  expect(wentTo([versions('b', 'a', 'b')], [versions('b', 'a', 'b')])).toBeNull();
  expect(wentTo([versions('b', 'a', 'b')], [versions('c', 'a', 'b', 'c')])).toBeNull();
  expect(wentTo([], [versions('a', 'a', 'b')])).toBeNull();
});
