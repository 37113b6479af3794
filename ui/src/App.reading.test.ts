import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/runs/RunsPage.svelte';
import { close, composer, find, has, open, pass, press, say } from './window.kit';

// What stands on a page has no height here, but a list that is seen has.
beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(200);
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(10_000);
});
afterEach(async () => {
  await close();
  vi.restoreAllMocks();
});

const click = async (id: string, name?: string) => {
  find(id, name).click();
  await pass(600);
};
const list = () => find('transcript');
async function scroll(to: number) {
  list().scrollTop = to;
  list().dispatchEvent(new Event('scroll'));
  await pass(50);
}

describe('the place in a conversation', () => {
  async function long() {
    const backend = await open();
    for (let n = 0; n < 4; n += 1) {
      await say(`Which tea is number ${n}?`);
      await pass(4000);
    }
    return backend;
  }

  it('is where the reader left it, after a run and after another conversation', async () => {
    const backend = await long();
    const here = find('group-page').dataset['group'];
    await scroll(301);
    await click('receipt-why');
    expect(has('transcript')).toBe(false);
    press(document.body, 'ArrowLeft', { altKey: true });
    await pass(300);
    expect([list().scrollTop, document.activeElement]).toEqual([301, list()]);
    await click('roster-agent', 'Ada');
    const id = [...backend.world.groups.values()].find((one) => one.name === here)?.id ?? '';
    backend.answers.command({ kind: 'post', group: id, text: 'And now?', reply_to: null, attachments: [] });
    await pass(4000);
    await click('roster-group', here);
    expect(list().scrollTop).toBe(301);
    expect(find('new-below').textContent).toContain('2');
  }, 30_000);

  it('has the marks beside it lead to what the person said around there', async () => {
    await open({ start: 'many' });
    await pass(1000);
    const marks = () => [...document.querySelectorAll<HTMLElement>('[data-testid=jump]')].map(({ title }) => title);
    const atTheEnd = marks();
    expect(atTheEnd.at(-1)).toContain('Question 5000');
    await scroll(2000);
    await pass(1000);
    expect(marks()).toHaveLength(atTheEnd.length);
    expect(marks().filter((one) => atTheEnd.includes(one))).toEqual([]);
    const inSight = [...document.querySelectorAll('[data-testid=message][data-author=user]')];
    expect(inSight.some((one) => marks().some((mark) => one.textContent?.includes(mark.slice(0, 14))))).toBe(true);
  });

  describe('among ten thousand messages', () => {
    const numbers = () =>
      [...document.querySelectorAll('[data-testid=message] [data-testid=body]')].flatMap((one) => {
        const number = /Question (\d+)/.exec(one.textContent ?? '')?.[1];
        return number ? [Number(number)] : [];
      });
    async function many() {
      await open({ start: 'many' });
      await pass(1000);
      list().focus();
    }
    /** Each page takes its time. */
    async function slowly() {
      const backend = await open({ start: 'many' });
      await pass(1000);
      list().focus();
      const { ask } = backend;
      backend.ask = async (...call) => {
        await new Promise((go) => setTimeout(go, 200));
        return ask.apply(backend, call);
      };
    }
    const go = async (key: string) => {
      press(list(), key);
      await pass(300);
      return list().scrollTop;
    };

    it('goes by a page, to the start and to the end with the keys', async () => {
      await slowly();
      const end = list().scrollTop;
      expect(await go('PageUp')).toBe(end - 176);
      expect(has('new-below')).toBe(true);
      expect(await go('PageUp')).toBe(end - 352);
      expect(await go('PageDown')).toBe(end - 176);
      const first = 4951;
      press(list(), 'Home');
      await pass(50);
      expect(numbers()).toContain(first);
      await go('End');
      expect([numbers().at(-1), has('new-below')]).toEqual([5000, false]);
    });

    it('reads on to the first message of all where Home is pressed', async () => {
      await slowly();
      press(list(), 'Home');
      await pass(1000);
      expect(find('rising').textContent).toContain('Loading earlier messages');
      expect(numbers()).not.toContain(1);
      await pass(30_000);
      expect([numbers()[0], list().scrollTop, has('rising')]).toEqual([1, 0, false]);
    }, 60_000);

    it('reads on no further once anything else is done', async () => {
      await slowly();
      for (const other of [
        () => press(document.body, 'Shift'),
        () => list().dispatchEvent(new Event('wheel', { bubbles: true })),
        () => void click('rail-runs'),
      ]) {
        press(list(), 'Home');
        await pass(1000);
        expect(has('rising')).toBe(true);
        other();
        await pass(1000);
        expect(has('rising')).toBe(false);
        expect(numbers()).not.toContain(1);
      }
    }, 60_000);

    it('leaves these keys to what is written in, and to what scrolls by itself', async () => {
      await many();
      await scroll(2000);
      find('edit-message').click();
      await pass(50);
      press(find('edit-text'), 'Home');
      await pass(300);
      expect(list().scrollTop).toBe(2000);
      const inside = find('edit-text').closest<HTMLElement>('article');
      if (inside) inside.style.overflowY = 'auto';
      press(find('edit-cancel'), 'Home');
      await pass(300);
      expect(list().scrollTop).toBe(2000);
      if (inside) inside.style.overflowY = '';
      press(find('edit-cancel'), 'PageDown');
      await pass(300);
      expect(list().scrollTop).toBe(2176);
    });

    it('stays where it is when an older page is put in front, and takes one page only', async () => {
      await many();
      await scroll(0);
      await pass(3000);
      const now = list().scrollTop;
      expect(now).toBe(100 * 96);
      expect(numbers()).toContain(4951);
      await pass(3000);
      expect(list().scrollTop).toBe(now);
    });
  });

  it('is the end for who was there', async () => {
    await long();
    const end = list().scrollTop;
    expect(end).toBeGreaterThan(400);
    await click('rail-runs');
    await click('rail-conversations');
    expect([list().scrollTop, document.activeElement, has('new-below')]).toEqual([end, composer(), false]);
  }, 30_000);
});
