import { afterEach, describe, expect, it } from 'vitest';
import type { Fake } from './api/fake';
import { close, find, has, open, pass, say } from './window.kit';

afterEach(close);

const text = (of: Element) => of.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const all = (id: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid=${id}]`)];
const turn = async () => {
  find('thoughts').querySelector('button')?.click();
  await pass(50);
};

/** As forgetting leaves what was written down. */
function redacted({ world }: Fake): void {
  for (const [run, steps] of world.steps)
    world.steps.set(
      run,
      steps.map((step) => (step.step === 'delta' ? { ...step, text: '', reasoning: '' } : step)),
    );
}

describe('what an agent thinks', () => {
  it('is read while it thinks and afterwards, behind the same line above its words', async () => {
    await open();
    await say('think');
    await pass(700);
    expect(find('thoughts').dataset['thinking']).toBe('true');
    expect(text(find('thoughts'))).toBe('Thinking');
    expect(text(find('body'))).not.toContain('Thinking');
    const line = find('thoughts');
    await turn();
    const before = text(find('thought'));
    expect(before).toMatch(/^They ask/);
    await pass(200);
    expect(text(find('thought')).length).toBeGreaterThan(before.length);
    await pass(6000);
    expect(has('streaming')).toBe(false);
    // Opened, it stays open.
    expect(find('thoughts')).toBe(line);
    expect(line.dataset['thinking']).toBe('false');
    expect(text(line)).toMatch(/^Thoughts 20 words They ask what to do first\. What would change their mind\?/);
    expect(line.compareDocumentPosition(find('transcript')) & Node.DOCUMENT_POSITION_CONTAINS).toBeTruthy();
    const body = line.closest('article')?.querySelector('[data-testid=body]');
    expect(body && line.compareDocumentPosition(body) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    // Nobody is read it aloud.
    expect(find('voice').textContent).not.toContain('They ask');
  });

  it('is told thought by thought where it used a tool between them, and says so only while it thinks', async () => {
    await open();
    await say('think twice');
    await pass(2500);
    await turn();
    await pass(6000);
    expect(all('thought').map(text)).toEqual([
      'Better not in my head: I take the calculator.',
      'It says 391. That fits.',
    ]);
    expect(all('thoughts')).toHaveLength(1);
    expect(all('tool-line')).toHaveLength(1);
  });

  it('is there for whoever comes in the middle, and after the window was opened anew', async () => {
    const backend = await open();
    await say('think twice');
    await pass(1200);
    backend.world.forget();
    await pass(500);
    expect(all('thoughts')).toHaveLength(1);
    await pass(6000);
    backend.world.forget();
    await pass(1000);
    expect(text(find('thoughts'))).toMatch(/^Thoughts \d+ words$/);
    await turn();
    expect(all('thought')).toHaveLength(2);
  });

  it('leaves no line where nothing was thought, or its words were forgotten', async () => {
    const backend = await open();
    await say('hello');
    await pass(6000);
    expect(has('thoughts')).toBe(false);
    await say('think');
    await pass(6000);
    expect(has('thoughts')).toBe(true);
    redacted(backend);
    backend.world.forget();
    await pass(1000);
    expect(all('message').length).toBeGreaterThan(1);
    expect(has('thoughts')).toBe(false);
  });

  it('goes at once from the answer to what is forgotten', async () => {
    const backend = await open();
    await say('think');
    await pass(6000);
    const { world } = backend;
    const asked = world.messages.find((one) => one.author.kind === 'user');
    if (!asked) throw new Error('nothing was said');
    redacted(backend);
    world.save({ table: 'message', row: { ...asked, body: { kind: 'notice', notice: { kind: 'removed' } } } });
    await pass(1000);
    expect([all('message').length, has('thoughts')]).toEqual([1, false]);
  });
});
