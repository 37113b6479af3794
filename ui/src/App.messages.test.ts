import { afterEach, describe, expect, it } from 'vitest';
import { close, find, has, open, pass, say } from './window.kit';

afterEach(close);

const message = (author: string) => {
  const found = document.querySelector<HTMLElement>(`[data-testid="message"][data-author="${author}"]`);
  if (!found) throw new Error(`no message of ${author}`);
  return found;
};
async function press(within: HTMLElement, id: string) {
  const button = within.querySelector<HTMLElement>(`[data-testid="${id}"]`);
  if (!button) throw new Error(`no ${id}`);
  button.click();
  await pass(100);
}

describe('a message', () => {
  it('is forgotten after a question that says what goes with it, and a line stays in its place', async () => {
    const backend = await open();
    await say('Which tea?');
    await pass(4000);
    const id = message('user').dataset['message'] ?? '';
    const about = { kind: 'fact', scope: { kind: 'user' }, text: 'Asks for tea', tags: [] } as const;
    const given = { ...about, tags: [], statement: null, importance: null, valid_from_ms: null, valid_to_ms: null };
    const source = { message: id, run: null, tool: null, file: null };
    backend.answers.memories.add(given, { trust: 'person', source });
    await press(message('user'), 'forget-message');
    expect(find('forget-message-dialog').textContent).toContain('Which tea?');
    expect(find('forget-message-memories').textContent).toContain('Asks for tea');
    await press(document.body, 'forget-message-do');
    expect(document.querySelector('[data-testid="message"][data-author="user"]')).toBe(null);
    expect(find('notice-removed').textContent.trim()).toBe('A message was forgotten here');
    expect(backend.answers.memories.of(id)).toEqual([]);
    expect(document.querySelectorAll('[data-testid="message"]')).toHaveLength(1);
  });

  it('stays when the question is answered with no', async () => {
    await open();
    await say('Which tea?');
    await pass(4000);
    await press(message('user'), 'forget-message');
    const no = [...find('forget-message-dialog').querySelectorAll('button')].find(
      (one) => one.textContent.trim() === 'Cancel',
    );
    no?.click();
    await pass(100);
    expect(has('forget-message-dialog')).toBe(false);
    expect(message('user').textContent).toContain('Which tea?');
  });

  it('lets Esc close the signs that were asked for, which stops nobody', async () => {
    const backend = await open();
    await say('Which tea?');
    await pass(4000);
    await say('And which cup?');
    await pass(200);
    expect(has('stop')).toBe(true);
    await press(message('Ada'), 'react');
    const offer = find('message-offer');
    expect(document.activeElement).toBe(offer);
    offer.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
    await pass(100);
    expect(has('message-offer')).toBe(false);
    expect(document.activeElement?.getAttribute('data-testid')).toBe('react');
    await pass(4000);
    const runs = [...backend.world.runs.values()].map((run) => run.state);
    expect(runs).toEqual(['settled', 'settled']);
  });

  it('is reacted to, says who did, and the reaction is taken back', async () => {
    const backend = await open();
    await say('Which tea?');
    await pass(4000);
    expect(has('message-offer')).toBe(false);
    await press(message('Ada'), 'react');
    await press(message('Ada'), 'message-offer');
    expect(find('message-sign').getAttribute('aria-pressed')).toBe('true');
    expect(has('message-offer')).toBe(false);
    // Another one reacts meanwhile.
    const item = message('Ada').dataset['message'] ?? '';
    const bo = [...backend.world.agents.values()].find((one) => one.name === 'Bo');
    const all = [
      { item, sign: '👍', who: { kind: 'user' as const } },
      { item, sign: '👍', who: { kind: 'agent' as const, id: bo?.id ?? '' } },
    ];
    const group = backend.world.messages.find((one) => one.id === item)?.group ?? '';
    backend.world.tell({ event: 'saved', record: { table: 'reactions', row: { group, item, all } } });
    await pass(100);
    expect(find('message-sign').textContent).toBe('👍 2');
    expect(find('message-sign').title).toBe('You and Bo');
    await press(message('Ada'), 'message-sign');
    expect(backend.world.reactions).toEqual([]);
  });
});
