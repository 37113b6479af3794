/**
 * What scrolls begins at its top whenever it shows something else.
 *
 * `{@attach fromTop(which)}` runs again when `which` is another one, and only then: a row
 * more or less in the same list moves nobody.
 */
export function fromTop(which: unknown): (element: HTMLElement) => void {
  void which;
  return (element) => {
    element.scrollTop = 0;
  };
}
