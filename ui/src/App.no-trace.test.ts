/**
 * After a key was set, nothing of this window holds it: not the document, not
 * the storage, not any state, variable or closure, wherever it may be.
 */
import { once } from 'node:events';
import { getHeapSnapshot } from 'node:v8';
import { flushSync } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import './views/settings/SettingsPage.svelte';
import type { Command } from './api/generated';
import { close, find, open, pass, press } from './window.kit';

afterEach(close);

/** Made anew whenever it is wanted, so that looking for it does not keep it. */
const planted = (what: string) => ['sk', 'planted', what, (0xc0ffee).toString(7)].join('-');

/** Which of these are anywhere in the memory of this process. */
async function held(whats: readonly string[]): Promise<string[]> {
  const snapshot = getHeapSnapshot();
  const needles = whats.map((what) => ({ what, needle: planted(what) }));
  const longest = Math.max(...needles.map(({ needle }) => needle.length));
  const found = new Set<string>();
  let tail = '';
  snapshot.on('data', (chunk: Buffer) => {
    const text = tail + chunk.toString('latin1');
    for (const { what, needle } of needles) if (text.includes(needle)) found.add(what);
    tail = text.slice(-longest);
  });
  await once(snapshot, 'end');
  return [...found];
}

function paste(id: string, what: string) {
  const field = find(id) as HTMLInputElement;
  field.focus();
  field.value = planted(what);
  field.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}

/** The key that goes along with a command. */
const sent = (command: Command): string | null =>
  command.kind === 'set_key' ? command.value : command.kind === 'save_provider' ? command.key : null;

const click = async (id: string) => {
  find(id).click();
  await pass(50);
};

it('finds what is held', async () => {
  const kept = { somewhere: planted('kept') };
  expect(await held(['kept', 'never'])).toEqual(['kept']);
  expect(kept.somewhere).toHaveLength(planted('kept').length);
}, 60_000);

it('a key or a passphrase that was sent is nowhere afterwards', async () => {
  const backend = await open({ stocked: true });
  let heard = 0;
  const ask = backend.ask.bind(backend);
  backend.ask = (call, id) => {
    const tried = 'query' in call && call.query.kind === 'models_of' ? call.query.key : null;
    const kept = 'command' in call ? sent(call.command) : null;
    heard += Number((tried ?? kept)?.startsWith('sk-planted') ?? false);
    return ask(call, id);
  };
  await click('rail-settings');

  // A provider that is set up, with a key that is right.
  await click('settings-models');
  await click('provider-add');
  document.querySelector<HTMLElement>('[data-testid=pick][data-value=deepseek]')?.click();
  await pass(50);
  paste('set-up-key', 'first');
  await click('set-up-test');
  await click('set-up-done');

  // One whose key is wrong, given up.
  await click('provider-add');
  document.querySelector<HTMLElement>('[data-testid=pick][data-value=moonshot]')?.click();
  await pass(50);
  paste('set-up-key', 'wrong');
  await click('set-up-test');
  press(find('set-up-key'), 'Escape');
  await pass(100);

  // A key that was missing, and one that was typed and never sent.
  await click('settings-keys');
  await click('key-set');
  paste('key-value', 'second');
  await click('key-save');
  expect(heard).toBe(4);

  // A passphrase, asked for twice.
  await click('keys-seal');
  await click('seal-agree');
  paste('seal-passphrase', 'phrase');
  paste('seal-again', 'phrase');
  await click('seal-do');
  await click('keys-change');
  paste('change-old', 'abandoned');
  press(find('change-old'), 'Escape');
  await pass(100);
  expect(find('keys-banner').dataset['state']).toBe('apart');

  const said = document.documentElement.outerHTML;
  const fields = [...document.querySelectorAll('input, textarea')].map((one) => (one as HTMLInputElement).value);
  const stored = JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);
  expect(heard).toBe(4);
  vi.useRealTimers();
  const seen = { said, stored, fields: fields.join('\n'), address: location.href, cookies: document.cookie };
  const typed = ['first', 'wrong', 'second', 'phrase', 'abandoned'];
  expect(await held(typed)).toEqual([]);
  const places = Object.entries(seen).filter(([, text]) => typed.some((what) => text.includes(planted(what))));
  expect(places.map(([place]) => place)).toEqual([]);
}, 120_000);
