import { afterEach, describe, expect, it, vi } from 'vitest';
import { close, find, open, pass, press, say } from './window.kit';

afterEach(() => {
  vi.restoreAllMocks();
  return close();
});

const cards = () => [...document.querySelectorAll<HTMLElement>('[data-testid=queued]')];
const waiting = () => cards().map((card) => card.querySelector('.trunc')?.textContent);
const card = (text: string) => {
  const found = cards().find((one) => one.textContent?.includes(text));
  if (!found) throw new Error(`${text} does not wait`);
  return found;
};

/** Three messages that wait for a long answer. */
async function queue() {
  const backend = await open();
  await say('Tell me something long');
  await pass(300);
  for (const text of ['one', 'two', 'three']) await say(text);
  expect(waiting()).toEqual(['one', 'two', 'three']);
  return backend;
}

describe('messages that wait', () => {
  it('are moved by keys: Space picks one up, arrows carry it, Space drops it and Escape puts it back', async () => {
    const { world } = await queue();
    card('three').focus();
    press(card('three'), ' ');
    expect(find('queue-voice').textContent).toContain('Arrows move it');
    press(card('three'), 'ArrowUp');
    await pass(0);
    expect([waiting(), find('queue-voice').textContent]).toEqual([['one', 'three', 'two'], 'Place 2 of 3']);
    expect(document.activeElement).toBe(card('three'));
    press(card('three'), 'Escape');
    await pass(0);
    expect(waiting()).toEqual(['one', 'two', 'three']);
    // It was no wish to stop whoever answers.
    expect([...world.runs.values()].some((run) => run.state === 'running')).toBe(true);

    press(card('three'), ' ');
    for (let n = 0; n < 4; n += 1) press(card('three'), 'ArrowUp');
    press(card('three'), ' ');
    await pass(50);
    expect([waiting(), document.activeElement]).toEqual([['three', 'one', 'two'], card('three')]);
    press(card('three'), 'ArrowDown');
    expect(document.activeElement).toBe(card('one'));
  });

  it('are moved by their menu', async () => {
    await queue();
    const menu = card('one').querySelector<HTMLElement>('[data-testid=queued-menu]');
    menu?.focus();
    if (menu) press(menu, 'Enter');
    await pass(100);
    const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
    expect(items.map((item) => [item.textContent?.trim(), item.getAttribute('aria-disabled')])).toEqual([
      ['Move earlier', 'true'],
      ['Move later', 'false'],
    ]);
    items[1]?.focus();
    if (items[1]) press(items[1], 'Enter');
    await pass(500);
    expect(waiting()).toEqual(['two', 'one', 'three']);
  });

  it('come back to their place where one was removed, and go out so', async () => {
    const backend = await queue();
    const remove = async (text: string) => {
      card(text).querySelector<HTMLElement>('[data-testid=queued-remove]')?.click();
      await pass(50);
    };
    await remove('two');
    expect([waiting(), find('toast').textContent]).toEqual([
      ['one', 'three'],
      expect.stringContaining('The waiting message is removed'),
    ]);
    find('toast-undo').click();
    await pass(50);
    expect(waiting()).toEqual(['one', 'two', 'three']);
    await pass(1000);
    expect(cards().map((one) => one.dataset['kept'])).toEqual(['true', 'true', 'true']);

    await remove('three');
    press(document.body, 'z', { ctrlKey: true });
    await pass(50);
    expect(waiting()).toEqual(['one', 'two', 'three']);

    find('stop').click();
    await pass(3000);
    find('stop').click();
    await pass(3000);
    const said = backend.world.messages.flatMap(({ author, body }) =>
      author.kind === 'user' && body.kind === 'text' ? [body.text] : [],
    );
    expect(said.slice(0, 3)).toEqual(['Tell me something long', 'one', 'two']);
  });

  it('go out at once where one comes back when the answers are complete', async () => {
    const backend = await open();
    await say('Tell me something long');
    await pass(300);
    await say('one');
    find('queued-remove').click();
    await pass(50);
    find('stop').click();
    await pass(1000);
    expect(find('toast').textContent).toContain('removed');
    find('toast-undo').click();
    await pass(1000);
    expect(cards()).toEqual([]);
    expect(backend.world.messages.some(({ body }) => body.kind === 'text' && body.text === 'one')).toBe(true);
  });

  it('are carried by the pointer to where they are dropped, and go out so', async () => {
    const backend = await queue();
    const point = (kind: string, on: EventTarget, y: number) =>
      on.dispatchEvent(new PointerEvent(kind, { pointerId: 1, button: 0, clientY: y, bubbles: true }));
    document.elementFromPoint = () => card('one');
    point('pointerdown', card('three'), 90);
    point('pointermove', window, 10);
    await pass(0);
    expect([waiting(), card('three').classList.contains('lifted')]).toEqual([['three', 'one', 'two'], true]);
    point('pointerup', window, 10);
    await pass(50);
    expect([waiting(), card('three').classList.contains('lifted')]).toEqual([['three', 'one', 'two'], false]);
    find('stop').click();
    await pass(3000);
    const said = backend.world.messages.flatMap(({ author, body }) =>
      author.kind === 'user' && body.kind === 'text' ? [body.text] : [],
    );
    expect(said.slice(0, 2)).toEqual(['Tell me something long', 'three']);
  });
});
