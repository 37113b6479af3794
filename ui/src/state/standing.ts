import type { Soul } from '../api/generated';

/** How a soul's file stands to what is in force: a file that is `unusable` is there, and nothing is read out of it. */
export type Standing = 'in_force' | 'wrong' | 'unusable' | 'gone';

export function standingOf({ problem, file_hash }: Pick<Soul, 'problem' | 'file_hash'>): Standing {
  if (problem) return file_hash === null ? 'unusable' : 'wrong';
  return file_hash === null ? 'gone' : 'in_force';
}
