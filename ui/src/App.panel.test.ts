import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import { close, find, groupNamed, has, open, pass, remember, say } from './window.kit';

afterEach(close);

const squeezed = (element: Element) => element.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];

/** As a click on it does. */
async function show(tab: string) {
  find(`tab-${tab}`).focus();
  find(`tab-${tab}`).click();
  await pass(400);
}

describe('beside a conversation', () => {
  it('stands the newest of what is remembered for it alone, as it changes, and leads to all of it', async () => {
    const backend = await open();
    const group = groupNamed(backend, 'First group');
    remember(backend, 'You like tea');
    await show('memory');
    expect(squeezed(find('group-memory'))).toContain('Nothing is remembered yet');
    for (let n = 1; n <= 7; n += 1) {
      remember(backend, `The harbour has ${n} piers`, group);
      await pass(10);
    }
    await pass(600);
    expect(squeezed(find('group-memory-count'))).toBe('7 memories');
    expect(all('group-memory-one')).toHaveLength(5);
    expect(squeezed(find('group-memory-one'))).toMatch(/^The harbour has 7 piers Fact · /);

    find('group-memory-all').click();
    await pass(600);
    expect(has('page-memory')).toBe(true);
    expect([squeezed(find('memory-count')), squeezed(find('memory-scope'))]).toEqual([
      '7 memories',
      expect.stringContaining('Only in First group'),
    ]);
  });

  it('stands what the run in progress has done so far', async () => {
    const backend = await open();
    await say('calculate it');
    await show('run');
    for (let n = 0; n < 40 && !has('steps-so-far'); n += 1) await pass(100);
    expect(find('run-now').dataset['state']).toBe('running');
    const run = [...backend.world.runs.values()].at(-1);
    const uses = backend.world.steps.get(run?.id ?? '')?.filter((step) => step.step === 'tool_proposed') ?? [];
    expect(uses.length).toBeGreaterThan(0);
    expect(squeezed(find('steps-so-far'))).toMatch(/^calculator 17\*23/);
  });
});
