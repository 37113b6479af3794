/** Sets words off that were found in a message, without a change to the page. */
import { tick } from 'svelte';
import type { MessageId } from '../../api/generated';
import { unfoldAround } from '../../parts/folds';

const name = 'found';

/** In this message; nowhere any more without one. */
export function setOff(message: MessageId | null, text: string): void {
  // A browser that knows no such thing shows the message without them set off.
  if (typeof Highlight === 'undefined' || !('highlights' in CSS)) return;
  const ranges = rangesIn(message, text);
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

/** Brings the first of them to the middle, out of a fold too. */
export async function bringOut(message: MessageId, text: string): Promise<void> {
  if (unfoldAround(rangesIn(message, text))) {
    await tick();
    // The list knows a frame later how tall the row is now, and has room for it then.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  }
  rangesIn(message, text)[0]?.startContainer.parentElement?.scrollIntoView({ block: 'center' });
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
