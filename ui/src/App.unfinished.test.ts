import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/feed/FeedPage.svelte';
import { choose, close, composer, find, has, open, pass, press, say, writeIn } from './window.kit';

afterEach(close);

const field = (id: string) => find(id) as HTMLTextAreaElement;
const click = async (id: string, name?: string) => {
  find(id, name).click();
  await pass(300);
};
const other = () => document.querySelector<HTMLElement>('[data-testid=roster-agent]:not([aria-current])');

describe('what is written elsewhere than in a composer', () => {
  it('is there again after another conversation and another page, until it is sent or given up', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    const here = find('group-page').dataset['group'];
    await click('edit-message');
    expect(document.activeElement).toBe(field('edit-text'));
    writeIn(field('edit-text'), 'Which coffee?');
    other()?.click();
    await pass(300);
    expect([find('group-page').dataset['group'] === here, has('edit-text')]).toEqual([false, false]);
    await click('rail-feed');
    await click('rail-conversations');
    await click('roster-group', here);
    expect(field('edit-text').value).toBe('Which coffee?');
    // Who comes back may want to write something else.
    expect(document.activeElement).toBe(composer());
    press(field('edit-text'), 'Escape');
    await pass(50);
    expect(has('edit-text')).toBe(false);
    await click('edit-message');
    expect(field('edit-text').value).toBe('Which tea?');
    writeIn(field('edit-text'), 'Which milk?');
    await click('edit-send');
    await pass(4000);
    await click('version-before');
    expect(has('edit-text')).toBe(false);
  });

  it('is there again in the feed, for the community that it was written for and what it answers', async () => {
    const backend = await open();
    for (const name of ['Plans', 'Tea'])
      await backend.ask({ command: { kind: 'new_community', name, rules: '', members: [] } }, name);
    await click('rail-feed');
    await choose('feed-community', 'Tea');
    writeIn(field('feed-write'), 'Is this plan any good?');
    await click('rail-conversations');
    await click('rail-feed');
    expect([field('feed-write').value, find('feed-write-to').textContent?.trim()]).toEqual([
      'Is this plan any good?',
      'Tea',
    ]);
    await click('feed-post');
    expect(field('feed-write').value).toBe('');
    await click('feed-tick');
    await click('feed-reply');
    const asked = field('feed-write-comment').labels[0]?.textContent;
    writeIn(field('feed-write-comment'), 'I ask my');
    await click('rail-conversations');
    await click('rail-feed');
    expect(field('feed-write-comment').value).toBe('I ask my');
    expect(field('feed-write-comment').labels[0]?.textContent).toBe(asked);
    expect(asked).toMatch(/^Your answer to /);
  });
});
