import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fake } from './api/fake';
import type { NewMemory } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import './views/runs/RunsPage.svelte';
import { close, find, open, pass, writeIn } from './window.kit';

// What stands on a page has no height here, but a list that is seen has.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(500);
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(10_000);
});
afterEach(async () => {
  await close();
  vi.restoreAllMocks();
});

const text = (id: string) => find(id).textContent?.trim();
const click = async (id: string) => {
  find(id).click();
  await pass(600);
};
const type = async (id: string, words: string) => {
  writeIn(find(id) as HTMLInputElement, words);
  await pass(600);
};

function remember(backend: Fake, text: string, more: Partial<NewMemory> = {}): void {
  const plain = { kind: 'fact', scope: { kind: 'user' }, statement: null, importance: null } as const;
  backend.answers.memories.add({ ...plain, valid_from_ms: null, valid_to_ms: null, text, tags: [], ...more });
}

async function scroll(list: HTMLElement, to: number): Promise<void> {
  list.scrollTop = to;
  list.dispatchEvent(new Event('scroll'));
  await pass(50);
}

describe('the list of memories', () => {
  const list = () => find('memory-list');
  const first = () => list().querySelector('[data-testid=memory-open]')?.textContent?.trim();

  async function many(): Promise<Fake> {
    const backend = await open();
    for (let n = 0; n < 30; n += 1)
      remember(backend, `Boat ${n} has a sail`, n % 2 ? { kind: 'skill', tags: ['rope'] } : {});
    await click('rail-memory');
    return backend;
  }

  it('begins at its top with another question, filter, tag or look', async () => {
    await many();
    for (const another of [
      () => type('memory-find', 'boat'),
      () => type('memory-find', 'sail'),
      () => click('memory-kind-skill'),
      () => type('memory-find', ''),
      () => type('memory-tag', 'rope'),
      () => click('memory-show-table'),
    ]) {
      await scroll(list(), 851);
      expect(list().scrollTop).toBe(851);
      await another();
      expect(list().scrollTop, another.toString()).toBe(0);
    }
    expect(first()).toBe('Boat 29 has a sail');
  }, 30_000);

  it('keeps the place of its reader when something is new in it', async () => {
    const backend = await many();
    await scroll(list(), 851);
    remember(backend, 'Boat 30 has a sail');
    await pass(600);
    expect(list().scrollTop).toBeGreaterThan(851);
  });

  it('shows another one whole from its beginning', async () => {
    await many();
    await scroll(find('memory-detail'), 300);
    list().querySelectorAll<HTMLElement>('[data-testid=memory-open]')[2]?.click();
    await pass(100);
    expect(find('memory-detail').scrollTop).toBe(0);
  });

  it('begins the months of the timeline at their top', async () => {
    await many();
    await click('memory-show-timeline');
    await scroll(find('timeline'), 400);
    await type('memory-tag', 'rope');
    expect(find('timeline').scrollTop).toBe(0);
  });
});

it('begins the list of runs at its top with another filter', async () => {
  await open();
  await click('rail-runs');
  const list = find('runs-scroll');
  await scroll(list, 300);
  find('runs-state').click();
  await pass(50);
  const settled = [...document.querySelectorAll('[role=option]')].at(2);
  settled?.dispatchEvent(new PointerEvent('pointerup', { bubbles: true }));
  await pass(300);
  expect(text('runs-state')).toContain('settled');
  expect(find('runs-scroll').scrollTop).toBe(0);
});
