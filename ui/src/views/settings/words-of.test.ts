import { describe, expect, it } from 'vitest';
import { valuesOf, wordsOf } from './words-of';

describe('a command line', () => {
  it('is cut into words as a terminal does', () => {
    const check = (line: string, words: string[] | null) => expect(wordsOf(line), line).toEqual(words);
    check('', []);
    check('  npx  -y server ', ['npx', '-y', 'server']);
    check('server "/my notes" \'a "b"\'', ['server', '/my notes', 'a "b"']);
    check('server "a \\"b\\" \\n" ""', ['server', 'a "b" \\n', '']);
    check('C:\\tools\\server.exe --x=1', ['C:\\tools\\server.exe', '--x=1']);
    check('say --"two words"', ['say', '--two words']);
    check('server "open', null);
  });
});

describe('values', () => {
  it('stand one a line', () => {
    expect(valuesOf('A=1\n\n TOKEN = a=b \n')).toEqual({ A: '1', TOKEN: 'a=b' });
    expect(valuesOf('')).toEqual({});
    expect(valuesOf('A')).toBeNull();
    expect(valuesOf('=a')).toBeNull();
  });
});
