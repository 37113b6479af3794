import { flushSync } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/runs/RunsPage.svelte';
import './views/settings/SettingsPage.svelte';
import type { Fake } from './api/fake';
import { close, find, has, open, pass, say } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];

/** The page of the newest run, after a message was answered. */
async function openRun(change?: (backend: Fake) => void): Promise<Fake> {
  const backend = await open();
  await say('hello there');
  await pass(5000);
  change?.(backend);
  await pass(100);
  find('rail-runs').click();
  await pass(500);
  expect(has('run-detail')).toBe(true);
  return backend;
}

describe('the page of a run', () => {
  it('shows each request word for word, with everything that it was sent with', async () => {
    await openRun();
    expect(has('sent-turn')).toBe(false);
    // No heading over nothing.
    expect(find('run-detail').textContent).not.toContain('What it did');
    find('run-request').querySelector('button')?.click();
    flushSync();
    await pass(100);
    expect(all('sent-turn').map((turn) => turn.dataset['role'])).toEqual(['system', 'user']);
    expect(all('sent-turn')[0]?.textContent).toContain('You are');
    expect(all('sent-turn')[1]?.textContent).toBe('hello there');
    const how = text('sent-how');
    for (const said of ['Temperature 0.7', 'at most 4,096 tokens', 'Stops before "\\n', 'Form of the answer any'])
      expect(how).toContain(said);
    expect(find('run-request').querySelector('[data-tool=calculator]')).not.toBeNull();
  });

  it('opens a step where it stands', async () => {
    await openRun();
    const steps = () => [...document.querySelectorAll<HTMLElement>('[data-step]')];
    const line = (of: string) =>
      steps()
        .find((step) => step.dataset['step'] === of)
        ?.querySelector('button');
    expect(line('woken')).toBeNull();
    expect(line('model_called')?.getAttribute('aria-expanded')).toBe('false');
    line('model_called')?.click();
    await pass(100);
    expect(all('sent-turn').map((turn) => turn.dataset['role'])).toEqual(['system', 'user']);
    line('model_called')?.click();
    await pass(100);
    expect(has('step-behind')).toBe(false);
  });

  it('says why there is no request to show', async () => {
    await openRun(({ world }) => {
      for (const run of world.runs.keys()) world.steps.set(run, []);
    });
    expect(text('nothing-sent')).toBe('Nothing was sent to a model.');
    expect(find('run-prompt').textContent).toContain('You are');
  });

  it('shows what the run stood on', async () => {
    await openRun();
    const context = text('run-context');
    for (const said of ['/home/you/.local/share/coterie', 'Members', 'Skills none', 'MCP servers none', 'Caps'])
      expect(context).toContain(said);
  });

  it('marks what is only estimated with a sign and a word, in sums too', async () => {
    const backend = await openRun();
    expect(text('run-tokens')).not.toMatch(/≈|estimated/);
    for (const run of backend.world.runs.values())
      backend.world.save({ table: 'run', row: { ...run, estimated: true, cost_microusd: 12_000 } });
    await pass(1500);
    expect(text('run-tokens')).toMatch(/^≈.* in.*≈.* out, estimated: without a count that can be right$/);
    expect(text('run-cost')).toBe('≈$0.012, estimated');
    expect(text('run-row')).toContain('≈');

    find('rail-settings').click();
    await pass(100);
    find('settings-budgets').click();
    await pass(500);
    expect(text('usage-calls')).toMatch(/estimated\)$/);
    expect(text('usage-row').match(/≈/g)?.length).toBeGreaterThanOrEqual(2);
  });
});
