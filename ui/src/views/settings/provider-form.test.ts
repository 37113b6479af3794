import { describe, expect, it } from 'vitest';
import { blank, providerOf, typedOf, wrong } from './provider-form';

const typed = { name: 'ollama', url: 'http://127.0.0.1:11434/v1/', key: '', models: 'qwen3:8b, llama3.2' };

describe('a provider that is typed', () => {
  it('is right with a name and an address', () => {
    expect(wrong(typed)).toEqual({ name: false, url: false, key: false });
    expect(wrong({ ...typed, key: 'OPENROUTER_API_KEY' }).key).toBe(false);
  });

  it.each([
    ['', true],
    ['my provider', true],
    ['a/b', true],
    ['name\n', false],
    ['名', true],
    ['Ollama_2', false],
    ['open-router2', false],
  ])('name %j is wrong: %s', (name, isWrong) => {
    expect(wrong({ ...typed, name }).name).toBe(isWrong);
  });

  it.each(['', '127.0.0.1:11434', 'ftp://x', 'http://', 'http:///v1', 'javascript:alert(1)'])(
    'address %j is wrong',
    (url) => {
      expect(wrong({ ...typed, url }).url).toBe(true);
    },
  );

  it('does not take a key for the name of its variable', () => {
    for (const key of ['sk-or-v1-0123456789abcdef0123', 'sk_0123456789abcdef0123', 'a b', '1KEY', 'x'.repeat(65)]) {
      expect(wrong({ ...typed, key }).key, key).toBe(true);
    }
  });

  it('keeps what is known of its models', () => {
    const before = providerOf(typed, undefined);
    expect(before).toEqual({
      name: 'ollama',
      kind: 'openai',
      base_url: 'http://127.0.0.1:11434/v1',
      key_env: null,
      models: [
        { name: 'qwen3:8b', context_tokens: null, demo: false },
        { name: 'llama3.2', context_tokens: null, demo: false },
      ],
    });
    const known = { ...before, models: [{ name: 'llama3.2', context_tokens: 8192, demo: true }] };
    expect(providerOf({ ...typedOf(known), models: 'llama3.2，new' }, known).models).toEqual([
      { name: 'llama3.2', context_tokens: 8192, demo: true },
      { name: 'new', context_tokens: null, demo: false },
    ]);
    expect(providerOf(blank, undefined).models).toEqual([]);
  });
});
