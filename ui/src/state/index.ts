/** The workspace as the pages see it. */
export * from './approvals';
export {
  Carry,
  carryOut,
  effectOf,
  lastMessages,
  read,
  sameTarget,
  targetsOf,
  written,
  type Carried,
  type Done,
  type Effect,
  type Target,
} from './carry.svelte';
export * from './catalogue';
export { Coterie, provideCoterie, useCoterie } from './coterie.svelte';
export type { MemoryHearer } from './news';
export { isOfFeed } from './of-feed';
export { doings, givenArguments, shortArguments, stepsOfTurn, triesOf, type Doing, type Use } from './doings';
export { askedBelow, askedFor, askedHere, isAskedFor, turnsAbove, useAbove, worksFor } from './family';
export { Draft, Drafts, placed, type Queued, type Sending } from './drafts.svelte';
export {
  degraded,
  keyless,
  keyNamed,
  keyNameOf,
  providerOfKey,
  readyFor,
  without,
  type Degraded,
  type Ready,
} from './keys';
export { linkTo, named, placeOf } from './link';
export type { Mirror, Thread, Writing } from './mirror';
export { same } from './mirror';
export { askedIn, shortModel } from './model-name';
export { toTell, troubles, waits, worthTelling, type Trouble, type Waits } from './notices';
export type { Page, Place } from './place';
export { fitted, isPicture, Pictures } from './pictures.svelte';
export { isPriced } from './prices';
export * from './questions';
export * from './select';
export { mayPass } from './passing';
export { expect } from './reply';
export { Shortcuts, shortcuts, shortcutsAtFirst, type Refused, type Shortcut } from './shortcuts.svelte';
export { sameScope, nearer, Spending } from './spending.svelte';
export { standingOf, type Standing } from './standing';
export { transcript, type Heard, type Row, type Silent } from './transcript';
export { thoughts, thinking, wordsIn } from './thoughts';
export { unsaid } from './unsaid';
export type { Undo } from './undo';
export { nextZoom, ownZoom, zooms } from './zoom';
