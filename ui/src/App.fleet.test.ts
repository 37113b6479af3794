import { afterEach, describe, expect, it } from 'vitest';
// A page's code comes when it is first looked at, which no clock of a test can hurry.
import './views/fleet/FleetPage.svelte';
import { objectOf } from './views/fleet/doing';
import { close, find, has, open, pass } from './window.kit';

afterEach(close);

const lines = () =>
  [...document.querySelectorAll<HTMLElement>('[data-testid=fleet-line]')].map((one) =>
    (one.querySelector('.says')?.textContent ?? '').replace(/\s+/g, ' ').trim(),
  );

describe('what everybody is doing now', () => {
  it('stands in one line an agent, and says what came of the last turn', async () => {
    const backend = await open();
    const agent = [...backend.world.agents.values()].find((one) => one.name === 'Ada');
    const group = [...backend.world.groups.values()].find((one) => one.default_agent === agent?.id);
    if (!agent || !group) throw new Error('Ada is there');
    find('rail-fleet').click();
    await pass(300);
    expect(lines()).toContain('Ada has done nothing yet');
    await backend.ask({ command: { kind: 'post', group: group.id, text: 'Hello?', reply_to: null } }, 'r1');
    await pass(8000);
    expect(lines().find((line) => line.startsWith('Ada'))).toBe(`Ada answered in ${group.name} → said something`);
  });

  it('has everybody rest', async () => {
    await open();
    find('rail-fleet').click();
    await pass(300);
    find('pause-all').click();
    await pass(300);
    expect(has('all-paused')).toBe(true);
  });

  it('names what a tool is used on', () => {
    expect(objectOf('{"lines": 3, "path": "notes.md"}')).toBe('notes.md');
    expect(objectOf('{"path": "no')).toBe('');
    expect(objectOf(JSON.stringify({ text: 'x'.repeat(90) }))).toHaveLength(60);
  });
});
