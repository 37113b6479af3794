/** What is found by words while somebody types: the newest question counts. */
import { faultOf } from '../../api/backend';
import type { Call, Fault, Found, FoundItem, GroupId, Reply } from '../../api/generated';

/** Between two letters of a word nobody wants an answer. */
const pauseMs = 120;

export class EverywhereSearch {
  found = $state.raw<Found>({ items: [], unread: 0 });
  fault = $state.raw<Fault | null>(null);
  /** What `found` or `fault` is the answer to. */
  answered = $state('');

  /** Of the places where something was found, those that are posts of the feed. */
  posts = $state.raw<readonly GroupId[]>([]);

  #ask: (call: Call) => Promise<Reply>;
  #isKnown: (group: GroupId) => boolean;
  /** Those that are no post: a task that has ended. */
  #others: readonly GroupId[] = [];
  #asked = 0;
  #later: ReturnType<typeof setTimeout> | undefined;

  /** What the window knows is a conversation; of the rest it is asked what it is. */
  constructor(ask: (call: Call) => Promise<Reply>, isKnown: (group: GroupId) => boolean) {
    this.#ask = ask;
    this.#isKnown = isKnown;
  }

  /** Looks for so many of each kind. */
  look(text: string, atMost: number): void {
    clearTimeout(this.#later);
    const asked = (this.#asked += 1);
    const wanted = text.trim();
    if (wanted === '') this.#answer('', { items: [], unread: 0 }, null);
    else this.#later = setTimeout(() => void this.#look(wanted, text, atMost, asked), pauseMs);
  }

  async #look(wanted: string, text: string, limit: number, asked: number): Promise<void> {
    const search = { text: text.trimStart(), in: [], group: null, agent: null, limit };
    try {
      const reply = await this.#ask({ query: { kind: 'search', search } });
      if (asked !== this.#asked || reply.kind !== 'found') return;
      await this.#tellPosts(reply.data.items);
      if (asked === this.#asked) this.#answer(wanted, reply.data, null);
    } catch (caught) {
      if (asked === this.#asked) this.#answer(wanted, { items: [], unread: 0 }, faultOf(caught));
    }
  }

  async #tellPosts(items: readonly FoundItem[]): Promise<void> {
    const places = items.flatMap((item) => (item.kind === 'message' ? [item] : []));
    const isFirst = ({ group }: { group: GroupId }, at: number) =>
      places.findIndex((one) => one.group === group) === at;
    const isUnsure = ({ group }: { group: GroupId }) =>
      !this.#isKnown(group) && !this.posts.includes(group) && !this.#others.includes(group);
    const told = places
      .filter(isFirst)
      .filter(isUnsure)
      .map(async ({ group, seq }) => {
        try {
          await this.#ask({ query: { kind: 'feed_item', seq } });
          this.posts = [...this.posts, group];
        } catch (caught) {
          if (faultOf(caught).code === 'not_found') this.#others = [...this.#others, group];
        }
      });
    await Promise.all(told);
  }

  #answer(answered: string, found: Found, fault: Fault | null): void {
    this.found = found;
    this.fault = fault;
    this.answered = answered;
  }
}
