import { flushSync } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { agentNamed, close, find, open, pass, press, say, writeIn } from './window.kit';

afterEach(close);

const paragraphs = (n: number) => Array.from({ length: n }, (_, at) => `Paragraph ${at + 1}.`).join('\n\n');
const bodies = () => [...document.querySelectorAll<HTMLElement>('[data-testid=message] [data-testid=body]')];
const isFolded = (body: Element | undefined) => body?.querySelector('.folded') !== null;
const button = (body: Element | undefined) => body?.querySelector<HTMLElement>('[data-testid=show-all]');

describe('a long message', () => {
  it('shows its beginning, all of it, and its beginning again', async () => {
    await open();
    await say('a short one');
    await pass(6000);
    await say(paragraphs(60));
    await pass(1000);
    const short = bodies()[0];
    const long = bodies().find((one) => one.textContent?.includes('Paragraph 60'));
    expect([isFolded(short), button(short)]).toEqual([false, null]);
    expect([isFolded(long), button(long)?.textContent]).toEqual([true, 'Show all']);
    button(long)?.click();
    await pass(50);
    expect([isFolded(long), button(long)?.textContent]).toEqual([false, 'Show less']);
    button(long)?.click();
    await pass(50);
    expect(isFolded(long)).toBe(true);
  });

  it('that was read while it was written stays whole', async () => {
    const backend = await open();
    await say('hello');
    await pass(300);
    const { world } = backend;
    const run = [...world.runs.values()].find((one) => one.agent === agentNamed(backend, 'Ada'));
    if (!run) throw new Error('nobody answers');
    expect(find('streaming').dataset['run']).toBe(run.id);
    await pass(5000);
    const said = world.messages.find((one) => one.run === run.id);
    if (!said) throw new Error('nothing was said');
    world.save({ table: 'message', row: { ...said, body: { kind: 'text', text: paragraphs(60), cut_short: false } } });
    await pass(100);
    const answer = bodies().at(-1);
    expect([isFolded(answer), button(answer)?.textContent]).toEqual([false, 'Show less']);
  });

  it('opens when words are found in it', async () => {
    await open();
    await say(`${paragraphs(60)}\n\nThe kettle is under the stairs.`);
    await pass(3000);
    expect(isFolded(bodies()[0])).toBe(true);
    press(document.body, 'f', { ctrlKey: true });
    await pass(50);
    writeIn(find('find-text') as HTMLInputElement, 'kettle');
    await pass(400);
    flushSync();
    expect(isFolded(bodies()[0])).toBe(false);
  });
});
