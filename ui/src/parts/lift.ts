/**
 * Picking something up with the pointer: after 4 px of travel or a press of
 * 250 ms, so that a click stays a click. Esc puts it back.
 *
 * Pointer events, not the browser's own dragging, which differs between web
 * views. Knows neither what is carried nor what may take it.
 */

export type Lift = {
  begin: (x: number, y: number) => void;
  /** The pointer moved; `over` is the element below it that has `data-drop`. */
  move: (x: number, y: number, over: string | null) => void;
  drop: () => void;
  cancel: () => void;
};

const travelPx = 4;
const pressMs = 250;
const edgePx = 32;

/** An attachment for the element that is picked up. */
export function lifts(lift: Lift): (element: HTMLElement) => () => void {
  return (element) => {
    let pointer: number | null = null;
    let start = { x: 0, y: 0 };
    let at = start;
    let carrying = false;
    let travelled = false;
    let press: ReturnType<typeof setTimeout> | undefined;
    let rolling = 0;

    function down(event: PointerEvent) {
      if (event.button !== 0 || pointer !== null) return;
      pointer = event.pointerId;
      start = at = { x: event.clientX, y: event.clientY };
      travelled = false;
      press = setTimeout(begin, pressMs);
      window.addEventListener('pointermove', moved);
      window.addEventListener('pointerup', up);
      window.addEventListener('pointercancel', cancelled);
      window.addEventListener('keydown', key, true);
    }

    function begin() {
      clearTimeout(press);
      if (carrying) return;
      carrying = true;
      document.getSelection()?.removeAllRanges();
      document.documentElement.classList.add('carrying');
      lift.begin(at.x, at.y);
      rolling = requestAnimationFrame(roll);
    }

    function moved(event: PointerEvent) {
      if (event.pointerId !== pointer) return;
      at = { x: event.clientX, y: event.clientY };
      travelled ||= Math.hypot(at.x - start.x, at.y - start.y) >= travelPx;
      if (travelled) begin();
      if (!carrying) return;
      event.preventDefault();
      tell();
    }

    function tell() {
      const over = document.elementFromPoint(at.x, at.y)?.closest<HTMLElement>('[data-drop]');
      lift.move(at.x, at.y, over?.dataset['drop'] ?? null);
    }

    /** Scrolls a list whose edge the pointer is near. */
    function roll() {
      const scroller = document.elementFromPoint(at.x, at.y)?.closest<HTMLElement>('[data-rolls]');
      if (scroller) {
        const box = scroller.getBoundingClientRect();
        const step = at.y < box.top + edgePx ? -8 : at.y > box.bottom - edgePx ? 8 : 0;
        if (step !== 0) {
          scroller.scrollTop += step;
          tell();
        }
      }
      rolling = requestAnimationFrame(roll);
    }

    function up(event: PointerEvent) {
      if (event.pointerId !== pointer) return;
      // Who held it where it was has clicked slowly.
      if (!travelled) return putBack();
      const dropped = carrying;
      end();
      if (!dropped) return;
      // The click that follows belongs to the drop, not to what lies below.
      const swallow = (click: MouseEvent) => {
        click.preventDefault();
        click.stopPropagation();
      };
      window.addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener('click', swallow, true), 0);
      lift.drop();
    }

    function cancelled(event: PointerEvent) {
      if (event.pointerId === pointer) putBack();
    }

    function key(event: KeyboardEvent) {
      if (event.key !== 'Escape' || !carrying) return;
      event.preventDefault();
      event.stopPropagation();
      putBack();
    }

    function putBack() {
      const was = carrying;
      end();
      if (was) lift.cancel();
    }

    function end() {
      clearTimeout(press);
      cancelAnimationFrame(rolling);
      document.documentElement.classList.remove('carrying');
      pointer = null;
      carrying = false;
      window.removeEventListener('pointermove', moved);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', cancelled);
      window.removeEventListener('keydown', key, true);
    }

    const noNative = (event: DragEvent) => event.preventDefault();
    element.addEventListener('pointerdown', down);
    element.addEventListener('dragstart', noNative);
    return () => {
      putBack();
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('dragstart', noNative);
    };
  };
}
