import { flushSync } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/feed/FeedPage.svelte';
import './views/memory/MemoryPage.svelte';
import './views/runs/RunsPage.svelte';
import './views/settings/SettingsPage.svelte';
import './views/souls/SoulsPage.svelte';
import { close, composer, find, has, open, pass, press, remember, say, writeIn } from './window.kit';

afterEach(close);

const squeezed = (element: Element) => element.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const options = () => [...document.querySelectorAll('[data-testid=palette-option]')].map(squeezed);
const chosen = () =>
  squeezed(document.querySelector('[data-testid=palette-option][aria-selected=true]') ?? document.body);
const field = () => find('palette-find') as HTMLInputElement;
const headings = () => [...document.querySelectorAll('.palette h3')].map(squeezed);

async function summon(more: KeyboardEventInit = { ctrlKey: true }): Promise<void> {
  press(document.activeElement instanceof HTMLElement ? document.activeElement : document.body, 'k', more);
  await pass(50);
}
async function type(words: string): Promise<void> {
  writeIn(field(), words);
  await pass(200);
}
const enter = async () => {
  press(field(), 'Enter');
  await pass(400);
};

describe('the palette', () => {
  it('leads to what is set, also by what is found there', async () => {
    await open();
    await summon();
    await type('backup');
    expect(options()).toContain('Data Settings');
    await type('dark');
    expect(options()).toEqual(['Appearance Settings']);
    await enter();
    expect(find('settings-appearance').getAttribute('aria-current')).toBe('page');
  });

  it('opens by Ctrl K or Cmd K, has the focus, and gives it back on Escape', async () => {
    await open();
    composer().focus();
    await summon();
    expect(document.activeElement).toBe(field());
    expect(squeezed(find('palette-note'))).toBe('Type to find messages, memories and runs by their words.');
    expect(options()).toEqual(expect.arrayContaining(['First group Group', 'Memory Page', 'Settings Page']));
    press(field(), 'Escape');
    await pass(50);
    expect(has('palette')).toBe(false);
    expect(document.activeElement).toBe(composer());
    await summon({ metaKey: true });
    expect(has('palette')).toBe(true);
    await summon();
    expect(has('palette')).toBe(false);
  });

  it('looks by Ctrl Shift F only for what was said, remembered and done, in more of it', async () => {
    const backend = await open();
    for (let n = 0; n < 8; n += 1) remember(backend, `Boats leave the harbour at ${n}`);
    await pass(600);
    composer().focus();
    await summon({ ctrlKey: true });
    await type('bo');
    expect(headings()).toContain('Go to');
    press(field(), 'F', { ctrlKey: true, shiftKey: true });
    await pass(200);
    // What was typed is still there, and it is not another palette.
    expect([field().value, field().placeholder]).toEqual(['bo', 'Words from anything said, remembered or done']);
    await type('boats');
    expect(headings()).toEqual(['Memory']);
    expect(options()).toHaveLength(8);
    press(field(), 'F', { ctrlKey: true, shiftKey: true });
    await pass(50);
    expect([has('palette'), document.activeElement]).toEqual([false, composer()]);
    press(composer(), 'F', { metaKey: true, shiftKey: true });
    await pass(50);
    expect([options(), squeezed(find('palette-note'))]).toEqual([
      [],
      'Type to find messages, memories and runs by their words.',
    ]);
    await type('settings');
    expect(squeezed(find('palette-note'))).toBe('Nothing was found.');
  });

  it('leads to groups, agents and pages by their names, by keys alone', async () => {
    await open();
    await summon();
    await type('ad');
    expect(chosen()).toBe('Ada Thinking partner');
    expect(find('palette-option').querySelector('mark')?.textContent).toBe('Ad');
    await enter();
    expect(has('palette')).toBe(false);
    expect(squeezed(document.querySelector('header h1') ?? document.body)).toBe('Ada');
    await summon();
    await type('first');
    await enter();
    expect(squeezed(document.querySelector('header h1') ?? document.body)).toBe('First group');
    await summon();
    await type('e');
    press(field(), 'ArrowDown');
    const second = options()[1];
    expect(chosen()).toBe(second);
    press(field(), 'ArrowUp');
    await type('settings');
    await enter();
    expect(has('page-settings')).toBe(true);
  });

  it('leads to a post by its words, and says that it is in the feed', async () => {
    const { answers } = await open();
    const made = answers.feed.do({ kind: 'new_community', name: 'Commons', rules: '', members: [] });
    if (made.kind !== 'community') throw new Error('no community');
    answers.feed.do({ kind: 'write_post', community: made.data.id, text: 'Walnuts keep longer in the cold' });
    await summon();
    await type('walnuts');
    await pass(400);
    expect(headings()).toEqual(['Messages']);
    expect(options()[0]).toMatch(/^Walnuts keep longer in the cold You in Feed · /);
    await enter();
    expect(has('page-feed')).toBe(true);
    expect(find('feed-item').textContent).toContain('Walnuts keep longer');
  });

  it('leads to what an agent wrote in the feed, and from a task that has ended to its run', async () => {
    const { answers, world } = await open();
    const made = answers.feed.do({ kind: 'new_community', name: 'Commons', rules: '', members: [] });
    if (made.kind !== 'community') throw new Error('no community');
    answers.feed.do({ kind: 'write_post', community: made.data.id, text: 'How many walnuts are there?' });
    answers.feed.do({ kind: 'tick' });
    const answer = world.messages.at(-1);
    if (answer?.author.kind !== 'agent') throw new Error('nobody answered');
    const run = world.nextId();
    answer.run = run;
    const body = { kind: 'text', text: 'I would count the hazelnuts.', cut_short: false } as const;
    const inTask = { ...answer, id: world.nextId(), seq: world.nextSeq(), group: world.nextId(), run, body };
    world.save({ table: 'message', row: inTask });

    await summon();
    await type('hazelnuts');
    await pass(400);
    expect(options()[0]).toMatch(/^I would count the hazelnuts\. Ada in a task/);
    await type('count them');
    await pass(400);
    expect(options()[0]).toMatch(/^I would count them first\. Ada in Feed · /);
    await enter();
    expect(has('page-feed')).toBe(true);
    expect(find('page-feed').textContent).toContain('How many walnuts');
    await summon();
    await type('hazelnuts');
    await pass(400);
    await enter();
    expect(has('page-runs')).toBe(true);
  });

  it('leads to a soul', async () => {
    await open();
    await summon();
    await type('bo');
    const bo = options().findIndex((option) => option === 'bo Soul');
    expect(bo).toBeGreaterThan(0);
    for (let step = 0; step < bo; step += 1) press(field(), 'ArrowDown');
    await enter();
    expect(has('page-souls')).toBe(true);
    expect(document.querySelector('[aria-current=true], [aria-current=page]')).not.toBe(null);
    expect(find('page-souls').textContent).toContain('bo.md');
  });

  it('does what the window can do, by its name or its key', async () => {
    await open();
    await summon();
    await type('new gr');
    expect(headings()).toEqual(['Actions']);
    expect(options()).toEqual(['New group Ctrl N']);
    await enter();
    expect(has('palette')).toBe(false);
    expect(has('new-group-dialog')).toBe(true);
    press(find('new-group-dialog'), 'Escape');
    await pass(50);

    await summon();
    await type('new agent');
    expect(options()).toEqual(['New soul']);
    await enter();
    expect(has('page-souls')).toBe(true);
    expect(has('new-soul')).toBe(true);
    press(find('new-soul'), 'Escape');
    await pass(50);

    // Each time it is asked for, also where one is already.
    for (const action of ['import mem', 'remember', 'import mem']) {
      await summon();
      await type(action);
      await enter();
      const dialog = action === 'remember' ? 'memory-form' : 'import-dialog';
      expect(has(dialog)).toBe(true);
      press(find(dialog), 'Escape');
      await pass(50);
      expect(has(dialog)).toBe(false);
    }
  });

  it('offers only what can be done now, and takes back what can be taken back', async () => {
    const backend = await open();
    const states = () => new Set([...backend.world.agents.values()].map((agent) => agent.state));
    const offered = async (words: string) => {
      await summon();
      await type(words);
      const now = options();
      press(field(), 'Escape');
      await pass(50);
      return now;
    };
    expect(await offered('resume all')).toEqual([]);
    expect(await offered('stop the')).toEqual([]);
    await summon();
    await type('pause all');
    await enter();
    expect(states()).toEqual(new Set(['paused']));
    // What comes by itself rests with them.
    expect(backend.world.settings.all_paused).toBe(true);
    expect(document.body.textContent).toContain('All agents are paused');
    expect(await offered('pause all')).toEqual([]);
    expect(await offered('resume all')).toEqual(['Resume all agents']);
    await summon();
    await type('undo');
    // It is no move that is taken back here.
    expect(options()[0]).toContain('Undo what was just done');
    await enter();
    expect(states()).toEqual(new Set(['idle']));
    expect(backend.world.settings.all_paused).toBe(false);
    await summon();
    await type('pause all');
    await enter();
    await summon();
    await type('resume all');
    await enter();
    expect([states(), backend.world.settings.all_paused]).toEqual([new Set(['idle']), false]);
  });

  it('brings a message into sight, and opens a memory and a run', async () => {
    const backend = await open();
    await say('please calculate the harbour fee');
    await pass(5000);
    const memory = remember(backend, 'The harbour is closed on Sundays');
    await pass(600);
    find('rail-settings').click();
    await pass(400);
    await summon();
    await type('harbour');
    expect(headings()).toEqual(['Messages', 'Memory']);
    expect(chosen()).toContain('please calculate the harbour fee');
    expect(chosen()).toContain('You in First group');
    await enter();
    expect(has('page-conversations')).toBe(true);
    expect(squeezed(find('page-conversations'))).toContain('please calculate the harbour fee');

    await summon();
    await type('harbour is');
    expect(options()).toHaveLength(1);
    await enter();
    expect(squeezed(find('memory-text'))).toBe(memory.text);

    await summon();
    await type('17*23');
    expect(headings().at(-1)).toBe('Runs');
    press(field(), 'End');
    await enter();
    expect(has('page-runs')).toBe(true);
  });

  it('says that nothing was found, and what is wrong, and picks nothing then', async () => {
    const backend = await open();
    await summon();
    writeIn(field(), 'zebra');
    expect(squeezed(find('palette-note'))).toBe('Looking…');
    await pass(200);
    expect(squeezed(find('palette-note'))).toBe('Nothing was found.');
    await enter();
    expect(has('palette')).toBe(true);
    backend.ask = () =>
      Promise.reject({ code: 'storage', message: 'use the text index: it is gone', fix: 'start again' });
    await type('zebras');
    expect(squeezed(find('palette-note'))).not.toBe('Nothing was found.');
  });

  it('speaks Chinese and leaves Enter to whoever composes a word', async () => {
    const backend = await open();
    backend.answers.command({
      kind: 'change_settings',
      patch: { appearance: { ...backend.world.settings.appearance, language: 'zh' } },
    });
    await pass(50);
    await say('小猫喜欢晒太阳');
    await pass(3000);
    await summon();
    expect(squeezed(find('palette-note'))).toBe('输入字词，查找消息、记忆和运行。');
    await type('暂停所有');
    expect(headings()).toEqual(['操作']);
    expect(options()).toEqual(['暂停所有智能体']);
    await type('太阳');
    press(field(), 'Enter', { isComposing: true });
    flushSync();
    expect(has('palette')).toBe(true);
    expect(headings()).toContain('消息');
    expect(document.querySelector('.palette mark')?.textContent).toBe('太阳');
    await type('没有这样的话');
    expect(squeezed(find('palette-note'))).toBe('没有找到。');
  });
});
