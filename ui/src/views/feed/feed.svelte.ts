/**
 * The feed as the page shows it: asked for again when something in it changes,
 * several changes at once as one.
 */
import { untrack } from 'svelte';
import { faultOf } from '../../api/backend';
import type { Community, Fault, FeedFilter, FeedQueue, GroupId, PostView, Thread } from '../../api/generated';
import { expect, type Coterie } from '../../state';

const togetherMs = 200;
/** As many posts are asked for at a time. */
const page = 100;

/** The list is there without it. */
function goneOr(caught: unknown): null {
  if (faultOf(caught).code === 'not_found') return null;
  throw caught;
}

export class Feed {
  /** All, also the archived. */
  communities = $state.raw<readonly Community[]>([]);
  /** Where posts may be written. */
  open = $derived(this.communities.filter((one) => !one.archived));
  posts = $state.raw<readonly PostView[]>([]);
  thread = $state.raw<Thread | null>(null);
  /** The post that was to be shown is not there. */
  isGone = $state(false);
  queue = $state.raw<FeedQueue | null>(null);
  loading = $state(true);
  /** Whether there are posts older than those. */
  hasOlder = $state(false);
  fault = $state.raw<Fault | null>(null);

  #coterie: Coterie;
  #asked = 0;
  #look = () => {};
  /** What the shown posts were asked for by. */
  #filter = '';
  /** As many posts as a person has asked to see. */
  #wanted = page;

  /** Looks again for as long as the component is there that makes it. */
  constructor(coterie: Coterie, wanted: () => { filter: FeedFilter; post: GroupId | undefined }) {
    this.#coterie = coterie;
    $effect(() => {
      const { filter, post } = wanted();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const look = () => void this.#ask(filter, post);
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

  async #posts(filter: FeedFilter): Promise<{ posts: PostView[]; hasOlder: boolean }> {
    const posts: PostView[] = [];
    for (;;) {
      const before = posts.at(-1)?.post.seq ?? null;
      const more = expect(await this.#coterie.query({ kind: 'feed', filter, before, limit: page }), 'posts');
      posts.push(...more);
      const hasOlder = more.length === page;
      if (!hasOlder || posts.length >= this.#wanted) return { posts, hasOlder };
    }
  }

  /** What is being read is read by that, and stays where it stands until another is opened. */
  #withTheOpen(found: PostView[], filter: FeedFilter): PostView[] {
    const open = this.thread?.view;
    const isOpen = (view: PostView) => view.post.group === open?.post.group;
    const isOther = JSON.stringify(filter) !== this.#filter;
    this.#filter = JSON.stringify(filter);
    if (!open || isOther || !filter.unread || found.some(isOpen) || !this.posts.some(isOpen)) return found;
    return [...found, open].sort((a, b) => b.post.seq - a.post.seq);
  }

  async #ask(filter: FeedFilter, post: GroupId | undefined): Promise<void> {
    const asked = (this.#asked += 1);
    const ask = this.#coterie;
    try {
      const [communities, found, queue, thread] = await Promise.all([
        ask.query({ kind: 'communities' }),
        this.#posts(filter),
        ask.query({ kind: 'feed_queue' }),
        post ? ask.query({ kind: 'thread', post }).catch(goneOr) : null,
      ]);
      if (asked !== this.#asked) return;
      this.communities = expect(communities, 'communities');
      this.queue = expect(queue, 'feed_queue');
      this.thread = thread ? expect(thread, 'thread') : null;
      this.isGone = post !== undefined && thread === null;
      this.posts = this.#withTheOpen(found.posts, filter);
      this.hasOlder = found.hasOlder;
      this.fault = null;
    } catch (caught) {
      if (asked === this.#asked) this.fault = faultOf(caught);
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }
}
