/** Which events are news to a page that asks for what it shows. Pure. */
import type { Event } from '../api/generated';
import type { Mirror } from './mirror';

/** A schedule or a source, or a turn that a schedule may have given. */
export function isOfSchedules(event: Event): boolean {
  if (event.event === 'removed') return event.removed.table === 'schedule';
  if (event.event !== 'saved') return false;
  const { record } = event;
  if (record.table === 'schedule' || record.table === 'source') return true;
  return record.table === 'run' && record.row.cause.author.kind === 'system';
}

/** Something was written, decided or done where no conversation of the list is. */
export function isOfFeed(event: Event, mirror: Mirror): boolean {
  if (event.event !== 'saved') return false;
  const { record } = event;
  switch (record.table) {
    case 'post':
    case 'community':
      return true;
    case 'message':
    case 'decision':
    case 'run':
      return !mirror.groups.has(record.row.group);
    // Something of it was read.
    case 'member':
      return record.row.who.kind === 'user' && !mirror.groups.has(record.row.group);
    default:
      return false;
  }
}
