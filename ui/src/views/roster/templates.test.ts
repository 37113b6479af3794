import { expect, it } from 'vitest';
import { calledLike } from './templates';

it('a group is called as its template, with a number where another is', () => {
  expect(calledLike('Debate', [])).toBe('Debate');
  expect(calledLike('Debate', ['debate'])).toBe('Debate (2)');
  expect(calledLike('辩论', ['辩论', '辩论 (2)'])).toBe('辩论 (3)');
});
