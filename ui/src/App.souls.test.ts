import { afterEach, describe, expect, it } from 'vitest';
import type { Soul } from './api/generated';
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
  problem: { line: 1, column: 1, message: 'a soul’s file name has a space; rename it' },
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
});
