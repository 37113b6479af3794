import { afterEach, expect, it } from 'vitest';
import type { Fake } from './api/fake';
import type { NewMemory } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import { close, find, has, open, pass } from './window.kit';

afterEach(close);

const click = async (id: string) => {
  find(id).click();
  await pass(400);
};

function states(backend: Fake, attribute: string, value: string, origin?: 'untrusted', more: Partial<NewMemory> = {}) {
  const given: NewMemory = {
    kind: 'fact',
    scope: { kind: 'user' },
    statement: { subject: 'Lin', attribute, value },
    tags: [],
    importance: null,
    valid_from_ms: null,
    valid_to_ms: null,
    text: `Lin: ${attribute} ${value}`,
    ...more,
  };
  return backend.answers.memories.add(given, origin && { trust: origin });
}

const edges = () =>
  [...document.querySelectorAll<SVGElement>('[data-testid=graph-edge]')].map((edge) => [
    edge.querySelector('text')?.lastChild?.textContent ?? '',
    edge.dataset['stands'],
  ]);

it('the graph sets apart what does not hold and what is contested, and says so', async () => {
  const backend = await open();
  states(backend, 'lives in', 'Lisbon');
  await click('rail-memory');
  await click('memory-show-graph');
  await pass(900);
  expect(edges()).toEqual([['lives in', 'holds']]);
  expect([has('graph-key-not'), has('graph-key-contested')]).toEqual([false, false]);

  states(backend, 'lives in', 'Porto');
  states(backend, 'lives in', 'Faro', 'untrusted');
  await click('memory-standing-any');
  await pass(900);
  expect(
    edges()
      .map(([, stands]) => stands)
      .sort(),
  ).toEqual(['contested', 'holds', 'not']);
  expect(find('graph-key-not').textContent).toBe('Does not hold');
  expect(find('graph-key-contested').textContent).toBe('Contested');
  const names = [...document.querySelectorAll('[data-testid=graph-node]')].map((node) =>
    node.getAttribute('aria-label'),
  );
  expect(names.sort()).toEqual([
    'Lin, lives in: Faro (Contested)',
    'Lin, lives in: Lisbon (Replaced)',
    'Lin, lives in: Porto',
  ]);
});

it('the graph names the thing itself where it is only so or not so, and has room for long names', async () => {
  const backend = await open();
  states(backend, 'likes strong coffee', 'yes');
  states(backend, 'owns a car', 'no');
  states(backend, 'is learning this year', 'classical Arabic');
  await click('rail-memory');
  await click('memory-show-graph');
  await pass(900);
  expect(edges()).toEqual([
    ['is learning this year', 'holds'],
    ['', 'holds'],
    ['not so', 'holds'],
  ]);
  const nodes = [...document.querySelectorAll('[data-testid=graph-node] > text')].map((node) => node.textContent);
  expect(nodes).toEqual(['classical Arabic', 'likes strong coffee', 'owns a car']);
});
