import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hash, picture } from './avatar';

describe('avatar', () => {
  it('gives the pictures of the design for its names', () => {
    // Copied from the design's own pages.
    expect(picture('Ada')).toEqual({
      hue: 8,
      first: 'M2 2h6a6 6 0 0 1-6 6zM14 14h-6a6 6 0 0 1 6-6z',
      second: 'M8 8v-6a6 6 0 0 1 6 6zM8 8v6a6 6 0 0 1-6-6z',
    });
    expect(picture('Ines')).toEqual({
      hue: 9,
      first: 'M8 2a6 6 0 0 1-6 6a6 6 0 0 1 6-6zM14 8a6 6 0 0 1-6 6a6 6 0 0 1 6-6z',
      second: 'M8 2a6 6 0 0 1 6 6a6 6 0 0 1-6-6zM2 8a6 6 0 0 1 6 6a6 6 0 0 1-6-6z',
    });
    expect(picture('Wren').hue).toBe(5);
    expect(picture('Otto').hue).toBe(3);
  });

  it('does not care about case, width or space around a seed', () => {
    expect(picture(' ADA ')).toEqual(picture('ada'));
    expect(picture('Ａｄａ')).toEqual(picture('Ada'));
  });

  it('spreads ten hues over many names without a favourite', () => {
    const hues = Array.from({ length: 5000 }, (_, at) => hash(`name ${at}`) % 10);
    const counts = Array.from({ length: 10 }, (_, hue) => hues.filter((other) => other === hue).length);
    expect(Math.min(...counts)).toBeGreaterThan(400);
    expect(Math.max(...counts)).toBeLessThan(600);
  });

  it('has a token for each hue and tone, in both themes', () => {
    const tokens = readFileSync('src/styles/tokens.css', 'utf8');
    for (let hue = 0; hue < 10; hue += 1) {
      for (const tone of ['g', 'a', 'b']) expect(tokens.split(`--av${hue}-${tone}:`).length - 1).toBe(2);
    }
  });
});
