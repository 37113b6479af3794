import { afterEach, describe, expect, it, vi } from 'vitest';
import { fake, type Fake, type Options } from './api/fake';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/settings/SettingsPage.svelte';
import { choose, close, composer, find, openOver, pass, press, writeIn } from './window.kit';

afterEach(close);

/** The window in a shell that notes at which size it is to draw. */
async function openIn(backend: Fake, drawn: number[]): Promise<void> {
  vi.useFakeTimers();
  backend.zoom = (percent) => Promise.resolve(void drawn.push(percent));
  await openOver(backend);
  await pass(50);
}

async function opened(options: Options = {}): Promise<{ backend: Fake; drawn: number[] }> {
  localStorage.clear();
  const drawn: number[] = [];
  const backend = fake({ pause: () => Promise.resolve(), ...options });
  await openIn(backend, drawn);
  return { backend, drawn };
}

async function hit(key: string, more: KeyboardEventInit = { ctrlKey: true }): Promise<void> {
  press(composer(), key, more);
  await pass(100);
}

describe('the size of everything', () => {
  it('changes by keys step by step, between a smallest and a largest one, and is kept', async () => {
    const { backend, drawn } = await opened();
    expect(drawn).toEqual([100]);
    await hit('=');
    await hit('+', { ctrlKey: true, shiftKey: true });
    await hit('=', { metaKey: true });
    await hit('-');
    expect(drawn).toEqual([100, 110, 125, 150, 125]);
    expect(backend.world.settings.appearance.zoom_percent).toBe(125);
    await hit('0');
    for (let n = 0; n < 4; n += 1) await hit('-');
    expect(drawn.slice(5)).toEqual([100, 90, 80]);
    for (let n = 0; n < 9; n += 1) await hit('=');
    expect(drawn.at(-1)).toBe(200);
    expect(drawn).toHaveLength(8 + 7);
  });

  it('changes where appearance is set, whoever sets it, and nothing else of it changes', async () => {
    const { backend, drawn } = await opened({ appearance: { theme: 'dark' } });
    find('rail-settings').click();
    await pass(100);
    find('settings-appearance').click();
    await pass(100);
    await choose('setting-zoom', '150 %');
    expect(drawn).toEqual([100, 150]);
    const { world } = backend;
    expect(world.settings.appearance).toMatchObject({ theme: 'dark', zoom_percent: 150 });
    expect(document.body.textContent).toContain('with Ctrl =, Ctrl - and Ctrl 0.');
    const appearance = { ...world.settings.appearance, zoom_percent: 90 };
    world.save({ table: 'settings', row: { ...world.settings, appearance } });
    await pass(100);
    expect(drawn).toEqual([100, 150, 90]);
    expect(find('setting-zoom').textContent).toContain('90 %');
  });

  it('is there from the first moment of the next start, and where the workspace cannot be opened', async () => {
    const { backend } = await opened();
    await hit('=');
    await close();
    const drawn: number[] = [];
    await openIn(fake({ delayMs: 5000 }), drawn);
    expect(drawn).toEqual([110]);
    await close();
    await openIn(fake({ closed: true, pause: () => Promise.resolve() }), drawn);
    expect(drawn).toEqual([110, 110]);
    await close();
    await openIn(backend, drawn);
    expect(drawn).toEqual([110, 110, 110]);
  });

  it('is found in the palette by what it is called elsewhere, as far as it can change', async () => {
    const { drawn } = await opened();
    const options = async () => {
      await hit('k');
      writeIn(find('palette-find') as HTMLInputElement, 'zoom');
      await pass(200);
      return [...document.querySelectorAll('[data-testid=palette-option]')].map((one) =>
        one.textContent?.replace(/\s+/g, ' ').trim(),
      );
    };
    const atItsOwn = await options();
    expect(atItsOwn).toEqual(expect.arrayContaining(['Larger Ctrl =', 'Smaller Ctrl -']));
    expect(atItsOwn).not.toContain('Normal size Ctrl 0');
    press(find('palette-find'), 'Escape');
    await pass(50);
    await hit('=');
    expect(await options()).toContain('Normal size Ctrl 0');
    expect(drawn).toEqual([100, 110]);
  });
});
