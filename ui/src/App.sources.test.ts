import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/feed/FeedPage.svelte';
import './views/schedules/SchedulesPage.svelte';
import { choose, close, find, has, open, pass, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const field = (id: string) => {
  const found = find(id);
  return (found.matches('input,textarea') ? found : found.querySelector('input,textarea')) as HTMLInputElement;
};
const click = async (id: string) => {
  find(id).click();
  await pass(500);
};
const act = async (name: string) => {
  await click('source-acts');
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  items.find((one) => one.textContent?.includes(name))?.click();
  await pass(500);
};

async function make(folder: string) {
  await click('source-new');
  writeIn(field('source-name'), 'Notes');
  writeIn(field('source-folder'), folder);
  await pass(50);
  await click('source-make');
}

describe('sources', () => {
  it('are made without any question about a community, turned off and on, and removed', async () => {
    const backend = await open();
    await click('rail-schedules');
    await make('/disk/notes');
    expect(has('source-dialog')).toBe(false);
    expect(backend.answers.feed.communities).toMatchObject([{ name: 'Commons' }]);
    expect(text('source')).toContain('Notes Files in /disk/notes in Commons');
    expect(text('source-told')).toBe('nothing told yet');
    await act('Turn it off');
    expect(text('source-off')).toBe('off');
    await act('Turn it on');
    expect(has('source-off')).toBe(false);
    await act('Turn it off');
    await act('Remove');
    expect(has('source')).toBe(false);
    expect(text('toast')).toContain('Notes is removed');
    await click('toast-undo');
    expect(text('source')).toContain('Notes Files in /disk/notes in Commons');
    expect(text('source-off')).toBe('off');
  });

  it('hear programs with a token that is shown once and kept with the keys', async () => {
    const backend = await open();
    await click('rail-schedules');
    await click('source-new');
    writeIn(field('source-name'), 'Builds');
    await choose('source-kind', 'What programs on this computer send');
    await click('source-make');
    const token = /Bearer ([0-9a-f]{64})/.exec(text('source-token'))?.[1] ?? '';
    expect(token).toHaveLength(64);
    expect(text('source-token-address')).toContain('http://127.0.0.1:4321/hooks/Builds');
    await click('source-token-done');
    expect(document.body.innerHTML).not.toContain(token);
    expect(text('source-address')).toBe('http://127.0.0.1:4321/hooks/Builds');
    expect(backend.answers.keys.all().keys.map((key) => key.name)).toContain('hook/Builds');
    await act('Draw another token');
    expect(text('source-token')).toMatch(/Bearer [0-9a-f]{64}/);
    expect(text('source-token')).not.toContain(token);
    await click('source-token-done');
    // Its token cannot come back, so that this is asked first.
    await act('Remove');
    expect(text('ask-first')).toContain('Its token opens nothing any more.');
    expect(has('source')).toBe(true);
    await click('ask-first-do');
    expect([has('source'), has('ask-first')]).toEqual([false, false]);
  });

  it('say at once what cannot be watched', async () => {
    await open();
    await click('rail-schedules');
    await make('notes');
    expect(text('source-dialog')).toContain('The folder notes cannot be looked into');
    expect(has('source')).toBe(false);
  });
});
