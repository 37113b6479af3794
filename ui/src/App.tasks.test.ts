import { afterEach, describe, expect, it } from 'vitest';
import type { Agent, Group, Run } from './api/generated';
import { ask } from './api/fake/approvals';
import { askPerson } from './api/fake/questions';
import type { Fake } from './api/fake';
// Pages' code comes when they are first looked at, which no clock of a test can hurry.
import './views/approvals/ApprovalsPage.svelte';
import './views/settings/SettingsPage.svelte';
import { begun, close, find, has, pass } from './window.kit';

afterEach(close);

const text = (id: string) => find(id).textContent?.replace(/\s+/g, ' ').trim() ?? '';

/** Somebody is given a task in a run, and begins it. */
function gives({ world }: Fake, by: Run, name: string): Run {
  const call = world.nextId();
  const written = JSON.stringify({ to: name, task: 'count' });
  world.step(by.id, { step: 'tool_proposed', call, model_id: 'c', tool: 'delegate', arguments: written });
  world.step(by.id, { step: 'tool_dispatched', call });
  const like = (found: Agent | undefined) => {
    if (!found) throw new Error('there is nobody');
    return found;
  };
  const parent = like(world.agents.get(by.agent));
  const at = world.now();
  const soul = name.toLowerCase();
  const child: Agent = { ...parent, id: world.nextId(), name: `${name}2`, soul, parent: parent.id, created_ms: at };
  world.save({ table: 'agent', row: { ...child, state: 'waiting_approval' } });
  const [first] = world.groups.values();
  if (!first) throw new Error('there is no group');
  const task: Group = {
    ...first,
    id: world.nextId(),
    name: `${child.name}: task`,
    kind: 'task',
    default_agent: child.id,
  };
  world.save({ table: 'group', row: task });
  const seq = Math.max(...[...world.runs.values()].map((one) => one.seq)) + 1;
  const run: Run = { ...by, id: world.nextId(), seq, agent: child.id, group: task.id };
  world.save({ table: 'run', row: run });
  return run;
}

const of = ({ id, agent, group }: Run) => ({ run: id, agent, group });
const lines = () =>
  [...document.querySelectorAll<HTMLElement>('[data-testid=tool-line]')].map((line) => [
    line.querySelector('.note-end')?.textContent,
    line.querySelectorAll('[data-testid=approval-card]').length,
  ]);

describe('what is asked in a task', () => {
  it('stands in the conversation in which that was given, with the use that did', async () => {
    const { backend, run } = await begun();
    gives(backend, run, 'Ann');
    const task = gives(backend, run, 'Gus');
    await pass(100);
    expect(lines()).toEqual([
      ['running', 0],
      ['running', 0],
    ]);
    const { call } = ask(backend.world, of(task));
    await pass(500);
    expect(lines()).toEqual([
      ['running', 0],
      ['Gus2 waits for your answer', 1],
    ]);
    expect(find('given-by').textContent).toContain('gave it this task in');
    expect(has('given-in')).toBe(false);
    const group = backend.world.groups.get(run.group);
    const giver = backend.world.agents.get(run.agent)?.name;
    const needs = [...document.querySelectorAll<HTMLElement>('[data-row]')]
      .filter((row) => row.querySelector('.prev')?.textContent === 'Needs you')
      .map((row) => row.dataset['name']);
    expect(needs).toContain(group?.kind === 'group' ? group.name : giver);
    expect(needs).toContain(giver);

    find('approval-once').click();
    await pass(500);
    expect(backend.world.approvals.get(call)?.state).toBe('allowed');
    expect(has('approval-card')).toBe(false);
  });

  it('is allowed for longer for the soul, in the tasks of whoever gave the first', async () => {
    const { backend, run } = await begun();
    const task = gives(backend, gives(backend, run, 'Gus'), 'Ann');
    ask(backend.world, of(task));
    ask(backend.world, of(task));
    await pass(500);
    const rows = [...document.querySelectorAll<HTMLElement>('[data-testid=roster-agent]')];
    const badges = rows.flatMap((row) => row.querySelector('.count.warn')?.textContent?.trim() ?? []);
    expect(badges).toEqual(['2', '2', '2']);
    const giver = backend.world.agents.get(run.agent)?.name ?? '';
    expect(text('approval-held')).toBe(`They hold for ann in whatever ${giver} has it do from here.`);
    find('approval-always').click();
    await pass(500);
    find('rail-settings').click();
    await pass(100);
    find('settings-grants').click();
    await pass(100);
    expect(text('grant-row')).toContain(`ann, in tasks of ${giver}`);
    const [grant] = backend.world.grants.values();
    expect(grant).toMatchObject({ agent: run.agent, group: run.group, soul: 'ann' });
  });

  it('stands there from however far below, questions too, and names who gave it under Approvals', async () => {
    const { backend, run } = await begun();
    const task = gives(backend, run, 'Gus');
    const below = gives(backend, task, 'Ann');
    askPerson(backend.world, of(below));
    await pass(500);
    expect(text('question-text')).toBe('Which tea?');
    const giver = backend.world.agents.get(run.agent)?.name ?? '';
    expect(text('given-by')).toContain(`Gus2 gave it this task, and works for ${giver} in`);

    find('rail-approvals').click();
    await pass(100);
    find('given-in').click();
    await pass(100);
    expect(find('group-page').dataset['group']).toBe(backend.world.groups.get(run.group)?.name);
    expect(has('question-card')).toBe(true);
  });
});
