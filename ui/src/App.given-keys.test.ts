/** Keys for servers that usually want none, and keys that outlive their provider. */
import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { close, find, has, open, pass, writeIn } from './window.kit';

afterEach(close);

const click = async (id: string, name?: string) => {
  find(id, name).click();
  await pass(50);
};
const type = async (id: string, what: string) => {
  writeIn(find(id) as HTMLInputElement, what);
  await pass(50);
};
const add = async (service: string) => {
  await click('rail-settings');
  await click('settings-models');
  await click('provider-add');
  document.querySelector<HTMLElement>(`[data-testid=pick][data-value="${service}"]`)?.click();
  await pass(100);
};

describe('a server that was told to want a key', () => {
  it('is given it where it was refused without one', async () => {
    const backend = await open();
    backend.answers.keys.guarded.add('lmstudio');
    await add('lmstudio');
    expect(has('set-up-key')).toBe(false);
    await click('set-up-test');
    expect(find('set-up-fault').textContent).toContain('wants a key');
    await type('set-up-key', 'a-key-of-my-own-server');
    await click('set-up-test');
    await click('set-up-done');
    expect(backend.answers.keys.all().keys).toMatchObject([{ name: 'provider/lmstudio', used_by: ['lmstudio'] }]);
  });

  it('can be given one on the page of keys once it is set up', async () => {
    const backend = await open();
    await add('lmstudio');
    await click('set-up-test');
    await click('set-up-done');
    await click('settings-keys');
    expect(find('key-row', 'provider/lmstudio').textContent).toContain('asked without one');
    await click('key-set');
    await type('key-value', 'a-key-of-my-own-server');
    await click('key-save');
    expect(backend.answers.keys.all().keys).toMatchObject([{ name: 'provider/lmstudio', used_by: ['lmstudio'] }]);
  });
});

it('a key that outlives its provider is offered to its own server alone', async () => {
  const backend = await open();
  backend.answers.keys.keep({
    name: 'provider/acme',
    place: { kind: 'keyring' },
    ends_with: '4444',
    set_ms: 0,
    used_ms: null,
    only_for: 'https://acme.example',
  });
  backend.answers.keys.tell();
  await click('rail-settings');
  await click('settings-keys');
  expect(find('key-row', 'provider/acme').textContent).toContain('used by nobody; it is for https://acme.example');
  const asked: [string | null, string | null][] = [];
  const ask = backend.ask.bind(backend);
  backend.ask = (call, id) => {
    if ('query' in call && call.query.kind === 'models_of')
      asked.push([call.query.provider.base_url, call.query.provider.key]);
    return ask(call, id);
  };
  await add('+');
  await type('set-up-url', 'https://acme.other.example/v1');
  await click('set-up-more');
  await type('set-up-name', 'acme');
  expect(find('set-up').textContent).toContain('The key so far is for https://acme.example and stays there.');
  await click('set-up-test');
  await type('set-up-url', 'https://acme.example/v1');
  expect(find('set-up').textContent).toContain('A key is set: ends with …4444.');
  await click('set-up-test');
  const other = asked.filter(([address]) => address === 'https://acme.other.example/v1');
  expect(other).toEqual([['https://acme.other.example/v1', null]]);
  expect(asked).toContainEqual(['https://acme.example/v1', 'provider/acme']);
});
