import { afterEach, describe, expect, it } from 'vitest';
import type { Run } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/feed/FeedPage.svelte';
import { choose, close, find, has, open, pass, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];
const field = (id: string) => {
  const found = find(id);
  return (found.matches('input,textarea') ? found : found.querySelector('input,textarea')) as HTMLTextAreaElement;
};
const click = async (id: string) => {
  find(id).click();
  await pass(300);
};

async function post(words: string) {
  writeIn(field('feed-write'), words);
  await click('feed-post');
}

describe('the feed', () => {
  it('takes a post without any question, and shows what agents answer after a tick', async () => {
    const backend = await open();
    await click('rail-feed');
    await post('Is this **plan** any good?');
    expect(backend.answers.feed.communities).toMatchObject([{ name: 'Commons' }]);
    expect(text('feed-row')).toContain('Is this plan any good?');
    expect(text('feed-waiting')).toBe('1 waits for a tick');
    await click('feed-tick');
    expect(text('feed-comment')).toContain('I would count them first.');
    // It is on the screen, so it is not new.
    await pass(300);
    expect(has('feed-unread')).toBe(false);
  });

  it('posts and comments by Ctrl Enter, and makes a new line by Enter', async () => {
    const backend = await open();
    await click('rail-feed');
    const press = async (id: string, more: KeyboardEventInit) => {
      field(id).dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more }));
      await pass(300);
    };
    const written = () => backend.world.messages.map(({ body }) => (body.kind === 'text' ? body.text : ''));
    writeIn(field('feed-write'), 'By key');
    await press('feed-write', {});
    expect(has('feed-row')).toBe(false);
    await press('feed-write', { ctrlKey: true });
    expect(text('feed-row')).toContain('By key');
    writeIn(field('feed-write-comment'), 'And below it');
    await press('feed-write-comment', { ctrlKey: true });
    expect(written()).toContain('And below it');
  });

  it('says why somebody answered and others did not', async () => {
    await open();
    await click('rail-feed');
    await post('Is this plan any good?');
    await click('feed-tick');
    await click('feed-why');
    expect(text('feed-decisions')).toMatch(/speaks: interested in plans.*stays silent: nothing of its interests fits/);
  });

  it('says how far it is with deciding, and how many do not read it', async () => {
    const backend = await open();
    const ada = [...backend.world.agents.values()].find((agent) => agent.name === 'Ada')?.id ?? '';
    const members = [ada];
    await backend.ask({ command: { kind: 'new_community', name: 'Small', rules: '', members } }, 'c');
    await click('rail-feed');
    await post('Is this plan any good?');
    await click('feed-why');
    expect(text('feed-event')).toBe('Nothing is decided about it yet: the next tick does that.');
    expect(text('feed-outsiders')).toMatch(/^\d+ more agents are not in this community$/);
    const { id: item, group } = backend.world.messages.at(-1) ?? { id: '', group: '' };
    await click('feed-tick');
    expect(has('feed-event')).toBe(false);
    const fault = { code: 'internal' as const, message: 'the disk went away', fix: '' };
    backend.answers.feed.failed = [{ seq: 1, item, group, state: 'dead', tries: 5, fault, at_ms: 0 }];
    backend.answers.feed.failing = 1;
    await click('feed-tick');
    await pass(300);
    expect(text('feed-event')).toMatch(/^It failed too often/);
    expect(text('toast')).toContain('1 could not be decided on and is tried again, or waits for you below');
  });

  it('lists whose posts one asks for, and what is new, which stays while it is read', async () => {
    const backend = await open();
    const [ada] = [...backend.world.agents.values()];
    await backend.ask({ command: { kind: 'new_community', name: 'Small', rules: '', members: [] } }, 'c');
    const community = backend.answers.feed.communities[0]?.id ?? '';
    await backend.ask({ command: { kind: 'ask_for_post', community, agent: ada?.id ?? '' } }, 'p');
    await click('rail-feed');
    await post('Is this plan any good?');
    expect(all('feed-row')).toHaveLength(2);
    await choose('feed-by', 'By you');
    expect(all('feed-row')).toHaveLength(1);
    expect(text('feed-row')).toContain('Is this plan any good?');
    await choose('feed-by', ada?.name ?? '');
    expect(text('feed-row')).toContain('Something I care about.');
    await click('feed-only-unread');
    expect(find('feed-only-unread').getAttribute('aria-pressed')).toBe('true');
    find('feed-row').click();
    await pass(600);
    expect(has('feed-unread')).toBe(false);
    expect(text('feed-row')).toContain('Something I care about.');
    await choose('feed-by', 'By you');
    expect(has('feed-row')).toBe(false);
    find('feed-none-fits').querySelector('button')?.click();
    await pass(300);
    expect(all('feed-row')).toHaveLength(2);
  });

  it('shows a post of an agent as new until it is looked at', async () => {
    const backend = await open();
    await backend.ask({ command: { kind: 'new_community', name: 'Small', rules: '', members: [] } }, 'c');
    const community = backend.answers.feed.communities[0]?.id ?? '';
    const agent = [...backend.world.agents.keys()][0] ?? '';
    await backend.ask({ command: { kind: 'ask_for_post', community, agent } }, 'p');
    await click('rail-feed');
    expect(text('feed-unread')).toBe('1 new');
    find('feed-row').click();
    await pass(600);
    expect(has('feed-unread')).toBe(false);
  });

  it('says how many answers are left, in a thread, to an item and for an agent in this hour', async () => {
    await open();
    await click('rail-feed');
    await post('Is this plan any good?');
    expect(text('feed-answers-left')).toBe('10 of 10 answers left');
    expect(has('feed-quotas')).toBe(false);
    await click('feed-tick');
    expect(text('feed-answers-left')).toBe('9 of 10 answers left');
    expect(text('feed-quotas')).toBe('Left in this hour: Ada 11 of 12');
    await click('feed-why');
    expect(text('feed-item-left')).toBe('1 of 2 answers to this left');
    expect(text('feed-decisions')).toContain('11 of 12 left in this hour');
  });

  it('changes the name and the rules of a community, and who reads it', async () => {
    const backend = await open();
    await backend.ask({ command: { kind: 'new_community', name: 'Plans', rules: 'Short.', members: [] } }, 'c');
    await click('rail-feed');
    expect(has('feed-edit-community')).toBe(false);
    await choose('feed-community', 'Plans');
    await click('feed-edit-community');
    expect(field('community-rules').value).toBe('Short.');
    writeIn(field('community-rules'), 'Short, and kind.');
    find('community-members').querySelector('input')?.click();
    await click('community-make');
    const [agent] = backend.world.agents.keys();
    expect(backend.answers.feed.communities).toMatchObject([
      { name: 'Plans', rules: 'Short, and kind.', members: [agent], archived: false },
    ]);
  });

  it('sends of a community only what was changed, and lets who has ended be taken out', async () => {
    const backend = await open();
    const named = (name: string) => [...backend.world.agents.values()].find((agent) => agent.name === name)?.id ?? '';
    const [ada, bo] = [named('Ada'), named('Bo')];
    await backend.ask({ command: { kind: 'new_community', name: 'Plans', rules: '', members: [bo] } }, 'c');
    await backend.ask({ command: { kind: 'terminate_agent', agent: bo } }, 't');
    const patches: unknown[] = [];
    const ask = backend.ask.bind(backend);
    backend.ask = (call, id) => {
      if ('command' in call && call.command.kind === 'edit_community') patches.push(call.command.patch);
      return ask(call, id);
    };
    const box = (name: string) => {
      const rows = [...find('community-members').querySelectorAll('label')];
      const row = rows.find((one) => one.textContent?.includes(name));
      return { says: row?.textContent?.trim(), input: row?.querySelector('input') };
    };
    const nobody = 'Nobody chosen: every agent does.';
    await click('rail-feed');
    await choose('feed-community', 'Plans');
    await click('feed-edit-community');
    expect(box('Bo').says).toMatch(/Bo ended$/);
    expect(box('Bo').input?.checked).toBe(true);
    expect(text('community-members')).not.toContain(nobody);
    writeIn(field('community-rules'), 'Short.');
    await click('community-make');
    await click('feed-edit-community');
    box('Bo').input?.click();
    await pass(50);
    expect(text('community-members')).toContain(nobody);
    expect(find('community-members').querySelector('.hint')).toBe(null);
    box('Ada').input?.click();
    await click('community-make');
    await click('feed-edit-community');
    expect(box('Bo').says).toBe(undefined);
    await click('community-make');
    expect(has('community-dialog')).toBe(false);
    expect(patches).toEqual([{ rules: 'Short.' }, { members: [ada] }]);
  });

  it('archives a community, takes that back, and restores it from where the archived ones stand', async () => {
    const backend = await open();
    const make = (name: string) =>
      backend.ask({ command: { kind: 'new_community', name, rules: '', members: [] } }, name);
    await make('Plans');
    await make('Tea');
    const archived = () => backend.answers.feed.communities.map((one) => one.archived);
    await click('rail-feed');
    expect(has('feed-archive-community')).toBe(false);
    await choose('feed-community', 'Plans');
    find('feed-archive-community').focus();
    await click('feed-archive-community');
    expect(archived()).toEqual([true, false]);
    expect(text('toast')).toContain('Plans is archived');
    expect([has('feed-write'), text('feed-archived-note')]).toEqual([
      false,
      'This community is archived: nothing new is written here.',
    ]);
    expect(text('feed-posts')).not.toContain('Write the first post');
    expect(document.activeElement).toBe(find('feed-restore-community'));
    await click('toast-undo');
    expect([archived(), has('feed-write')]).toEqual([[false, false], true]);

    await click('feed-archive-community');
    await choose('feed-community', 'All communities');
    expect(text('feed-write-to')).toBe('Goes to Tea');
    await choose('feed-community', 'Plans Archived');
    await click('feed-restore-community');
    expect([archived(), text('toast')]).toEqual([[false, false], 'Plans is restored']);
    expect(has('feed-edit-community')).toBe(true);
  });

  it('keeps an archived community out of the way, and shows what was written there without a way to add to it', async () => {
    const backend = await open();
    await backend.ask({ command: { kind: 'new_community', name: 'Plans', rules: '', members: [] } }, 'c');
    await click('rail-feed');
    await post('Is this plan any good?');
    await click('feed-tick');
    find('feed-offer').click();
    await pass(300);
    expect(['feed-write-comment', 'feed-reply', 'feed-offer'].map(has)).toEqual([true, true, true]);
    await choose('feed-community', 'Plans');
    await click('feed-archive-community');
    expect(text('feed-posts')).toContain('Is this plan any good?');
    await choose('feed-community', 'All communities');
    await pass(300);
    expect(has('feed-row')).toBe(false);
    expect(text('feed-item')).toContain('Is this plan any good?');
    expect(text('feed-archived-thread')).toContain('This community is archived: nothing new is written here.');
    expect(['feed-write-comment', 'feed-reply', 'feed-offer'].map(has)).toEqual([false, false, false]);
    expect((find('feed-sign') as HTMLButtonElement).disabled).toBe(true);
    await click('feed-restore-thread');
    expect([has('feed-row'), has('feed-write-comment')]).toEqual([true, true]);
  });

  it('says to which community a post goes, and lets that be chosen', async () => {
    const backend = await open();
    const make = (name: string) =>
      backend.ask({ command: { kind: 'new_community', name, rules: '', members: [] } }, name);
    await make('Plans');
    await click('rail-feed');
    expect(text('feed-write-to')).toBe('Goes to Plans');
    await make('Tea');
    await pass(500);
    expect(text('feed-write-to')).toBe('Plans');
    await choose('feed-write-to', 'Tea');
    await post('Green or black?');
    expect(text('feed-row')).toContain('Tea');
    await choose('feed-community', 'Plans');
    expect(has('feed-write-to')).toBe(false);
  });

  it('shows older posts when they are wanted', async () => {
    const backend = await open();
    await backend.ask({ command: { kind: 'new_community', name: 'Plans', rules: '', members: [] } }, 'c');
    const community = backend.answers.feed.communities[0]?.id ?? '';
    for (let n = 0; n < 150; n += 1)
      await backend.ask({ command: { kind: 'write_post', community, text: `Post ${n}` } }, `p${n}`);
    await click('rail-feed');
    expect(all('feed-row').length).toBe(100);
    await click('feed-older');
    expect(all('feed-row').length).toBe(150);
    expect(all('feed-row').at(-1)?.textContent).toContain('Post 0');
    expect(has('feed-older')).toBe(false);
  });

  it('says so in Chinese', async () => {
    const backend = await open();
    await click('rail-feed');
    await post('Is this plan any good?');
    await click('feed-tick');
    const appearance = { ...backend.world.settings.appearance, language: 'zh' as const };
    await backend.ask({ command: { kind: 'change_settings', patch: { appearance } } }, 'zh');
    await pass(50);
    expect(text('feed-answers-left')).toBe('还可以有 9 个回答，共 10 个');
    expect(text('feed-quotas')).toBe('这一小时还剩： Ada 11/12');
  });

  it('ticks nothing while everything is paused, and says why', async () => {
    const backend = await open();
    await click('rail-feed');
    await post('Is this plan any good?');
    await click('pause-all');
    const tick = find('feed-tick') as HTMLButtonElement;
    expect([tick.disabled, tick.title]).toEqual([
      true,
      'Everything is paused: no agent works, and nothing is given by itself.',
    ]);
    expect(has('all-paused')).toBe(true);
    expect(text('feed-waiting')).toBe('1 waits for a tick');
    await click('resume-all');
    await click('feed-tick');
    expect(text('feed-comment')).toContain('I would count them first.');
    expect(backend.world.settings.all_paused).toBe(false);
  });

  it('says of which post something failed too often, and why', async () => {
    const backend = await open();
    await click('rail-feed');
    await post('Is this plan any good?');
    const { id: item, group } = backend.world.messages.at(-1) ?? { id: '', group: '' };
    const fault = { code: 'internal' as const, message: 'the disk went away', fix: '' };
    backend.answers.feed.failed = [{ seq: 1, item, group, state: 'dead', tries: 5, fault, at_ms: 0 }];
    await click('feed-tick');
    expect(has('feed-retry')).toBe(true);
    expect(text('feed-failed')).toMatch(/failed 5 times Is this plan any good\? Try again The disk went away\./);
    backend.answers.feed.failed = [{ seq: 1, item, group, state: 'waiting', tries: 1, fault, at_ms: 0 }];
    await post('And this one?');
    expect(text('feed-failed')).toMatch(
      /failed 1 time Is this plan any good\? The next tick tries it again\. The disk/,
    );
    expect(has('feed-retry')).toBe(false);
    const bo = [...backend.world.agents.values()].find((agent) => agent.name === 'Bo')?.id ?? '';
    backend.answers.feed.interrupted = [{ id: 'run', agent: bo, group } as Run];
    await click('feed-tick');
    expect(text('feed-interrupted')).toBe('Bo was interrupted Is this plan any good? Its run');
    expect(has('feed-resume-all')).toBe(false);
    // One whose provider was away owes what it was given.
    backend.answers.feed.held = [{ agent: bo, answers: 2 }];
    const agent = backend.world.agents.get(bo);
    if (agent) backend.world.save({ table: 'agent', row: { ...agent, state: 'error', problem: fault } });
    await post('And a third?');
    expect(text('feed-held')).toMatch(/^Bo owes 2 answers Resume The disk went away\./);
    await click('feed-resume');
    expect(backend.world.agents.get(bo)?.state).toBe('idle');
  });

  it('asks why something is hidden, and what was done stands below it', async () => {
    await open();
    await click('rail-feed');
    await post('Is this plan any good?');
    find('feed-acts').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0 }));
    await pass(300);
    const act = (label: string) =>
      [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find((one) => one.textContent?.trim() === label);
    act('Hide')?.click();
    await pass(300);
    writeIn(field('feed-reason'), 'Off topic');
    await click('feed-moderate-do');
    expect(text('feed-trace')).toMatch(/^Hidden · .+: Off topic$/);
    expect(has('feed-offer')).toBe(false);
  });

  it('answers a comment below it, and reacts and takes that back', async () => {
    await open();
    await click('rail-feed');
    await post('Is this plan any good?');
    await click('feed-tick');
    await click('feed-reply');
    writeIn(field('feed-write-comment'), 'Why?');
    await click('feed-comment-do');
    expect(all('feed-comment').map((one) => one.className.match(/depth-\d/)?.[0])).toEqual(['depth-0', 'depth-1']);
    await click('feed-offer');
    expect(find('feed-sign').getAttribute('aria-pressed')).toBe('true');
    await click('feed-sign');
    expect(has('feed-sign')).toBe(false);
  });

  it('is not turned on before what it may cost stands there, and is paused with one press', async () => {
    const backend = await open();
    await click('rail-feed');
    await click('feed-turn-on');
    expect([field('turn-on-tokens').value, field('turn-on-dollars').value]).toEqual(['400000', '0.5']);
    writeIn(field('turn-on-dollars'), '0');
    expect((find('turn-on-do') as HTMLButtonElement).disabled).toBe(true);
    writeIn(field('turn-on-dollars'), '0,20');
    expect([(find('turn-on-do') as HTMLButtonElement).disabled, text('turn-on-dialog')]).toEqual([
      true,
      expect.stringContaining('“0,20” can be read in two ways. Write numbers like 1,234.5.'),
    ]);
    writeIn(field('turn-on-tokens'), '1,000');
    writeIn(field('turn-on-dollars'), '0.2');
    await click('turn-on-do');
    expect(backend.world.settings.feed).toMatchObject({ on: true, every_minutes: 30 });
    const budgets = await backend.ask({ query: { kind: 'budgets' } }, 'b');
    const feed =
      budgets.kind === 'budgets' ? budgets.data.find(({ budget }) => budget.scope.kind === 'feed') : undefined;
    expect(feed?.budget).toMatchObject({ tokens: 1000, microusd: 200_000 });
    expect(text('feed-on')).toBe('Every 30 min, by itself');
    await click('feed-turn-off');
    expect(backend.world.settings.feed.on).toBe(false);
  });

  it('rests without a limit, and says so', async () => {
    const backend = await open();
    await backend.ask(
      { command: { kind: 'turn_on_feed', every_minutes: 5, tokens_a_day: 9, microusd_a_day: 9 } },
      'on',
    );
    const budget = { scope: { kind: 'feed' }, tokens: null, microusd: null } as const;
    const refused = await backend
      .ask({ command: { kind: 'set_budget', budget } }, 'off')
      .catch((fault: unknown) => fault);
    expect(refused).toMatchObject({ kind: { is: 'feed_without_cap' } });
    await click('rail-feed');
    expect(has('feed-without-cap')).toBe(false);
    backend.answers.feed.withoutCap = true;
    await click('rail-conversations');
    await click('rail-feed');
    expect(has('feed-no-room')).toBe(false);
    backend.answers.feed.noRoom = { kind: 'feed' };
    await post('Is this plan any good?');
    expect(text('feed-no-room')).toMatch(
      /^What waits finds no room today: the budget of the feed and of schedules has none for another answer/,
    );
    expect(text('feed-without-cap')).toMatch(/^No tick comes by itself: the feed has no limit in tokens\./);
  });

  it('draws what was written and given out, of everybody or of one, and says it in a table', async () => {
    await open({ now: () => Date.parse('2026-11-23T15:00:00Z') });
    await click('rail-feed');
    expect(has('feed-plots')).toBe(false);
    await click('feed-plots-toggle');
    expect(text('feed-plots-none')).toBe('Nothing happened here in these days.');
    await post('Is this plan any good?');
    await click('feed-tick');
    await pass(600);
    const rows = (plot: string) =>
      [...find(plot).querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.textContent));
    expect(rows('plot-written')[0]).toEqual(['Day (UTC)', 'posts', 'comments']);
    expect(rows('plot-written').at(-1)).toEqual(['Mon 23 Nov', '1', '1']);
    expect(rows('plot-written')).toHaveLength(8);
    const [, given, refused] = rows('plot-given').at(-1) ?? [];
    expect([given, Number(refused)]).toEqual(['1', 5]);
    expect(text('plot-given')).toContain('1 given, 5 not');
    expect(rows('plot-authors')[0]).toEqual(['Day (UTC)', 'You', 'Ada']);
    await choose('feed-plots-agent', 'Otto');
    expect(rows('plot-given').at(-1)).toEqual(['Mon 23 Nov', '0', '1']);
    expect(has('plot-authors')).toBe(false);
    await click('rail-conversations');
    await click('rail-feed');
    expect(has('feed-plots')).toBe(true);
  });

  it('speaks Chinese too', async () => {
    const backend = await open();
    const appearance = { ...backend.world.settings.appearance, language: 'zh' as const };
    await backend.ask({ command: { kind: 'change_settings', patch: { appearance } } }, 'zh');
    await pass(50);
    await click('rail-feed');
    expect(text('page-feed')).toContain('这里没有帖子');
    expect(text('feed-tick')).toBe('派发');
  });
});
