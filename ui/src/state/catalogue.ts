/** Which models there are, what they read and cost, and which one serves whom. Pure. */
import type { Agent, ModelChoice, ModelRole, Offer, Price, Provider, Settings } from '../api/generated';
import type { Mirror } from './mirror';
import { priceFor } from './prices';

/** Those that an agent or its soul can name. */
export const roles = ['default', 'fast', 'reasoning'] as const satisfies readonly ModelRole[];
export type AgentRole = (typeof roles)[number];

export type Listed = {
  /** `provider/model` */
  id: string;
  name: string;
  provider: string;
  contextTokens: number | null;
  isDemo: boolean;
  /** Whether it runs on this computer, where nobody charges for it. */
  isHere: boolean;
  /** Undefined where nobody has said. */
  price: Price | undefined;
};

/** Every model of every provider, those with models of their own first by name. */
export function catalogue(providers: Iterable<Provider>, prices: readonly Price[]): readonly Listed[] {
  return [...providers].sort((a, b) => a.name.localeCompare(b.name)).flatMap((provider) => listedOf(provider, prices));
}

export function listedOf(provider: Provider, prices: readonly Price[]): readonly Listed[] {
  return provider.models.map((model) => {
    const id = `${provider.name}/${model.name}`;
    return {
      id,
      name: model.name,
      provider: provider.name,
      contextTokens: model.chosen_tokens ?? model.context_tokens,
      isDemo: model.demo,
      isHere: isHere(provider, model.name),
      price: priceFor(prices, id),
    };
  });
}

/** A model of that name, which its provider need not list; empty where there is no such provider. */
export function listedAs(id: string, providers: Iterable<Provider>, prices: readonly Price[]): readonly Listed[] {
  const [name = '', ...rest] = id.split('/');
  const provider = [...providers].find((one) => one.name === name);
  const model = { name: rest.join('/'), context_tokens: null, chosen_tokens: null, demo: false };
  return provider ? listedOf({ ...provider, models: [model] }, prices) : [];
}

/** Whether what is said to this model stays on this computer. */
export function isHere(provider: Pick<Provider, 'kind' | 'base_url'>, model: string): boolean {
  switch (provider.kind) {
    case 'local':
    case 'scripted':
      return true;
    case 'openai':
    case 'anthropic':
    case 'gemini':
    case 'ollama':
      return isLoopback(provider.base_url) && !isPassedOn(model);
    default:
      return provider.kind satisfies never;
  }
}

/** Ollama passes questions to these on to its makers. */
function isPassedOn(model: string): boolean {
  return /[:-]cloud$/.test(model);
}

function isLoopback(url: string | null): boolean {
  if (!url || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** The provider of a `provider/model`. */
export function providerOf(mirror: Pick<Mirror, 'providers'>, model: string): Provider | undefined {
  return mirror.providers.get(model.slice(0, model.indexOf('/')));
}

/** The model that serves a role: the default where none was chosen. */
export function servesRole(models: ModelChoice, role: AgentRole): string | null {
  return models[role] ?? models.default;
}

/** Who chose an agent's model: the agent's own setting, its soul, or nobody. */
export type Chosen = { by: 'agent' | 'soul' | 'default'; says: string; model: string | null };

/** What an agent is asked through, and why: its own setting before its soul's word before the default. */
export function modelOf(agent: Pick<Agent, 'model'>, soulSays: string | null, models: Settings['models']): Chosen {
  const named = (says: string) => {
    const role = roles.find((role) => role === says);
    return role ? servesRole(models, role) : says;
  };
  if (agent.model !== null) return { by: 'agent', says: agent.model, model: named(agent.model) };
  if (soulSays !== null) return { by: 'soul', says: soulSays, model: named(soulSays) };
  return { by: 'default', says: 'default', model: models.default };
}

/** Every model that may read what is said to some agents, and where that goes. */
export type Reach = {
  /** Those that answer, each once. */
  models: readonly string[];
  /** Providers that are not on this computer, also of summaries and where another model fails. */
  away: readonly string[];
  /** Whether nobody is asked but the model that runs in Coterie itself. */
  isOurs: boolean;
  /** Whether all of it is known by now. */
  isKnown: boolean;
};

/** `soulSays` gives undefined while that is not known. */
export function reachOf(
  mirror: Pick<Mirror, 'providers' | 'settings'>,
  agents: readonly Agent[],
  soulSays: (agent: Agent) => SoulSays | undefined,
): Reach {
  const { models } = mirror.settings;
  const said = agents.map(soulSays);
  const asked = agents.flatMap((agent, at) => modelOf(agent, said[at]?.model ?? null, models).model ?? []);
  const fallbacks = said.map((says) => says?.fallback ?? null).filter((model) => model?.includes('/'));
  const all = [...asked, models.fast, models.fallback, ...fallbacks].filter((model) => model !== null);
  const away = all.filter((model) => {
    const provider = providerOf(mirror, model);
    return provider !== undefined && !isHere(provider, model.slice(model.indexOf('/') + 1));
  });
  return {
    models: [...new Set(asked)],
    isOurs: all.every((model) => ['local', 'scripted'].includes(providerOf(mirror, model)?.kind ?? '')),
    away: [...new Set(away.map((model) => model.slice(0, model.indexOf('/'))))],
    isKnown: !said.includes(undefined),
  };
}

/** The providers that agents are asked through, as far as settings say it: souls may name others. */
export function providersInUse({
  providers,
  settings,
  agents,
}: Pick<Mirror, 'providers' | 'settings' | 'agents'>): readonly Provider[] {
  const { models } = settings;
  const asked = [...agents.values()].filter((agent) => agent.state !== 'terminated').map((agent) => agent.model);
  const named = [models.default, models.fast, models.reasoning, models.fallback, ...asked];
  const used = new Set(named.map((model) => model?.slice(0, model.indexOf('/'))));
  return [...providers.values()].filter((provider) => used.has(provider.name));
}

/** What a soul says about who answers for it: a role, or a model; null where it says nothing. */
export type SoulSays = { model: string | null; fallback: string | null };

export function modelsOfSoul(text: string): SoulSays {
  const front = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
  const line = (key: 'model' | 'fallback') => {
    const says = new RegExp(`^${key}:[ \\t]*(.*)$`, 'm').exec(front)?.[1] ?? '';
    const quoted = /^(["'])(.*?)\1/.exec(says);
    const value = (quoted ? (quoted[2] ?? '') : says.replace(/(^|\s)#.*$/, '')).trim();
    return ['', '~', 'null'].includes(value) ? null : value;
  };
  return { model: line('model'), fallback: line('fallback') };
}

/** A server that was found, as a provider under a name that is free. */
export function providerOfOffer(offer: Offer, taken: readonly string[]): Provider {
  let name = offer.name;
  for (let n = 2; taken.includes(name); n += 1) name = `${offer.name}-${n}`;
  return { name, kind: offer.kind, base_url: offer.base_url, key_env: null, key: null, models: offer.models };
}
