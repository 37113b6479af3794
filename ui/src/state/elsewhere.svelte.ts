/**
 * What the person is writing elsewhere than in a composer. It outlives a visit to
 * another place in the window, and goes with the window.
 */
import { SvelteMap } from 'svelte/reactivity';
import type { CommunityId, GroupId, MessageId } from '../api/generated';

class Post {
  text = $state('');
  /** Where it goes, as far as the person has said so. */
  community = $state<CommunityId | null>(null);
}

class Comment {
  text = $state('');
  /** The comment that is answered; the post where none is. */
  to = $state<MessageId | null>(null);
}

export class Elsewhere {
  /** Messages that are being said otherwise. */
  readonly edits = new SvelteMap<MessageId, string>();
  readonly post = new Post();
  // Each comment is reactive; which posts have one is nobody's concern.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  #comments = new Map<GroupId, Comment>();

  commentOn(post: GroupId): Comment {
    const known = this.#comments.get(post);
    if (known) return known;
    const comment = new Comment();
    this.#comments.set(post, comment);
    return comment;
  }
}
