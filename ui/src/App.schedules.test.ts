import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/schedules/SchedulesPage.svelte';
import { close, find, has, open, pass, writeIn } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const field = (id: string) => {
  const found = find(id);
  return (found.matches('input,textarea') ? found : found.querySelector('input,textarea')) as HTMLTextAreaElement;
};
const click = async (id: string) => {
  find(id).click();
  await pass(500);
};
const act = async (name: string) => {
  await click('schedule-acts');
  const item = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find((one) =>
    one.textContent?.includes(name),
  );
  item?.click();
  await pass(500);
};

async function make(words: string) {
  await click('schedule-new');
  writeIn(field('schedule-text'), 'What is due today?');
  writeIn(field('schedule-words'), words);
  await pass(500);
  await click('schedule-make');
}

describe('schedules', () => {
  it('are made of a sentence, which is said back with the next times', async () => {
    await open();
    await click('rail-schedules');
    await click('schedule-new');
    writeIn(field('schedule-text'), 'What is due today?');
    writeIn(field('schedule-words'), 'every weekday at 9');
    await pass(500);
    expect(text('schedule-dialog')).toContain('every weekday at 09:00. Next:');
    await click('schedule-make');
    expect(has('schedule-dialog')).toBe(false);
    expect(text('schedule-times')).toBe('every weekday at 09:00');
    expect(text('schedule')).toContain('“What is due today?”, in Ada');
    expect(text('schedule-next')).toMatch(/^Next: .* · .* · /);
  });

  it('say at once what is not understood, and keep it', async () => {
    await open();
    await click('rail-schedules');
    await make('when pigs fly');
    expect(text('schedule-dialog')).toContain('says no times that can be understood');
    expect(has('schedule')).toBe(false);
  });

  it('are paused, given now and removed', async () => {
    await open();
    await click('rail-schedules');
    await make('every 2 hours');
    expect(text('schedule-times')).toBe('every 2 hours');
    await act('Pause');
    expect(has('schedule-paused')).toBe(true);
    await act('Go on');
    expect(has('schedule-paused')).toBe(false);
    await act('Give it now');
    expect(text('schedule-lately')).toContain('given');
    await act('Remove');
    expect(has('schedule')).toBe(false);
  });

  it('come back as they were when their removal is undone', async () => {
    await open();
    await click('rail-schedules');
    await make('every weekday at 9');
    await act('Pause');
    const before = text('schedule');
    await act('Remove');
    expect(has('schedule')).toBe(false);
    expect(text('toast')).toContain('Ada’s schedule is removed: every weekday at 09:00');
    await click('toast-undo');
    expect(text('schedule')).toBe(before);
    expect(has('schedule-paused')).toBe(true);
    expect(text('toast')).toBe('Undone: Ada’s schedule is removed: every weekday at 09:00');
  });

  it('are not removed without a question when their only time has passed', async () => {
    await open({ now: Date.now });
    await click('rail-schedules');
    await make('in 20 minutes');
    await pass(21 * 60_000);
    await act('Remove');
    expect(text('ask-first')).toContain('This is lost: “What is due today?”');
    expect(has('schedule')).toBe(true);
    await click('ask-first-do');
    expect([has('schedule'), has('ask-first')]).toEqual([false, false]);
  });

  it('rest with everybody, and go on', async () => {
    const backend = await open();
    await click('rail-schedules');
    await click('pause-all');
    expect(has('all-paused')).toBe(true);
    expect([...backend.world.agents.values()].map((agent) => agent.state)).not.toContain('idle');
    await click('resume-all');
    expect(has('all-paused')).toBe(false);
    expect([...backend.world.agents.values()].map((agent) => agent.state)).toContain('idle');
  });

  it('tell in the conversation what they told the agent', async () => {
    await open();
    await click('rail-schedules');
    await make('every 2 hours');
    await act('Give it now');
    await click('rail-conversations');
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
    rows.find((row) => row.textContent?.includes('Ada'))?.click();
    await pass(300);
    expect(text('notice-scheduled')).toBe('By schedule, to Ada: What is due today?');
  });
});
