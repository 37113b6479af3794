import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fake } from './api/fake';
import type { Price } from './api/generated';
import { toast } from './parts/toast.svelte';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import './views/settings/SettingsPage.svelte';
import { agentNamed, close, find, has, open, pass, press, writeIn } from './window.kit';

beforeEach(() => toast.dismiss());
afterEach(close);

const noteMs = 9000;
const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const click = async (id: string) => {
  find(id).click();
  await pass(400);
};
const undoByKeys = async () => {
  press(document.body, 'z', { ctrlKey: true });
  await pass(400);
};

/** Chooses from the menu of a row. */
const choose = async (row: HTMLElement | undefined, label: string) => {
  const menu = row?.querySelector<HTMLElement>('[aria-haspopup=menu]');
  menu?.focus();
  if (menu) press(menu, 'Enter');
  await pass(100);
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const item = items.find((one) => one.textContent?.includes(label));
  item?.focus();
  if (item) press(item, 'Enter');
  await pass(400);
};
const rowOf = (id: string, name: string) =>
  [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)].find((row) => row.textContent?.includes(name));

const price: Price = {
  model: 'ollama/*',
  input_microusd: 1_250_000,
  cached_microusd: 300_000,
  cache_write_microusd: null,
  output_microusd: 5_000_000,
  as_of: '2026-11-21',
  by_provider: false,
};

async function openBudgets(prepare: (backend: Fake) => void): Promise<Fake> {
  const backend = await open();
  prepare(backend);
  await pass(100);
  await click('rail-settings');
  await click('settings-budgets');
  return backend;
}
const withPrice = (backend: Fake) =>
  void backend.answers.command({ kind: 'change_settings', patch: { price: { put: price } } });
const prices = (backend: Fake) => backend.world.settings.prices.filter((one) => one.model === price.model);

describe('what was removed', () => {
  it('comes back whole, where it is a price', async () => {
    const backend = await openBudgets(withPrice);
    await choose(rowOf('price-row', price.model), 'Remove');
    expect(prices(backend)).toEqual([]);
    expect(text('toast')).toContain('The price of ollama/* is removed');
    await click('toast-undo');
    expect(prices(backend)).toEqual([price]);
  });

  it('comes back whole, where it is a limit', async () => {
    const limit = (backend: Fake) => {
      const scope = { kind: 'agent', id: agentNamed(backend, 'Bo') } as const;
      return { scope, tokens: 1234, microusd: 250_000 };
    };
    const stands = async (backend: Fake) => {
      const reply = await backend.ask({ query: { kind: 'budgets' } }, 'q');
      const all = reply.kind === 'budgets' ? reply.data : [];
      return all.filter(({ budget }) => budget.scope.kind === 'agent').map(({ budget }) => budget);
    };
    const backend = await openBudgets(
      (backend) => void backend.answers.command({ kind: 'set_budget', budget: limit(backend) }),
    );
    await choose(rowOf('budget-row', 'Bo'), 'Remove this limit');
    expect(await stands(backend)).toEqual([]);
    expect(text('toast')).toContain('The limit of Bo is removed');
    await click('toast-undo');
    expect(await stands(backend)).toEqual([limit(backend)]);
    expect(rowOf('budget-row', 'Bo')).toBeDefined();
  });
});

describe('what was taken off a list of permissions', () => {
  const lists = async () => {
    const backend = await open();
    const approvals = {
      ...backend.world.settings.approvals,
      blocked: ['rm', 'dd', 'mv'].map((tool) => ({ tool, pattern: '*' })),
      near_hosts: ['nas', 'printer'],
    };
    backend.answers.command({ kind: 'change_settings', patch: { approvals } });
    await pass(100);
    await click('rail-settings');
    await click('settings-grants');
    return backend;
  };
  const now = (backend: Fake) => {
    const { blocked, near_hosts: near } = backend.world.settings.approvals;
    return [blocked.map((one) => one.tool), near];
  };

  it('comes back to its place, with what was changed meanwhile', async () => {
    const backend = await lists();
    rowOf('blocked-row', 'dd')?.querySelector('button')?.click();
    await pass(400);
    expect(now(backend)).toEqual([
      ['rm', 'mv'],
      ['nas', 'printer'],
    ]);
    expect(text('toast')).toContain('dd * is not blocked any more');
    const approvals = { ...backend.world.settings.approvals, near_hosts: ['nas'] };
    backend.answers.command({ kind: 'change_settings', patch: { approvals } });
    await pass(100);
    await click('toast-undo');
    expect(now(backend)).toEqual([['rm', 'dd', 'mv'], ['nas']]);
  });

  it('comes back to the group that it was said of', async () => {
    const backend = await lists();
    const { approvals } = backend.world.settings;
    const [group] = [...backend.world.groups.values()];
    if (!group) throw new Error('no group');
    const blocked = [{ tool: 'shell', pattern: '*', group: group.id }];
    backend.answers.command({ kind: 'change_settings', patch: { approvals: { ...approvals, blocked } } });
    await pass(100);
    expect(text('blocked-row')).toContain(`shell * in ${group.name}`);
    await click('blocked-remove');
    expect(backend.world.settings.approvals.blocked).toEqual([]);
    await click('toast-undo');
    expect(backend.world.settings.approvals.blocked).toEqual(blocked);
  });

  it('comes back where it is a host', async () => {
    const backend = await lists();
    await click('near-remove');
    expect(now(backend)[1]).toEqual(['printer']);
    expect(text('toast')).toContain('nas is off the list');
    await undoByKeys();
    expect(now(backend)[1]).toEqual(['nas', 'printer']);
  });
});

describe('a price that is there already', () => {
  const field = (id: string) => find(id) as HTMLInputElement;
  const type = async (id: string, to: string) => {
    writeIn(field(id), to);
    await pass(50);
  };
  const other: Price = { ...price, model: 'lab/a', cached_microusd: null };

  it('is shown before another takes its place, and comes back', async () => {
    const backend = await openBudgets(withPrice);
    await click('price-add');
    await type('price-model', 'ollama/');
    await type('price-input', '2');
    await type('price-output', '3');
    expect([has('price-there'), text('price-save')]).toEqual([false, 'Save price']);
    await type('price-model', ' ollama/* ');
    expect(text('price-there')).toBe(
      'ollama/* has a price already Read $1.25 · Read from the cache $0.30 · Put into the cache as read · Written $5.00 · As of 2026-11-21',
    );
    expect(text('price-save')).toBe('Replace');
    await click('price-save');
    expect(prices(backend)).toMatchObject([{ input_microusd: 2_000_000 }]);
    expect(text('toast')).toContain('The price of ollama/* is replaced');
    await click('toast-undo');
    expect(prices(backend)).toEqual([price]);
  });

  it('comes back with the one that was changed into it', async () => {
    const backend = await openBudgets((backend) => {
      withPrice(backend);
      backend.answers.command({ kind: 'change_settings', patch: { price: { put: other } } });
    });
    await choose(rowOf('price-row', 'lab/a'), 'Edit');
    expect([has('price-there'), text('price-save')]).toEqual([false, 'Save price']);
    await type('price-model', price.model);
    await click('price-save');
    const both = () => backend.world.settings.prices.filter((one) => /^(ollama\/\*|lab\/a)$/.test(one.model));
    expect(both()).toHaveLength(1);
    await click('toast-undo');
    expect(both()).toEqual(expect.arrayContaining([price, other]));
    expect(both()).toHaveLength(2);
  });
});

describe('Ctrl+Z', () => {
  it('takes back what the note at the corner is about, and says what that was', async () => {
    const backend = await openBudgets(withPrice);
    await choose(rowOf('price-row', price.model), 'Remove');
    await undoByKeys();
    expect(prices(backend)).toEqual([price]);
    expect(text('toast')).toBe('Undone: The price of ollama/* is removed');
  });

  it('takes back nothing once that note is gone, by itself or for another', async () => {
    const backend = await openBudgets(withPrice);
    await choose(rowOf('price-row', price.model), 'Remove');
    await pass(noteMs);
    expect(has('toast')).toBe(false);
    await undoByKeys();
    expect([prices(backend), has('toast')]).toEqual([[], false]);

    withPrice(backend);
    await pass(100);
    await choose(rowOf('price-row', price.model), 'Remove');
    toast.show({ text: 'something else' });
    await undoByKeys();
    expect(prices(backend)).toEqual([]);
  });

  it('never takes back a memory that was changed before something else', async () => {
    const backend = await open();
    withPrice(backend);
    const { memories } = backend.answers;
    const tea = memories.add({
      kind: 'fact',
      scope: { kind: 'user' },
      text: 'Lin takes tea',
      statement: null,
      tags: [],
      importance: null,
      valid_from_ms: null,
      valid_to_ms: null,
    });
    await click('rail-memory');
    await click('memory-outdated');
    const version = () => memories.detail(tea.id).memory.version;
    expect(version()).toBe(2);
    await pass(noteMs);
    await click('rail-settings');
    await click('settings-budgets');
    await choose(rowOf('price-row', price.model), 'Remove');
    await undoByKeys();
    expect(prices(backend)).toEqual([price]);
    await undoByKeys();
    expect(version()).toBe(2);
  });
});
