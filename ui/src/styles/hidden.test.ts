import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
  /\.(css|svelte)$/.test(path),
);

/** What can have no focus, nor has anything in it that can. */
const plain = new Set(['time']);

it('hides nothing that the focus is given to, which would lose it', () => {
  const hidden = sources.flatMap((path) =>
    [...readFileSync(`src/${path}`, 'utf8').matchAll(/([^{};]+)\{[^{}]*visibility:\s*(?:hidden|collapse)/g)]
      .map(([, selector]) => selector?.trim() ?? '')
      .filter((selector) => !plain.has(selector))
      .map((selector) => `${path}: ${selector}`),
  );
  expect(hidden).toEqual([]);
});
