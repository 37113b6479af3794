/**
 * The feed as the page shows it: asked for again when something in it changes,
 * several changes at once as one.
 */
import { untrack } from 'svelte';
import { faultOf } from '../../api/backend';
import type { Community, CommunityId, Fault, FeedQueue, GroupId, PostView, Thread } from '../../api/generated';
import { expect, type Coterie } from '../../state';

const togetherMs = 200;
/** As many posts are asked for at a time. */
const page = 100;

export class Feed {
  /** All, also the archived. */
  communities = $state.raw<readonly Community[]>([]);
  /** Where posts may be written. */
  open = $derived(this.communities.filter((one) => !one.archived));
  posts = $state.raw<readonly PostView[]>([]);
  thread = $state.raw<Thread | null>(null);
  queue = $state.raw<FeedQueue | null>(null);
  loading = $state(true);
  /** Whether there are posts older than those. */
  hasOlder = $state(false);
  fault = $state.raw<Fault | null>(null);

  #coterie: Coterie;
  #asked = 0;
  #look = () => {};
  /** As many posts as a person has asked to see. */
  #wanted = page;

  /** Looks again for as long as the component is there that makes it. */
  constructor(coterie: Coterie, wanted: () => { community: CommunityId | null; post: GroupId | undefined }) {
    this.#coterie = coterie;
    $effect(() => {
      const { community, post } = wanted();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const look = () => void this.#ask(community, post);
      this.#look = look;
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

  /** Shows a page more. */
  older(): void {
    this.#wanted += page;
    this.#look();
  }

  async #posts(community: CommunityId | null): Promise<{ posts: PostView[]; hasOlder: boolean }> {
    const posts: PostView[] = [];
    for (;;) {
      const before = posts.at(-1)?.post.seq ?? null;
      const more = expect(await this.#coterie.query({ kind: 'feed', community, before, limit: page }), 'posts');
      posts.push(...more);
      const hasOlder = more.length === page;
      if (!hasOlder || posts.length >= this.#wanted) return { posts, hasOlder };
    }
  }

  async #ask(community: CommunityId | null, post: GroupId | undefined): Promise<void> {
    const asked = (this.#asked += 1);
    const ask = this.#coterie;
    try {
      const [communities, found, queue, thread] = await Promise.all([
        ask.query({ kind: 'communities' }),
        this.#posts(community),
        ask.query({ kind: 'feed_queue' }),
        post ? ask.query({ kind: 'thread', post }) : null,
      ]);
      if (asked !== this.#asked) return;
      this.communities = expect(communities, 'communities');
      ({ posts: this.posts, hasOlder: this.hasOlder } = found);
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
