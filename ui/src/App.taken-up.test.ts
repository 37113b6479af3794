import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Run } from './api/generated';
import { ask } from './api/fake/approvals';
import { askPerson } from './api/fake/questions';
import type { Fake } from './api/fake';
import { begun, close, find, has, openOver, pass } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';
const lines = () =>
  [...document.querySelectorAll<HTMLElement>('[data-testid=tool-line]')].map(
    (line) => `${line.dataset['tool']} ${line.dataset['state']}`,
  );

/** The process ends and begins again: another run goes on with this one, in a window that is opened anew. */
async function takenUp({ backend, run }: { backend: Fake; run: Run }, goesOn: (next: Run) => void): Promise<Run> {
  const { world } = backend;
  await close();
  vi.useFakeTimers();
  world.keep({ table: 'run', row: { ...run, state: 'resumed', ended_ms: world.now() } });
  const [id, seq] = [world.nextId(), Math.max(...[...world.runs.values()].map((one) => one.seq)) + 1];
  const next: Run = { ...run, id, seq, resumes: run.id, attempt: 2, started_ms: world.now() };
  world.keep({ table: 'run', row: next });
  world.step(id, { step: 'woken', by: run.cause.message });
  goesOn(next);
  await openOver(backend);
  await pass(500);
  return next;
}

describe('a turn that was cut off and taken up again', () => {
  it('shows the card that it waits with, and what it has done', async () => {
    const begins = await begun();
    const { world } = begins.backend;
    const of = { run: begins.run.id, agent: begins.run.agent, group: begins.run.group };
    const first = ask(world, of, { tool: 'read_file' });
    world.step(of.run, { step: 'tool_dispatched', call: first.call });
    world.step(of.run, { step: 'tool_returned', call: first.call, state: 'succeeded', text: 'tea' });
    world.keep({ table: 'approval', row: { ...first, state: 'used' } });
    const { call, expires_ms } = ask(world, of);
    const next = await takenUp(begins, ({ id }) => {
      world.step(id, { step: 'approval_asked', call, expires_ms });
    });
    expect(lines()).toEqual(['read_file succeeded', 'write_file asking']);
    expect(text('approval-target')).toBe('/home/you/desk/plan.md');

    find('approval-once').click();
    await pass(50);
    world.step(next.id, { step: 'tool_dispatched', call });
    world.step(next.id, { step: 'tool_returned', call, state: 'succeeded', text: 'written' });
    await pass(500);
    expect(lines()).toEqual(['read_file succeeded', 'write_file succeeded']);
  });

  it('shows the question that it waits with', async () => {
    const begins = await begun();
    const { id: run, agent, group } = begins.run;
    const { call } = askPerson(begins.backend.world, { run, agent, group });
    await takenUp(begins, (next) => begins.backend.world.step(next.id, { step: 'tool_dispatched', call }));
    expect(text('question-text')).toBe('Which tea?');
    expect(has('question-field')).toBe(true);
  });
});
