/** What a person chose to see of the feed, as the workspace is asked for it. */
import type { Author, FeedFilter } from '../../api/generated';

export const anybody = 'all';
export type Choice = {
  /** Whose posts: `anybody`, `user`, or an author's kind with its id behind a colon. */
  by: string;
  unread: boolean;
};
export const nothingChosen: Choice = { by: anybody, unread: false };
export const isChosen = ({ by, unread }: Choice): boolean => unread || by !== anybody;

function authorOf(by: string): Author | undefined {
  const [kind, id] = by.split(':');
  if (kind === 'user') return { kind };
  return (kind === 'agent' || kind === 'source') && id ? { kind, id } : undefined;
}

export const filterOf = (community: string | null, { by, unread }: Choice): FeedFilter => {
  const author = authorOf(by);
  return { ...(community && { community }), ...(author && { author }), unread };
};
