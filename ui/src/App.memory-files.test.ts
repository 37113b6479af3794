import axe from 'axe-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fake, type Fake } from './api/fake';
import type { Drop } from './api/backend';
import type { NewMemory } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import './views/settings/SettingsPage.svelte';
import { close, find, has, openOver, pass, press, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const texts = (id: string) =>
  [...document.querySelectorAll(`[data-testid=${id}]`)].map((one) => one.textContent?.trim());
const click = async (id: string) => {
  find(id).click();
  await pass(600);
};
const type = async (id: string, words: string) => {
  const field = find(id) as HTMLInputElement;
  writeIn(field, words);
  field.dispatchEvent(new Event('change', { bubbles: true }));
  await pass(600);
};

function note(words: string): NewMemory {
  const plain = { kind: 'fact', scope: { kind: 'user' }, statement: null, tags: [], importance: null } as const;
  return { ...plain, tags: [], text: words, valid_from_ms: null, valid_to_ms: null };
}

/** The memory page of a window that can choose and drop files. */
async function openPage(chosen: string | null = null): Promise<{ backend: Fake; drop: (drop: Drop) => void }> {
  vi.useFakeTimers();
  localStorage.clear();
  window.innerWidth = 1280;
  const backend = fake({
    pause: (ms) => (ms === 0 ? Promise.resolve() : new Promise((go) => setTimeout(go, ms))),
  });
  let drop: (drop: Drop) => void = () => undefined;
  backend.chooseModelFile = () => Promise.resolve(null);
  backend.chooseMemoryFile = () => Promise.resolve(chosen);
  backend.choosePlace = (name) => Promise.resolve(`/lin/${name}`);
  backend.dropped = (on) => {
    drop = on;
    return () => undefined;
  };
  await openOver(backend);
  await pass(50);
  await click('rail-memory');
  return { backend, drop: (one) => drop(one) };
}

/** Chooses what stands at this place of the menu. */
async function pick(at: number): Promise<void> {
  const menu = find('memory-files');
  menu.focus();
  press(menu, 'Enter');
  await pass(100);
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  items[at]?.focus();
  if (items[at]) press(items[at], 'Enter');
  await pass(600);
}

const bad = async () =>
  (await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } })).violations.map((one) => one.id);

describe('memories from a file', () => {
  it('and from a folder of another program are led to from the settings', async () => {
    const { backend } = await openPage();
    backend.chooseMemoryFolder = () => Promise.resolve('/lin/claw');
    backend.answers.memoryFiles.files.set('/lin/claw', [note('Lin takes tea')]);
    await click('rail-settings');
    await click('settings-data');
    await click('bring-in');
    expect(has('page-settings')).toBe(false);
    await click('import-choose-folder');
    expect((find('import-path') as HTMLInputElement).value).toBe('/lin/claw');
    expect(text('import-preview')).toContain('1 memory found');
    expect(texts('memory-text')).not.toContain('Lin takes tea');
  });

  it('says before it that conversations of other programs become memories', async () => {
    const { backend } = await openPage('/lin/conversations.json');
    backend.answers.memoryFiles.files.set('/lin/conversations.json', [note('User: Which tea?')]);
    await pick(0);
    expect(has('import-as-episodes')).toBe(false);
    await click('import-choose');
    expect(text('import-as-episodes')).toContain('They do not stand under Conversations.');
  });

  it('are looked at first, taken in as often as one likes, and counted', async () => {
    const { backend } = await openPage('/lin/notes.jsonl');
    const notes = ['Lin takes tea', 'Bo repairs boilers', 'lin takes tea', ' '].map(note);
    backend.answers.memoryFiles.files.set('/lin/notes.jsonl', notes);
    await pick(0);
    await click('import-choose');
    expect(text('import-preview')).toContain('4 memories found (JSON Lines)');
    expect(text('import-preview')).toContain('Bo repairs boilers');
    expect(text('import-preview')).toContain('line 4: the memory says nothing');
    expect([text('import-added'), text('import-repeated'), text('import-left-out')]).toEqual(['2', '1', '1']);
    expect(text('import-preview')).toContain('Trusted at most as: From a tool or a file, not checked');
    expect(texts('memory-open')).toEqual([]);
    await click('import-vouch');
    expect(text('import-preview')).toContain('Trusted at most as: You said it');
    writeIn(find('import-path') as HTMLInputElement, '/lin/notes');
    expect([has('import-preview'), text('import-do')]).toEqual([false, 'Look into it']);
    writeIn(find('import-path') as HTMLInputElement, '/lin/notes.jsonl');
    expect([has('import-preview'), text('import-do')]).toEqual([true, 'Import']);
    await click('import-do');
    expect(text('import-report')).toContain('Added');
    expect(text('import-added')).toBe('2');
    await click('import-close');
    expect(texts('memory-open')).toEqual(['Bo repairs boilers', 'Lin takes tea']);
  });

  it('come in from a file that is dropped on the page', async () => {
    const { backend, drop } = await openPage();
    backend.answers.memoryFiles.files.set('/lin/conversations.json', [note('User: I live in Porto.')]);
    drop({ kind: 'over' });
    await pass(50);
    expect(has('memory-drop')).toBe(true);
    const read = () => Promise.reject(new Error('nobody reads it here'));
    drop({ kind: 'dropped', paths: ['/lin/conversations.json'], read });
    await pass(600);
    expect(has('memory-drop')).toBe(false);
    expect(text('import-preview')).toContain('1 memory found (ChatGPT conversations)');
    await click('import-do');
    expect(backend.answers.memories.page({}, null, 5).memories[0]?.source.file).toBe('/lin/conversations.json');
  });

  it('are refused with the reason where there is no such file', async () => {
    await openPage();
    await pick(0);
    expect(find('import-do')).toHaveProperty('disabled', true);
    await type('import-path', '/lin/none.md');
    expect(text('import-dialog')).toContain('There is no file /lin/none.md');
    expect(has('import-preview')).toBe(false);
  });
});

describe('the dialogs', () => {
  it('can be used by everybody', async () => {
    const { backend } = await openPage('/lin/notes.jsonl');
    backend.answers.memoryFiles.files.set('/lin/notes.jsonl', [note('Lin takes tea'), note(' ')]);
    for (const at of [0, 1, 2]) {
      await pick(at);
      if (at === 0) await click('import-choose');
      vi.useRealTimers();
      expect(await bad()).toEqual([]);
      vi.useFakeTimers();
      press(document.activeElement as HTMLElement, 'Escape');
      await pass(600);
    }
  }, 30_000);
});

describe('an export', () => {
  it('writes what there is, or what is shown, to a new file', async () => {
    const { backend } = await openPage();
    backend.answers.memories.add(note('Lin takes tea'));
    backend.answers.memories.add({ ...note('Ties a bowline'), kind: 'skill' });
    await pass(600);
    await click('memory-kind-skill');
    await pick(1);
    await click('export-choose');
    expect((find('export-path') as HTMLInputElement).value).toBe('/lin/memories.jsonl');
    await click('export-do');
    expect(text('export-report')).toContain('2 memories written');
    await click('export-close');
    await pick(1);
    await type('export-path', '/lin/memories.jsonl');
    await click('export-do');
    expect(text('export-dialog')).toContain('is there already');
  });
});

describe('consolidating', () => {
  it('says what it would do, does it, and says what it did', async () => {
    const { backend } = await openPage();
    backend.answers.memories.add(note('the mill stands by the river'));
    backend.answers.memories.add(note('by the river stands the mill'));
    await pass(600);
    await pick(2);
    expect(text('consolidate-dialog')).toContain('This is what would be done');
    expect(text('consolidate-dialog')).toContain('Gives way: by the river stands the mill');
    expect(texts('memory-open')).toHaveLength(2);
    await click('consolidate-do');
    expect(text('consolidate-dialog')).toContain('This is what was done');
    await click('consolidate-close');
    expect(texts('memory-open')).toEqual(['the mill stands by the river']);
    await pick(2);
    expect(text('consolidated')).toBe('1 memory looked at. There is nothing to do.');
  });
});

describe('what takes a while', () => {
  it('shows how far it is until it has ended', async () => {
    const { backend } = await openPage();
    backend.answers.memories.add(note('Lin takes tea'));
    const tell = async (done: number) => {
      backend.world.tell({ event: 'memory_progress', progress: { work: 'importing', done, of: 500 } });
      await pass(100);
    };
    await tell(200);
    expect(text('memory-progress')).toBe('Taking in memories: 200 of 500');
    await tell(500);
    expect(has('memory-progress')).toBe(false);
  });
});

describe('an import that was cut off', () => {
  const lost = { path: '/lin/notes.jsonl', why: 'open /lin/notes.jsonl: file not found' };

  it('says why it does not go on, and is taken in again or dropped', async () => {
    const { backend } = await openPage();
    expect(has('cut-off')).toBe(false);
    backend.answers.memories.cutOff = [lost];
    backend.answers.memories.tell();
    await pass(100);
    expect(text('cut-off')).toContain('The import of /lin/notes.jsonl was cut off and cannot go on');
    expect(text('cut-off')).toContain(lost.why);
    await click('cut-off-again');
    expect(document.body.textContent).toContain('notes.jsonl');
    expect(has('import-dialog')).toBe(true);
    press(find('import-dialog'), 'Escape');
    await pass(600);
    await click('cut-off-drop');
    expect(has('cut-off')).toBe(false);
  });
});
