import { expect, it } from 'vitest';
import { apart } from './apart';
import { filled } from './words.svelte';

it('puts a space where Chinese meets Latin letters or a number, and only between parts', () => {
  expect(apart(['发到', 'Commons'])).toBe('发到 Commons');
  expect(apart(['在', 'First group', '里'])).toBe('在 First group 里');
  expect(apart(['在“', 'Tea', '”里'])).toBe('在“Tea”里');
  expect(apart(['想用 ', 'shell'])).toBe('想用 shell');
  expect(apart(['打开', 'a茶b'])).toBe('打开 a茶b');
  expect(filled('{name}想在{group}里使用', { name: 'Ada', group: '花园' }, 'zh-CN')).toBe('Ada 想在花园里使用');
});
