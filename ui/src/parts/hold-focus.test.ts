import { afterEach, describe, expect, it } from 'vitest';
import { holdFocus } from './hold-focus';

let stop = () => {};
afterEach(() => {
  stop();
  document.body.replaceChildren();
});

const turn = () => new Promise((go) => setTimeout(go, 5));
const at = (id: string) => document.querySelector<HTMLElement>(`[data-testid=${id}]`);
const focused = () => document.activeElement?.getAttribute('data-testid');

/** A list whose rows have a menu each; in a browser nothing that is hidden takes the focus. */
function list(...hidden: readonly string[]) {
  const row = (id: string) =>
    `<li><button data-testid="${id}"></button><button data-testid="${id}-menu"></button></li>`;
  document.body.innerHTML = `<ul>${['a', 'b'].map(row).join('')}</ul><input data-testid="find" />`;
  for (const id of hidden) {
    const one = at(id);
    if (one) one.focus = () => undefined;
  }
  stop = holdFocus();
}

describe('what came into the place of what had the focus', () => {
  it('gets it', async () => {
    list();
    at('a-menu')?.focus();
    at('a')?.parentElement?.remove();
    await turn();
    expect(focused()).toBe('b-menu');
  });

  it('leaves it to what is beside it where it is hidden', async () => {
    list('b-menu');
    at('a-menu')?.focus();
    at('a')?.parentElement?.remove();
    await turn();
    expect(focused()).toBe('b');
  });

  it('leaves it to what is left where nothing of it can be seen', async () => {
    list('b', 'b-menu');
    at('a-menu')?.focus();
    at('a')?.parentElement?.remove();
    await turn();
    expect(focused()).toBe('find');
  });

  it('has what stands around a hidden control get what a dialog gives back to that', async () => {
    list('a-menu');
    const menu = at('a-menu');
    // It could be seen while the dialog was opened from it.
    if (menu) menu.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
    const dialog = document.createElement('div');
    dialog.setAttribute('role', 'dialog');
    dialog.innerHTML = '<button data-testid="cancel"></button>';
    document.body.append(dialog);
    at('cancel')?.focus();
    dialog.remove();
    await turn();
    expect(focused()).toBe('a');
  });
});
