import axe from 'axe-core';
import { flushSync } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Fake } from './api/fake';
import type { Command, Provider } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { agentNamed, close, find, has, open, pass, press, writeIn } from './window.kit';

afterEach(close);

const text = (id: string, name?: string) => find(id, name).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const field = (id: string) => find(id) as HTMLInputElement;
const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];
const click = async (id: string, name?: string) => {
  find(id, name).click();
  await pass(50);
};
const opens = async (on: HTMLElement) => {
  on.click();
  await pass(100);
};
/** Chooses from the menu of a row. */
const choose = async (row: HTMLElement, label: string) => {
  const menu = row.querySelector<HTMLElement>('[aria-haspopup=menu]');
  menu?.focus();
  if (menu) press(menu, 'Enter');
  await pass(100);
  const item = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find((one) =>
    one.textContent?.includes(label),
  );
  if (!item) throw new Error(`the menu has no ${label}`);
  item.focus();
  press(item, 'Enter');
  await pass(100);
};
const pick = async (value: string) => {
  document.querySelector<HTMLElement>(`[data-testid=pick][data-value="${value}"]`)?.click();
  await pass(100);
};
const type = async (id: string, what: string) => {
  writeIn(field(id), what);
  await pass(50);
};
const settings = async (section: string) => {
  await click('rail-settings');
  await click(`settings-${section}`);
};
const commands = (backend: Fake): Command[] => {
  const heard: Command[] = [];
  const ask = backend.ask.bind(backend);
  backend.ask = (call, id) => {
    if ('command' in call) heard.push(call.command);
    return ask(call, id);
  };
  return heard;
};

describe('setting a provider up', () => {
  it('takes a service, its key, a test and a model', async () => {
    const backend = await open();
    const heard = commands(backend);
    await settings('models');
    await click('provider-add');
    writeIn(field('pick-find'), 'anthr');
    press(field('pick-find'), 'Enter');
    await pass(50);
    expect((find('set-up-test') as HTMLButtonElement).disabled).toBe(true);
    await type('set-up-key', 'sk-ant-0123456789abcdef');
    await click('set-up-test');
    expect(text('set-up-works')).toBe('anthropic answers and has 5 models');
    expect(has('set-up-key')).toBe(false);
    find('role-row', 'claude-sonnet-5').querySelector<HTMLElement>('[data-testid=role-default]')?.click();
    await click('set-up-done');
    expect(has('set-up')).toBe(false);
    expect(backend.world.settings.models).toMatchObject({ default: 'anthropic/claude-sonnet-5', fast: null });
    expect(backend.world.providers.get('anthropic')).toMatchObject({
      kind: 'anthropic',
      base_url: 'https://api.anthropic.com/v1',
      key: 'provider/anthropic',
      key_env: null,
    });
    expect(heard.map(({ kind }) => kind)).toEqual(['save_provider', 'use_model']);
    expect(text('provider-row', 'anthropic')).toContain('ends with …cdef');
    expect(text('provider-row', 'anthropic')).toContain('GNOME Keyring');
  });

  it('says what is wrong with a key, keeps nothing of it when it is given up, and empties the field at once', async () => {
    const backend = await open();
    const heard = commands(backend);
    await settings('models');
    await click('provider-add');
    await pick('anthropic');
    await type('set-up-key', 'sk-ant-wrong-0123456789');
    await click('set-up-test');
    expect(text('set-up-fault')).toContain('refused the key');
    expect(text('set-up-fault')).toContain('Copy the key once more, whole, and put it in here again.');
    expect(field('set-up-key').value).toBe('');
    expect(has('set-up-anyway')).toBe(false);
    press(field('set-up-key'), 'Escape');
    await pass(100);
    expect(has('set-up')).toBe(false);
    expect(backend.world.providers.has('anthropic')).toBe(false);
    expect(backend.answers.keys.all().keys).toEqual([]);
    expect(heard).toEqual([]);
  });

  it('leaves the key that works alone when another one is refused', async () => {
    const backend = await open();
    await settings('models');
    await click('provider-add');
    await pick('anthropic');
    await type('set-up-key', 'sk-ant-0123456789abcdef');
    await click('set-up-test');
    await click('set-up-done');
    const heard = commands(backend);
    await choose(find('provider-row', 'anthropic'), 'Edit');
    await type('set-up-key', 'sk-ant-wrong-0123456789');
    await click('set-up-test');
    expect(text('set-up-fault')).toContain('refused the key');
    press(field('set-up-key'), 'Escape');
    await pass(100);
    expect(heard).toEqual([]);
    expect(backend.answers.keys.all().keys.map((key) => key.ends_with)).toEqual(['cdef']);
  });

  it('shows a key to no server but its own, and saves nothing over what was changed meanwhile', async () => {
    const backend = await open();
    await settings('models');
    await click('provider-add');
    await pick('anthropic');
    await type('set-up-key', 'sk-ant-0123456789abcdef');
    await click('set-up-test');
    await click('set-up-done');
    const asked: (string | null)[] = [];
    const ask = backend.ask.bind(backend);
    backend.ask = (call, id) => {
      if ('query' in call && call.query.kind === 'models_of') asked.push(call.query.provider.key);
      return ask(call, id);
    };
    await choose(find('provider-row', 'anthropic'), 'Edit');
    await type('set-up-url', 'https://elsewhere.example/v1');
    expect(find('set-up').textContent).toContain('The key so far is for https://api.anthropic.com and stays there.');
    await click('set-up-test');
    expect(asked).not.toContain('provider/anthropic');
    press(field('set-up-url'), 'Escape');
    await pass(100);

    // Test, while somebody else removes it.
    await choose(find('provider-row', 'anthropic'), 'Edit');
    const known = backend.world.providers.get('anthropic') as Provider;
    backend.world.save({ table: 'provider', row: { ...known, key_env: 'OTHER' } });
    await type('set-up-key', 'sk-ant-another-0123456789');
    await click('set-up-test');
    expect(find('set-up-fault').textContent).toContain('was changed or removed meanwhile');
    expect(backend.world.providers.get('anthropic')?.key_env).toBe('OTHER');
    expect(backend.answers.keys.all().keys.map((key) => key.ends_with)).toEqual(['cdef']);
  });

  it('takes any server by its address, and one that lists nothing with its models named', async () => {
    const backend = await open();
    await settings('models');
    await click('provider-add');
    await pick('+');
    await type('set-up-url', 'http://nowhere.example/v1');
    await click('set-up-test');
    expect(text('set-up-fault')).toContain('cannot be reached');
    await type('set-up-models', 'one, two');
    await click('set-up-anyway');
    expect(backend.world.providers.get('nowhere')).toMatchObject({
      kind: 'openai',
      base_url: 'http://nowhere.example/v1',
      key: null,
      models: [{ name: 'one' }, { name: 'two' }],
    });
  });

  it('says so where a service lists its models to anybody', async () => {
    await open();
    await settings('models');
    await click('provider-add');
    await pick('openrouter');
    await type('set-up-key', 'sk-or-0123456789abcdef');
    await click('set-up-test');
    expect(text('set-up')).toContain('Answers, key not checked');
    expect(all('role-row')).toHaveLength(150);
    writeIn(field('roles-find'), 'model-339');
    flushSync();
    expect(all('role-row').map((row) => row.dataset['name'])).toEqual(['vendor-16/model-339']);
  });

  it('asks for a place first where there is none, and for a passphrase only after consent', async () => {
    const backend = await open({ keys: 'no keyring' });
    await settings('models');
    await click('provider-add');
    await pick('openai');
    expect(text('no-place')).toContain('There is no place for a key yet');
    await click('place-seal');
    expect(text('seal-dialog')).toContain('Nobody can bring back a passphrase that is forgotten.');
    expect(field('seal-passphrase').disabled).toBe(true);
    await click('seal-agree');
    await type('seal-passphrase', 'correct');
    await type('seal-again', 'correct');
    await click('seal-do');
    expect(text('seal-dialog')).toContain('Use at least 8 characters.');
    await type('seal-passphrase', 'correct horse');
    await type('seal-again', 'correct house');
    await click('seal-do');
    expect(text('seal-dialog')).toContain('The two are not the same.');
    expect(backend.answers.keys.all().sealed).toBe('absent');
    await type('seal-again', 'correct horse');
    await click('seal-do');
    expect(backend.answers.keys.all()).toMatchObject({ sealed: 'open', home: 'sealed' });
    expect(has('seal-dialog')).toBe(false);
    expect(has('set-up-key')).toBe(true);
    expect(find('keys-banner').dataset['state']).toBe('sealed');
  });

  it('uses a server that was found with one click, by its own interface', async () => {
    const backend = await open({ offers: ['ollama'] });
    await settings('models');
    await click('offer-use');
    expect(backend.world.providers.get('ollama')).toMatchObject({
      kind: 'ollama',
      base_url: 'http://127.0.0.1:11434',
      models: [{ name: 'qwen3:8b', context_tokens: 16_384 }, {}, {}, {}],
    });
    expect(backend.world.settings.models.default).toBe('ollama/qwen3:8b');
    expect(has('offer-row')).toBe(false);
  });

  it('tests one that is set up, and says in its row what is wrong', async () => {
    const backend = await open({ stocked: true });
    await settings('models');
    const test = (name: string) => find('provider-row', name).querySelector<HTMLElement>('[data-testid=provider-test]');
    test('anthropic')?.click();
    test('gemini')?.click();
    await pass(50);
    expect(text('provider-row', 'anthropic')).toContain('Works');
    expect(text('provider-row', 'gemini')).toContain('Failed');
    expect(text('provider-fault')).toContain('The key provider/gemini is not set');
    expect(backend.world.providers.get('anthropic')?.models).toHaveLength(5);
  });

  it('shows the models of one with what each reads, which a person can set and take back', async () => {
    const backend = await open({ stocked: true });
    const heard = commands(backend);
    await settings('models');
    find('provider-row', 'ollama').querySelector<HTMLElement>('[data-testid=provider-models]')?.click();
    await pass(100);
    const row = () => find('window-row', 'llama3.2:3b');
    const tokens = () => row().querySelector('input') as HTMLInputElement;
    const change = async (to: string) => {
      writeIn(tokens(), to);
      tokens().dispatchEvent(new Event('change', { bubbles: true }));
      await pass(50);
    };
    expect([tokens().value, tokens().placeholder]).toEqual(['', 'not said']);
    await change('8k');
    expect(row().textContent).toContain('Type a whole number from 256 to 100,000,000.');
    expect(heard).toEqual([]);
    await change('32768');
    expect(row().textContent).not.toContain('Type a whole number');
    const model = () => backend.world.providers.get('ollama')?.models.find(({ name }) => name === 'llama3.2:3b');
    expect(model()?.chosen_tokens).toBe(32_768);
    await change('');
    expect(heard.map((command) => ('tokens' in command ? command.tokens : command.kind))).toEqual([32_768, null]);
    expect(model()?.chosen_tokens).toBeNull();
    await click('windows-done');
    expect(has('model-windows')).toBe(false);
  });

  it('removes one with undo, and asks first where a key goes with it', async () => {
    const backend = await open({ stocked: true });
    await settings('models');
    const remove = (name: string) => choose(find('provider-row', name), 'Remove');
    await remove('ollama');
    expect(backend.world.providers.has('ollama')).toBe(false);
    await click('toast-undo');
    expect(backend.world.providers.has('ollama')).toBe(true);
    await remove('anthropic');
    expect(text('remove-provider')).toContain('1 agent or role uses its models');
    expect(text('remove-provider')).toContain('Its key is taken out of GNOME Keyring too.');
    await click('remove-provider-do');
    expect(backend.world.providers.has('anthropic')).toBe(false);
    expect(backend.answers.keys.all().keys.map((key) => key.name)).toEqual(['provider/openai']);
    expect(document.body.textContent).toContain('anthropic/claude-sonnet-5: its provider is not set up any more');
  });
});

describe('the model in the composer', () => {
  const opened = async (backend: Fake, group = 'First group') => {
    find('roster-group', group).click();
    await pass(100);
    await opens(find('model-choice'));
    return backend;
  };
  const shown = () => all('pick').map((one) => one.dataset['value']);

  it('lists roles and models with what they read and cost', async () => {
    await opened(await open({ stocked: true }));
    expect(shown().slice(0, 4)).toEqual(['*', 'default', 'fast', 'reasoning']);
    const line = (value: string) => {
      const option = document.querySelector(`[data-testid=pick][data-value="${value}"]`);
      return [...(option?.querySelectorAll('.choice-label, .tag, .fact') ?? [])].map((one) => one.textContent);
    };
    expect(line('anthropic/claude-sonnet-5')).toEqual(['claude-sonnet-5', '1M', '$3.00 / $15.00']);
    expect(line('anthropic/claude-opus-5')).toEqual(['claude-opus-5', '200k', 'no price']);
    expect(line('ollama/llama3.2:3b')).toEqual(['llama3.2:3b', '–', 'on this computer']);
    expect(line('local/smollm2-135m')).toEqual(['smollm2-135m', 'demo', '8.2k', 'on this computer']);
    expect(document.querySelector('[data-value="anthropic/claude-sonnet-5"]')?.getAttribute('aria-label')).toBe(
      'anthropic/claude-sonnet-5: 1,000,000 tokens of context, $3.00 to read and $15.00 to write a million tokens.',
    );
  });

  it('is chosen by keys for everyone here, and undone', async () => {
    const backend = await opened(await open({ stocked: true }));
    const find_ = field('pick-find');
    expect(document.activeElement).toBe(find_);
    writeIn(find_, 'gpt mini');
    press(find_, 'Enter');
    await pass(100);
    const models = () =>
      ['Ada', 'Otto', 'Bo', 'Ines'].map((name) => backend.world.agents.get(agentNamed(backend, name))?.model);
    expect(models()).toEqual(['openai/gpt-5-mini', 'openai/gpt-5-mini', 'openai/gpt-5-mini', null]);
    expect(text('model-choice')).toContain('gpt-5-mini');
    await click('toast-undo');
    expect(models()).toEqual([null, null, null, null]);
    expect(text('model-choice')).toContain('claude-sonnet-5');
  });

  it('says what the soul says, and follows a role to its model', async () => {
    const backend = await open({ stocked: true });
    const soul = backend.world.files.get('ada') ?? '';
    backend.answers.writeSoul('ada', soul.replace('model: default', 'model: fast'), 'file');
    find('roster-agent', 'Ada').click();
    await pass(200);
    expect(text('model-choice')).toContain('qwen3:8b');
    await opens(find('model-choice'));
    expect(all('pick')[0]?.textContent).toContain('As its soul says');
    expect(all('pick')[0]?.textContent).toContain('ollama/qwen3:8b');
    await pick('reasoning');
    expect(backend.world.agents.get(agentNamed(backend, 'Ada'))?.model).toBe('reasoning');
    expect(text('model-choice')).toContain('claude-sonnet-5');
  });

  it('takes a model that nobody lists, as it is typed', async () => {
    const backend = await opened(await open({ stocked: true }));
    writeIn(field('pick-find'), 'openai/gpt-6-preview');
    press(field('pick-find'), 'Enter');
    await pass(100);
    expect(backend.world.agents.get(agentNamed(backend, 'Bo'))?.model).toBe('openai/gpt-6-preview');
  });

  it('leads to setting a provider up', async () => {
    await opened(await open());
    await click('model-connect');
    await pass(100);
    expect(has('presets')).toBe(true);
  });
});

describe('the keys', () => {
  it('are listed with where each lives, when it was set and used, and by whom', async () => {
    await open({ stocked: true });
    await settings('keys');
    expect(all('key-row').map((row) => [row.dataset['name'], row.dataset['place']])).toEqual([
      ['provider/anthropic', 'keyring'],
      ['provider/openai', 'keyring'],
      ['provider/gemini', 'none'],
      ['provider/ollama', 'none'],
    ]);
    expect(text('key-row', 'provider/anthropic')).toMatch(
      /^anthropic used by anthropic ?…f3Qa ?GNOME Keyring ?\d+ \S+ ?\d\d:\d\d$/,
    );
    expect(text('key-row', 'provider/gemini')).toBe('gemini used by gemininot setnowhere yet Set key');
    expect(text('key-row', 'provider/ollama')).toBe('ollama used by ollamaasked without one– Set key');
    expect(text('keys-bar')).toBe('Keys in GNOME Keyring');
    expect(has('keys-banner')).toBe(false);
  });

  it('are set where one is missing', async () => {
    const backend = await open({ stocked: true });
    await settings('keys');
    await click('key-set');
    await type('key-value', 'AIza-0123456789abcd');
    await click('key-save');
    expect(has('key-form')).toBe(false);
    expect(find('key-row', 'provider/gemini').dataset['place']).toBe('keyring');
    expect(text('key-row', 'provider/gemini')).toContain('…abcd');
    expect(backend.answers.keys.all().keys).toHaveLength(3);
  });

  it('are removed after a word about what that means', async () => {
    const backend = await open({ stocked: true });
    await settings('keys');
    await choose(find('key-row', 'provider/openai'), 'Remove');
    expect(text('remove-key')).toContain('It is taken out of GNOME Keyring.');
    expect(text('remove-key')).toContain('openai cannot be asked without it.');
    backend.answers.keys.breakKeyring();
    await click('remove-key-do');
    expect(text('remove-key')).toContain('There is no keyring on this system: nothing answers on the session bus');
    await click('remove-key-forget');
    await click('remove-key-do');
    expect(has('remove-key')).toBe(false);
    expect(find('key-row', 'provider/openai').dataset['place']).toBe('none');
  });

  it('are moved into a sealed file and back, and it says so everywhere meanwhile', async () => {
    const backend = await open({ stocked: true });
    await settings('keys');
    await click('keys-seal');
    await click('seal-agree');
    await type('seal-passphrase', 'correct horse');
    await type('seal-again', 'correct horse');
    await click('seal-do');
    expect(find('keys-banner').dataset['state']).toBe('apart');
    expect(text('keys-banner')).toContain('2 keys lie in another place than new keys');
    let moved: () => void = () => undefined;
    const ask = backend.ask.bind(backend);
    backend.ask = async (call, id) => {
      if ('command' in call && call.command.kind === 'move_keys') await new Promise<void>((go) => (moved = go));
      return ask(call, id);
    };
    await click('move-to-sealed');
    expect(text('keys-moving')).toBe('Moving 2 keys to the sealed file');
    moved();
    await pass(50);
    expect(has('keys-moving')).toBe(false);
    expect(text('toast')).toContain('2 keys were moved to the sealed file');
    expect(all('key-row').map((row) => row.dataset['place'])).toEqual(['sealed', 'sealed', 'none', 'none']);
    expect(find('keys-banner').dataset['state']).toBe('sealed');
    backend.ask = ask;
    await click('rail-conversations');
    expect(text('keys-banner')).toContain('Keys are in a sealed file');
    await click('banner-keys');
    await click('move-to-keyring');
    expect(has('keys-banner')).toBe(false);
  });

  it('are opened from any page where the sealed file is locked', async () => {
    const backend = await open({ keys: 'locked', stocked: true });
    expect(text('keys-banner')).toContain('The sealed file with the keys is locked');
    expect(text('keys-bar')).toBe('Keys locked');
    await click('banner-unlock');
    await type('unlock-passphrase', 'wrong horse');
    await click('unlock-do');
    expect(text('unlock-dialog')).toContain('That is not the passphrase of the sealed file');
    expect(field('unlock-passphrase').value).toBe('');
    await type('unlock-passphrase', 'correct horse');
    await click('unlock-do');
    expect(has('unlock-dialog')).toBe(false);
    expect(backend.answers.keys.all().sealed).toBe('open');
  });

  it('say on every page that the keyring is gone, and what helps', async () => {
    const backend = await open({ stocked: true });
    backend.answers.keys.breakKeyring();
    await pass(100);
    for (const page of ['souls', 'runs', 'settings', 'conversations']) {
      await click(`rail-${page}`);
      expect(find('keys-banner').dataset['state'], page).toBe('unreachable');
    }
    expect(text('keys-banner')).toContain('or keep keys in a sealed file: Settings, Keys.');
    expect(text('keys-banner')).not.toContain('coterie key');
    backend.answers.keys.breakKeyring(null);
    await pass(100);
    expect(has('keys-banner')).toBe(false);
  });

  it('leave nothing red behind once they have a place, wherever it was made', async () => {
    const backend = await open({ stocked: true });
    await settings('keys');
    await click('key-set');
    await type('key-value', 'AIza-0123456789abcd');
    backend.answers.keys.breakKeyring();
    await click('key-save');
    expect(text('key-form')).toContain('There is no keyring on this system');
    await click('keys-seal');
    await click('seal-agree');
    await type('seal-passphrase', 'correct horse');
    await type('seal-again', 'correct horse');
    await click('seal-do');
    // What lies in the keyring still does, and what helps is to enter it again.
    expect(find('keys-banner').dataset['state']).toBe('behind');
    expect(text('keys-banner')).toContain('2 keys lie in GNOME Keyring, which cannot be used');
    expect(document.querySelector('.note.danger')).toBe(null);
    for (const value of ['sk-0123456789abcdef', 'sk-9876543210abcdef', 'AIza-0123456789abcd']) {
      const row = all('key-row').find((one) => one.dataset['place'] !== 'sealed');
      if (row?.dataset['place'] === 'none') row.querySelector<HTMLElement>('[data-testid=key-set]')?.click();
      else if (row) await choose(row, 'Replace');
      await pass(50);
      await type('key-value', value);
      await click('key-save');
    }
    expect(all('key-row').map((row) => row.dataset['place'])).toEqual(['sealed', 'sealed', 'sealed', 'none']);
    expect(find('keys-banner').dataset['state']).toBe('sealed');
  });

  it('are checked anew when they get a place', async () => {
    const backend = await open({ keys: 'no keyring', stocked: true });
    await settings('data');
    const asked = vi.spyOn(backend, 'ask');
    backend.answers.command({ kind: 'seal_keys', passphrase: 'correct horse' });
    await pass(100);
    expect(asked.mock.calls.filter(([call]) => 'query' in call && call.query.kind === 'doctor')).toHaveLength(1);
  });

  it('say on every page that their list is damaged, and what brings them back', async () => {
    const backend = await open({ stocked: true });
    backend.answers.keys.breakList();
    await pass(100);
    for (const page of ['souls', 'settings', 'conversations']) {
      await click(`rail-${page}`);
      expect(find('keys-banner').dataset['state'], page).toBe('unlisted');
    }
    expect(text('keys-banner')).toContain('their list is damaged');
    expect(text('keys-banner')).toContain('or set the keys again: the damaged file is kept beside the new one.');
  });

  it('are not said to be none while nobody knows which there are', async () => {
    const backend = await open();
    await settings('keys');
    expect(document.body.textContent).toContain('No keys yet');
    backend.answers.keys.breakList();
    await pass(100);
    expect(document.body.textContent).not.toContain('No keys yet');
  });

  it('say in Chinese what is wrong with the keyring and which button helps, with no command', async () => {
    const backend = await open({ stocked: true });
    backend.answers.command({
      kind: 'change_settings',
      patch: { appearance: { theme: 'system', language: 'zh', high_contrast: false, zoom_percent: 100 } },
    });
    backend.answers.keys.breakKeyring();
    await pass(100);
    await settings('keys');
    const place = find('place-keyring');
    expect(place.textContent).toContain('这个系统没有可用的密钥环。');
    expect(place.textContent).toContain('把密钥存在密封文件里：设置，“密钥”。');
    expect(place.querySelector('[lang=en]')?.textContent).toBe('Nothing answers on the session bus.');
    expect(document.body.textContent).not.toContain('coterie key');
    await click('keys-seal');
    expect(text('seal-dialog')).toContain('这个系统没有可用的密钥环。');
  });
});

describe('to everybody', () => {
  /** What a machine can find; contrast is measured on pictures. */
  async function faults(): Promise<string[]> {
    vi.useRealTimers();
    const found = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  }

  it.each(['models', 'keys'])('the page of the %s is open', async (section) => {
    await open({ stocked: true, keys: 'locked' });
    await settings(section);
    expect(await faults()).toEqual([]);
  });

  it('each step of setting a provider up is open', async () => {
    await open();
    await settings('models');
    await click('provider-add');
    expect(await faults()).toEqual([]);
    vi.useFakeTimers();
    await pick('anthropic');
    expect(await faults()).toEqual([]);
    vi.useFakeTimers();
    await type('set-up-key', 'sk-ant-0123456789abcdef');
    await click('set-up-test');
    expect(await faults()).toEqual([]);
  });

  it('the models of a provider are open', async () => {
    await open({ stocked: true });
    await settings('models');
    find('provider-row', 'anthropic').querySelector<HTMLElement>('[data-testid=provider-models]')?.click();
    await pass(100);
    expect(await faults()).toEqual([]);
  });

  it('the model in the composer is open', async () => {
    await open({ stocked: true });
    await opens(find('model-choice'));
    expect(await faults()).toEqual([]);
  });

  it('the question about the sealed file is open', async () => {
    await open({ keys: 'no keyring', stocked: true });
    await settings('keys');
    await click('keys-seal');
    expect(await faults()).toEqual([]);
  });
});
