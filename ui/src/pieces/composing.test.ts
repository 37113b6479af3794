import { describe, expect, it } from 'vitest';
import { Composing, sends } from './composing';

describe('Enter', () => {
  const enter = (more: Partial<KeyboardEvent> = {}) =>
    ({
      key: 'Enter',
      shiftKey: false,
      altKey: false,
      ctrlKey: false,
      metaKey: false,
      isComposing: false,
      keyCode: 13,
      timeStamp: 1000,
      ...more,
    }) as KeyboardEvent;

  it('sends, and with Shift does not', () => {
    expect(sends(enter(), new Composing())).toBe(true);
    expect(sends(enter({ shiftKey: true }), new Composing())).toBe(false);
    expect(sends(enter({ key: 'a' }), new Composing())).toBe(false);
  });

  it('never sends while something is composed', () => {
    const composing = new Composing();
    expect(sends(enter({ isComposing: true }), composing)).toBe(false);
    expect(sends(enter({ keyCode: 229 }), composing)).toBe(false);
    composing.started();
    expect(sends(enter(), composing)).toBe(false);
  });

  it('does not send when the composition ended just before the key arrived', () => {
    const composing = new Composing();
    composing.started();
    composing.ended(1000);
    expect(sends(enter({ timeStamp: 1002 }), composing)).toBe(false);
    composing.released();
    expect(sends(enter({ timeStamp: 1010 }), composing)).toBe(true);
  });

  it('sends again later even if the key was never let go', () => {
    const composing = new Composing();
    composing.started();
    composing.ended(1000);
    expect(sends(enter({ timeStamp: 1000 + Composing.afterMs }), composing)).toBe(true);
  });
});
