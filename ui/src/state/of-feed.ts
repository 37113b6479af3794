import type { Run } from '../api/generated';
import type { Mirror } from './mirror';

/** Threads of the feed are in no list of groups, nor are tasks: those somebody gave. */
export const isOfFeed = (run: Run, mirror: Pick<Mirror, 'groups'>): boolean =>
  !mirror.groups.has(run.group) && !['delegated', 'asked_by_user'].includes(run.cause.reason.kind);
