/** What is typed about a provider, and what is wrong with it. */
import type { Provider } from '../../api/generated';

export type Typed = { name: string; url: string; key: string; models: string };
export type Wrong = { name: boolean; url: boolean; key: boolean };

export const blank: Typed = { name: '', url: '', key: '', models: '' };

export function typedOf(provider: Provider): Typed {
  return {
    name: provider.name,
    url: provider.base_url ?? '',
    key: provider.key_env ?? '',
    models: provider.models.map((model) => model.name).join(', '),
  };
}

export function wrong(typed: Typed): Wrong {
  const key = typed.key.trim();
  return {
    name: !/^[A-Za-z0-9_-]{1,64}$/.test(typed.name.trim()),
    url: !isAddress(typed.url.trim()),
    // A key that was pasted where its variable's name belongs must not be saved.
    key:
      key !== '' &&
      (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) || key.length > 64 || /^(sk|gsk|xai|AIza)[-_A-Za-z0-9]{16,}$/.test(key)),
  };
}

function isAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s/]+/i.test(text)) return false;
  try {
    return new URL(text).hostname !== '';
  } catch {
    return false;
  }
}

/** What was known of a model stays known. */
export function providerOf(typed: Typed, before: Provider | undefined): Provider {
  const names = typed.models
    .split(/[,，\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    name: typed.name.trim(),
    kind: 'openai',
    base_url: typed.url.trim().replace(/\/+$/, ''),
    key_env: typed.key.trim() || null,
    models: [...new Set(names)].map(
      (name) => before?.models.find((model) => model.name === name) ?? { name, context_tokens: null, demo: false },
    ),
  };
}
