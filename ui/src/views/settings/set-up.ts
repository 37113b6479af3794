/** What is typed about a provider, and what is wrong with it. Never its key. */
import type { ModelInfo, Preset, Provider, ProviderKind } from '../../api/generated';
import { typedWhole } from '../../words';

/** Those that are reached by an address. */
export const kinds = ['openai', 'anthropic', 'gemini', 'ollama'] as const satisfies readonly ProviderKind[];
export type Kind = (typeof kinds)[number];

export type Typed = { name: string; kind: Kind; url: string; variable: string; models: string };
export type Wrong = { name: 'bad' | 'taken' | null; url: boolean; variable: boolean };

export const blank: Typed = { name: '', kind: 'openai', url: '', variable: '', models: '' };

export const examples: Record<Kind, string> = {
  openai: 'http://127.0.0.1:8080/v1',
  anthropic: 'https://api.anthropic.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
  ollama: 'http://127.0.0.1:11434',
};

export const isKind = (kind: ProviderKind): kind is Kind => kinds.some((one) => one === kind);

/** A preset as it would be typed, under a name that is free. */
export function typedPreset(preset: Preset, taken: readonly string[]): Typed {
  const kind = isKind(preset.kind) ? preset.kind : 'openai';
  return { ...blank, name: freeName(preset.name, taken), kind, url: preset.base_url };
}

export function typedOf(provider: Provider): Typed {
  return {
    name: provider.name,
    kind: isKind(provider.kind) ? provider.kind : 'openai',
    url: provider.base_url ?? '',
    variable: provider.key_env ?? '',
    models: provider.models.map((model) => model.name).join(', '),
  };
}

/** `openai`, else `openai-2`, … */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let n = 2;
  while (taken.includes(`${name}-${n}`)) n += 1;
  return `${name}-${n}`;
}

/** A name for a server that has none yet, from its address. */
export function nameFrom(url: string, taken: readonly string[]): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  const part = /^[\d.]+$|^\[/.test(host) ? 'server' : (host.split('.').at(-2) ?? host);
  const plain = part.replace(/[^A-Za-z0-9_-]/g, '');
  return plain === '' ? '' : freeName(plain, taken);
}

export function wrong(typed: Typed, taken: readonly string[]): Wrong {
  const name = typed.name.trim();
  const variable = typed.variable.trim();
  return {
    name: !/^[A-Za-z0-9_-]{1,64}$/.test(name) ? 'bad' : taken.includes(name) ? 'taken' : null,
    url: !isAddress(typed.url.trim()),
    // A key that was pasted where its variable's name belongs must not be saved.
    variable:
      variable !== '' &&
      (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable) ||
        variable.length > 64 ||
        /^(sk|gsk|xai|AIza)[-_A-Za-z0-9]{16,}$/.test(variable)),
  };
}

function isAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s/]+/i.test(text)) return false;
  return URL.canParse(text) && new URL(text).hostname !== '';
}

/** What was known of a model stays known. */
export function providerFrom(typed: Typed, before: Provider | undefined, key: string | null): Provider {
  const names = typed.models
    .split(/[,，\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = (name: string): ModelInfo => ({ name, context_tokens: null, chosen_tokens: null, demo: false });
  return {
    name: typed.name.trim(),
    kind: typed.kind,
    base_url: typed.url.trim().replace(/\/+$/, ''),
    key_env: typed.variable.trim() || null,
    key,
    models: [...new Set(names)].map((name) => before?.models.find((model) => model.name === name) ?? unknown(name)),
  };
}

/** What a server lists now; what a person says of a model stays, and what was known and is not told any more. */
export function merged(listed: readonly ModelInfo[], before: readonly ModelInfo[]): ModelInfo[] {
  const isListed = ({ name }: ModelInfo) => listed.some((model) => model.name === name);
  const said = before.filter((known) => known.chosen_tokens !== null && !isListed(known));
  const now = listed.map((model) => {
    const known = before.find(({ name }) => name === model.name);
    return {
      ...model,
      context_tokens: model.context_tokens ?? known?.context_tokens ?? null,
      chosen_tokens: known?.chosen_tokens ?? null,
    };
  });
  return [...now, ...said];
}

/** `https://host:port` of an address. */
export const originOf = (address: string): string => /^[^/]*\/\/[^/?#]*/.exec(address.trim())?.[0].toLowerCase() ?? '';

/** The least and the most that a model can be said to read and write at once. */
export const windows = { least: 256, most: 100_000_000 } as const;

/** What was typed about that; null takes it back, undefined is no such number. */
export function typedWindow(text: string): number | null | undefined {
  return text.trim() === '' ? null : typedWhole(text, windows.least, windows.most);
}
