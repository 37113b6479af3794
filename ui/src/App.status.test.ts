import { afterEach, describe, expect, it } from 'vitest';
import { close, find, has, open, pass, say } from './window.kit';

afterEach(close);

const squeezed = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';

describe('the status line', () => {
  it('says how full the model was with the last answer here, and how much of that was cached', async () => {
    const backend = await open();
    expect([has('context'), has('cache-hits')]).toEqual([false, false]);
    await say('Which tea?');
    await pass(5000);
    expect([squeezed('context'), squeezed('cache-hits')]).toEqual(['Context 640 / 8.2k', 'Cache hits 80 %']);
    expect(find('context').querySelector('[role=meter]')?.getAttribute('aria-valuenow')).toBe('8');
    expect(find('context').title).toBe('Ada read 640 tokens at its last answer here; smollm2-135m reads 8,192 at once');

    // Of a conversation in which nobody has answered yet nothing is said.
    find('roster-agent', 'Bo').click();
    await pass(500);
    expect([has('context'), has('cache-hits')]).toEqual([false, false]);

    // Nor what the provider did not say.
    const [provider] = [...backend.world.providers.values()];
    const run = [...backend.world.runs.values()].at(-1);
    if (!provider || !run) throw new Error('nobody answered');
    find('roster-group', 'First group').click();
    const models = provider.models.map((model) => ({ ...model, context_tokens: null }));
    backend.world.save({ table: 'provider', row: { ...provider, models } });
    backend.world.save({ table: 'run', row: { ...run, usage: { ...run.usage, cached_tokens: null } } });
    await pass(500);
    expect([has('context'), has('cache-hits')]).toEqual([false, false]);
  });
});
