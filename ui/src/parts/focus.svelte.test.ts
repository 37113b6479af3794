import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import IconButton from './IconButton.svelte';

let shown: ReturnType<typeof mount> | undefined;
afterEach(async () => {
  if (shown) await unmount(shown);
  document.body.replaceChildren();
});

it('a drawing that its own outcome disables keeps the focus, and is disabled once that has gone on', () => {
  let pressed = 0;
  const props = $state({
    icon: 'left' as const,
    label: 'Before',
    disabled: false,
    onclick: () => {
      pressed += 1;
      props.disabled = true;
    },
  });
  shown = mount(IconButton, { target: document.body, props });
  const button = document.querySelector('button') as HTMLButtonElement;
  const states = () => [button.disabled, button.getAttribute('aria-disabled'), pressed];
  button.focus();
  button.click();
  flushSync();
  expect([states(), document.activeElement]).toEqual([[false, 'true', 1], button]);
  button.click();
  flushSync();
  expect(states()).toEqual([false, 'true', 1]);
  button.blur();
  flushSync();
  expect(states()).toEqual([true, null, 1]);
  props.disabled = false;
  flushSync();
  expect(states()).toEqual([false, null, 1]);
});
