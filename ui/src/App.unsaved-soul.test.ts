import { EditorView } from '@codemirror/view';
import { afterEach, describe, expect, it, vi } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/souls/codemirror';
import './views/souls/SoulsPage.svelte';
import { close, find, has, open, openOver, pass } from './window.kit';

afterEach(close);

const editor = (): EditorView => {
  const found = EditorView.findFromDOM(document.querySelector<HTMLElement>('.cm-editor') ?? document.body);
  if (!found) throw new Error('there is no editor');
  return found;
};
const written = (): string => editor().state.doc.toString();

async function lookAt(soul: string): Promise<void> {
  find('rail-souls').click();
  await pass(100);
  find('soul-row', soul).click();
  await pass(500);
}

/** Something is written into the soul, and the window ends before it is saved. */
async function leftUnsaved() {
  const backend = await open();
  await lookAt('ada');
  editor().dispatch({ changes: { from: editor().state.doc.length, insert: 'Not saved yet.' } });
  await pass(500);
  const text = written();
  await close();
  return { backend, text };
}

/** Another window over the same workspace. */
async function again(backend: Awaited<ReturnType<typeof open>>): Promise<void> {
  vi.useFakeTimers();
  await openOver(backend);
  await pass(100);
  await lookAt('ada');
}

describe('what was not saved of a soul', () => {
  it('is there again after the window has ended, and goes when it is given up', async () => {
    const { backend, text } = await leftUnsaved();
    await again(backend);
    expect(written()).toBe(text);
    expect(find('soul-from-before').textContent).toContain('not saved');
    find('soul-discard').click();
    await pass(500);
    expect([written(), has('soul-from-before')]).toEqual([backend.world.files.get('ada'), false]);
    await close();
    await again(backend);
    expect([written(), has('soul-from-before')]).toEqual([backend.world.files.get('ada'), false]);
  });

  it('is there no more once it is saved', async () => {
    const { backend, text } = await leftUnsaved();
    await again(backend);
    find('soul-save').click();
    await pass(500);
    expect([backend.world.files.get('ada'), has('soul-from-before')]).toEqual([text, false]);
    await close();
    await again(backend);
    expect([written(), has('soul-from-before')]).toEqual([text, false]);
  });

  it('stands beside the file where that was changed meanwhile', async () => {
    const { backend } = await leftUnsaved();
    const base_hash = backend.world.souls.get('ada')?.file_hash ?? null;
    const text = `${backend.world.files.get('ada')}Theirs.\n`;
    backend.answers.command({ kind: 'save_soul', soul: 'ada', text, base_hash });
    await again(backend);
    expect([has('soul-conflict'), has('soul-from-before')]).toEqual([true, false]);
  });
});
