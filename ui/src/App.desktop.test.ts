import { afterEach, describe, expect, it, vi } from 'vitest';
import { faultOf, type Stand } from './api/backend';
import { fake, type Fake } from './api/fake';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { close, find, groupNamed, has, openOver, pass } from './window.kit';

afterEach(close);

/** A desktop around the window, with what it was told. */
async function withDesktop(): Promise<{ backend: Fake; stands: Stand[]; link: (to: string) => Promise<void> }> {
  vi.useFakeTimers();
  window.innerWidth = 1280;
  localStorage.clear();
  const stands: Stand[] = [];
  let on: (link: string) => void = () => undefined;
  let starts = false;
  const backend = fake({ pause: () => Promise.resolve() });
  backend.desktop = {
    stand: (stand) => Promise.resolve(void stands.push(stand)),
    startsWithSystem: () => Promise.resolve(starts),
    startWithSystem: (wanted) => {
      if (starts) return Promise.reject(faultOf('the folder is read-only'));
      starts = wanted;
      return Promise.resolve();
    },
    links: (hear) => {
      on = hear;
      return () => undefined;
    },
    quit: () => Promise.resolve(),
  };
  await openOver(backend);
  await pass(50);
  return {
    backend,
    stands,
    link: async (to) => {
      on(to);
      await pass(50);
    },
  };
}

const click = async (id: string) => {
  find(id).click();
  await pass(50);
};

describe('the desktop', () => {
  it('is told how everybody stands in the language of the window, each time it is otherwise', async () => {
    const { backend, stands } = await withDesktop();
    expect(stands.at(-1)).toMatchObject({ works: 'Nobody works', pause: 'Pause everybody', stays: false });
    const before = stands.length;
    const { world } = backend;
    world.save({ table: 'settings', row: { ...world.settings, all_paused: true } });
    await pass(100);
    expect(stands).toHaveLength(before + 1);
    expect(stands.at(-1)).toMatchObject({ works: 'Everybody rests', pause: 'Have everybody go on', isPaused: true });
    world.save({
      table: 'settings',
      row: { ...world.settings, appearance: { ...world.settings.appearance, language: 'zh' } },
    });
    await pass(100);
    expect(stands.at(-1)?.quit).toBe('退出 Coterie');
  });

  it('has links shown, and what cannot be shown is said', async () => {
    const { backend, link } = await withDesktop();
    await link('coterie://soul/ada');
    await pass(200);
    const group = groupNamed(backend, 'First group');
    await link(`coterie://group/${group}`);
    expect(has('page-conversations')).toBe(true);
    await link('coterie://group/nowhere');
    expect(find('toast').textContent).toContain('coterie://group/nowhere');
    expect(has('page-conversations')).toBe(true);
  });

  it('starts the program with the system as it says itself, and says why it does not', async () => {
    await withDesktop();
    await click('rail-settings');
    await click('settings-desktop');
    await click('desktop-with-system');
    expect(find('desktop-with-system').getAttribute('aria-checked')).toBe('true');
    await click('desktop-with-system');
    expect(find('desktop-with-system').getAttribute('aria-checked')).toBe('true');
    expect(document.body.textContent).toContain('read-only');
    await click('desktop-stays');
    expect(find('desktop-stays').getAttribute('aria-checked')).toBe('true');
  });

  it('is not said to stay when nothing could be changed', async () => {
    const { backend } = await withDesktop();
    const real = backend.ask.bind(backend);
    backend.ask = (call, id) =>
      'command' in call && call.command.kind === 'change_settings'
        ? Promise.reject(faultOf('the disk is full'))
        : real(call, id);
    await click('rail-settings');
    await click('settings-desktop');
    await click('desktop-stays');
    expect(document.body.textContent).toContain('The disk is full');
    expect(find('desktop-stays').getAttribute('aria-checked')).toBe('false');
  });
});
