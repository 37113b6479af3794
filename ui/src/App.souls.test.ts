import { afterEach, describe, expect, it } from 'vitest';
import type { Soul, SoulProposal } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/souls/SoulsPage.svelte';
import { close, find, has, open, pass } from './window.kit';

afterEach(close);

const misnamed: Soul = {
  name: 'my soul',
  path: '/home/you/.local/share/coterie/souls/my soul.md',
  version: 0,
  hash: '',
  file_hash: null,
  problem: {
    line: 1,
    column: 1,
    message: 'a soul’s file name has a space; rename it',
    kind: { is: 'file_name', wrong: { is: 'space' }, better: 'my-soul.md' },
  },
  warnings: [],
  updated_ms: 0,
};

describe('the souls page', () => {
  it('says of a file with a bad name that it is there and why it cannot be used, and never that it is gone', async () => {
    const backend = await open();
    backend.world.files.set('my soul', 'You are mine.\n');
    backend.world.save({ table: 'soul', row: misnamed });
    find('rail-souls').click();
    await pass(100);
    expect(find('soul-row', 'my soul').textContent).toContain('File cannot be used');
    find('soul-row', 'my soul').click();
    await pass(100);
    expect(find('soul-unusable').textContent).toContain('A soul’s file name has a space; rename it.');
    expect(has('soul-gone')).toBe(false);
    expect((find('soul-save') as HTMLButtonElement).disabled).toBe(true);
    expect(find('soul-save').title).toBe('The file cannot be used; put that right first');
  });

  it('says of a soul whose file was removed that it is gone', async () => {
    const backend = await open();
    const ada = backend.world.souls.get('ada');
    if (ada) backend.world.save({ table: 'soul', row: { ...ada, file_hash: null } });
    find('rail-souls').click();
    await pass(100);
    expect(find('soul-row', 'ada').textContent).toContain('v1, file is gone');
  });

  it('says of a soul in force whose file cannot be used which version goes on', async () => {
    const backend = await open();
    const ada = backend.world.souls.get('ada');
    const problem = { line: 1, column: 1, message: 'this is a link or a folder' };
    if (ada) backend.world.save({ table: 'soul', row: { ...ada, file_hash: null, problem } });
    await pass(100);
    expect(find('soul-trouble').textContent).toContain('Ada’s soul file cannot be used');
    find('soul-trouble-open').click();
    await pass(100);
    expect(find('soul-row', 'ada').textContent).toContain('v1, file cannot be used');
    expect(find('soul-unusable').textContent).toContain('This is a link or a folder. v1 keeps running.');
  });

  it('says in the reader’s language what is wrong, once, and offers no agent of a soul that never was in force', async () => {
    const backend = await open();
    await backend.ask({
      command: {
        kind: 'change_settings',
        patch: { appearance: { theme: 'system', language: 'zh', high_contrast: false, zoom_percent: 100 } },
      },
    });
    backend.world.files.set('my soul', 'You are mine.\n');
    backend.world.save({ table: 'soul', row: misnamed });
    find('rail-souls').click();
    await pass(100);
    find('soul-row', 'my soul').click();
    await pass(100);
    const told = find('soul-unusable').textContent;
    expect(told).toContain('这个名字里有空格。把文件改名，例如 my-soul.md。');
    expect(told).not.toContain('rename');
    const panel = document.querySelector('.souls .panel');
    expect(panel?.textContent).toContain('还没有能用的版本');
    expect(panel?.querySelector('.empty button')).toBeNull();
  });

  it('takes the note about a rollback back once another version is in force', async () => {
    const backend = await open();
    find('rail-souls').click();
    await pass(100);
    const ada = () => backend.world.souls.get('ada');
    const text = backend.world.files.get('ada') ?? '';
    await backend.ask({
      command: { kind: 'save_soul', soul: 'ada', text: `${text}\nMore.\n`, base_hash: ada()?.file_hash ?? null },
    });
    await pass(100);
    const tab = [...document.querySelectorAll<HTMLElement>('[role=tab]')].find((one) =>
      one.textContent?.includes('History'),
    );
    tab?.click();
    await pass(100);
    const back = [...document.querySelectorAll<HTMLButtonElement>('[data-testid=soul-history] button')].find((one) =>
      one.textContent?.includes('Roll back'),
    );
    back?.click();
    await pass(100);
    expect(document.body.textContent).toContain('ada.md is back to the text of v1');
    await backend.ask({
      command: { kind: 'save_soul', soul: 'ada', text: `${text}\nOther.\n`, base_hash: ada()?.file_hash ?? null },
    });
    await pass(400);
    expect(document.body.textContent).not.toContain('ada.md is back to the text of v1');
  });

  it('shows a proposal beside what stands there, and what stands there now where that was changed', async () => {
    const backend = await open();
    const ada = [...backend.world.agents.values()].find((agent) => agent.soul === 'ada');
    const proposal: SoulProposal = {
      id: 'p1',
      soul: 'ada',
      agent: ada?.id ?? '',
      group: '',
      run: 'r1',
      section: 'How you work',
      before: 'Find the question under the question.',
      text: 'Answer first.',
      why: 'You asked me to.',
      after_tool: 'fetch',
      state: 'waiting',
      at_ms: backend.world.now(),
      answered_ms: null,
    };
    backend.world.save({ table: 'proposal', row: proposal });
    await pass(50);
    expect(find('souls-badge').textContent).toBe('1');
    expect(find('rail-souls').getAttribute('aria-label')).toBe('Souls: 1 proposal');
    find('rail-souls').click();
    await pass(100);
    expect(find('soul-row', 'ada').textContent).toContain('1 proposal');
    find('soul-row', 'ada').click();
    await pass(100);
    const tab = [...document.querySelectorAll<HTMLElement>('[role=tab]')].find((one) =>
      one.textContent?.includes('Proposals'),
    );
    tab?.click();
    await pass(100);
    const card = find('soul-proposal').textContent;
    expect(card).toContain('You asked me to.');
    expect(card).toContain('fetch had shown Ada something before this.');

    backend.world.save({ table: 'proposal', row: { ...proposal, before: 'Something else.' } });
    await pass(50);
    find('proposal-approve').click();
    await pass(100);
    expect(find('soul-proposal').textContent).toContain('was changed after this was proposed');
    expect(find('proposal-now').textContent).toContain('Otherwise.');
    expect(backend.world.files.get('ada')).not.toContain('Answer first.');

    backend.world.save({ table: 'proposal', row: proposal });
    await pass(50);
    find('proposal-approve').click();
    await pass(100);
    expect(backend.world.files.get('ada')).toContain('- Answer first.');
    expect(has('soul-proposal')).toBe(false);
    expect(has('soul-proposed')).toBe(false);
  });
});
