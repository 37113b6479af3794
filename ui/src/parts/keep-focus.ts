/**
 * Keeps the place of whoever works by keyboard: when what has the focus goes, a neighbour gets it.
 *
 * `{@attach keepFocus}` on what holds the rows. The same control of the row that came into the
 * place of the one that went gets it, or of the last row; without a row the first control in here
 * does, which is the one that adds rows, or else the heading. Whatever has taken the focus by
 * itself keeps it. Of two around each other the inner one does it.
 */
export function keepFocus(within: HTMLElement): () => void {
  let had: Place | undefined;
  const watch = new MutationObserver(() => {
    if (!had || had.control.isConnected) return;
    const holder = document.activeElement;
    // These give the focus back when they go, and what they would give it to is gone.
    if (holder?.closest('[role=dialog], [role=alertdialog], [role=menu]')) return;
    const heir = holder === null || holder === document.body ? heirOf(had, within) : undefined;
    forget();
    heir?.focus();
  });
  function forget() {
    had = undefined;
    watch.disconnect();
  }
  function reached(event: FocusEvent) {
    if (kept.has(event)) return forget();
    kept.add(event);
    had = placeOf(event.target as HTMLElement, within);
    // All of the window, as a dialog or a menu stands outside of what opened it.
    watch.observe(document.body, { childList: true, subtree: true });
  }
  within.addEventListener('focusin', reached);
  return () => {
    within.removeEventListener('focusin', reached);
    watch.disconnect();
  };
}

/** What an inner one has seen to. */
const kept = new WeakSet<FocusEvent>();

/** Where a control stood: what has gone can no longer say it. */
interface Place {
  control: HTMLElement;
  row: HTMLElement | null;
  list: HTMLElement | null;
  /** Which of its list the row was. */
  at: number;
}

function placeOf(control: HTMLElement, within: HTMLElement): Place {
  const found = control.closest<HTMLElement>('li, tr');
  const row = found && within.contains(found) ? found : null;
  const list = row?.parentElement ?? null;
  return { control, row, list, at: row && list ? [...list.children].indexOf(row) : 0 };
}

function heirOf({ control, row, list, at }: Place, within: HTMLElement): HTMLElement {
  const rows = list?.isConnected ? [...list.children] : [];
  const next = row?.isConnected ? row : rows[Math.min(at, rows.length - 1)];
  return (next && alike(control, next)) ?? alike(control, within) ?? headingOf(within);
}

/** The control in there that does the same, or the first. */
function alike(control: HTMLElement, among: Element): HTMLElement | undefined {
  const all = [
    ...among.querySelectorAll<HTMLElement>(
      'button:not(:disabled), input:not(:disabled), textarea:not(:disabled), a[href], [tabindex="0"]',
    ),
  ];
  const { testid } = control.dataset;
  return all.find((one) => testid !== undefined && one.dataset.testid === testid) ?? all[0];
}

/** What names it; where nothing does, itself. */
function headingOf(within: HTMLElement): HTMLElement {
  const heading = within.querySelector<HTMLElement>('h1, h2, h3') ?? within;
  heading.tabIndex = -1;
  return heading;
}
