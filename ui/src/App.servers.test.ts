import { afterEach, describe, expect, it, vi } from 'vitest';
import type { McpPlace } from './api/generated';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { close, find, has, open, pass, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const click = async (id: string) => {
  find(id).click();
  await pass(50);
};
const type = async (id: string, value: string) => {
  writeIn(find(id) as HTMLInputElement | HTMLTextAreaElement, value);
  await pass(50);
};

async function page() {
  const backend = await open();
  await click('rail-settings');
  await click('settings-servers');
  return backend;
}

describe('servers', () => {
  it('are added by a form, shown with their tools, switched and removed', async () => {
    const backend = await page();
    await click('server-add');
    await type('server-name', 'memory');
    await type('server-command', 'npx -y "my server"');
    await type('server-values', 'API_KEY=planted');
    await click('server-add-do');
    expect(has('add-server')).toBe(false);
    const [server] = backend.answers.servers.all;
    expect(server?.setup.place).toEqual({
      kind: 'program',
      command: 'npx',
      arguments: ['-y', 'my server'],
      environment: { API_KEY: { kind: 'key', key: 'mcp/memory/API_KEY' } },
      folder: null,
    });
    expect(text('server-facts')).toBe('ready · 2 tools · takes 42 MB of memory · MCP 2025-11-25');
    expect(document.body.innerHTML).not.toContain('planted');

    find('server-tools').querySelector('button')?.click();
    await pass(50);
    expect(text('server-tool')).toContain('memory__read_graph');
    await click('server-tool-on');
    expect(backend.answers.servers.all[0]?.setup.switched_off).toEqual(['read_graph']);
    find('server-log').querySelector('button')?.click();
    await pass(50);
    expect(text('server-lines')).toBe('memory is listening');

    await click('server-on');
    expect(find('server-row').dataset['state']).toBe('off');
    backend.answers.servers.do({ kind: 'remove_server', server: 'memory', forget: false });
    await pass(50);
    expect(has('server-row')).toBe(false);
  });

  it('are not put in the place of one of their name by the form for new ones', async () => {
    const backend = await page();
    for (const command of ['npx tea', 'npx cake']) {
      await click('server-add');
      await type('server-name', 'memory');
      await type('server-command', command);
      await click('server-add-do');
    }
    expect(text('add-server')).toContain('There is a server called memory already');
    expect(backend.answers.servers.all.map(({ setup }) => setup.place)).toMatchObject([{ arguments: ['tea'] }]);
  });

  it('that list two tools of one name show which of them agents get', async () => {
    const backend = await page();
    backend.answers.servers.twice.add('memory');
    const place: McpPlace = { kind: 'program', command: 'memory', arguments: [], environment: {}, folder: null };
    const setup = { name: 'memory', place, on: true, trusted: false, may_sample: false, switched_off: [] };
    backend.answers.servers.do({ kind: 'put_server', setup, values: {}, replaces: false });
    await pass(50);
    find('server-tools').querySelector('button')?.click();
    await pass(50);
    const rows = [...document.querySelectorAll('[data-testid="server-tool"][data-name="read_graph"]')];
    const on = rows.map((row) => row.querySelector('[role="switch"]')?.getAttribute('aria-checked'));
    expect(on).toEqual(['true', 'false']);
    expect(rows[1]?.textContent).toContain('another tool of this name');
  });

  it('of another app are looked at before they are taken in', async () => {
    const backend = await page();
    await click('servers-import');
    await type('servers-json', '{"theme": "dark"}');
    await click('servers-look');
    expect(has('servers-take')).toBe(false);
    expect(text('import-servers')).toContain('No servers can be read from it');
    await type('servers-json', '{"mcpServers": {"one": {"command": "one"}, "two": {"command": "two"}}}');
    await click('servers-look');
    expect(text('servers-found')).toContain('2 servers to be taken in');
    expect(backend.answers.servers.all).toEqual([]);
    await click('servers-take');
    expect(backend.answers.servers.all.map((server) => server.setup.name)).toEqual(['one', 'two']);
  });

  it('of another app keep what they are called there, in whichever letters', async () => {
    await page();
    await click('servers-import');
    await type('servers-json', '{"mcpServers": {"高德地图": {"command": "maps"}}}');
    await click('servers-look');
    expect(text('servers-found')).toContain('高德地图');
    await click('servers-take');
    expect(text('server-row')).toContain('server-1a2b3c');
    expect(text('server-title')).toBe('高德地图');
  });

  it('that ask to sign in show their page once somebody wants it', async () => {
    const opening = vi.spyOn(window, 'open').mockReturnValue(null);
    const backend = await page();
    backend.answers.servers.guarded.add('docs');
    const place = { kind: 'address', url: 'https://example.org/mcp', headers: {} } as const;
    const setup = { name: 'docs', place, on: true, trusted: false, may_sample: false, switched_off: [] };
    backend.answers.servers.do({ kind: 'put_server', setup, values: {}, replaces: false });
    await pass(50);
    expect(opening).not.toHaveBeenCalled();
    await click('server-sign-in');
    expect(opening.mock.calls).toEqual([['https://example.org/sign-in', '_blank', 'noopener,noreferrer']]);
    expect(find('server-row').dataset['state']).toBe('ready');
    opening.mockRestore();
  });
});
