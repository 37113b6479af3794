/** The sections of Settings, in their order. */
import type { IconName } from '../parts/icons';

export const sections = [
  { id: 'models', icon: 'chip' },
  { id: 'keys', icon: 'key' },
  { id: 'you', icon: 'user' },
  { id: 'appearance', icon: 'look' },
  { id: 'desktop', icon: 'panel' },
  { id: 'grants', icon: 'approve' },
  { id: 'skills', icon: 'bolt' },
  { id: 'servers', icon: 'link' },
  { id: 'limits', icon: 'pause' },
  { id: 'budgets', icon: 'coin' },
  { id: 'data', icon: 'data' },
] as const satisfies readonly { id: string; icon: IconName }[];
