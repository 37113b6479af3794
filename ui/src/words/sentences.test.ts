import { describe, expect, it } from 'vitest';
import { heading, sentence } from './sentences';

describe('a sentence of the runtime', () => {
  it('begins large, and leaves the name of a file as it is', () => {
    expect(heading('nothing fits')).toBe('Nothing fits');
    expect(sentence('nothing fits')).toBe('Nothing fits.');
    for (const text of ['nocard.png cannot be read', 'notes/a.md is empty', 'web_search stands twice'])
      expect(heading(text)).toBe(text);
    expect(heading('a. is one')).toBe('A. is one');
  });
});
