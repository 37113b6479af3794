import { afterEach, describe, expect, it, vi } from 'vitest';
import { toast } from './parts/toast.svelte';
import { close, find, has, open, pass, press as hit, say } from './window.kit';

afterEach(() => {
  toast.dismiss();
  vi.restoreAllMocks();
  return close();
});

const said = () =>
  [...document.querySelectorAll<HTMLElement>('[data-testid="message"]')].map(
    (one) => `${one.dataset['author']}: ${one.querySelector('[data-testid="body"]')?.textContent?.trim() ?? ''}`,
  );
const message = (author: string, at: number) => {
  const all = document.querySelectorAll<HTMLElement>(`[data-testid="message"][data-author="${author}"]`);
  const one = [...all].at(at);
  if (!one) throw new Error(`no message of ${author}`);
  return one;
};
async function press(within: HTMLElement, id: string) {
  const button = within.querySelector<HTMLElement>(`[data-testid="${id}"]`);
  if (!button) throw new Error(`no ${id}`);
  button.click();
  await pass(50);
}
async function write(text: string) {
  const area = find('edit-text') as HTMLTextAreaElement;
  area.value = text;
  area.dispatchEvent(new Event('input', { bubbles: true }));
  await pass(50);
}

describe('a message', () => {
  it('is edited where it stands, is answered anew, and both versions can be shown', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    const before = said();
    expect(before).toHaveLength(2);
    await press(message('user', 0), 'edit-message');
    await write('Which coffee?');
    await press(document.body, 'edit-send');
    await pass(4000);
    expect(said()[0]).toBe('user: Which coffee?');
    expect(said()).toHaveLength(2);
    expect(find('version').textContent).toBe('2/2');
    await press(document.body, 'version-before');
    await pass(500);
    expect(said()).toEqual(before);
    expect(find('version').textContent).toBe('1/2');
    expect((find('version-before') as HTMLButtonElement).disabled).toBe(true);
  });

  it('leaves the way to its other versions where it is forgotten', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    const before = said();
    await press(message('user', 0), 'edit-message');
    await write('Which coffee?');
    await press(document.body, 'edit-send');
    await pass(4000);
    await press(message('user', 0), 'forget-message');
    await press(document.body, 'forget-message-do');
    await pass(500);
    expect(find('notice-removed').textContent).toContain('A message was forgotten here');
    expect(find('version').textContent).toBe('2/2');
    await press(document.body, 'version-before');
    await pass(500);
    expect(said()).toEqual(before);
  });

  it('is sent with Enter as in the composer, and Shift+Enter makes a new line', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    await press(message('user', 0), 'edit-message');
    await write('Which coffee?');
    const enter = (more: KeyboardEventInit) => {
      const event = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more });
      find('edit-text').dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(enter({ shiftKey: true })).toBe(false);
    expect(has('edit-text')).toBe(true);
    expect(enter({})).toBe(true);
    await pass(4000);
    expect(has('edit-text')).toBe(false);
    expect(said()[0]).toContain('Which coffee?');
  });

  it('is left as it is with Escape', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    const before = said();
    await press(message('user', 0), 'edit-message');
    await write('Which coffee?');
    find('edit-text').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    await pass(50);
    expect(has('edit-text')).toBe(false);
    expect(said()).toEqual(before);
  });

  it('is left as it is while somebody answers, who goes on until Escape where one writes to them', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    await say('a long one');
    await pass(300);
    expect(has('stop')).toBe(true);
    await press(message('user', 0), 'edit-message');
    const escape = () => new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true });
    find('edit-text').dispatchEvent(escape());
    await pass(200);
    expect([has('edit-text'), has('stop')]).toEqual([false, true]);
    find('composer').dispatchEvent(escape());
    await pass(200);
    expect(has('stop')).toBe(false);
  });

  it('of an agent is answered again, and of nobody else', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    expect(message('user', 0).querySelector('[data-testid="answer-again"]')).toBeNull();
    const author = said()[1]?.split(':')[0] ?? '';
    await press(message(author, 0), 'answer-again');
    await pass(4000);
    expect(said()).toHaveLength(2);
    expect(find('version').textContent).toBe('2/2');
  });

  /** Two questions and their answers; gives who answers. */
  async function twice(): Promise<string> {
    // All of it is in sight.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(2000);
    await say('Which tea?');
    await pass(4000);
    const author = said()[1]?.split(':')[0] ?? '';
    await say('And which coffee?');
    await pass(4000);
    return author;
  }

  it('says where others followed it that they are with the other version, and goes back there', async () => {
    const { world } = await open();
    const author = await twice();
    const group = world.messages.at(-1)?.group ?? '';
    const before = world.messagesOf(group);
    expect(before).toHaveLength(4);
    await press(message(author, 0), 'answer-again');
    await pass(500);
    expect(find('toast').textContent).toContain('2 later messages are kept with the other version');
    await press(find('toast'), 'toast-undo');
    await pass(100);
    expect(world.messagesOf(group)).toEqual(before);
    expect(find('toast').textContent).toContain('The earlier answer is back, with 2 later messages');
  });

  it('says of an edit too how many are kept with the other version, and goes back there', async () => {
    const { world } = await open();
    await twice();
    const group = world.messages.at(-1)?.group ?? '';
    const before = world.messagesOf(group);
    await press(message('user', 0), 'edit-message');
    await write('Which cake?');
    await press(document.body, 'edit-send');
    await pass(4000);
    expect(said()[0]).toBe('user: Which cake?');
    expect(find('toast').textContent).toContain('3 later messages are kept with the other version');
    await press(find('toast'), 'toast-undo');
    await pass(100);
    expect(world.messagesOf(group)).toEqual(before);
    expect(find('toast').textContent).toContain('Your earlier words are back, with 3 later messages');
  });

  it('says nothing of the kind where nothing followed, and no longer once it is not so', async () => {
    await open();
    const author = await twice();
    await press(message(author, -1), 'answer-again');
    await pass(4000);
    expect(has('toast')).toBe(false);
    await press(message(author, 0), 'answer-again');
    await pass(4000);
    expect(has('toast')).toBe(true);
    await press(document.body, 'version-before');
    await pass(1000);
    expect(has('toast')).toBe(false);
  });

  it('has its versions by the arrows, wherever the focus is in it, and each is told', async () => {
    const backend = await open();
    await say('Which tea?');
    await pass(4000);
    const author = said()[1]?.split(':')[0] ?? '';
    for (let n = 0; n < 2; n += 1) {
      await press(message(author, 0), 'answer-again');
      await pass(4000);
    }
    // Where it takes a while, too.
    const { ask } = backend;
    backend.ask = async (...call) => {
      await new Promise((go) => setTimeout(go, 40));
      return ask.apply(backend, call);
    };
    const arrow = async (key: string, more: KeyboardEventInit = {}) => {
      hit(document.activeElement as HTMLElement, key, more);
      await pass(600);
      return [find('version').textContent, document.activeElement?.closest('[role=group]')?.getAttribute('aria-label')];
    };
    message(author, 0).querySelector<HTMLElement>('[data-testid="quote"]')?.focus();
    expect(await arrow('ArrowRight')).toEqual(['3/3', undefined]);
    expect(await arrow('ArrowLeft', { shiftKey: true })).toEqual(['3/3', undefined]);
    expect(await arrow('ArrowLeft')).toEqual(['2/3', 'Version 2 of 3']);
    expect(find('version-voice').textContent).toContain('Version 2 of 3: ');
    expect(await arrow('ArrowLeft')).toEqual(['1/3', 'Version 1 of 3']);
    expect(await arrow('ArrowLeft')).toEqual(['1/3', 'Version 1 of 3']);
    expect(await arrow('ArrowRight')).toEqual(['2/3', 'Version 2 of 3']);
  });

  it('is where another conversation begins', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    const before = said();
    const name = find('group-page').dataset['group'];
    await press(message('user', 0), 'fork');
    await pass(500);
    expect(find('group-page').dataset['group']).not.toBe(name);
    expect(said()).toEqual(before.slice(0, 1));
  });
});
