import axe from 'axe-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/souls/codemirror';
import './views/souls/SoulsPage.svelte';
import { close, find, has, open, pass, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const click = async (id: string, name?: string) => {
  find(id, name).click();
  await pass(400);
};
/** Opens the menu at the soul and chooses what is called so. */
async function choose(label: string): Promise<void> {
  find('soul-acts').click();
  await pass(100);
  const item = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find((one) =>
    one.textContent?.includes(label),
  );
  if (!item) throw new Error(`nothing is called ${label}`);
  item.click();
  await pass(400);
}
async function lookAt(soul: string) {
  const backend = await open();
  find('rail-souls').click();
  await pass(100);
  await click('soul-row', soul);
  return backend;
}
const undo = async () => {
  const button = [...document.querySelectorAll<HTMLButtonElement>('button')].find((one) =>
    one.textContent?.includes('Undo'),
  );
  button?.click();
  await pass(400);
};

describe('a soul’s file', () => {
  it('gets another name, its agent goes along, and undo gives the old one back', async () => {
    const { world } = await lookAt('ada');
    await choose('Rename');
    writeIn(find('rename-soul-name') as HTMLInputElement, 'bo');
    await click('rename-soul-do');
    expect(text('rename-soul')).toContain('Soul ada stays as it is: bo');
    expect(world.files.has('ada')).toBe(true);
    writeIn(find('rename-soul-name') as HTMLInputElement, 'captain.md');
    await click('rename-soul-do');
    expect([has('rename-soul'), world.files.has('captain'), world.files.has('ada')]).toEqual([false, true, false]);
    expect([...world.agents.values()].map((agent) => agent.soul)).toContain('captain');
    expect(find('soul-row', 'captain').getAttribute('aria-current')).toBe('true');
    expect(document.body.textContent).toContain('ada is called captain now');
    await undo();
    expect([world.files.has('captain'), world.files.has('ada')]).toEqual([false, true]);
    expect(find('soul-row', 'ada').getAttribute('aria-current')).toBe('true');
  });

  it('stays while an agent lives by it, who is named and one click away', async () => {
    const { world } = await lookAt('ada');
    await choose('Delete');
    expect(text('delete-soul')).toContain('Ada lives by this soul, so it stays.');
    expect(has('delete-soul-do')).toBe(false);
    await click('delete-soul-agent');
    expect([has('page-conversations'), world.files.has('ada')]).toEqual([true, true]);
  });

  it('is deleted where nobody lives by it, and comes back by undo or from below the list', async () => {
    const backend = await lookAt('ada');
    const { world } = backend;
    await backend.ask({
      command: { kind: 'save_soul', soul: 'mia', text: '---\nname: Mia\n---\nYou are Mia.\n', base_hash: null },
    });
    expect(world.files.has('mia')).toBe(true);
    await pass(100);
    await click('soul-row', 'mia');
    await choose('Delete');
    expect(text('delete-soul')).toContain('every version is kept');
    vi.useRealTimers();
    const bad = await axe.run(find('delete-soul'), { rules: { 'color-contrast': { enabled: false } } });
    expect(bad.violations.map((one) => one.id)).toEqual([]);
    vi.useFakeTimers();
    await click('delete-soul-do');
    expect([world.files.has('mia'), has('delete-soul')]).toEqual([false, false]);
    expect(document.querySelector('[data-testid=soul-row][data-name=mia]')).toBeNull();
    await undo();
    expect(world.files.get('mia')).toContain('You are Mia.');

    await choose('Delete');
    await click('delete-soul-do');
    find('deleted-souls').querySelector('button')?.click();
    await pass(100);
    expect(text('deleted-soul')).toContain('mia');
    await click('bring-back-soul');
    expect(world.files.get('mia')).toContain('You are Mia.');
    expect([has('deleted-souls'), find('soul-row', 'mia').getAttribute('aria-current')]).toEqual([false, 'true']);
  }, 30_000);

  it('is neither renamed nor deleted while something is not saved', async () => {
    const backend = await lookAt('ada');
    await backend.ask({
      command: { kind: 'save_soul', soul: 'mia', text: '---\nname: Mia\n---\nYou are Mia.\n', base_hash: null },
    });
    await pass(100);
    await click('soul-row', 'mia');
    const { EditorView } = await import('@codemirror/view');
    const editor = EditorView.findFromDOM(document.querySelector<HTMLElement>('.cm-editor') ?? document.body);
    editor?.dispatch({ changes: { from: editor.state.doc.length, insert: 'More.' } });
    await pass(500);
    await choose('Delete');
    expect(text('delete-soul')).toContain('not saved');
    expect(find('delete-soul-do')).toHaveProperty('disabled', true);
  });
});
