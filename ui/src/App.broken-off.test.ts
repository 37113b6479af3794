import { afterEach, expect, it } from 'vitest';
import { close, find, has, open, pass, say } from './window.kit';

afterEach(close);

const text = (of: Element) => of.textContent?.replace(/\s+/g, ' ').trim() ?? '';

it('what an agent had written when its turn broke off stands folded in its row, and how it goes on', async () => {
  await open();
  await say('break off');
  await pass(6000);
  expect(text(find('run-failed'))).toContain('Nothing was posted.');
  expect(text(find('had-written'))).toBe('What it had written 7 words');
  expect(find('retry').title).toBe('Ada works again, and answers what waits for it from the beginning');
  find('had-written').querySelector('button')?.click();
  await pass(50);
  expect(text(find('had-written'))).toContain('Start with what would change your mind');
  expect(text(find('had-written'))).toContain('“Try again” has it answer from the beginning.');
});

it('there is no such line where nothing was written', async () => {
  await open();
  await say('please fail');
  await pass(6000);
  expect([has('run-failed'), has('had-written')]).toEqual([true, false]);
});
