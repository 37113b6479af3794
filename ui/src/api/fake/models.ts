/** The fake workspace's services: which there are, and which models they have. */
import type { ModelInfo, Offer, Preset, Provider } from '../generated';
import type { FakeKeys } from './keys';

const cloud = (name: string, title: string, kind: Preset['kind'], base_url: string, key_env: string): Preset => ({
  name,
  title,
  kind,
  base_url,
  key_env,
  key_page: `${new URL(base_url).origin}/keys`,
});
const here = (name: string, title: string, kind: Preset['kind'], base_url: string): Preset => ({
  name,
  title,
  kind,
  base_url,
  key_env: null,
  key_page: null,
});

export const presets: Preset[] = [
  cloud('openai', 'OpenAI', 'openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY'),
  cloud('anthropic', 'Anthropic', 'anthropic', 'https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY'),
  cloud('gemini', 'Google Gemini', 'gemini', 'https://generativelanguage.googleapis.com/v1beta', 'GEMINI_API_KEY'),
  cloud('openrouter', 'OpenRouter', 'openai', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  cloud('deepseek', 'DeepSeek', 'openai', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  cloud('moonshot', 'Moonshot (Kimi)', 'openai', 'https://api.moonshot.cn/v1', 'MOONSHOT_API_KEY'),
  here('ollama', 'Ollama', 'ollama', 'http://127.0.0.1:11434'),
  here('lmstudio', 'LM Studio', 'openai', 'http://127.0.0.1:1234/v1'),
];

const model = (name: string, context_tokens: number | null): ModelInfo => ({
  name,
  context_tokens,
  chosen_tokens: null,
  demo: false,
});

const installed = [
  model('qwen3:8b', 16_384),
  model('llama3.2:3b', 16_384),
  model('gemma3:4b', 8192),
  model('phi4-mini', null),
];

export function offered(names: readonly string[]): Offer[] {
  return names.map((name) => ({
    name,
    title: presets.find((preset) => preset.name === name)?.title ?? name,
    kind: name === 'ollama' ? 'ollama' : 'openai',
    base_url: presets.find((preset) => preset.name === name)?.base_url ?? 'http://127.0.0.1:8080/v1',
    models: installed,
  }));
}

/** What it says it has; throws as a service that wants another key does. */
export function modelsOf(provider: Provider, tried: string | null, keys: FakeKeys): ModelInfo[] {
  const url = provider.base_url ?? '';
  if (url.includes('127.0.0.1')) {
    const refused = keys.guarded.has(provider.name) ? keys.opens(provider.name, provider.key, tried) : null;
    if (refused) throw refused;
    return installed;
  }
  if (url.includes('openrouter')) return many;
  if (url.includes('nowhere'))
    throw { code: 'provider', message: `${provider.name} cannot be reached`, fix: 'look at its address' };
  if (provider.key_env === null) {
    const refused = keys.opens(provider.name, provider.key, tried);
    if (refused) throw refused;
  }
  return [
    model('claude-opus-5', 200_000),
    model('claude-sonnet-5', 1_000_000),
    model('claude-haiku-5', 200_000),
    model('gpt-5', 400_000),
    model('gpt-5-mini', 400_000),
  ];
}

/** As many as some services have. */
const many = Array.from({ length: 340 }, (_, at) => model(`vendor-${at % 17}/model-${at}`, 8192 * (1 + (at % 9))));
