import { describe, expect, it } from 'vitest';
import type { Agent, Price, Provider, Settings } from '../api/generated';
import { catalogue, isHere, modelOf, modelsOfSoul, providersInUse, reachOf } from './catalogue';
import { priceFor } from './prices';

const provider = (more: Partial<Provider>): Provider => ({
  name: 'acme',
  kind: 'openai',
  base_url: 'https://api.acme.example/v1',
  key_env: null,
  key: null,
  models: [],
  ...more,
});
const price = (model: string, input: number): Price => ({
  model,
  input_microusd: input,
  cached_microusd: null,
  cache_write_microusd: null,
  as_of: null,
  by_provider: false,
  output_microusd: input * 4,
});

describe('the catalogue', () => {
  it('has every model with what it reads and costs', () => {
    const here = provider({
      name: 'ollama',
      kind: 'ollama',
      base_url: 'http://127.0.0.1:11434',
      models: [{ name: 'qwen3:8b', context_tokens: 16_384, chosen_tokens: null, demo: false }],
    });
    const far = provider({ models: [{ name: 'org/big', context_tokens: null, chosen_tokens: null, demo: false }] });
    const listed = catalogue([here, far], [price('acme/*', 2_000_000)]);
    expect(
      listed.map(({ id, contextTokens, isHere, price }) => [id, contextTokens, isHere, price?.input_microusd]),
    ).toEqual([
      ['acme/org/big', null, false, 2_000_000],
      ['ollama/qwen3:8b', 16_384, true, undefined],
    ]);
  });

  it('counts the first price that fits', () => {
    const prices = [price('acme/big', 3), price('acme/*', 2)];
    expect(priceFor(prices, 'acme/big')?.input_microusd).toBe(3);
    expect(priceFor(prices, 'acme/small')?.input_microusd).toBe(2);
    expect(priceFor(prices, 'other/small')).toBeUndefined();
  });

  it('takes the price that says most of a model, in whatever order they stand, and a person’s before a provider’s', () => {
    const prices = [
      { ...price('lab/big', 8), by_provider: true },
      { ...price('other/x', 7), by_provider: true },
      price('*', 5),
      price('lab/*', 1),
      price('lab/*:free', 0),
      price('lab/big-2', 9),
      price('lab/b*g*', 2),
    ];
    const expected = { 'lab/big-2': 9, 'lab/big': 2, 'lab/small': 1, 'lab/small:free': 0, 'other/x': 5 };
    for (const table of [prices, prices.toReversed()])
      for (const [model, input] of Object.entries(expected))
        expect(priceFor(table, model)?.input_microusd, model).toBe(input);
    const [, other] = prices;
    expect(priceFor(other ? [other] : [], 'other/x')?.input_microusd).toBe(7);
  });

  it('knows what stays on this computer', () => {
    expect(isHere(provider({ kind: 'local', base_url: null }), 'm')).toBe(true);
    for (const url of ['http://127.0.0.1:8080/v1', 'http://localhost:1', 'http://[::1]:1/v1', 'http://127.8.8.8'])
      expect(isHere(provider({ base_url: url }), 'm'), url).toBe(true);
    for (const url of [
      'http://192.168.0.4:11434',
      'https://localhost.example.com',
      'nonsense',
      'http://127.example.com',
    ])
      expect(isHere(provider({ base_url: url }), 'm'), url).toBe(false);
  });
});

describe('where words go', () => {
  const here = provider({ name: 'local', kind: 'local', base_url: null });
  const away = provider({});
  const cloud = provider({ name: 'ollama', kind: 'ollama', base_url: 'http://127.0.0.1:11434' });
  const mirror = (models: Partial<Settings['models']>) => ({
    providers: new Map([here, away, cloud].map((one) => [one.name, one])),
    settings: {
      models: { default: 'local/small', fast: null, reasoning: null, fallback: null, ...models },
    } as Settings,
  });
  const agent = (model: string | null) => ({ model }) as Agent;
  const nothing = { model: null, fallback: null };

  it('is told by the models of those who answer, not by the default', () => {
    const known = reachOf(mirror({}), [agent(null), agent('acme/big')], () => nothing);
    expect(known).toEqual({ models: ['local/small', 'acme/big'], away: ['acme'], isOurs: false, isKnown: true });
    const bySoul = reachOf(mirror({}), [agent(null)], () => ({ model: 'acme/big', fallback: null }));
    expect(bySoul.away).toEqual(['acme']);
    expect(reachOf(mirror({}), [agent(null)], () => nothing).away).toEqual([]);
  });

  it('counts who answers when another fails, and who sums up', () => {
    expect(reachOf(mirror({ fallback: 'acme/big' }), [agent(null)], () => nothing).away).toEqual(['acme']);
    expect(reachOf(mirror({ fast: 'acme/big' }), [agent(null)], () => nothing).away).toEqual(['acme']);
    const bySoul = reachOf(mirror({}), [agent(null)], () => ({ model: null, fallback: 'acme/big' }));
    expect(bySoul.away).toEqual(['acme']);
  });

  it('is not said before the souls were read', () => {
    expect(reachOf(mirror({}), [agent(null)], () => undefined).isKnown).toBe(false);
  });

  it('is away for a model that Ollama passes on', () => {
    expect(reachOf(mirror({}), [agent('ollama/gpt-oss:120b-cloud')], () => nothing).away).toEqual(['ollama']);
    expect(reachOf(mirror({}), [agent('ollama/glm-4.6:cloud')], () => nothing).away).toEqual(['ollama']);
    expect(reachOf(mirror({}), [agent('ollama/qwen3:8b')], () => nothing).away).toEqual([]);
  });

  it('ends in Coterie only where no server is asked, for nobody knows whom that asks', () => {
    expect(reachOf(mirror({}), [agent(null)], () => nothing).isOurs).toBe(true);
    expect(reachOf(mirror({}), [agent('ollama/qwen3:8b')], () => nothing).isOurs).toBe(false);
  });
});

it('the providers in use are those of every role and of agents that are there', () => {
  const named = (name: string) => provider({ name });
  const agent = (id: string, model: string | null, state: Agent['state']) =>
    [id, { id, model, state } as Agent] as const;
  const mirror = {
    providers: new Map(['local', 'acme', 'other', 'gone', 'idle'].map((name) => [name, named(name)])),
    agents: new Map([agent('a', 'other/big', 'idle'), agent('b', 'gone/big', 'terminated'), agent('c', null, 'idle')]),
    settings: {
      models: { default: 'local/small', fast: null, reasoning: 'acme/big', fallback: null },
    } as Settings,
  };
  expect(providersInUse(mirror).map(({ name }) => name)).toEqual(['local', 'acme', 'other']);
});

describe('the model of an agent', () => {
  const models = { default: 'acme/big', fast: 'acme/small', reasoning: null, embedding: null, fallback: null };

  it('is its own, else its soul’s, else the default; a role leads to what serves it', () => {
    expect(modelOf({ model: 'other/own' }, 'fast', models)).toEqual({
      by: 'agent',
      says: 'other/own',
      model: 'other/own',
    });
    expect(modelOf({ model: 'reasoning' }, 'fast', models).model).toBe('acme/big');
    expect(modelOf({ model: null }, 'fast', models)).toEqual({ by: 'soul', says: 'fast', model: 'acme/small' });
    expect(modelOf({ model: null }, null, models)).toEqual({ by: 'default', says: 'default', model: 'acme/big' });
  });

  it.each([
    ['---\nname: Ada\nmodel: fast\n---\nmodel: no', 'fast'],
    ['---\nmodel: "acme/big"  # the good one\n---\n', 'acme/big'],
    ['---\r\nmodel: acme/org/m:8b # note\r\n---\r\n', 'acme/org/m:8b'],
    ['---\nname: Ada\n---\nmodel: no', null],
    ['---\nmodel:\n---\n', null],
    ['no front matter', null],
  ])('is read from the soul: %j', (text, says) => {
    expect(modelsOfSoul(text).model).toBe(says);
  });
});
