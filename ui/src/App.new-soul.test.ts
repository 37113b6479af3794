import { afterEach, describe, expect, it, vi } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/souls/SoulsPage.svelte';
import { close, find, has, open, pass, writeIn } from './window.kit';

afterEach(close);

async function press(id: string) {
  find(id).click();
  await pass(100);
}

async function choose(name: string, text: string) {
  const input = find('import-soul-input') as HTMLInputElement;
  Object.defineProperty(input, 'files', { value: [new File([text], name)], configurable: true });
  input.dispatchEvent(new Event('change', { bubbles: true }));
  // A file is read on the real clock, however long that takes.
  const told = () => find('import-soul').querySelector('[role=alert], [data-testid=import-soul-text]');
  await vi.waitUntil(() => told() !== null, { timeout: 4000 });
  await pass(50);
}

describe('a new soul', () => {
  it('is written out of a name and a sentence', async () => {
    const backend = await open();
    await press('rail-souls');
    await press('new-soul-open');
    writeIn(find('new-soul-name') as HTMLInputElement, 'Mara');
    writeIn(find('new-soul-sentence') as HTMLTextAreaElement, 'A gardener who says what will not grow.');
    await press('new-soul-make');
    expect(backend.world.files.get('mara')).toContain('A gardener who says what will not grow.');
  });

  it('becomes an agent from whatever is open beside it', async () => {
    const backend = await open();
    await press('rail-souls');
    await press('new-soul-open');
    writeIn(find('new-soul-name') as HTMLInputElement, 'Mara');
    writeIn(find('new-soul-sentence') as HTMLTextAreaElement, 'A gardener.');
    await press('new-soul-make');
    await pass(500);
    const tab = [...document.querySelectorAll<HTMLElement>('[role=tab]')].find((one) =>
      one.textContent?.includes('History'),
    );
    tab?.click();
    await pass(100);
    await press('soul-make-agent');
    await pass(500);
    expect([...backend.world.agents.values()].some((one) => one.soul === 'mara')).toBe(true);
    expect(has('soul-make-agent')).toBe(false);
  });

  it('is taken out of another program’s file, once it was seen what that comes to', async () => {
    const backend = await open();
    await press('rail-souls');
    await press('new-soul-open');
    await press('new-soul-import');
    const data = { name: 'Aqua', description: 'Keeps a lighthouse.', extensions: { tools: ['shell'] } };
    await choose('aqua.json', JSON.stringify({ spec: 'chara_card_v2', data }));
    expect(find('import-soul-text').textContent).toContain('Keeps a lighthouse.');
    expect(find('import-soul-left').textContent.trim()).toBe(
      'extensions: a file of others does not say what agents may do',
    );
    expect(backend.world.files.has('aqua')).toBe(false);
    await press('import-soul-make');
    expect(backend.world.files.get('aqua')).toContain('Keeps a lighthouse.');
  });

  it('says of a card that is a picture that the picture is not kept', async () => {
    await open();
    await press('rail-souls');
    await press('new-soul-open');
    await press('new-soul-import');
    await choose('aqua.png', JSON.stringify({ data: { name: 'Aqua', description: 'Keeps a lighthouse.' } }));
    expect(find('import-soul-left').textContent.trim()).toBe(
      'The picture: it is not kept, since an agent’s picture is drawn after its name',
    );
  });

  it('is not made of a file that is damaged, and says why', async () => {
    await open();
    await press('rail-souls');
    await press('new-soul-open');
    await press('new-soul-import');
    await choose('aqua.json', '{');
    expect(find('import-soul').textContent).toContain('its JSON is damaged');
  });
});
