import { describe, expect, it } from 'vitest';
import type { Preset } from '../../api/generated';
import { blank, freeName, merged, nameFrom, providerFrom, typedOf, typedPreset, typedWindow, wrong } from './set-up';

const typed = { ...blank, name: 'ollama', url: 'http://127.0.0.1:11434/v1/', models: 'qwen3:8b, llama3.2' };

describe('a provider that is typed', () => {
  it('is right with a name and an address', () => {
    expect(wrong(typed, [])).toEqual({ name: null, url: false, variable: false });
    expect(wrong({ ...typed, variable: 'OPENROUTER_API_KEY' }, []).variable).toBe(false);
    expect(wrong(typed, ['ollama']).name).toBe('taken');
  });

  it.each([
    ['', 'bad'],
    ['my provider', 'bad'],
    ['a/b', 'bad'],
    ['name\n', null],
    ['名', 'bad'],
    ['Ollama_2', null],
    ['open-router2', null],
  ])('name %j is wrong: %s', (name, isWrong) => {
    expect(wrong({ ...typed, name }, []).name).toBe(isWrong);
  });

  it.each(['', '127.0.0.1:11434', 'ftp://x', 'http://', 'http:///v1', 'javascript:alert(1)'])(
    'address %j is wrong',
    (url) => {
      expect(wrong({ ...typed, url }, []).url).toBe(true);
    },
  );

  it('does not take a key for the name of its variable', () => {
    for (const variable of ['sk-or-v1-0123456789abcdef0123', 'sk_0123456789abcdef0123', 'a b', '1KEY', 'x'.repeat(65)])
      expect(wrong({ ...typed, variable }, []).variable, variable).toBe(true);
  });

  it('keeps what is known of its models', () => {
    const before = providerFrom(typed, undefined, null);
    expect(before).toEqual({
      name: 'ollama',
      kind: 'openai',
      base_url: 'http://127.0.0.1:11434/v1',
      key_env: null,
      key: null,
      models: [
        { name: 'qwen3:8b', context_tokens: null, chosen_tokens: null, demo: false },
        { name: 'llama3.2', context_tokens: null, chosen_tokens: null, demo: false },
      ],
    });
    const known = { ...before, models: [{ name: 'llama3.2', context_tokens: 8192, chosen_tokens: null, demo: true }] };
    expect(providerFrom({ ...typedOf(known), models: 'llama3.2，new' }, known, null).models).toEqual([
      { name: 'llama3.2', context_tokens: 8192, chosen_tokens: null, demo: true },
      { name: 'new', context_tokens: null, chosen_tokens: null, demo: false },
    ]);
    expect(providerFrom(blank, undefined, 'provider/acme').key).toBe('provider/acme');
  });

  it('keeps what a server once said of a model and says no more', () => {
    const model = (name: string, context_tokens: number | null) => ({
      name,
      context_tokens,
      chosen_tokens: null,
      demo: false,
    });
    expect(merged([model('a', null), model('b', 2)], [model('a', 8), model('b', 1), model('c', 1)])).toEqual([
      model('a', 8),
      model('b', 2),
    ]);
  });
});

describe('how much a model reads', () => {
  it('holds as a person says it, whatever its server lists', () => {
    const listed = { name: 'a', context_tokens: 16_384, chosen_tokens: null, demo: false };
    expect(merged([listed], [{ ...listed, context_tokens: 8192, chosen_tokens: 65_536 }])).toEqual([
      { ...listed, chosen_tokens: 65_536 },
    ]);
  });

  it('is typed with or without marks between the digits, within what can be', () => {
    expect(['', ' ', '131072', '131,072', '1 000 000'].map(typedWindow)).toEqual([null, null, 131_072, 131_072, 1e6]);
    for (const text of ['8k', '255', '100000001', '300.5', '-4096', '0x1000'])
      expect(typedWindow(text), text).toBeUndefined();
  });
});

describe('a name for a provider', () => {
  it('is the preset’s, or the next that is free', () => {
    const preset: Preset = {
      name: 'openai',
      title: 'OpenAI',
      kind: 'openai',
      base_url: 'https://api.openai.com/v1',
      key_env: 'OPENAI_API_KEY',
      key_page: null,
    };
    expect(typedPreset(preset, ['openai', 'openai-2'])).toEqual({
      ...blank,
      name: 'openai-3',
      url: 'https://api.openai.com/v1',
    });
    expect(freeName('ollama', ['openai'])).toBe('ollama');
  });

  it.each([
    ['https://api.example.com/v1', 'example'],
    ['http://gpu-box:8000/v1', 'gpu-box'],
    ['http://192.168.0.4:8000', 'server'],
    ['http://[::1]:8000', 'server'],
    ['nonsense', ''],
  ])('is taken from the address %s: %s', (url, name) => {
    expect(nameFrom(url, [])).toBe(name);
  });
});
