/** How a use of a tool stands, in a few words. */
import type { UseProgress } from '../api/generated';
import type { Use } from '../state';
import { duration, sayCallState, sayProgress, t } from '../words';

/** With how far it says that it is, while it goes on; with how long it took, once it is over. */
export function sayUse(use: Use, progress: UseProgress | undefined): string {
  if (progress && use.state === 'dispatched') return sayProgress(progress);
  const what = sayCallState(use.state);
  if (use.toMs === null || ['refused', 'blocked', 'skipped', 'outcome_unknown'].includes(use.state)) return what;
  return t('tools.said', { what, time: duration(use.toMs - use.fromMs) });
}
