/** What an event brings, for those who keep a part of it themselves. */
import type { Event, Memory, Message } from '../api/generated';

/** Told what memories have become; null when news were lost, and any may have changed. */
export type MemoryHearer = (changed: readonly Memory[] | null) => void;

export function messageIn(event: Event): Message[] {
  return event.event === 'saved' && event.record.table === 'message' ? [event.record.row] : [];
}

export function memoryIn(event: Event): Memory[] {
  return event.event === 'saved' && event.record.table === 'memory' ? [event.record.row] : [];
}

/** A run has ended, or waits for what others hold of a budget. */
export function changesSpending(event: Event): boolean {
  if (event.event === 'waiting') return event.waiting.budget !== null;
  return event.event === 'saved' && event.record.table === 'run' && event.record.row.state !== 'running';
}
