import { afterEach, describe, expect, it } from 'vitest';
import type { Approval } from './api/generated';
import { ask } from './api/fake/approvals';
import type { Fake } from './api/fake';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/approvals/ApprovalsPage.svelte';
import './views/settings/SettingsPage.svelte';
import { close, find, has, open, pass, say } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
/** The names and values that stand on its card. */
const given = () =>
  [...find('approval-arguments').querySelectorAll('.fields > *')].map((one) => one.textContent?.trim());
const click = async (id: string) => {
  find(id).click();
  await pass(50);
};

/** An agent wants to write a file, and its run waits. */
async function asks(backend: Fake, more: Partial<Approval> = {}): Promise<Approval> {
  const { world } = backend;
  await say('hello');
  await pass(300);
  const run = [...world.runs.values()].at(-1);
  if (!run) throw new Error('nothing ran');
  const asked = ask(world, { run: run.id, agent: run.agent, group: run.group }, more);
  await pass(500);
  return asked;
}

describe('a question about a risky use', () => {
  it('stands open in its line with what it would touch, and is answered there', async () => {
    const backend = await open();
    const { call } = await asks(backend);
    expect(find('tool-line').dataset['state']).toBe('asking');
    expect(text('approval-target')).toBe('/home/you/desk/plan.md');
    expect(given()).toEqual(['path', 'plan.md', 'content', 'tea']);
    expect(text('approval-risk')).toBe('High risk');
    expect(text('approvals-badge')).toBe('1');
    await click('approval-deny');
    expect(backend.world.approvals.get(call)?.state).toBe('denied');
    expect(has('approval-card')).toBe(false);
    expect(has('approvals-badge')).toBe(false);
    expect(backend.world.grants.size).toBe(0);
  });

  it('shows what a file holds that would be replaced, and what comes in its place', async () => {
    const backend = await open();
    backend.world.onDisk.set('/home/you/desk/plan.md', 'coffee');
    await asks(backend);
    expect(text('approval-change')).toBe('removedcoffeeaddedtea');
    expect(given()).toEqual(['path', 'plan.md']);
  });

  it('shows what the file holds by then when it is asked about again', async () => {
    const backend = await open();
    backend.world.onDisk.set('/home/you/desk/plan.md', 'coffee');
    const asked = await asks(backend);
    backend.world.onDisk.set('/home/you/desk/plan.md', 'coffee and cake');
    backend.world.save({ table: 'approval', row: { ...asked, binding: 'another' } });
    await pass(500);
    expect(text('approval-change')).toBe('removedcoffee and cakeaddedtea');
  });

  it('says of what was not done whether anybody said no', async () => {
    const backend = await open();
    for (const [state, words] of [
      ['denied', 'denied by you'],
      ['expired', 'not answered in time'],
      ['blocked', 'blocked: no agent does this'],
    ] as const) {
      const { call, run } = await asks(backend);
      await click('approval-deny');
      backend.world.step(run, { step: 'tool_returned', call, state, text: 'not done' });
      await pass(500);
      const line = [...document.querySelectorAll<HTMLElement>('[data-testid="tool-line"]')].at(-1);
      expect(line?.dataset['state']).toBe(state);
      expect(line?.textContent).toContain(words);
    }
  });

  it('shows what is not seen, and what would turn the direction of writing', async () => {
    const backend = await open();
    const command = 'ls ; : \u202e\u2066 ; touch x ; : \u2069\u202c';
    await asks(backend, { target: '/srv/a\u202egpj.exe', arguments: { command } });
    expect(text('approval-target')).toBe('/srv/a\\u202egpj.exe');
    expect(text('approval-arguments')).toContain('ls ; : \\u202e\\u2066 ; touch x ; : \\u2069\\u202c');
    await click('rail-approvals');
    await click('approval-deny');
    expect(text('approval-row')).toContain('/srv/a\\u202egpj.exe');
  });

  it('shows a command of several lines as lines, and where they break in its head', async () => {
    const backend = await open();
    const command = 'echo a\nrm -r b \u202e # x';
    await asks(backend, { tool: 'shell', arguments: { command }, target: command });
    const shown = [...find('approval-arguments').querySelectorAll<HTMLElement>('.ln')];
    expect(shown.map((line) => [line.dataset['n'], line.textContent])).toEqual([
      ['1', 'echo a\n'],
      ['2', 'rm -r b \\u202e # x\n'],
    ]);
    expect(text('tool-line')).toContain('echo a⏎rm -r b \\u202e # x');
    expect(has('approval-target')).toBe(false);
  });

  it('says what it is given in the language of the window, of our own tools', async () => {
    const backend = await open({ appearance: { language: 'zh' } });
    await asks(backend, { tool: 'shell', arguments: { command: 'ls', seconds: 5 }, target: 'ls' });
    expect(text('approval-arguments')).toContain('命令 ls');
    expect(given()).toEqual(['秒数', '5']);
    await click('approval-deny');
    await asks(backend, { tool: 'notes__add', arguments: { command: '5', tag: '' }, target: null });
    expect(text('approval-arguments')).toContain('command 5');
    expect(given()).toEqual(['tag', '""']);
  });

  it('says how risky it is, where it would run and whether with the network', async () => {
    const backend = await open();
    backend.answers.skills.roots = ['/home/you/heat', '/home/you/desk'];
    await asks(backend, { tool: 'shell', arguments: { command: 'echo hi; ls /' }, target: null });
    expect(find('approval-card').getAttribute('aria-label')).toBe('Ada wants to run a command');
    expect(text('approval-risk')).toBe('High risk: shell');
    expect(text('approval-where')).toBe('/home/you/heat, no network');
    expect(text('approval-arguments')).toBe('command echo hi; ls /');
    await click('approval-deny');
    await asks(backend, { tool: 'shell_online', arguments: { command: 'curl x' }, target: 'curl x' });
    expect(text('approval-where')).toBe('/home/you/heat, with the whole network');
    await click('approval-deny');
    await asks(backend, { tool: 'notes__add', arguments: { text: 'x' }, target: null });
    expect(text('approval-card')).toContain('Ada wants to use notes__add');
    expect(text('approval-where')).toBe('the server notes, which nothing confines');
  });

  it('shows an edit as a difference, the old before the new', async () => {
    const backend = await open();
    await asks(backend, { tool: 'edit_file', arguments: { new: 'tea\nmilk', old: 'tea\nsugar', path: 'plan.md' } });
    const shown = [...find('approval-change').children].map((line) => [line.className, line.lastChild?.textContent]);
    expect(shown).toEqual([
      ['', 'tea'],
      ['d', 'sugar'],
      ['a', 'milk'],
    ]);
    expect(given()).toEqual(['path', 'plan.md']);
  });

  it('waits under Approvals too, and what is always allowed can be taken back in Settings', async () => {
    const backend = await open();
    const { call, agent, group } = await asks(backend);
    await click('rail-approvals');
    expect(text('approval-card')).toContain('wants to use write_file');
    await click('approval-always');
    expect(backend.world.approvals.get(call)?.state).toBe('allowed');
    expect(find('approval-row').dataset['state']).toBe('allowed');
    const covers = { kind: 'same', target: '/home/you/desk/plan.md' };
    expect([...backend.world.grants.values()]).toMatchObject([
      { agent, group, tool: 'write_file', covers, always: true },
    ]);

    await click('rail-settings');
    await click('settings-grants');
    expect(text('grant-row')).toContain('exactly /home/you/desk/plan.mduntil you revoke itnever');
    await click('grant-revoke');
    expect(has('grant-row')).toBe(false);
    expect(text('toast')).toContain('asks again before it uses write_file. You can allow it again then.');
    expect(backend.world.grants.size).toBe(0);
  });

  it('that was allowed and has not begun can be taken back', async () => {
    const backend = await open();
    const { call } = await asks(backend);
    await click('rail-approvals');
    await click('approval-once');
    expect(text('approval-row')).toContain('allowed, not begun yet');
    await click('approval-take-back');
    expect(backend.world.approvals.get(call)?.state).toBe('denied');
    expect(has('approval-take-back')).toBe(false);
  });

  it('that was answered elsewhere, or too late, says so', async () => {
    const backend = await open();
    const asked = await asks(backend);
    backend.world.approvals.set(asked.call, { ...asked, state: 'expired' });
    await click('approval-once');
    expect(document.body.textContent).toContain('answered already');
  });
});
