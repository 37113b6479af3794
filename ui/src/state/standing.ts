import type { Soul } from '../api/generated';

/** How a soul's file stands to what is in force: a file that is `unusable` is there, and nothing is read out of it; of what is `deleted` nothing is in force. */
export type Standing = 'in_force' | 'wrong' | 'unusable' | 'gone' | 'deleted';

export function standingOf({
  problem,
  file_hash,
  version,
  hash,
}: Pick<Soul, 'problem' | 'file_hash' | 'version' | 'hash'>): Standing {
  if (problem) return file_hash === null ? 'unusable' : 'wrong';
  if (file_hash !== null) return 'in_force';
  return version > 0 && hash === '' ? 'deleted' : 'gone';
}
