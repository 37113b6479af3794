import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { close, find, has, open, pass, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const click = async (id: string) => {
  find(id).click();
  await pass(50);
};
const choose = async (id: string, label: string) => {
  const found = [...find(id).querySelectorAll('label')].find((one) => one.textContent?.trim() === label);
  if (!found) throw new Error(`${id} has no ${label}`);
  found.click();
  await pass(50);
};

describe('programs from outside', () => {
  it('are let in by a form, shown with what they may do, and revoked', async () => {
    const backend = await open();
    await click('rail-settings');
    await click('settings-servers');
    await click('program-add');
    expect((find('program-add-do') as HTMLButtonElement).disabled).toBe(true);
    writeIn(find('program-name') as HTMLInputElement, 'claude');
    await pass(50);
    const group = find('program-reads').querySelector('label')?.textContent?.trim() ?? '';
    await choose('program-reads', group);
    await choose('program-says', group);
    await click('program-add-do');
    expect(has('add-program')).toBe(false);
    const [given] = [...backend.world.passes.values()];
    expect(given).toMatchObject({ name: 'claude', says_per_hour: 30, memory: [], revoked_ms: null });
    expect(given?.reads).toEqual(given?.says);
    expect(text('program-row')).toContain(`Reads ${group}`);
    expect(text('program-row')).toContain('coterie mcp serve claude');

    await click('program-revoke');
    expect(has('program-row')).toBe(false);
    expect(backend.world.passes.get(given?.id ?? '')?.revoked_ms).not.toBeNull();
  });

  it('stand under their own name in a conversation, and never as yours', async () => {
    const backend = await open();
    const { world } = backend;
    const group = [...world.groups.values()].find((one) => one.kind === 'group');
    if (!group) throw new Error('there is no group');
    const rights = { name: 'claude', reads: [], says: [group.id], memory: [], says_per_hour: 30 };
    const reply = backend.answers.command({ kind: 'put_pass', rights }, 'p1');
    expect(reply).toMatchObject({ kind: 'pass' });
    const [given] = [...world.passes.values()];
    world.save({
      table: 'message',
      row: {
        seq: world.nextSeq(),
        id: 'm-outside',
        group: group.id,
        parent: null,
        author: { kind: 'outside', id: given?.id ?? '' },
        body: { kind: 'text', text: 'the build is green', cut_short: false },
        chain_depth: 0,
        root: 'm-outside',
        run: null,
        at_ms: world.now(),
      },
    });
    await pass(50);
    const said = document.querySelector<HTMLElement>('[data-testid="message"][data-author-kind="outside"]');
    expect(said?.dataset['author']).toBe('claude (program)');
    expect(said?.textContent).toContain('the build is green');
  });
});
