import axe from 'axe-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Fake } from './api/fake';
import type { Command, McpSetup } from './api/generated';
import { close, composer, find, has, open, pass, press, write, writeIn } from './window.kit';

afterEach(close);

const setup: McpSetup = {
  name: 'notes',
  place: { kind: 'program', command: 'notes', arguments: [], environment: {}, folder: null },
  on: true,
  trusted: false,
  may_sample: false,
  switched_off: [],
};
const click = async (id: string, name?: string) => {
  find(id, name).click();
  await pass(50);
};
const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];

/** The window with a server that is there. */
async function withServer(): Promise<Fake> {
  const backend = await open();
  backend.answers.servers.do({ kind: 'put_server', setup, values: {}, replaces: false });
  await pass(100);
  return backend;
}

function posts(backend: Fake): Extract<Command, { kind: 'post' }>[] {
  const heard: Extract<Command, { kind: 'post' }>[] = [];
  const ask = backend.ask.bind(backend);
  backend.ask = (call, id) => {
    if ('command' in call && call.command.kind === 'post') heard.push(call.command);
    return ask(call, id);
  };
  return heard;
}

describe('what servers have for a message', () => {
  it('is offered only where a server is there', async () => {
    const backend = await open();
    expect(has('from-server-open')).toBe(false);
    backend.answers.servers.do({ kind: 'put_server', setup, values: {}, replaces: false });
    await pass(100);
    expect(has('from-server-open')).toBe(true);
    backend.answers.servers.do({ kind: 'edit_server', server: 'notes', patch: { on: false } });
    await pass(100);
    expect(has('from-server-open')).toBe(false);
  });

  it('is shown with the message under the server’s name', async () => {
    const backend = await withServer();
    const sent = posts(backend);
    await click('from-server-open');
    await click('resource');
    expect(has('from-server')).toBe(false);
    expect(find('attached').textContent).toContain('from notes');
    write('what is this?');
    press(composer(), 'Enter');
    await pass(100);
    expect(sent.map(({ text, attachments }) => [text, attachments?.map(({ from }) => from)])).toEqual([
      ['what is this?', [{ server: 'notes', uri: 'notes://tea.md' }]],
    ]);
    const said = document.querySelector('[data-testid=message][data-author=user] [data-testid=attached]');
    expect(said?.textContent).toContain('from notes');
  });

  it('is read at any address, and why it cannot be is told in place', async () => {
    await withServer();
    await click('from-server-open');
    writeIn(find('resource-address') as HTMLInputElement, 'elsewhere://x');
    await click('resource-read');
    expect(find('from-server').textContent).toContain('nothing is at elsewhere://x');
    writeIn(find('resource-address') as HTMLInputElement, 'notes://milk.md');
    await click('resource-read');
    expect(has('from-server')).toBe(false);
    expect(all('attached')).toHaveLength(1);
  });

  it('becomes the person’s words, with what the prompt asks for filled in', async () => {
    const backend = await withServer();
    const sent = posts(backend);
    write('Be quick.');
    await click('from-server-open');
    await click('prompt', 'review');
    expect((find('prompt-fill') as HTMLButtonElement).disabled).toBe(true);
    writeIn(find('prompt-argument', 'file') as HTMLInputElement, 'a.rs');
    await pass(20);
    await click('prompt-fill');
    expect(composer().value).toBe('Please review.\nfile: a.rs\n\nBe quick.');
    expect(sent).toEqual([]);
    await click('from-server-open');
    await click('prompt', 'greet');
    expect(composer().value).toMatch(/^Please greet\./);
  });

  it('can be used without seeing it', async () => {
    await withServer();
    await click('from-server-open');
    vi.useRealTimers();
    expect((await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } })).violations).toEqual([]);
  });
});
