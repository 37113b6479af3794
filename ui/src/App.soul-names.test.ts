import { EditorView } from '@codemirror/view';
import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/souls/codemirror';
import './views/souls/SoulsPage.svelte';
import { close, find, has, open, pass } from './window.kit';

afterEach(close);

const editor = (): EditorView => {
  const found = EditorView.findFromDOM(document.querySelector<HTMLElement>('.cm-editor') ?? document.body);
  if (!found) throw new Error('there is no editor');
  return found;
};
const write = async (line: string) => {
  const at = editor().state.doc.line(2).from;
  editor().dispatch({ changes: { from: at, insert: `${line}\n` } });
  await pass(500);
};
const notes = () => [...document.querySelectorAll('[data-testid=soul-note]')].map((one) => one.textContent);

describe('what a soul names in vain', () => {
  it('is told below its line while it is typed, with the nearest name, and keeps nobody from saving', async () => {
    const backend = await open();
    find('rail-souls').click();
    await pass(100);
    find('soul-row', 'ada').click();
    await pass(500);
    await write('tools: [calculater, time]');
    expect(notes()).toEqual(['There is no calculater; did you mean calculator?']);
    expect([has('soul-problem'), find('soul-notes').textContent?.trim()]).toEqual([false, '1 note']);
    expect(document.querySelector('.note-squig')?.textContent).toBe('calculater');
    expect(find('soul-save')).toHaveProperty('disabled', false);
    find('soul-save').click();
    await pass(500);
    expect(backend.world.files.get('ada')).toContain('calculater');
    expect(notes()).toHaveLength(1);

    find('soul-notes').click();
    await pass(50);
    find('soul-notes').closest('main')?.querySelector<HTMLElement>('.notes button')?.click();
    await pass(50);
    expect(find('soul-place').textContent).toBe('Line 2, column 9');
  });

  it('is told in Chinese, a delegate and a skill too', async () => {
    const backend = await open();
    await backend.ask({
      command: {
        kind: 'change_settings',
        patch: { appearance: { theme: 'system', language: 'zh', high_contrast: false, zoom_percent: 100 } },
      },
    });
    find('rail-souls').click();
    await pass(100);
    find('soul-row', 'ada').click();
    await pass(500);
    await write('delegates: [laochan, bo]');
    expect(notes()).toEqual(['没有名为 laochan 的人格可以交给任务，是不是想写 laochen？']);
    await write('skills: [tea]');
    expect(notes()).toContain('没有名为 tea 的技能，在设置的“技能”里看有哪些。');
  });
});
