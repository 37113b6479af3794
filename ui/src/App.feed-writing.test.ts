import { afterEach, describe, expect, it } from 'vitest';
import type { Fake } from './api/fake';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/feed/FeedPage.svelte';
import './views/runs/RunsPage.svelte';
import { agentNamed, close, find, has, open, pass, press, remember, say, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const offered = () =>
  [...document.querySelectorAll('[data-testid=mention-option] .trunc')].map((one) => one.firstChild?.textContent);
const area = (id: string) => find(id) as HTMLTextAreaElement;
const click = async (id: string) => {
  find(id).click();
  await pass(300);
};

/** As typing leaves it: the caret at the end. */
async function type(id: string, words: string) {
  area(id).focus();
  area(id).value = words;
  area(id).setSelectionRange(words.length, words.length);
  writeIn(area(id), words);
  await pass(0);
}

async function inFeed(): Promise<Fake> {
  const backend = await open();
  await click('rail-feed');
  return backend;
}

describe('an @ in the feed', () => {
  it('lists who can be mentioned, and is finished by the keys of the composer', async () => {
    await inFeed();
    await type('feed-write', 'Hello @');
    expect(offered().length).toBeGreaterThan(2);
    await type('feed-write', 'Hello @o');
    expect(offered()[0]).toContain('Otto');
    expect(area('feed-write').getAttribute('aria-controls')).toBe(find('mention-list').id);
    press(area('feed-write'), 'ArrowDown');
    press(area('feed-write'), 'ArrowUp');
    press(area('feed-write'), 'Enter');
    await pass(0);
    expect([area('feed-write').value, has('mention-list'), has('feed-row')]).toEqual(['Hello @Otto ', false, false]);
    expect(area('feed-write').selectionStart).toBe('Hello @Otto '.length);
  });

  it('is closed by Escape, and left alone while a word is composed and by what posts', async () => {
    const backend = await inFeed();
    await type('feed-write', '@Ad');
    press(area('feed-write'), 'Enter', { isComposing: true });
    expect([area('feed-write').value, has('mention-list')]).toEqual(['@Ad', true]);
    press(area('feed-write'), 'Escape');
    expect(has('mention-list')).toBe(false);
    await type('feed-write', '@Ada');
    await type('feed-write', 'Hi @Ad');
    press(area('feed-write'), 'Enter', { ctrlKey: true });
    await pass(300);
    expect(backend.world.messages.map(({ body }) => body.kind === 'text' && body.text)).toContain('Hi @Ad');
  });

  it('does the same in a comment, where who reads the community comes first', async () => {
    const backend = await open();
    const members = [agentNamed(backend, 'Otto')];
    await backend.ask({ command: { kind: 'new_community', name: 'Small', rules: '', members } }, 'c');
    await click('rail-feed');
    await type('feed-write', 'A plan');
    await click('feed-post');
    await type('feed-write-comment', '@');
    expect(offered().slice(0, 2)).toEqual(['Otto ', 'Ada ']);
    find('mention-option').click();
    await pass(0);
    expect(area('feed-write-comment').value).toBe('@Otto ');
  });
});

describe('before something is written in the feed', () => {
  it('it is said who answers it, and when ticks come', async () => {
    const backend = await inFeed();
    expect(text('feed-wakes')).toBe('');
    await type('feed-write', '@Otto Is this plan any good?');
    await pass(300);
    expect(text('feed-wakes')).toBe('Wakes Otto at once, Ada once you press Tick, about 2,400 tokens');
    const on = { kind: 'turn_on_feed', every_minutes: 5, tokens_a_day: 1, microusd_a_day: 1 } as const;
    await backend.ask({ command: on }, 'on');
    await pass(300);
    expect(text('feed-wakes')).toBe('Wakes Otto at once, Ada at the next tick, about 2,400 tokens');
    await type('feed-write', '');
    await pass(300);
    expect(text('feed-wakes')).toBe('');
  });

  it('it is said what it waits for, also of a comment', async () => {
    const backend = await inFeed();
    await type('feed-write', 'A plan');
    await click('feed-post');
    const nothing = { at_once: [], by_tick: [], tokens_at_most: 0 };
    backend.answers.feed.foreseen = { ...nothing, later: [agentNamed(backend, 'Bo')] };
    await type('feed-write-comment', 'And why?');
    await pass(300);
    expect(text('feed-wakes-waits')).toBe('It waits for Bo, who is paused or has had enough for now.');
  });
});

describe('what an agent wrote in the feed', () => {
  it('says what it took and what was remembered for it', async () => {
    const backend = await open();
    remember(backend, 'Allergic to hazelnuts');
    await say('hazelnuts?');
    await pass(5000);
    const run = [...backend.world.runs.values()].at(-1);
    await click('rail-feed');
    await type('feed-write', 'A plan');
    await click('feed-post');
    await click('feed-tick');
    const written = backend.world.messages.at(-1);
    if (!written || !run) throw new Error('nothing was written');
    written.run = run.id;
    backend.answers.feed.reacted(written.id);
    await pass(1000);
    expect(document.querySelectorAll('[data-testid=receipt]')).toHaveLength(1);
    expect(has('receipt-tokens')).toBe(true);
    await click('receipt-remembered');
    expect(text('remembered')).toContain('Allergic to hazelnuts');
    expect(has('remembered-wrong')).toBe(true);
    await click('receipt-why');
    expect(has('page-runs')).toBe(true);
  });
});
