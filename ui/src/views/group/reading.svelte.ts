/** How each conversation was left by its reader, until the window goes. */
import type { GroupId, MessageId } from '../../api/generated';
import { Left } from '../../parts/virtual';
import type { Coterie } from '../../state';

/** The height of a row not yet seen, in pixels. */
const estimate = 96;

export class Reading {
  readonly list = new Left(estimate);
  /** The newest message that was before the eyes. */
  seen = $state(0);
  /** The version of a message that was asked for: it takes the focus when it is there. */
  towards = $state<MessageId | null>(null);
}

// Each is reactive by itself; of which conversations there is one is nobody's concern.
/* eslint-disable svelte/prefer-svelte-reactivity */
const known = new WeakMap<Coterie, Map<GroupId, Reading>>();

export function readingOf(coterie: Coterie, group: GroupId): Reading {
  const all = known.get(coterie) ?? new Map<GroupId, Reading>();
  known.set(coterie, all);
  const reading = all.get(group) ?? new Reading();
  all.set(group, reading);
  return reading;
}
