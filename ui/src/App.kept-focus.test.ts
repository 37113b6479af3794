import { afterEach, describe, expect, it } from 'vitest';
import { ask } from './api/fake/approvals';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/approvals/ApprovalsPage.svelte';
import './views/feed/FeedPage.svelte';
import './views/memory/MemoryPage.svelte';
import './views/settings/SettingsPage.svelte';
import './views/souls/SoulsPage.svelte';
import { close, find, open, pass, press, remember, say, writeIn } from './window.kit';

afterEach(close);

const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];
const focused = () => document.activeElement?.getAttribute('data-testid') ?? document.activeElement?.tagName;
const page = () => document.activeElement?.closest<HTMLElement>('[data-testid^="page-"]')?.dataset['testid'];

/** As Enter does it: what is pressed has the focus. */
async function enter(what: HTMLElement | null | undefined) {
  if (!what) throw new Error('nothing to press');
  what.focus();
  what.click();
  await pass(700);
}
const click = (id: string) => enter(find(id));

/** Chooses from a menu by keyboard. */
async function choose(menu: HTMLElement | undefined, label: string) {
  if (!menu) throw new Error('no menu');
  menu.focus();
  press(menu, 'Enter');
  await pass(100);
  const item = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find(
    (one) => one.textContent?.trim() === label,
  );
  if (!item) throw new Error(`no ${label}`);
  item.focus();
  press(item, 'Enter');
  await pass(500);
}

async function memories(...texts: string[]): Promise<void> {
  const backend = await open();
  for (const text of texts) remember(backend, text);
  await click('rail-memory');
}

describe('the focus is not lost', () => {
  it('when memories are forgotten one after the other, the last of the list too', async () => {
    await memories('one', 'two', 'three');
    for (const n of [2, 1, 0]) {
      await enter(all('memory-open').at(-1));
      await click('memory-forget');
      await click('forget-do');
      expect(all('memory-open')).toHaveLength(n);
      expect(page()).toBe('page-memory');
    }
  });

  it('when memories are judged, merged, and filters are cleared', async () => {
    await memories('one', 'two', 'three');
    await click('memory-wrong');
    expect([all('memory-open').length, page()]).toEqual([2, 'page-memory']);
    for (const box of all('memory-choose')) box.click();
    await pass(100);
    await click('memory-merge');
    await click('merge-do');
    expect([all('memory-open').length, page()]).toEqual([1, 'page-memory']);
    writeIn(find('memory-tag') as HTMLInputElement, 'zz');
    await pass(700);
    const clear = [...document.querySelectorAll<HTMLElement>('.center .empty button')];
    await enter(clear[0]);
    expect([all('memory-open').length, page()]).toEqual([1, 'page-memory']);
  });

  it('when contradictions are settled, the last one too', async () => {
    const backend = await open();
    for (const value of ['Lisbon', 'Porto', 'Faro']) {
      const statement = { subject: 'Lin', attribute: 'lives in', value };
      const days = { valid_from_ms: null, valid_to_ms: null };
      const plain = { kind: 'fact', scope: { kind: 'user' }, tags: [], importance: null } as const;
      const given = { ...plain, ...days, tags: [], text: `Lin lives in ${value}`, statement };
      backend.answers.memories.add(given, value === 'Lisbon' ? undefined : { trust: 'untrusted' });
    }
    await click('rail-memory');
    await click('memory-standing-contested');
    await click('keep-old');
    expect([all('contradiction').length, focused()]).toEqual([1, 'keep-old']);
    await click('take-new');
    expect([all('contradiction').length, page()]).toEqual([0, 'page-memory']);
  });

  it('when approvals are answered, on their page and in a conversation', async () => {
    const backend = await open();
    await say('hello');
    await pass(300);
    const run = [...backend.world.runs.values()].at(-1);
    if (!run) throw new Error('nothing ran');
    const asks = async (call: string) => {
      ask(backend.world, { run: run.id, agent: run.agent, group: run.group }, { call });
      await pass(500);
    };
    await asks('c1');
    await click('approval-once');
    expect(document.activeElement?.closest('[data-testid=tool-line]')).not.toBe(null);
    await asks('c2');
    await asks('c3');
    await click('rail-approvals');
    await click('approval-deny');
    expect([all('approval-card').length, focused()]).toEqual([1, 'approval-deny']);
    await click('approval-once');
    expect([all('approval-card').length, page()]).toEqual([0, 'page-approvals']);
    await click('approval-take-back');
    expect(page()).toBe('page-approvals');
  });

  it('when an earlier version of a soul is brought back', async () => {
    const backend = await open();
    await click('rail-souls');
    const text = backend.world.files.get('ada') ?? '';
    for (const more of ['a', 'b']) {
      const base_hash = backend.world.souls.get('ada')?.file_hash ?? null;
      backend.answers.command({ kind: 'save_soul', soul: 'ada', text: `${text}\n${more}.\n`, base_hash });
    }
    await pass(100);
    const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')];
    await enter(tabs.find((one) => one.textContent?.includes('History')));
    const versions = document.querySelectorAll('[data-testid=soul-history] li').length;
    await enter(document.querySelector<HTMLElement>('[aria-label="Roll back to v2"]'));
    expect(document.querySelectorAll('[data-testid=soul-history] li')).toHaveLength(versions + 1);
    expect(document.activeElement?.closest('[data-testid=soul-history]')).not.toBe(null);
  });

  it('when something in the feed is hidden, or its words are removed', async () => {
    await open();
    await click('rail-feed');
    writeIn(find('feed-write') as HTMLTextAreaElement, 'Is this plan any good?');
    await click('feed-post');
    await click('feed-tick');
    for (const act of ['Hide', 'Remove its words']) {
      await choose(all('feed-acts').at(-1), act);
      await click('feed-moderate-do');
      expect([act, focused()]).toEqual([act, 'feed-acts']);
    }
  });

  it('when skills are removed, the last one too', async () => {
    const backend = await open();
    for (const path of ['/home/you/tea', '/home/you/bread']) backend.answers.skills.do({ kind: 'add_skill', path });
    await click('rail-settings');
    await click('settings-skills');
    for (const next of ['skill-remove', 'skill-add']) {
      await click('skill-remove');
      await click('remove-skill-do');
      expect(focused()).toBe(next);
    }
  });

  it('when the last messages of a long conversation are forgotten', async () => {
    await open({ start: 'many' });
    await pass(1000);
    for (let n = 0; n < 3; n += 1) {
      const last = all('forget-message').at(-1);
      const row = last?.closest<HTMLElement>('[data-message]')?.dataset['message'] ?? '';
      await enter(last);
      await click('forget-message-do');
      expect(document.querySelector(`[data-message="${row}"]`)).toBe(null);
      expect(document.activeElement?.closest('[data-testid=transcript]')).not.toBe(null);
    }
  });
});
