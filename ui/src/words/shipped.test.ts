import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { sayShipped } from './shipped';
import { setLanguage } from './words.svelte';

const folder = '../souls';
const said = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) => {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    return [...text.matchAll(/^(?:role|description): (.*)$/gm)].map((match) => match[1] ?? '');
  });
const isHan = (text: string) => /\p{Script=Han}/u.test(text);

afterEach(() => setLanguage('en'));

it('says what every soul that ships says of itself in both languages', () => {
  expect(said.length).toBe(12);
  setLanguage('zh');
  expect(said.map(sayShipped).filter((text) => !isHan(text))).toEqual([]);
  setLanguage('en');
  expect(said.map(sayShipped).filter(isHan)).toEqual([]);
});

it('leaves alone what a person wrote', () => {
  setLanguage('zh');
  expect(sayShipped('Gardener')).toBe('Gardener');
  expect(sayShipped('')).toBe('');
});
