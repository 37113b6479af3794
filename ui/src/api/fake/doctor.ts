/** What the fake doctor finds: all is well. */
import type { Reply } from '../generated';

export const checked: Reply = {
  kind: 'checks',
  data: [
    { name: 'database', state: 'ok', detail: 'opens and is whole', fix: '' },
    { name: 'starter model', state: 'ok', detail: 'smollm2-135m answers', fix: '' },
  ],
};
