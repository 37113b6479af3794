import { describe, expect, it } from 'vitest';
import { setLanguage } from '../../words';
import { nameIn, stemFor, template } from './new-soul';

describe('a new soul', () => {
  it.each([
    ['Mira', [], 'mira'],
    ['Ana Lúcia', [], 'ana-lucia'],
    ['Ada', ['ada'], 'ada-2'],
    ['ada', ['ADA'], 'ada-2'],
    ['Ada', ['ada', 'ada-2'], 'ada-3'],
    ['小满', [], 'soul-1'],
    ['阿宁', ['soul-1'], 'soul-2'],
    ['  ../../etc  ', [], 'etc'],
  ])('named %s beside %j gets the file %s', (name, taken, stem) => {
    expect(stemFor(name, taken)).toBe(stem);
  });

  it('has its name in the front matter, safe for YAML', () => {
    setLanguage('en');
    expect(template('Mira')).toContain('\nname: Mira\n');
    expect(template('no')).toContain('\nname: "no"\n');
    expect(template('a: b')).toContain('\nname: "a: b"\n');
    expect(template('7')).toContain('\nname: "7"\n');
  });

  it('is called what its text says', () => {
    expect(nameIn(template('a: b'))).toBe('a: b');
    expect(nameIn(template('小满'))).toBe('小满');
    expect(nameIn('---\nrole: x\n---\nname: no')).toBeUndefined();
    expect(nameIn('')).toBeUndefined();
  });

  it('is in the language of the window', () => {
    setLanguage('zh');
    expect(template('小满')).toContain('language: zh-CN');
    expect(template('小满')).toContain('你是小满。');
    setLanguage('en');
  });
});
