import { afterEach, describe, expect, it, vi } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { close, composer, find, has, open, openOver, pass, press } from './window.kit';

afterEach(close);

const focused = () => (document.activeElement instanceof HTMLElement ? document.activeElement : document.body);
async function hit(key: string, more: KeyboardEventInit & { keyCode?: number } = {}) {
  press(focused(), key, more);
  await pass(50);
}
const ctrl = { ctrlKey: true };
const shown = (act: string) => find('shortcut', act).textContent?.trim();
const refused = () => (has('shortcut-refused') ? find('shortcut-refused').textContent?.trim() : null);

async function summon() {
  await hit('/', ctrl);
  expect(has('shortcuts')).toBe(true);
}
/** Asks for other keys for what the row does. */
async function change(act: string) {
  find('shortcut', act).focus();
  find('shortcut', act).click();
  await pass(0);
}
async function leave() {
  await hit('Escape');
  expect(has('shortcuts')).toBe(false);
}

describe('the keys of the window', () => {
  it('are changed by pressing others, which work at once, after a new start, and where keys are told', async () => {
    const backend = await open();
    composer().focus();
    await summon();
    expect(shown('palette')).toBe('Ctrl K');
    await change('palette');
    expect(shown('palette')).toBe('Press the new keys');
    await hit('Control', ctrl);
    await hit('P', { ...ctrl, shiftKey: true });
    expect([shown('palette'), refused(), has('palette')]).toEqual(['Ctrl Shift P', null, false]);
    expect(find('rail-search').title).toContain('(Ctrl Shift P)');
    await leave();

    await hit('k', ctrl);
    expect(has('palette')).toBe(false);
    await hit('P', { ...ctrl, shiftKey: true });
    expect(has('palette')).toBe(true);

    await close();
    vi.useFakeTimers();
    await openOver(backend);
    await pass(50);
    expect(find('rail-search').title).toContain('(Ctrl Shift P)');
  });

  it('look everywhere for words by Ctrl Shift F, until others do', async () => {
    await open();
    await summon();
    expect(shown('search')).toBe('Ctrl Shift F');
    await change('search');
    await hit('e', ctrl);
    await leave();
    await hit('F', { ...ctrl, shiftKey: true });
    expect(has('palette')).toBe(false);
    await hit('e', ctrl);
    expect(has('palette')).toBe(true);
  });

  it('that are taken are named with what they do, and nothing is changed', async () => {
    await open();
    await summon();
    await change('find');
    await hit('k', ctrl);
    expect(refused()).toBe('Ctrl K is “Search everywhere” already. Press other keys, or change that first.');
    expect(has('palette')).toBe(false);
    await hit('g', ctrl);
    expect([shown('find'), refused()]).toEqual(['Ctrl G', null]);
    await change('palette');
    await hit('f', ctrl);
    expect(shown('palette')).toBe('Ctrl F');
    find('shortcut-reset').click();
    await pass(0);
    expect(shown('palette')).toBe('Ctrl K');
  });

  it('cannot be those that write something or that writing needs', async () => {
    await open();
    await summon();
    await change('find');
    await hit('x');
    expect(refused()).toContain('Hold Ctrl as well');
    await hit('@', { ctrlKey: true, altKey: true });
    expect(refused()).toContain('Hold Ctrl as well');
    for (const [key, more, told] of [
      ['c', ctrl, 'Ctrl C'],
      ['s', ctrl, 'Ctrl S'],
      ['z', ctrl, 'Ctrl Z'],
      ['ArrowLeft', ctrl, 'Ctrl ←'],
      ['F6', {}, 'F6'],
    ] as const) {
      await hit(key, more);
      expect(refused()).toBe(`${told} is needed for writing or by the system. Press other keys.`);
    }
    await hit('F2');
    expect([shown('find'), refused()]).toEqual(['F2', null]);
  });

  it('are not taken from a word that is being composed', async () => {
    await open();
    await summon();
    await change('find');
    await hit('g', { ...ctrl, isComposing: true });
    await hit('g', { ...ctrl, keyCode: 229 });
    await hit('Process', ctrl);
    expect([shown('find'), refused()]).toEqual(['Press the new keys', null]);
  });

  it('stay as they were on Escape, Tab and a look elsewhere, and the page stays open', async () => {
    await open();
    await summon();
    await change('find');
    await hit('Escape');
    expect([has('shortcuts'), shown('find')]).toEqual([true, 'Ctrl F']);
    await change('find');
    await hit('Tab');
    expect(shown('find')).toBe('Ctrl F');
    await change('find');
    find('shortcut', 'undo').focus();
    await pass(0);
    expect(shown('find')).toBe('Ctrl F');
    await leave();
  });

  it('go back to what they were at first, one by one and all together', async () => {
    await open();
    await summon();
    for (const [act, key] of [
      ['find', 'g'],
      ['left', 'l'],
      ['settings', 'i'],
    ] as const) {
      await change(act);
      await hit(key, ctrl);
    }
    expect(['find', 'left', 'settings'].map(shown)).toEqual(['Ctrl G', 'Ctrl L', 'Ctrl I']);
    find('shortcut-reset').click();
    await pass(0);
    expect(shown('find')).toBe('Ctrl F');
    find('shortcuts-reset').click();
    await pass(0);
    expect(['find', 'left', 'settings'].map(shown)).toEqual(['Ctrl F', 'Ctrl B', 'Ctrl ,']);
    expect([has('shortcuts-reset'), localStorage.getItem('coterie.shortcuts')]).toEqual([false, null]);
    await leave();
    await hit(',', ctrl);
    expect(has('page-settings')).toBe(true);
  });

  it('that were kept but cannot be are those of the first start', async () => {
    const backend = await open();
    for (const [kept, palette] of [
      ['{"palette":"Ctrl P"}', 'Ctrl P'],
      ['{"palette":"Ctrl F"}', 'Ctrl K'],
      ['{"palette":"x"}', 'Ctrl K'],
      ['{"palette":7}', 'Ctrl K'],
      ['null', 'Ctrl K'],
      ['{', 'Ctrl K'],
    ] as const) {
      await close();
      localStorage.setItem('coterie.shortcuts', kept);
      vi.useFakeTimers();
      await openOver(backend);
      await pass(50);
      expect(find('rail-search').title, kept).toContain(`(${palette})`);
    }
  });

  it('are told in Chinese too', async () => {
    const backend = await open();
    backend.answers.command({
      kind: 'change_settings',
      patch: { appearance: { ...backend.world.settings.appearance, language: 'zh' } },
    });
    await pass(50);
    await summon();
    await change('find');
    await hit('k', ctrl);
    expect(refused()).toBe('Ctrl K 已用于“全局搜索”。换别的键，或先改掉那一个。');
  });
});
