import { expect, it } from 'vitest';
import { standingOf } from './standing';

const problem = { line: 1, column: 1, message: 'no' };

it.each([
  [null, 'hash', 'in_force'],
  [problem, 'hash', 'wrong'],
  [problem, null, 'unusable'],
  [null, null, 'gone'],
] as const)('a soul with the problem %j and the file hash %j is %s', (problem, file_hash, standing) => {
  expect(standingOf({ problem, file_hash })).toBe(standing);
});
