import axe from 'axe-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Drop } from './api/backend';
import { fake, type Fake } from './api/fake';
import type { Command } from './api/generated';
import { close, composer, find, has, open, openOver, pass, press, write } from './window.kit';

afterEach(close);

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const bytes = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const cat = () => new File([bytes(png)], 'cat.png', { type: 'image/png' });
const notes = () => new File(['# Tea\n茶'], 'notes.md', { type: 'text/markdown' });
const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];

function posts(backend: Fake): Extract<Command, { kind: 'post' }>[] {
  const heard: Extract<Command, { kind: 'post' }>[] = [];
  const ask = backend.ask.bind(backend);
  backend.ask = (call, id) => {
    if ('command' in call && call.command.kind === 'post') heard.push(call.command);
    return ask(call, id);
  };
  return heard;
}

/** As a browser does it, which a test has no clipboard for. */
async function paste(files: readonly File[], text = ''): Promise<boolean> {
  const event = new Event('paste', { bubbles: true, cancelable: true });
  Object.defineProperty(event, 'clipboardData', { value: { files, getData: () => text } });
  composer().dispatchEvent(event);
  await settle();
  return event.defaultPrevented;
}

/** A file is read in the browser's own time, which no clock of a test moves. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) {
    vi.useRealTimers();
    await new Promise((done) => setTimeout(done, 5));
    vi.useFakeTimers();
    await pass(20);
  }
}

describe('files in a message', () => {
  it('are pasted, shown, taken away again and sent with the words', async () => {
    const backend = await open();
    const sent = posts(backend);
    expect(await paste([cat(), notes()])).toBe(true);
    expect(all('attached').map((one) => one.dataset['name'])).toEqual(['cat.png', 'notes.md']);
    expect((find('thumbnail') as HTMLImageElement).src).toBe(`data:image/png;base64,${png}`);
    all('attached-remove')[1]?.click();
    await pass(50);
    write('what is this?');
    press(composer(), 'Enter');
    await pass(100);
    expect(sent.map(({ text, attachments }) => [text, attachments?.map(({ name }) => name)])).toEqual([
      ['what is this?', ['cat.png']],
    ]);
    expect(has('attachments')).toBe(false);
    const said = document.querySelector('[data-testid=message][data-author=user] [data-testid=attached]');
    expect(said?.getAttribute('data-kind')).toBe('png');
    expect(said?.querySelector('img')?.alt).toBe('cat.png');
  });

  it('stand in a place as large as they will be drawn, before they are', async () => {
    const image = HTMLImageElement.prototype;
    const known = ['decode', 'naturalWidth', 'naturalHeight'].map(
      (name) => [name, Object.getOwnPropertyDescriptor(image, name)] as const,
    );
    try {
      Object.defineProperty(image, 'decode', { configurable: true, value: () => Promise.resolve() });
      Object.defineProperty(image, 'naturalWidth', { configurable: true, value: 600 });
      Object.defineProperty(image, 'naturalHeight', { configurable: true, value: 300 });
      await open();
      await paste([cat()]);
      press(composer(), 'Enter');
      await pass(100);
      const said = document.querySelector('[data-testid=message][data-author=user] [data-testid=thumbnail]');
      expect([said?.getAttribute('width'), said?.getAttribute('height')]).toEqual(['320', '160']);
    } finally {
      for (const [name, was] of known) {
        if (was) Object.defineProperty(image, name, was);
        else Reflect.deleteProperty(image, name);
      }
    }
  });

  it('may say it all without a word', async () => {
    const backend = await open();
    const sent = posts(backend);
    expect((find('send') as HTMLButtonElement).disabled).toBe(true);
    await paste([cat()]);
    expect((find('send') as HTMLButtonElement).disabled).toBe(false);
    press(composer(), 'Enter');
    await pass(100);
    expect(sent).toHaveLength(1);
  });

  it('are told about when they cannot be shown, and the others stay', async () => {
    await open();
    await paste([new File([new Uint8Array([80, 75, 3, 4, 0])], 'a.zip'), cat()]);
    expect(all('attached').map((one) => one.dataset['name'])).toEqual(['cat.png']);
    expect(find('toast').textContent).toContain('The file a.zip is neither a picture');
  });

  it('take a long text that is pasted, where that is wished, and one that is too long to be sent', async () => {
    const backend = await open();
    const sent = posts(backend);
    const long = 'tea and cake\n'.repeat(400);
    expect(await paste([], long.replaceAll('\n', '\r\n'))).toBe(false);
    write(`What is this?\n${long}`);
    await pass(50);
    find('as-file').click();
    await settle();
    expect(composer().value).toBe('What is this?');
    expect(has('as-file')).toBe(false);
    expect(all('attached').map((one) => one.dataset['name'])).toEqual(['pasted.txt']);
    press(composer(), 'Enter');
    await pass(100);
    expect(sent[0]?.attachments?.map(({ name }) => name)).toEqual(['pasted.txt']);

    write('x'.repeat(40_000));
    await pass(50);
    find('as-file').click();
    await settle();
    expect([composer().value, has('too-long')]).toEqual(['', false]);
  });

  it('leave a text that is pasted a text', async () => {
    await open();
    expect(await paste([cat()], 'from a table')).toBe(false);
    expect(has('attachments')).toBe(false);
  });

  it('wait with their message and come back when it is edited', async () => {
    const backend = await open();
    const sent = posts(backend);
    write('please write something long');
    press(composer(), 'Enter');
    await pass(50);
    await paste([cat()]);
    write('and this?');
    press(composer(), 'Enter');
    await pass(20);
    expect(find('queued').textContent).toContain('1 file');
    find('queued-edit').click();
    await pass(50);
    expect(composer().value).toBe('and this?');
    expect(all('attached').map((one) => one.dataset['name'])).toEqual(['cat.png']);
    expect(sent).toHaveLength(1);
  });

  it('are dropped anywhere on the window', async () => {
    vi.useFakeTimers();
    localStorage.clear();
    const backend = fake({ pause: (ms) => (ms === 0 ? Promise.resolve() : new Promise((go) => setTimeout(go, ms))) });
    let drop: (drop: Drop) => void = () => undefined;
    backend.dropped = (on) => {
      drop = on;
      return () => undefined;
    };
    await openOver(backend);
    await pass(50);
    drop({ kind: 'over' });
    await pass(0);
    expect(has('drop-files')).toBe(true);
    drop({ kind: 'dropped', paths: ['/pictures/cat.png'], read: () => Promise.resolve(cat()) });
    await settle();
    expect(has('drop-files')).toBe(false);
    expect(all('attached').map((one) => one.dataset['name'])).toEqual(['cat.png']);
    await paste([notes()]);
    vi.useRealTimers();
    expect((await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } })).violations).toEqual([]);
  });
});
