import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Fake } from './api/fake';
import type { MemoryHit } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import { close, find, has, open, pass, press, remember, writeIn } from './window.kit';

afterEach(() => {
  vi.restoreAllMocks();
  return close();
});

const squeezed = (of: Element) => of.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const shown = () => [...document.querySelectorAll('[data-testid=memory-open]')].map(squeezed);
const fold = () => find('memory-hardly').querySelector('button') as HTMLButtonElement;

/** Finds these, whatever is asked: each with how much it has to do with that, and whether it has a word of it. */
async function search(backend: Fake, found: readonly [text: string, apart: number | undefined, words: number][]) {
  const hits = found.map(([text, apart, words]): MemoryHit => {
    const scores = { total: words, words, meaning: apart === undefined ? null : 0.8, fused: 0, weight: 1 };
    return { memory: remember(backend, text), scores: apart === undefined ? scores : { ...scores, apart } };
  });
  vi.spyOn(backend.answers.memories, 'search').mockReturnValue({ hits, words_only: null, to_come: false });
  find('rail-memory').click();
  await pass(500);
  // Its lines are low, so that all of them are drawn.
  find('memory-show-table').click();
  await pass(200);
  await ask('zzqqxx');
}

async function ask(words: string) {
  writeIn(find('memory-find') as HTMLInputElement, words);
  await pass(700);
}

describe('a search in what is remembered', () => {
  it('counts and shows what fits, and the others behind a line', async () => {
    const backend = await open();
    await search(backend, [
      ['Lin lives in Porto', 0.2, 1],
      ['Lin likes tea', 0, 0],
      ['The kettle is red', -0.1, 0.4],
      ['Ana is a botanist', -0.3, 0],
    ]);
    expect(squeezed(find('memory-count'))).toMatch(/^2 found/);
    expect(shown()).toEqual(['Lin lives in Porto', 'Lin likes tea']);
    expect(squeezed(fold())).toBe('2 more that hardly fit');
    fold().focus();
    fold().click();
    await pass(200);
    expect(shown()).toEqual(['Lin lives in Porto', 'Lin likes tea', 'The kettle is red', 'Ana is a botanist']);
    expect(document.activeElement).toBe(fold());
    expect(squeezed(find('memory-count'))).toMatch(/^2 found/);
    // The arrows walk over the line.
    find('memory-open').focus();
    for (const text of ['Lin likes tea', 'The kettle is red', 'Ana is a botanist']) {
      press(document.activeElement as HTMLElement, 'ArrowDown');
      await pass(200);
      expect(squeezed(document.activeElement ?? document.body)).toBe(text);
    }

    // Another search begins with them folded.
    await ask('zzqqxx yy');
    expect(shown()).toHaveLength(2);
  });

  it('says that nothing fits where nothing does', async () => {
    const backend = await open();
    await search(backend, [['Lin lives in Porto', -0.2, 0]]);
    expect(squeezed(find('memory-count'))).toMatch(/^0 found/);
    expect(squeezed(find('page-memory'))).toContain('Nothing fits these words');
    expect([shown(), squeezed(fold())]).toEqual([[], '1 that hardly fits']);
    fold().click();
    await pass(200);
    expect(shown()).toEqual(['Lin lives in Porto']);
  });

  it('goes by the words where there are no vectors', async () => {
    const backend = await open();
    await search(backend, [
      ['Lin lives in Porto', undefined, 1.2],
      ['Lin likes tea', undefined, 0],
    ]);
    find('memory-show-cards').click();
    await pass(200);
    expect(shown()).toEqual(['Lin lives in Porto']);
    expect(squeezed(fold())).toBe('1 more that hardly fits');
  });

  it('goes by the words too where only one character is looked for', async () => {
    const backend = await open();
    await search(backend, [
      ['林夏喜欢喝茶', -0.1, 0.9],
      ['林夏住在上海', -0.2, 0],
    ]);
    await ask('茶');
    expect(shown()).toEqual(['林夏喜欢喝茶']);
    await ask('喝茶');
    expect(shown()).toEqual([]);
  });

  it('has no such line where everything fits', async () => {
    const backend = await open();
    await search(backend, [['Lin lives in Porto', 0.2, 1]]);
    expect([shown(), has('memory-hardly')]).toEqual([['Lin lives in Porto'], false]);
  });
});
