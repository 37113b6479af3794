import { describe, expect, it } from 'vitest';

const sources = import.meta.glob<string>('../**/*.svelte', { query: '?raw', import: 'default', eager: true });

describe('a check box', () => {
  it('is drawn by us everywhere, as what the system draws is white in the dark', () => {
    const inputs = Object.entries(sources).flatMap(([file, source]) =>
      [...source.matchAll(/<input\b(?:[^>]|=>)*>/g)].map(([tag]) => ({ file, tag })),
    );
    const boxes = inputs.filter(({ tag }) => /type="checkbox"/.test(tag));
    expect(boxes.length).toBeGreaterThan(4);
    expect(boxes.filter(({ tag }) => !/class="box"/.test(tag))).toEqual([]);
  });
});
