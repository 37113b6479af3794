/**
 * What the person is writing elsewhere than in a composer. It outlives a visit to
 * another place in the window, and goes with the window.
 */
import { SvelteMap } from 'svelte/reactivity';
import type { CommunityId, GroupId, MessageId, QuestionId } from '../api/generated';
import type { Entered } from './questions';

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
  // The same holds for questions.
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  #answers = new Map<QuestionId, SvelteMap<string, Entered>>();

  commentOn(post: GroupId): Comment {
    const known = this.#comments.get(post);
    if (known) return known;
    const comment = new Comment();
    this.#comments.set(post, comment);
    return comment;
  }

  /** What is entered in the fields of a form that has not been sent, by their names. */
  answerTo(question: QuestionId): SvelteMap<string, Entered> {
    const known = this.#answers.get(question);
    if (known) return known;
    const entered = new SvelteMap<string, Entered>();
    this.#answers.set(question, entered);
    return entered;
  }
}
