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

/** Where the text stands in each piece of text of this part of the page. */
export function rangesOf(within: Element, text: string): readonly Range[] {
  const wanted = text.toLowerCase();
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && wanted !== ''; node = walker.nextNode()) {
    const said = (node.textContent ?? '').toLowerCase();
    // Letters whose small form is longer would set off the wrong place.
    if (said.length !== node.textContent?.length) continue;
    for (let at = said.indexOf(wanted); at !== -1; at = said.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}
