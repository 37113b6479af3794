import { afterEach, describe, expect, it } from 'vitest';
import type { Fake } from './api/fake';
import type { Call, Grant } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/feed/FeedPage.svelte';
import './views/schedules/SchedulesPage.svelte';
import './views/settings/SettingsPage.svelte';
import { agentNamed, close, find, groupNamed, has, open, pass, press, say, writeIn } from './window.kit';

afterEach(close);

const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];
const focused = () => document.activeElement?.getAttribute('data-testid') ?? document.activeElement?.tagName;

/** As Enter does it: what is pressed has the focus. */
async function enter(what: HTMLElement | null | undefined) {
  what?.focus();
  what?.click();
  await pass(300);
}
const click = (id: string) => enter(find(id));

/** Chooses from the menu of a row by keyboard. */
async function choose(row: HTMLElement, label: string) {
  const menu = row.querySelector<HTMLElement>('[aria-haspopup=menu]');
  menu?.focus();
  if (menu) press(menu, 'Enter');
  await pass(100);
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const item = items.find((one) => one.textContent?.trim() === label);
  item?.focus();
  if (item) press(item, 'Enter');
  await pass(500);
}

/** Has every command wait until it is let go; gives what was asked for. */
function held(backend: Fake): { asked: string[]; letGo: () => void } {
  const ask = backend.ask.bind(backend);
  const asked: string[] = [];
  let letGo = () => {};
  const gate = new Promise<void>((go) => (letGo = go));
  backend.ask = async (call: Call, id) => {
    if ('command' in call) {
      asked.push(call.command.kind);
      await gate;
    }
    return ask(call, id);
  };
  return { asked, letGo };
}

function price(backend: Fake, model: string) {
  const put = {
    model,
    input_microusd: 1,
    cached_microusd: null,
    cache_write_microusd: null,
    as_of: null,
    by_provider: false,
    output_microusd: 1,
  };
  backend.answers.command({ kind: 'change_settings', patch: { price: { put } } });
}

describe('a busy button', () => {
  it('keeps the focus, and does nothing a second time', async () => {
    const backend = await open();
    await click('rail-feed');
    const { asked, letGo } = held(backend);
    await click('feed-tick');
    const tick = find('feed-tick') as HTMLButtonElement;
    expect([
      tick.disabled,
      tick.getAttribute('aria-disabled'),
      tick.ariaBusy ?? tick.getAttribute('aria-busy'),
    ]).toEqual([false, 'true', 'true']);
    await click('feed-tick');
    expect(asked.filter((kind) => kind === 'tick')).toHaveLength(1);
    letGo();
    await pass(300);
    expect(tick.hasAttribute('aria-disabled')).toBe(false);
    expect(focused()).toBe('feed-tick');
  });

  it('submits its form once, and leaves the focus in the field that was sent', async () => {
    const backend = await open();
    await backend.ask({ command: { kind: 'new_community', name: 'Plans', rules: '', members: [] } }, 'c');
    await click('rail-feed');
    writeIn(find('feed-write') as HTMLTextAreaElement, 'Is this plan any good?');
    const { asked, letGo } = held(backend);
    await click('feed-post');
    await click('feed-post');
    expect(asked.filter((kind) => kind === 'write_post')).toHaveLength(1);
    letGo();
    await pass(300);
    expect((find('feed-post') as HTMLButtonElement).disabled).toBe(true);
    expect(focused()).toBe('feed-write');
    writeIn(find('feed-write-comment') as HTMLTextAreaElement, 'I ask myself that too.');
    await click('feed-comment-do');
    expect(focused()).toBe('feed-write-comment');
  });
});

describe('a button that its own outcome disables', () => {
  it('keeps the focus until it goes on by itself, and does nothing meanwhile', async () => {
    const backend = await open();
    await click('rail-settings');
    await click('settings-grants');
    const save = find('approval-minutes-save') as HTMLButtonElement;
    writeIn(find('approval-minutes') as HTMLInputElement, '7');
    await click('approval-minutes-save');
    expect(backend.world.settings.approvals.minutes).toBe(7);
    const states = () => [save.disabled, save.getAttribute('aria-disabled')];
    expect([states(), focused()]).toEqual([[false, 'true'], 'approval-minutes-save']);
    const { asked, letGo } = held(backend);
    letGo();
    await click('approval-minutes-save');
    expect(asked).toEqual([]);
    find('approval-minutes').focus();
    await pass(0);
    expect(states()).toEqual([true, null]);
  });
});

describe('a button that does the opposite next', () => {
  it('keeps the focus when everything is paused, and when it goes on', async () => {
    await open();
    await click('rail-feed');
    await click('pause-all');
    expect(focused()).toBe('resume-all');
    await click('resume-all');
    expect(focused()).toBe('pause-all');
  });

  it('keeps it when the feed answers by itself, and no longer', async () => {
    await open();
    await click('rail-feed');
    await click('feed-turn-on');
    await click('turn-on-do');
    expect(has('feed-on')).toBe(true);
    await click('feed-turn-off');
    expect(focused()).toBe('feed-turn-on');
  });
});

describe('what goes with the focus in it leaves it', () => {
  it('in the quiet line that an agent is resumed from', async () => {
    const backend = await open();
    backend.answers.command({ kind: 'pause_agent', agent: agentNamed(backend, 'Bo') });
    await say('@Bo hello');
    await pass(1000);
    await click('resume-agent');
    expect(has('resume-agent')).toBe(false);
    expect(document.activeElement?.className).toContain('quietline');
  });

  it('at the memory that was judged in a receipt, or forgotten from it', async () => {
    const backend = await open();
    backend.answers.memories.add({
      kind: 'fact',
      scope: { kind: 'user' },
      statement: null,
      tags: [],
      importance: null,
      valid_from_ms: null,
      valid_to_ms: null,
      text: 'the plan needs tea',
    });
    await say('what does the plan need?');
    await pass(6000);
    await click('receipt-remembered');
    await click('remembered-outdated');
    expect(has('remembered-outdated')).toBe(false);
    expect(focused()).toBe('remembered-forget');
    await click('remembered-forget');
    await click('forget-do');
    expect(has('remembered-forget')).toBe(false);
    expect(focused()).toBe('remembered');
  });

  it('to the next price, and with the last one to where they are added', async () => {
    const backend = await open();
    for (const model of ['a/*', 'b/*', 'c/*']) price(backend, model);
    await click('rail-settings');
    await click('settings-budgets');
    const rows = () => all('price-row');
    const models = () => rows().map((row) => row.dataset.model);
    const at = () => document.activeElement?.closest<HTMLElement>('[data-testid=price-row]')?.dataset.model;
    const before = models().length;
    const second = models()[1];
    await choose(rows()[0] as HTMLElement, 'Remove');
    expect(models()).toHaveLength(before - 1);
    expect(at()).toBe(second);
    await choose(rows().at(-1) as HTMLElement, 'Remove');
    expect(at()).toBe(models().at(-1));
    while (rows().length > 0) await choose(rows()[0] as HTMLElement, 'Remove');
    expect(focused()).toBe('price-add');
  });

  it('to the next limit', async () => {
    const backend = await open();
    const agent = agentNamed(backend, 'Bo');
    backend.answers.command({
      kind: 'set_budget',
      budget: { scope: { kind: 'agent', id: agent }, tokens: 10, microusd: 10 },
    });
    await click('rail-settings');
    await click('settings-budgets');
    const row = find('budget-row', 'Bo');
    await choose(row, 'Remove this limit');
    expect(row.isConnected).toBe(false);
    expect(focused()).toBe('budget-menu');
  });

  it('to the heading, where nothing is left that could have it', async () => {
    const backend = await open();
    const grant: Grant = {
      id: 'g1',
      agent: agentNamed(backend, 'Bo'),
      group: groupNamed(backend, 'First group'),
      soul: null,
      tool: 'shell',
      covers: { kind: 'any_use' },
      always: true,
      schema: 's1',
      at_ms: 0,
      uses: 0,
      used_ms: null,
    };
    backend.world.save({ table: 'grant', row: grant });
    await click('rail-settings');
    await click('settings-grants');
    await click('grant-revoke');
    expect(has('grant-row')).toBe(false);
    expect(document.activeElement?.textContent).toBe('Permissions');
  });

  it('to where schedules and sources are made', async () => {
    await open();
    await click('rail-schedules');
    const field = (id: string) => {
      const found = find(id);
      return (found.matches('input,textarea') ? found : found.querySelector('input,textarea')) as HTMLInputElement;
    };
    await click('schedule-new');
    writeIn(field('schedule-text'), 'What is due today?');
    writeIn(field('schedule-words'), 'every 2 hours');
    await pass(500);
    await click('schedule-make');
    await choose(find('schedule'), 'Remove');
    expect(has('schedule')).toBe(false);
    expect(focused()).toBe('schedule-new');
    await click('source-new');
    writeIn(field('source-name'), 'Notes');
    writeIn(field('source-folder'), '/disk/notes');
    await pass(50);
    await click('source-make');
    await pass(500);
    await choose(find('source'), 'Remove');
    expect(has('source')).toBe(false);
    expect(focused()).toBe('source-new');
  });
});
