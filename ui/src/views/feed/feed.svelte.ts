/**
 * The feed as the page shows it: asked for again when something in it changes,
 * several changes at once as one.
 */
import { untrack } from 'svelte';
import { faultOf } from '../../api/backend';
import type { Community, CommunityId, Fault, FeedQueue, GroupId, PostView, Thread } from '../../api/generated';
import { expect, type Coterie } from '../../state';

const togetherMs = 200;
const most = 100;

export class Feed {
  communities = $state.raw<readonly Community[]>([]);
  posts = $state.raw<readonly PostView[]>([]);
  thread = $state.raw<Thread | null>(null);
  queue = $state.raw<FeedQueue | null>(null);
  loading = $state(true);
  fault = $state.raw<Fault | null>(null);

  #coterie: Coterie;
  #asked = 0;

  /** Looks again for as long as the component is there that makes it. */
  constructor(coterie: Coterie, wanted: () => { community: CommunityId | null; post: GroupId | undefined }) {
    this.#coterie = coterie;
    $effect(() => {
      const { community, post } = wanted();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const look = () => void this.#look(community, post);
      untrack(look);
      const stop = coterie.hearFeed(() => {
        clearTimeout(timer);
        timer = setTimeout(look, togetherMs);
      });
      return () => {
        stop();
        clearTimeout(timer);
      };
    });
  }

  async #look(community: CommunityId | null, post: GroupId | undefined): Promise<void> {
    const asked = (this.#asked += 1);
    const ask = this.#coterie;
    try {
      const [communities, posts, queue, thread] = await Promise.all([
        ask.query({ kind: 'communities' }),
        ask.query({ kind: 'feed', community, before: null, limit: most }),
        ask.query({ kind: 'feed_queue' }),
        post ? ask.query({ kind: 'thread', post }) : null,
      ]);
      if (asked !== this.#asked) return;
      this.communities = expect(communities, 'communities').filter((one) => !one.archived);
      this.posts = expect(posts, 'posts');
      this.queue = expect(queue, 'feed_queue');
      this.thread = thread ? expect(thread, 'thread') : null;
      this.fault = null;
    } catch (caught) {
      if (asked === this.#asked) this.fault = faultOf(caught);
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }
}
