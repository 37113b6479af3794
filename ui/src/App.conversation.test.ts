import { afterEach, describe, expect, it, vi } from 'vitest';
import { close, composer, find, has, open, openOver, pass, press, say, write, writeIn } from './window.kit';

afterEach(() => {
  vi.restoreAllMocks();
  return close();
});

const messages = () => [...document.querySelectorAll<HTMLElement>('[data-testid="message"]')];
const bodyOf = (message: HTMLElement | undefined) =>
  message?.querySelector('[data-testid="body"]')?.textContent?.trim();
async function click(within: HTMLElement | undefined, id: string) {
  const button = within?.querySelector<HTMLElement>(`[data-testid="${id}"]`);
  if (!button) throw new Error(`no ${id}`);
  button.click();
  await pass(50);
}
const choose = async (name: string) => {
  find('group-acts').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, button: 0 }));
  await pass(50);
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')];
  items.find((one) => one.textContent.includes(name))?.click();
  await pass(50);
};

describe('a message that is quoted', () => {
  it('stands above what is being written, and then in the message', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    const answer = messages()[1];
    await click(answer, 'quote');
    expect(find('quoted').textContent).toContain(bodyOf(answer)?.slice(0, 20));
    expect(document.activeElement).toBe(composer());
    await say('Why that one?');
    await pass(4000);
    const mine = messages().find((one) => bodyOf(one) === 'Why that one?');
    expect(mine?.querySelector('[data-testid="quoted"]')?.textContent).toContain(bodyOf(answer)?.slice(0, 20));
    expect(document.querySelector('[data-region=composer] [data-testid="quoted"]')).toBeNull();
  });

  it('is there again in the next window, and can be left out', async () => {
    const backend = await open();
    await say('Which tea?');
    await pass(4000);
    await click(messages()[0], 'quote');
    write('and so');
    await pass(1000);
    await close();
    vi.useFakeTimers();
    await openOver(backend);
    await pass(500);
    expect([composer().value, has('unquote')]).toEqual(['and so', true]);
    find('unquote').click();
    await pass(500);
    expect(has('unquote')).toBe(false);
    expect(composer().value).toBe('and so');
  });
});

describe('words in the conversation', () => {
  it('are found from the newest on, and round again', async () => {
    await open();
    for (const text of ['green tea', 'coffee', 'black TEA']) {
      await say(text);
      await pass(4000);
    }
    press(document.body, 'f', { ctrlKey: true });
    await pass(50);
    const field = find('find-text') as HTMLInputElement;
    expect(document.activeElement).toBe(field);
    writeIn(field, 'tea');
    await pass(500);
    const all = Number(/of (\d+)/.exec(find('find-place').textContent)?.[1]);
    expect(all).toBeGreaterThanOrEqual(2);
    expect(find('find-place').textContent).toBe(`1 of ${all}`);
    press(field, 'Enter');
    await pass(200);
    expect(find('find-place').textContent).toBe(`2 of ${all}`);
    press(field, 'Enter', { shiftKey: true });
    press(field, 'Enter', { shiftKey: true });
    await pass(200);
    expect(find('find-place').textContent).toBe(`${all} of ${all}`);
    writeIn(field, 'no such words');
    await pass(500);
    expect(find('find-place').textContent).toBe('Not found');
    press(field, 'Escape');
    await pass(50);
    expect(has('find-bar')).toBe(false);
    expect(document.activeElement).toBe(composer());
  });

  it('are not said to be all where there may be more', async () => {
    const backend = await open();
    await say('green tea');
    await pass(4000);
    const { message = '', seq } = messages()[0]?.dataset ?? {};
    vi.spyOn(backend.answers.conversations, 'occurrences').mockImplementation(({ limit }) =>
      Array.from({ length: limit }, () => ({ message, seq: Number(seq) })),
    );
    press(document.body, 'f', { ctrlKey: true });
    await pass(50);
    writeIn(find('find-text') as HTMLInputElement, 'tea');
    await pass(500);
    expect(find('find-place').textContent).toBe('1 of 1,000+');
  });
});

describe('a conversation', () => {
  it('is written to a file, whose name goes with the format', async () => {
    const backend = await open();
    await say('Which tea?');
    await pass(4000);
    await choose('Export');
    const path = find('export-group-path') as HTMLInputElement;
    expect((find('export-group-do') as HTMLButtonElement).disabled).toBe(true);
    writeIn(path, '/mine/tea.md');
    find('export-group-do').click();
    await pass(50);
    expect(find('export-group-report').textContent).toContain('/mine/tea.md');
    expect(backend.answers.conversations.files.get('/mine/tea.md')).toHaveLength(2);
    find('export-group-close').click();
    await pass(50);
    await choose('Export');
    writeIn(find('export-group-path') as HTMLInputElement, '/mine/tea.md');
    find('export-group-do').click();
    await pass(50);
    expect(document.querySelector('[role=dialog]')?.textContent).toContain('is there already');
  });
});
