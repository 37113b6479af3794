/**
 * Keeps the focus in the window, which whoever works by keyboard would have to look for
 * from the start: where what has it goes or is moved, what came into its place gets it.
 *
 * One for the whole window; `keepFocus` knows more of a list, and whatever takes the focus
 * by itself keeps it. Of a page that went its successor gets it, at the place to write or
 * the heading. Who presses where nothing can have the focus has put it away.
 */
export function holdFocus(): () => void {
  /** Where it was in each layer, the page first. */
  let places: readonly Place[] = [];
  let moved = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isLost = () => document.activeElement === null || document.activeElement === document.body;

  const watch = new MutationObserver((records) => {
    const control = places.at(-1)?.control;
    if (!control || !isLost()) return;
    moved ||= records.some(({ addedNodes }) => [...addedNodes].some((node) => node.contains(control)));
    // After whoever gives it back by itself.
    timer ??= setTimeout(look, 0);
  });
  watch.observe(document.body, { childList: true, subtree: true });

  function look() {
    timer = undefined;
    const place = places.findLast(({ layer }) => layer?.isConnected ?? true);
    const isWhole = place === places.at(-1) && !moved && canHave(place?.control);
    moved = false;
    if (place && isLost() && !isWhole) handOn(place);
  }

  function reached({ target }: FocusEvent) {
    if (!(target instanceof HTMLElement)) return;
    const layer = target.closest<HTMLElement>(layers);
    const below = layer ? places.filter((one) => one.layer !== layer && (one.layer?.isConnected ?? true)) : [];
    const opener = places.find((one) => one.layer === layer)?.control;
    places = [...below, placeOf(target, layer, opener)];
  }

  function pressed({ target }: Event) {
    if (places.length === 1 && target instanceof Element && !target.closest(takers)) places = [];
  }

  document.addEventListener('focusin', reached);
  document.addEventListener('pointerdown', pressed);
  return () => {
    watch.disconnect();
    clearTimeout(timer);
    document.removeEventListener('focusin', reached);
    document.removeEventListener('pointerdown', pressed);
  };
}

/** What stands over the page and goes again. */
const layers = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

const takers =
  ':is(button, input, textarea, select, a[href], [tabindex]):not(:disabled, [type="hidden"], [aria-hidden="true"])';

/** Where a control stood: what has gone can no longer say it. */
interface Place {
  control: HTMLElement;
  layer: HTMLElement | null;
  /** Where the focus was before, which may have opened what the control was in. */
  opener: HTMLElement | undefined;
  /** Around it, from the inside. */
  trail: readonly Step[];
  /** All that could have had the focus, in order. */
  controls: readonly HTMLElement[];
}

/** A child of an element, and which one it was. */
interface Step {
  within: HTMLElement;
  child: HTMLElement;
  at: number;
}

function placeOf(control: HTMLElement, layer: HTMLElement | null, opener: HTMLElement | undefined): Place {
  const trail: Step[] = [];
  for (let child = control; child.parentElement && child !== layer; child = child.parentElement) {
    const within = child.parentElement;
    trail.push({ within, child, at: [...within.children].indexOf(child) });
  }
  return { control, layer, opener, trail, controls: controlsIn(layer ?? document.body) };
}

/** To the first that takes it: what is hidden does not, and says nothing. */
function handOn(place: Place): void {
  for (const heir of heirsOf(place)) {
    if (!canHave(heir)) continue;
    heir.focus({ preventScroll: true });
    if (document.activeElement === heir) return;
  }
}

/** Who may get it, the nearest first. */
function* heirsOf({ control, opener, trail, controls }: Place): Generator<HTMLElement | null | undefined> {
  yield control;
  for (const { within, child, at } of trail) {
    if (!within.isConnected) continue;
    // The page went; the code of the next one may still be on its way.
    if (!child.isConnected && allIn(child, 'main').length > 0) {
      yield beginOf(within.querySelector('main'));
      return;
    }
    const came = cameInto(within, child, at);
    // A row that was only moved out of sight: the list that has it.
    if (!came && isRow(child)) {
      yield within.closest<HTMLElement>('[tabindex="0"]');
      return;
    }
    if (opener && !child.matches('li, tr, [data-index]') && within.contains(opener)) yield opener;
    if (came) yield* inPlaceOf(control, child, came, controls);
    yield* beside(control, within, controls);
  }
}

/** A long list draws only what is in sight, and says which row each is. */
const isRow = (child: HTMLElement) => child.dataset['index'] !== undefined;

function cameInto(within: HTMLElement, child: HTMLElement, at: number): Element | null | undefined {
  if (child.isConnected) return child;
  if (isRow(child)) return within.querySelector(`:scope > [data-index="${child.dataset['index']}"]`);
  return within.children[Math.min(at, within.children.length - 1)];
}

/** What does the same in there, or what comes first there, or what stands where the control stood. */
function inPlaceOf(
  control: HTMLElement,
  before: HTMLElement,
  after: Element,
  controls: readonly HTMLElement[],
): readonly (HTMLElement | undefined)[] {
  const now = controlsIn(after);
  const { testid } = control.dataset;
  const nth = controls.filter((one) => before.contains(one)).indexOf(control);
  return [
    now.find((one) => testid !== undefined && one.dataset['testid'] === testid),
    now.find((one) => one.matches('[data-region-first]')),
    now[Math.min(nth, now.length - 1)],
  ];
}

/** Those left of what stood there: the ones after it, then the ones before. */
function beside(control: HTMLElement, within: HTMLElement, controls: readonly HTMLElement[]): readonly HTMLElement[] {
  const at = controls.indexOf(control);
  const before = controls.slice(0, Math.max(at, 0)).reverse();
  return [...controls.slice(at + 1), ...before].filter((one) => within.contains(one));
}

function canHave(control: HTMLElement | null | undefined): control is HTMLElement {
  return control?.isConnected === true && control.matches(takers);
}

function controlsIn(element: Element): HTMLElement[] {
  return allIn(element, takers);
}

/** In there, or itself. */
function allIn(element: Element, which: string): HTMLElement[] {
  const inside = [...element.querySelectorAll<HTMLElement>(which)];
  return element instanceof HTMLElement && element.matches(which) ? [element, ...inside] : inside;
}

/** Where one writes, or what names it. */
function beginOf(main: HTMLElement | null): HTMLElement | undefined {
  const first = main?.querySelector<HTMLElement>('[data-region-first]');
  if (!main || first) return first ?? undefined;
  const heading = main.querySelector<HTMLElement>('h1') ?? main;
  heading.tabIndex = -1;
  return heading;
}
