import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/memory/MemoryPage.svelte';
import type { Fake } from './api/fake';
import { agentNamed, close, composer, find, groupNamed, has, open, pass, press, say, write } from './window.kit';

afterEach(close);

const squeezed = (element: Element) => element.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const offered = () => [...document.querySelectorAll('[data-testid=command-option]')].map(squeezed);
const said = ({ world }: Fake) => world.messages.filter(({ author }) => author.kind === 'user').map(({ body }) => body);
async function type(text: string) {
  write(text);
  composer().setSelectionRange(text.length, text.length);
  await pass(0);
}
async function enter(more: KeyboardEventInit = {}) {
  press(composer(), 'Enter', more);
  await pass(400);
}

describe('a slash at the beginning of what is written', () => {
  it('offers what can be done here, does what is picked, and leaves the composer as it was', async () => {
    const backend = await open();
    composer().focus();
    await type('/');
    expect(offered()).toEqual(
      expect.arrayContaining(['Find in this conversation Ctrl F', 'New group Ctrl N', 'Memory']),
    );
    expect(offered()).not.toContain('Conversations');
    expect(composer().getAttribute('aria-controls')).toBe(find('command-list').id);
    press(composer(), 'ArrowDown');
    const chosen = document.querySelector('[data-testid=command-option][aria-selected=true]');
    expect(composer().getAttribute('aria-activedescendant')).toBe(chosen?.id);
    expect(squeezed(chosen ?? document.body)).toBe(offered()[1]);

    await type('/find');
    expect(offered()).toEqual(['Find in this conversation Ctrl F']);
    await enter();
    expect([composer().value, has('command-list'), has('find-bar')]).toEqual(['', false, true]);
    expect(said(backend)).toEqual([]);

    await type('/mem');
    expect(offered()[0]).toBe('Memory');
    await enter();
    expect(has('page-memory')).toBe(true);
  });

  it('offers only what can be done now', async () => {
    const backend = await open();
    await type('/stop');
    expect(offered()).toEqual([]);
    await type('');
    await say('calculate it');
    await type('/stop');
    expect(offered()).toEqual(['Stop the answers Esc']);
    await enter();
    await pass(2000);
    expect([...backend.world.runs.values()].map((run) => run.state)).not.toContain('running');
    await type('/bo speak');
    expect(offered()).toEqual(['Let Bo speak now']);
    await enter();
    const runs = [...backend.world.runs.values()].filter((run) => run.agent === agentNamed(backend, 'Bo'));
    expect(runs.map((run) => run.group)).toEqual([groupNamed(backend, 'First group')]);
  });

  it('is found in both languages, and picks nothing while a word is composed', async () => {
    const backend = await open();
    backend.answers.command({
      kind: 'change_settings',
      patch: { appearance: { ...backend.world.settings.appearance, language: 'zh' } },
    });
    await pass(50);
    for (const text of ['/查找', '、对话中', '／find', '/FIND IN']) {
      await type(text);
      expect(offered(), text).toEqual(['在此对话中查找 Ctrl F']);
    }
    await type('/记忆');
    await enter({ isComposing: true });
    expect([has('page-memory'), composer().value, said(backend)]).toEqual([false, '/记忆', []]);
  });

  it('is only text where it begins a path, or where Escape has closed the list', async () => {
    const backend = await open();
    for (const text of ['/etc/hosts is empty', '/tmp', '/...', '/stop that, Ada']) {
      await type(text);
      expect(offered(), text).toEqual([]);
    }
    await type('/find');
    press(composer(), 'Escape');
    expect([has('command-list'), composer().value]).toEqual([false, '/find']);
    await enter();
    expect(said(backend)).toEqual([expect.objectContaining({ text: '/find' })]);
    // What was closed is open again where it is begun anew.
    await type('/fi');
    expect(offered()).toHaveLength(1);
  });
});
