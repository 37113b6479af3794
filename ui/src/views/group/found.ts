/** Sets words off that were found in a message, without a change to the page. */
import { tick } from 'svelte';
import type { MessageId } from '../../api/generated';
import { unfoldAround } from '../../parts/folds';

/** All of them in a message, and the one that is looked at. */
const [all, one] = ['found', 'found-now'];

/** In this message; nowhere any more without one. */
export function setOff(message: MessageId | null, text: string, nth = 0): void {
  // A browser that knows no such thing shows the message without them set off.
  if (typeof Highlight === 'undefined' || !('highlights' in CSS)) return;
  const ranges = rangesIn(message, text);
  const put = (name: string, those: readonly Range[]) =>
    those.length === 0 ? CSS.highlights.delete(name) : CSS.highlights.set(name, new Highlight(...those));
  put(all, ranges);
  put(one, ranges.slice(nth, nth + 1));
}

/** How often the words stand in a message that is in the page. */
export const countIn = (message: MessageId, text: string): number => rangesIn(message, text).length;

/** Brings the nth of them to the middle, out of a fold too; -1 is the last. */
export async function bringOut(message: MessageId, text: string, nth: number): Promise<void> {
  if (unfoldAround(rangesIn(message, text))) {
    await tick();
    // The list knows a frame later how tall the row is now, and has room for it then.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  }
  const range = rangesIn(message, text).at(nth);
  const around = range?.startContainer.parentElement;
  around?.scrollIntoView({ block: 'center' });
  // What it stands in may be taller than the window, or scroll to the side.
  for (let box = around?.parentElement; range && box; box = box.parentElement) centre(range, box);
}

function centre(range: Range, box: HTMLElement): void {
  const { overflowX, overflowY } = getComputedStyle(box);
  const scrolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll';
  const isTall = scrolls(overflowY) && box.scrollHeight > box.clientHeight;
  const isWide = scrolls(overflowX) && box.scrollWidth > box.clientWidth;
  if (!isTall && !isWide) return;
  const [here, there] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
  if (isTall) box.scrollTop += here.top + here.height / 2 - (there.top + there.height / 2);
  if (isWide && (here.left < there.left || here.right > there.right))
    box.scrollLeft += here.left + here.width / 2 - (there.left + there.width / 2);
}

function rangesIn(message: MessageId | null, text: string): readonly Range[] {
  const within = message ? document.querySelector(`[data-message="${CSS.escape(message)}"] [data-testid=body]`) : null;
  return within ? rangesOf(within, text) : [];
}

/** Where the text stands in this part of the page, also where marks or colours divide it. */
export function rangesOf(within: Element, text: string): readonly Range[] {
  const wanted = plain(text);
  const pieces = piecesOf(within);
  const all = pieces.map((piece) => piece.said).join('');
  const ranges: Range[] = [];
  for (let at = all.indexOf(wanted); at !== -1 && wanted !== ''; at = all.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange();
    const [first, last] = [pieceAt(pieces, at), pieceAt(pieces, at + wanted.length - 1)];
    if (!first?.node || !last?.node) continue;
    range.setStart(first.node, at - first.at);
    range.setEnd(last.node, at + wanted.length - last.at);
    ranges.push(range);
  }
  return ranges;
}

/** A text of the page, at its place in all of them; between two blocks stands an end of a line, which is in no node. */
type Piece = { node: Node | null; at: number; said: string };

const blocks = 'p,li,pre,td,th,h1,h2,h3,h4,h5,h6,blockquote,div';

function piecesOf(within: Element): readonly Piece[] {
  const pieces: Piece[] = [];
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  let at = 0;
  let block: Element | null = null;
  const add = (node: Node | null, said: string) => {
    pieces.push({ node, at, said });
    at += said.length;
  };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const around = node.parentElement?.closest(blocks) ?? null;
    if (pieces.length > 0 && around !== block) add(null, '\n');
    block = around;
    add(node, plain(node.textContent ?? ''));
  }
  return pieces;
}

const pieceAt = (pieces: readonly Piece[], at: number): Piece | undefined =>
  pieces.find((piece) => at >= piece.at && at < piece.at + piece.said.length);

/** In small letters, as many as before: some small forms are longer, and would set off the wrong place. A line's end is a space. */
function plain(text: string): string {
  return text.replace(/[^]/gu, (letter) => {
    const small = /\s/u.test(letter) ? ' ' : letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  });
}
