import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lifts } from './lift';

const told: string[] = [];
let button: HTMLButtonElement;
let leave: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  told.length = 0;
  button = document.body.appendChild(document.createElement('button'));
  button.addEventListener('click', () => told.push('click'));
  document.elementFromPoint = () => null;
  leave = lifts({
    begin: () => told.push('begin'),
    move: () => told.push('move'),
    drop: () => told.push('drop'),
    cancel: () => told.push('cancel'),
  })(button);
});
afterEach(() => {
  leave();
  button.remove();
  vi.useRealTimers();
});

const point = (kind: string, on: EventTarget, x: number) =>
  on.dispatchEvent(new PointerEvent(kind, { pointerId: 1, button: 0, clientX: x, bubbles: true }));

describe('what is pressed', () => {
  it('is clicked when it was held where it is, however long', () => {
    point('pointerdown', button, 0);
    vi.advanceTimersByTime(800);
    point('pointerup', window, 0);
    button.click();
    expect(told).toEqual(['begin', 'cancel', 'click']);
  });

  it('is dropped, and not clicked, when it was carried away', () => {
    point('pointerdown', button, 0);
    point('pointermove', window, 40);
    point('pointerup', window, 40);
    button.click();
    expect(told).toEqual(['begin', 'move', 'drop']);
  });
});
