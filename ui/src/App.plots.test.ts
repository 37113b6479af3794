import { flushSync } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/runs/RunsPage.svelte';
import './views/settings/SettingsPage.svelte';
import type { Options } from './api/fake';
import { choose, close, find, has, open, pass } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const rows = (plot: string) =>
  [...find(plot).querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.textContent));

const now = () => Date.parse('2026-11-23T15:00:00Z');

async function openRuns(options: Options = {}) {
  await open({ weeks: true, now, ...options });
  find('rail-runs').click();
  await pass(500);
}

describe('the charts of runs', () => {
  it('say the same in a table, a row for each day, and add up to what is said above', async () => {
    await openRuns();
    const [head, ...days] = rows('plot-spend');
    expect(head?.[0]).toBe('Day (UTC)');
    expect(head?.at(-1)).toBe('others');
    expect(days.map((row) => row[0])).toEqual([
      'Tue 17 Nov',
      'Wed 18 Nov',
      'Thu 19 Nov',
      'Fri 20 Nov',
      'Sat 21 Nov',
      'Sun 22 Nov',
      'Mon 23 Nov',
    ]);
    const sum = days.flatMap((row) => row.slice(1)).reduce((all, cost) => all + Number(cost?.slice(1)), 0);
    const said = /^Spend.*?\$(\d+\.\d\d) in 7 days/.exec(text('plot-spend'));
    expect(Math.abs(Number(said?.[1]) - sum)).toBeLessThan(0.02);
    expect(rows('plot-took')[0]).toEqual(['Day (UTC)', 'median', '95 %']);
    expect(text('plot-cache')).toMatch(/^Cache hits \d+ % of what was read/);
  });

  it('follow what is chosen, for longer and for one agent alone', async () => {
    await openRuns();
    await choose('plots-span', '30 days');
    expect(rows('plot-spend')).toHaveLength(31);
    await choose('runs-agent', 'Ada');
    expect(rows('plot-spend')[0]).toEqual(['Day (UTC)', 'Ada']);
    await choose('plots-by', 'By model');
    expect(rows('plot-spend')[0]).toEqual(['Day (UTC)', 'claude-sonnet-5']);
  });

  it('say that there is nothing where there is nothing', async () => {
    await openRuns({ weeks: false });
    expect(text('plots-none')).toBe('No runs in these days.');
    expect(has('plot-spend')).toBe(false);
  });

  it('say that only the newest runs are counted, where there are too many', async () => {
    await openRuns({ weeks: false, start: 'many' });
    await pass(500);
    expect(text('plots-cut')).toBe('of the newest 2,000 runs');
    // No price is known of a model on this machine.
    expect(text('plot-spend')).toMatch(/^Tokens/);
  });

  it('stay away once they were hidden', async () => {
    await openRuns();
    find('plots-toggle').click();
    flushSync();
    expect(has('run-plots')).toBe(false);
    find('rail-conversations').click();
    await pass(100);
    find('rail-runs').click();
    await pass(500);
    expect([has('run-plots'), find('plots-toggle').getAttribute('aria-pressed')]).toEqual([false, 'false']);
  });

  it('speak Chinese', async () => {
    await openRuns({ appearance: { language: 'zh' } });
    expect(text('plot-took')).toMatch(/^回答用时/);
    expect(rows('plot-spend')[1]?.[0]).toBe('11月17日周二');
  });
});

describe('the usage', () => {
  it('is drawn for each day, as the budgets count days', async () => {
    await open({ weeks: true, now });
    find('rail-settings').click();
    await pass(500);
    find('settings-budgets').click();
    await pass(500);
    expect(rows('plot-tokens')[0]).toEqual(['Day (UTC)', 'read', 'written']);
    expect(rows('plot-tokens')).toHaveLength(8);
    expect(text('plot-spend')).toMatch(/^Spend \$\d+\.\d\d in 7 days/);
  });
});
