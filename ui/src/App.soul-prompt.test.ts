import { EditorView } from '@codemirror/view';
import { afterEach, describe, expect, it } from 'vitest';
import type { Query } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/souls/codemirror';
import './views/souls/SoulsPage.svelte';
import { close, find, has, open, pass } from './window.kit';

afterEach(close);

/** Ada's soul in the editor, with what is asked about prompts from then on. */
async function lookAt() {
  const backend = await open();
  const asked: Extract<Query, { kind: 'prompt' }>[] = [];
  const real = backend.ask.bind(backend);
  backend.ask = (call, id) => {
    if ('query' in call && call.query.kind === 'prompt') asked.push(call.query);
    return real(call, id);
  };
  find('rail-souls').click();
  await pass(100);
  find('soul-row', 'ada').click();
  await pass(500);
  return { backend, asked };
}

const editor = (): EditorView => {
  const found = EditorView.findFromDOM(document.querySelector<HTMLElement>('.cm-editor') ?? document.body);
  if (!found) throw new Error('there is no editor');
  return found;
};
const add = (insert: string) => editor().dispatch({ changes: { from: editor().state.doc.length, insert } });
const prompt = () => find('soul-prompt').textContent;
const tokens = () => find('prompt-tokens').textContent;
const region = () => find('soul-prompt').getAttribute('aria-label');

describe('the prompt beside a soul', () => {
  it('is the one that the text in the editor makes, asked for once nobody types, with how much longer it is', async () => {
    const { asked } = await lookAt();
    const saved = tokens();
    expect([saved, region()]).toEqual([expect.stringMatching(/^about \d+ tokens$/), 'System prompt, exactly as sent']);
    const before = asked.length;
    for (const words of ['Always ', 'name ', 'a day.']) {
      add(words);
      await pass(100);
    }
    expect([asked.length, prompt()?.includes('Always')]).toEqual([before, false]);
    await pass(300);
    expect(asked.slice(before).map((query) => query.soul)).toEqual([editor().state.doc.toString()]);
    expect(prompt()).toContain('Always name a day.');
    expect(tokens()).toMatch(/^about \d+ tokens, [45] more than saved$/);
    expect(region()).toBe('System prompt, with your changes');

    find('soul-save').click();
    await pass(500);
    expect(prompt()).toContain('Always name a day.');
    expect([tokens()?.includes('saved'), region()]).toEqual([false, 'System prompt, exactly as sent']);
  });

  it('is the saved one where something is wrong with the text, which is said, until it is right again', async () => {
    await lookAt();
    const [saved, before] = [prompt(), tokens()];
    const end = editor().state.doc.toString().indexOf('\n---');
    editor().dispatch({ changes: { from: end, insert: '\ntemperature: 9' } });
    add('Always name a day.');
    await pass(500);
    expect([prompt(), tokens()]).toEqual([saved, before]);
    expect(find('prompt-saved-only').textContent?.trim()).toBe(
      'Shows v1. Your changes join it once nothing is wrong with the text.',
    );
    const nine = editor().state.doc.toString().indexOf('9', end);
    editor().dispatch({ changes: { from: nine, to: nine + 1, insert: '1' } });
    await pass(500);
    expect(has('prompt-saved-only')).toBe(false);
    expect(prompt()).toContain('Always name a day.');
  });

  it('says how much shorter it becomes, and is the saved one again where that is given up', async () => {
    await lookAt();
    const saved = prompt();
    const length = editor().state.doc.length;
    editor().dispatch({ changes: { from: length - 40, to: length } });
    await pass(500);
    expect(tokens()).toMatch(/^about \d+ tokens, \d+ fewer than saved$/);
    editor().dispatch({ changes: { from: length - 40, insert: saved?.slice(-40) ?? '' } });
    await pass(500);
    expect([prompt(), tokens()?.includes('saved')]).toEqual([saved, false]);
  });
});
