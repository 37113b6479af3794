import { EditorView } from '@codemirror/view';
import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import './views/runs/RunsPage.svelte';
import './views/souls/codemirror';
import './views/souls/SoulsPage.svelte';
import { agentNamed, close, composer, find, groupNamed, has, open, pass, press, say, writeIn } from './window.kit';

afterEach(close);

const focused = () => document.activeElement?.getAttribute('data-testid') ?? document.activeElement?.tagName;
const page = () => document.activeElement?.closest<HTMLElement>('[data-testid^="page-"]')?.dataset['testid'];
/** Of which row the focus is in, by an attribute of it. */
const at = (row: string, says: string) =>
  document.activeElement?.closest<HTMLElement>(`[data-testid="${row}"]`)?.dataset[says];

/** As Enter does it: what is pressed has the focus. */
async function enter(what: HTMLElement | null | undefined, ms = 500) {
  if (!what) throw new Error('nothing to press');
  what.focus();
  what.click();
  await pass(ms);
}
const click = (id: string, ms?: number) => enter(find(id), ms);

/** Chooses from a menu by keyboard. */
async function choose(menu: HTMLElement | null | undefined, label: string) {
  menu?.focus();
  if (menu) press(menu, 'Enter');
  await pass(100);
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const item = items.find((one) => one.textContent?.trim() === label);
  if (!item) throw new Error(`no ${label} in ${items.map((one) => one.textContent?.trim()).join(', ')}`);
  item.focus();
  press(item, 'Enter');
  await pass(500);
}
const menuOf = (row: HTMLElement) => row.closest('li')?.querySelector<HTMLElement>('[aria-haspopup=menu]');
const message = (author: string) => document.querySelector<HTMLElement>(`[data-author="${author}"]`);
const tool = (author: string, id: string) => message(author)?.querySelector<HTMLElement>(`[data-testid="${id}"]`);

async function conversation() {
  const backend = await open();
  await say('Which tea?');
  await pass(4000);
  return backend;
}

describe('the focus stays where one works', () => {
  it('when a message has been edited, or left as it was', async () => {
    await conversation();
    const id = message('user')?.dataset['message'];
    await enter(tool('user', 'edit-message'));
    press(find('edit-text'), 'Escape');
    await pass(500);
    expect([focused(), at('message', 'message')]).toEqual(['edit-message', id]);
    await enter(tool('user', 'edit-message'));
    writeIn(find('edit-text') as HTMLTextAreaElement, 'Which coffee?');
    press(find('edit-text'), 'Enter', { ctrlKey: true });
    await pass(4000);
    expect(has('edit-text')).toBe(false);
    expect([focused(), at('message', 'author')]).toEqual(['edit-message', 'user']);
    await click('version-before');
    expect(focused()).toBe('version-next');
    await click('version-next');
    expect(focused()).toBe('version-before');
  });

  it('when an agent answers again, and when a message is forgotten', async () => {
    await conversation();
    await enter(tool('Ada', 'answer-again'), 4000);
    expect(document.activeElement).not.toBe(document.body);
    await enter(tool('user', 'forget-message'));
    await click('forget-message-do');
    expect(has('forget-message-dialog')).toBe(false);
    expect(document.activeElement).not.toBe(document.body);
  });

  it('when a reaction is given and taken back', async () => {
    await conversation();
    await enter(tool('Ada', 'react'));
    await click('message-offer');
    expect([focused(), at('message', 'author')]).toEqual(['react', 'Ada']);
    await click('message-sign');
    expect(has('message-sign')).toBe(false);
    expect(at('message', 'author')).toBe('Ada');
  });

  it('when what waits is taken away or sent', async () => {
    await open();
    for (const text of ['one', 'two', 'three', 'four']) await say(text);
    await click('queued-remove', 50);
    expect([focused(), find('queued').textContent]).toEqual(['queued-remove', expect.stringContaining('three')]);
    await click('queued-send', 50);
    expect(focused()).toBe('queued-send');
    await click('queued-remove', 50);
    expect([has('queued'), document.activeElement]).toEqual([false, composer()]);
  });

  it('when an answer is stopped', async () => {
    await open();
    await say('one');
    await click('stop');
    expect(has('stop')).toBe(false);
    expect(document.activeElement?.closest('[data-region=composer]')).not.toBe(null);
  });

  it('when a member is moved, and at the next one when it has left', async () => {
    await conversation();
    const first = find('member').dataset['name'] ?? '';
    await choose(menuOf(find('member', first)), 'Move down');
    expect(find('member').dataset['name']).not.toBe(first);
    expect([focused(), at('member', 'name')]).toEqual(['member-menu', first]);
    await choose(menuOf(find('member', first)), 'Remove from the group');
    expect(focused()).toBe('member-menu');
  });

  it('in the roster', async () => {
    const backend = await conversation();
    const group = groupNamed(backend, 'First group');
    const row = () => find('roster-group', 'First group');
    await choose(menuOf(find('roster-agent', 'Bo')), 'Add to a group…');
    press(document.activeElement as HTMLElement, 'Escape');
    await pass(500);
    expect(has('add-to-dialog')).toBe(false);
    expect(document.activeElement).toBe(menuOf(find('roster-agent', 'Bo')));
    await choose(menuOf(row()), 'Rename…');
    const name = document.querySelector<HTMLInputElement>('[role=dialog] input');
    if (name) writeIn(name, 'Tea');
    await enter(document.querySelector<HTMLElement>('[role=dialog] [type=submit]'));
    expect(document.querySelector('[role=dialog]')).toBe(null);
    expect(document.activeElement).toBe(menuOf(find('roster-group', 'Tea')));
    await choose(menuOf(find('roster-group', 'Tea')), 'Archive');
    expect(backend.world.groups.get(group)?.archived).toBe(true);
    expect(document.activeElement).not.toBe(document.body);
    await choose(menuOf(find('roster-agent', 'Bo')), 'End…');
    await click('terminate-do');
    expect(backend.world.agents.get(agentNamed(backend, 'Bo'))?.state).toBe('terminated');
    expect(document.activeElement).not.toBe(document.body);
  });

  it('and of the menus in the roster only that of the row where it is stands in the way of Tab', async () => {
    await open();
    const stops = () =>
      [...document.querySelectorAll<HTMLElement>('[data-testid=row-menu]')].filter(({ tabIndex }) => tabIndex === 0);
    find('roster-agent', 'Bo').focus();
    await pass(0);
    expect(stops()).toEqual([menuOf(find('roster-agent', 'Bo'))]);
    composer().focus();
    await pass(0);
    expect(stops()).toEqual([]);
  });

  it('on the page that a receipt leads to', async () => {
    await conversation();
    await click('receipt-why');
    expect([focused(), page()]).toEqual(['H1', 'page-runs']);
  });

  it('when a memory is forgotten', async () => {
    const backend = await open();
    const plain = { kind: 'fact', scope: { kind: 'user' }, statement: null, tags: [], importance: null } as const;
    for (const text of ['Lin takes tea', 'Lin has a boat'])
      backend.answers.memories.add({ ...plain, tags: [], valid_from_ms: null, valid_to_ms: null, text });
    await click('rail-memory');
    await click('memory-open');
    await click('memory-forget');
    await click('forget-do');
    expect(has('forget-dialog')).toBe(false);
    expect(page()).toBe('page-memory');
  });

  it('when the choice between two versions of a soul is made, and when one’s own is given up', async () => {
    const backend = await open();
    await click('rail-souls');
    await enter(find('soul-row', 'ada'));
    for (const choice of ['soul-keep-mine', 'soul-revert', 'soul-take-theirs']) {
      const editor = EditorView.findFromDOM(document.querySelector<HTMLElement>('.cm-editor') ?? document.body);
      editor?.dispatch({ changes: { from: editor.state.doc.length, insert: `Mine for ${choice}.` } });
      await pass(500);
      if (choice !== 'soul-revert') {
        const base_hash = backend.world.souls.get('ada')?.file_hash ?? null;
        const text = `${backend.world.files.get('ada')}Theirs for ${choice}.\n`;
        backend.answers.command({ kind: 'save_soul', soul: 'ada', text, base_hash });
        await pass(500);
      }
      await click(choice);
      expect([choice, has(choice), page()]).toEqual([choice, false, 'page-souls']);
    }
  });

  it('on the page that a menu in the roster leads to', async () => {
    await open();
    await choose(menuOf(find('roster-agent', 'Bo')), 'See the runs');
    expect([focused(), page()]).toEqual(['H1', 'page-runs']);
  });

  it('but not where somebody has put it away', async () => {
    const backend = await conversation();
    const forget = (author: string) =>
      backend.answers.command({ kind: 'forget_message', message: message(author)?.dataset['message'] ?? '' });
    tool('Ada', 'react')?.focus();
    forget('Ada');
    await pass(500);
    expect(document.activeElement).not.toBe(document.body);
    tool('user', 'react')?.focus();
    document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    (document.activeElement as HTMLElement).blur();
    forget('user');
    await pass(500);
    expect([message('user'), document.activeElement]).toEqual([null, document.body]);
  });
});
