/**
 * What is long stands folded: its beginning, and a button that shows the rest.
 *
 * A fold is an element with the class `folded` beside its button, whoever made
 * it, so that what is found in one can open it.
 */

/** Longer code and longer texts are folded, by their lines. */
export const longCode = 30;
export const longText = 45;

/** About so many characters stand in a line of a conversation. */
const lineLength = 95;

const rows = '.folded, .md-code.long:not(.open)';

/** How many lines a text takes; long code counts as much as is shown of it. */
export function linesOf(text: string): number {
  let lines = 0;
  let inCode = 0;
  for (const line of text.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) inCode = inCode > 0 ? 0 : 1;
    else if (inCode > 0) inCode += 1;
    if (inCode <= longCode) lines += inCode > 0 ? 1 : Math.max(1, Math.ceil(line.length / lineLength));
  }
  return lines;
}

/** Said before something grows because it was asked to: the reader stays where they are. */
export const growing = 'growing';
export function tellGrowing(element: Element): void {
  element.dispatchEvent(new CustomEvent(growing, { bubbles: true }));
}

/**
 * Said after something came into a row by itself, above what may be read there: the reader stays at
 * their words.
 */
export const pushing = 'pushing';
export function tellPushing(element: Element): void {
  element.dispatchEvent(new CustomEvent(pushing, { bubbles: true }));
}

/** Opens every fold that holds one of these places. Gives whether there was one. */
export function unfoldAround(places: readonly Range[]): boolean {
  const folds = new Set<Element>();
  for (const { startContainer: node } of places) {
    for (let at = node.parentElement?.closest(rows); at; at = at.parentElement?.closest(rows)) folds.add(at);
  }
  for (const fold of folds) buttonOf(fold)?.click();
  return folds.size > 0;
}

function buttonOf(fold: Element): HTMLElement | null {
  return (
    fold.querySelector<HTMLElement>(':scope > .show-all') ??
    fold.parentElement?.querySelector(':scope > .show-all') ??
    null
  );
}
