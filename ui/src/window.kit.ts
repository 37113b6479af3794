/** The window over a workspace in memory, for tests: opened, looked at, written in. */
import { flushSync, mount, unmount } from 'svelte';
import { vi } from 'vitest';
import { fake, type Fake, type Options } from './api/fake';
import type { Run } from './api/generated';
import App from './App.svelte';
import { setLanguage } from './words';

let shown: ReturnType<typeof mount> | undefined;

/** The window over a fake workspace whose clock stands still unless it is moved. */
export async function open(options: Options = {}): Promise<Fake> {
  vi.useFakeTimers();
  // The window reads the clock of the machine; both are to tell the same time.
  if (options.now) vi.setSystemTime(options.now());
  localStorage.clear();
  window.innerWidth = 1280;
  const backend = fake({
    pause: (ms) => (ms === 0 ? Promise.resolve() : new Promise((go) => setTimeout(go, ms))),
    ...options,
  });
  await openOver(backend);
  await pass(50);
  return backend;
}

export async function openOver(backend: Fake): Promise<void> {
  shown = mount(App, { target: document.body, props: { backend } });
  await pass(0);
}

export async function close(): Promise<void> {
  if (shown) await unmount(shown);
  shown = undefined;
  document.body.replaceChildren();
  vi.useRealTimers();
  setLanguage('en');
}

export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  flushSync();
}

export const find = (id: string, name?: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(`[data-testid=${id}]${name ? `[data-name="${name}"]` : ''}`);
  if (!found) throw new Error(`there is no ${id} ${name ?? ''}`);
  return found;
};
export const has = (id: string): boolean => document.querySelector(`[data-testid=${id}]`) !== null;
export const composer = (): HTMLTextAreaElement => find('composer') as HTMLTextAreaElement;

export function write(text: string): void {
  writeIn(composer(), text);
}

export function writeIn(field: HTMLTextAreaElement | HTMLInputElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
}

export function press(on: HTMLElement, key: string, more: KeyboardEventInit & { keyCode?: number } = {}): void {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
  if (more.keyCode !== undefined) Object.defineProperty(event, 'keyCode', { value: more.keyCode });
  on.dispatchEvent(event);
  flushSync();
}

/** Picks from a list that opens. */
export async function choose(list: string, option: string): Promise<void> {
  find(list).click();
  await pass(100);
  const found = [...document.querySelectorAll('[role=option]')].find((one) => one.textContent?.trim() === option);
  found?.dispatchEvent(new PointerEvent('pointerup', { bubbles: true }));
  await pass(500);
}

export async function say(text: string): Promise<void> {
  write(text);
  press(composer(), 'Enter');
  await pass(50);
}

/** A turn that has begun; it goes no further by itself. */
export async function begun(): Promise<{ backend: Fake; run: Run }> {
  const backend = await open();
  await say('hello');
  await pass(300);
  const run = [...backend.world.runs.values()].at(-1);
  if (!run) throw new Error('nothing ran');
  return { backend, run };
}

export const groupNamed = (backend: Fake, name: string): string =>
  [...backend.world.groups.values()].find((one) => one.name === name && one.kind === 'group')?.id ?? '';
export const agentNamed = (backend: Fake, name: string): string =>
  [...backend.world.agents.values()].find((one) => one.name === name)?.id ?? '';

/** Something to remember of the person, or for a group alone. */
export function remember({ answers }: Fake, text: string, group?: string) {
  return answers.memories.add({
    kind: 'fact',
    scope: group ? { kind: 'group', id: group } : { kind: 'user' },
    statement: null,
    tags: [],
    importance: null,
    valid_from_ms: null,
    valid_to_ms: null,
    text,
  });
}
