import { expect, it } from 'vitest';
import { standingOf } from './standing';

const problem = { line: 1, column: 1, message: 'no' };

it.each([
  [null, 'hash', 'hash', 'in_force'],
  [problem, 'hash', 'hash', 'wrong'],
  [problem, null, 'hash', 'unusable'],
  [null, null, 'hash', 'gone'],
  [null, null, '', 'deleted'],
] as const)(
  'a soul with the problem %j, the file hash %j and the hash %j in force is %s',
  (problem, file_hash, hash, standing) => {
    expect(standingOf({ problem, file_hash, hash, version: 1 })).toBe(standing);
  },
);
