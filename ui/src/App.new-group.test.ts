import { afterEach, describe, expect, it } from 'vitest';
import type { Command } from './api/generated';
import type { Fake } from './api/fake';
import { close, composer, find, open, pass, press } from './window.kit';

afterEach(close);

function begun(backend: Fake): Command[] {
  const heard: Command[] = [];
  const ask = backend.ask.bind(backend);
  backend.ask = (call, id) => {
    if ('command' in call && call.command.kind === 'new_group_from') heard.push(call.command);
    return ask(call, id);
  };
  return heard;
}

/** By its first letters, as a list that is closed takes them. */
async function begin(letters: string): Promise<void> {
  find('new-group').click();
  await pass(500);
  for (const letter of letters) press(find('new-group-template'), letter);
  await pass(100);
}

async function create(): Promise<void> {
  find('new-group-dialog').querySelector('form')?.requestSubmit();
  await pass(100);
}

describe('a new group', () => {
  it('begins as a template of the person’s own and is called so', async () => {
    const backend = await open();
    const commands = begun(backend);
    await begin('du');
    expect(find('new-group-begins').textContent).toContain('Two, and no judge.');
    expect(find('new-group-dialog').textContent).toContain('Left empty, it is called Duel at dawn.');
    await create();
    expect(commands).toEqual([{ kind: 'new_group_from', template: 'duel', name: 'Duel at dawn' }]);
  });

  it('has the cursor where one writes in it, once it is made', async () => {
    await open();
    find('new-group').focus();
    await begin('du');
    await create();
    await pass(500);
    expect(document.activeElement).toBe(composer());
    expect(find('group-page').dataset['group']).toBe('Duel at dawn');
  });

  it('gives the focus back where none is made', async () => {
    await open();
    find('new-group').focus();
    await begin('');
    press(document.activeElement as HTMLElement, 'Escape');
    await pass(500);
    expect(document.activeElement).toBe(find('new-group'));
  });

  it('says which file cannot be used, in the reader’s language', async () => {
    const backend = await open();
    await begin('');
    expect(find('template-wrong').textContent).toBe(
      'Group template templates/groups/dusk.yaml:1:1: members is missing',
    );
    const appearance = { ...backend.world.settings.appearance, language: 'zh' as const };
    await backend.ask({ command: { kind: 'change_settings', patch: { appearance } } }, 'zh');
    await pass(100);
    expect(find('template-wrong').textContent).toBe('群组模板 templates/groups/dusk.yaml 不能使用');
  });
});
