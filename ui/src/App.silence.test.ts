import { afterEach, describe, expect, it } from 'vitest';
import { close, find, has, open, pass, press, say } from './window.kit';

afterEach(close);

const text = (of: Element) => of.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];

describe('a turn that ended without words', () => {
  it('shows below its quiet line what was done and thought in it, and what that cost', async () => {
    const backend = await open();
    await say('look quietly');
    await pass(3000);
    expect(text(find('quiet-line'))).toMatch(/^Ada, Otto and Bo stayed silent/);
    const did = find('did-silently');
    expect(text(did)).toMatch(/^Ada Thoughts 4 words calculator/);
    expect(all('tool-line').map((one) => did.contains(one))).toEqual([true]);
    expect(did.querySelector('[data-testid=receipt-tokens]')).not.toBeNull();

    backend.world.forget();
    await pass(1000);
    expect(all('tool-line')).toHaveLength(1);
    expect(has('receipt')).toBe(true);
  });

  it('keeps its tool lines when it is stopped before it says something', async () => {
    await open();
    find('roster-agent', 'Ada').click();
    await pass(500);
    await say('calculate');
    await pass(500);
    expect(all('tool-line')).toHaveLength(1);
    press(document.body, 'Escape');
    await pass(3000);
    expect(has('streaming')).toBe(false);
    expect(text(find('quiet-line'))).toContain('Ada stayed silent: stopped by you');
    const did = find('did-silently');
    expect(all('tool-line').map((one) => did.contains(one))).toEqual([true]);
    // Whose it is stands in the line above.
    expect(did.querySelector('b')).toBeNull();
  });

  it('says whose it is where several were silent', async () => {
    await open();
    await say('@Ada @Otto look quietly');
    await pass(8000);
    expect(all('did-silently').map((one) => one.querySelector('b')?.textContent)).toEqual(['Ada', 'Otto']);
  });

  it('has no lines where nothing was done, and tells with every reason what it cost', async () => {
    await open();
    await say('silence, please');
    await pass(3000);
    expect([has('quiet-line'), has('did-silently')]).toEqual([true, false]);
    find('quiet-line').querySelector('button')?.click();
    await pass(50);
    expect(find('did-silently').querySelector('[data-testid=receipt-tokens]')).not.toBeNull();
    expect(has('doings')).toBe(false);
  });
});
