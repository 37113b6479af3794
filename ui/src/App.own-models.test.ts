import axe from 'axe-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fake, type Fake } from './api/fake';
import type { Drop } from './api/backend';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { close, find, has, open, openOver, pass, press, writeIn } from './window.kit';

afterEach(close);

const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];
const text = (id: string, name?: string) => find(id, name).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const click = async (id: string, name?: string) => {
  find(id, name).click();
  await pass(50);
};
const settings = async () => {
  await click('rail-settings');
  await click('settings-models');
};

/** Chooses from the menu of a row. */
const choose = async (row: HTMLElement, label: string) => {
  const menu = row.querySelector<HTMLElement>('[aria-haspopup=menu]');
  menu?.focus();
  if (menu) press(menu, 'Enter');
  await pass(100);
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const item = items.find((one) => one.textContent?.includes(label));
  item?.focus();
  if (item) press(item, 'Enter');
  await pass(100);
};

/** A window that can choose and drop files. */
async function withFiles(path: string | null): Promise<{ backend: Fake; drop: (drop: Drop) => void }> {
  vi.useFakeTimers();
  localStorage.clear();
  window.innerWidth = 1280;
  const backend = fake({
    pause: (ms) => (ms === 0 ? Promise.resolve() : new Promise((go) => setTimeout(go, ms))),
  });
  let drop: (drop: Drop) => void = () => undefined;
  backend.chooseModelFile = () => Promise.resolve(path);
  backend.dropped = (on) => {
    drop = on;
    return () => undefined;
  };
  await openOver(backend);
  await pass(50);
  return { backend, drop: (one) => drop(one) };
}

describe('models that are files', () => {
  it('are listed with what their headers say, used, and taken off the list', async () => {
    const { backend } = await withFiles('/models/qwen3-8b-q4_k_m.gguf');
    await settings();
    expect(all('model-file')).toHaveLength(1);
    expect(text('model-file-gpu')).toContain('cannot use a graphics processor');
    await click('model-file-add');
    await pass(100);
    const own = find('model-file', 'qwen3-8b-q4_k_m.gguf');
    expect(own.textContent).toContain('4.7 GB · Q4_K_M · 8.2B parameters · reads 8,192 of 40,960 tokens');
    expect(text('toast')).toContain('qwen3-8b-q4_k_m.gguf is on the list');
    own.querySelector<HTMLElement>('[data-testid=model-file-use]')?.click();
    await pass(100);
    expect(backend.world.settings.models.default).toBe('local//models/qwen3-8b-q4_k_m.gguf');
    await choose(own, 'Models and their context');
    const tokens = find('window-row', '/models/qwen3-8b-q4_k_m.gguf').querySelector('input');
    expect(tokens?.placeholder).toBe('8,192');
    if (tokens) writeIn(tokens, '32,768');
    tokens?.dispatchEvent(new Event('change', { bubbles: true }));
    await pass(50);
    await click('windows-done');
    expect(find('model-file', 'qwen3-8b-q4_k_m.gguf').textContent).toContain('reads 32,768 of 40,960 tokens');
    await choose(own, 'Take off the list');
    expect(all('model-file')).toHaveLength(1);
    expect(text('toast')).toContain('The file stays where it is');
    vi.useRealTimers();
    expect((await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } })).violations).toEqual([]);
  });

  it('come back with their size and their role when that is undone', async () => {
    const path = '/models/qwen3-8b-q4_k_m.gguf';
    const model = `local/${path}`;
    const { backend } = await withFiles(null);
    backend.answers.command({ kind: 'add_model_file', path });
    backend.answers.command({ kind: 'set_model_window', model, tokens: 32_768 });
    backend.answers.command({ kind: 'use_model', role: 'default', model });
    await pass(100);
    const listed = () => backend.world.providers.get('local')?.models.find(({ name }) => name === path);
    const before = listed();
    await settings();
    await choose(find('model-file', 'qwen3-8b-q4_k_m.gguf'), 'Take off the list');
    expect(listed()).toBeUndefined();
    expect(backend.world.settings.models.default).not.toBe(model);
    await click('toast-undo');
    await pass(100);
    expect(listed()).toEqual(before);
    expect(backend.world.settings.models.default).toBe(model);
  });

  it('are added by dropping them on any page, and a bad one is told of', async () => {
    const { backend, drop } = await withFiles(null);
    const read = () => Promise.reject(new Error('it is not read'));
    drop({ kind: 'dropped', paths: ['/models/a.GGUF'], read });
    await pass(100);
    expect(backend.world.providers.get('local')?.models.map(({ name }) => name)).toContain('/models/a.GGUF');
    expect(has('attachments')).toBe(false);
    drop({ kind: 'dropped', paths: ['/models/broken.gguf'], read });
    await pass(100);
    expect(text('toast')).toContain('broken.gguf is cut off');
  });

  it('cannot be chosen where there is no dialog for it', async () => {
    await open();
    await settings();
    expect(has('model-file-add')).toBe(false);
  });
});

describe('what holds for all models', () => {
  it('keeps answers or not, and forgets them', async () => {
    const backend = await open();
    await settings();
    expect(find('cache-on').getAttribute('aria-checked')).toBe('true');
    await click('cache-sampled');
    expect(backend.world.settings.response_cache).toEqual({ on: true, sampled: true });
    await click('cache-on');
    expect(backend.world.settings.response_cache).toEqual({ on: false, sampled: true });
    expect((find('cache-sampled') as HTMLButtonElement).disabled).toBe(true);
    await click('cache-forget');
    expect(text('toast')).toContain('3 answers were forgotten');
  });

  it('has a model for comparing texts', async () => {
    const backend = await open({ stocked: true });
    const name = [...backend.world.providers.keys()].find((one) => one !== 'local') ?? '';
    backend.answers.vectorModels = [`${name}/text-embedding-3-small`];
    await settings();
    expect(text('model-embedding')).toContain('The one that ships');
    find('model-embedding').click();
    await pass(100);
    const picks = () => [...document.querySelectorAll<HTMLElement>('[data-testid=pick]')];
    // How much such a model reads at once no provider says: no column of dashes.
    expect(document.querySelectorAll('[data-testid=picker] .f0')).toHaveLength(0);
    // Models that answer are no choice here.
    expect(picks().map((pick) => pick.dataset['value'])).toEqual(['*', `${name}/text-embedding-3-small`]);
    picks()[1]?.click();
    await pass(100);
    expect(backend.world.settings.models.embedding).toBe(`${name}/text-embedding-3-small`);
    expect(text('model-embedding')).toContain(`${name}/text-embedding-3-small`);
  });

  it('says which provider is left alone, and for how long', async () => {
    const backend = await open({ stocked: true });
    const name = [...backend.world.providers.keys()].find((one) => one !== 'local') ?? '';
    backend.answers.leftAlone = [{ provider: name, for_ms: 24_000 }];
    await settings();
    expect(find('provider-row', name).querySelector('[data-testid=provider-resting]')?.textContent).toContain(
      'Resting for 24 s',
    );
    backend.answers.leftAlone = [];
    await pass(5100);
    expect(has('provider-resting')).toBe(false);
  });
});
