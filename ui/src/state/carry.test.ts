import { describe, expect, it, vi } from 'vitest';
import { fake } from '../api/fake';
import { Carry, effectOf, read, targetsOf, written, type Target } from './carry.svelte';
import { Coterie } from './coterie.svelte';

const now = () => Promise.resolve();

async function open() {
  const backend = fake({ pause: now });
  const coterie = new Coterie(backend);
  await coterie.open();
  const agent = (name: string) => [...coterie.mirror.agents.values()].find((one) => one.name === name)?.id ?? '';
  const group = (name: string) =>
    [...coterie.mirror.groups.values()].find((one) => one.name === name && one.kind === 'group')?.id ?? '';
  return { backend, coterie, agent, group, carry: new Carry(coterie) };
}

const members = (backend: ReturnType<typeof fake>, group: string) =>
  backend.world
    .membersOf(group)
    .flatMap((member) => (member.who.kind === 'agent' ? [backend.world.agents.get(member.who.id)?.name] : []));

describe('an agent that is carried', () => {
  it('may go onto every other agent and into every group it is not in', async () => {
    const { coterie, agent, group } = await open();
    const names = (targets: readonly Target[]) =>
      targets.map((target) =>
        target.kind === 'out' ? 'out' : (coterie.mirror.agents.get(target.id)?.name ?? 'First group'),
      );
    expect(names(targetsOf(coterie.mirror, { agent: agent('Ada'), from: null }))).toEqual([
      'Otto',
      'Bo',
      'Ines',
      '老陈',
      '林夏',
    ]);
    expect(names(targetsOf(coterie.mirror, { agent: agent('Ines'), from: null }))).toEqual([
      'Ada',
      'Otto',
      'Bo',
      '老陈',
      '林夏',
      'First group',
    ]);
    expect(names(targetsOf(coterie.mirror, { agent: agent('Ada'), from: group('First group') }))).toContain('out');
  });

  it('never goes into a direct conversation, and the last one does not leave', async () => {
    const { coterie, agent } = await open();
    const direct = [...coterie.mirror.groups.values()].find((one) => one.kind === 'direct')?.id ?? '';
    expect(effectOf(coterie.mirror, { agent: agent('Ines'), from: null }, { kind: 'group', id: direct })).toBeNull();
    expect(effectOf(coterie.mirror, { agent: agent('Ada'), from: direct }, { kind: 'out' })).toBeNull();
  });

  it('joins a group where it is dropped, and undo takes it out again', async () => {
    const { backend, coterie, agent, group, carry } = await open();
    const first = group('First group');
    carry.lift({ agent: agent('Ines'), from: null }, 'pointer');
    carry.over({ kind: 'group', id: first });
    const done = await carry.drop();
    expect(members(backend, first)).toEqual(['Ada', 'Otto', 'Bo', 'Ines']);
    coterie.canUndo(done?.undo ?? now, done?.holds ?? (() => false));
    await coterie.undo();
    expect(members(backend, first)).toEqual(['Ada', 'Otto', 'Bo']);
  });

  it('is no longer to be undone once somebody else has taken it out again', async () => {
    const { coterie, agent, group, carry } = await open();
    const first = group('First group');
    carry.lift({ agent: agent('Ines'), from: null }, 'pointer');
    carry.over({ kind: 'group', id: first });
    const done = await carry.drop();
    // The answer may be here before the news of it.
    const undo = coterie.canUndo(done?.undo ?? now, done?.holds ?? (() => false));
    await vi.waitFor(() => expect(done?.holds()).toBe(true));
    expect(coterie.undoable).toBe(undo);
    await coterie.do({ kind: 'remove_member', group: first, agent: agent('Ines') });
    await vi.waitFor(() => expect(coterie.undoable).toBeNull());
  });

  it('comes back to its place when leaving is undone', async () => {
    const { backend, agent, group, carry } = await open();
    const first = group('First group');
    carry.lift({ agent: agent('Ada'), from: first }, 'pointer');
    carry.over({ kind: 'out' });
    const done = await carry.drop();
    expect(members(backend, first)).toEqual(['Otto', 'Bo']);
    await done?.undo();
    expect(members(backend, first)).toEqual(['Ada', 'Otto', 'Bo']);
  });

  it('makes a group of two on another agent, who answers first; undo archives it', async () => {
    const { backend, agent, carry, coterie } = await open();
    carry.lift({ agent: agent('Ines'), from: null }, 'pointer');
    carry.over({ kind: 'agent', id: agent('Bo') });
    const done = await carry.drop();
    const made = done?.group ?? '';
    expect(members(backend, made)).toEqual(['Bo', 'Ines']);
    const before = coterie.place;
    coterie.go({ page: 'conversations', group: made });
    await done?.undo();
    expect(backend.world.groups.get(made)?.archived).toBe(true);
    expect(coterie.place).toEqual(before);
  });

  it('does nothing when it is dropped where nothing takes it', async () => {
    const { agent, carry } = await open();
    carry.lift({ agent: agent('Ada'), from: null }, 'pointer');
    carry.over({ kind: 'agent', id: agent('Ada') });
    expect(carry.effect).toBeNull();
    expect(await carry.drop()).toBeUndefined();
    expect(carry.carried).toBeNull();
  });

  it('walks only valid targets by keys, round and round', async () => {
    const { coterie, agent, carry } = await open();
    const ines = { agent: agent('Ines'), from: null };
    carry.lift(ines, 'keys');
    const walked = targetsOf(coterie.mirror, ines).map(() => {
      const at = carry.target;
      carry.step(1);
      return at && written(at);
    });
    expect(walked).toEqual(targetsOf(coterie.mirror, ines).map(written));
    carry.step(-1);
    expect(carry.target && written(carry.target)).toBe(walked.at(-1));
  });
});

describe('the name of a target', () => {
  it('is read back as it was written', () => {
    for (const target of [{ kind: 'out' }, { kind: 'agent', id: 'a-1' }, { kind: 'group', id: 'g-2' }] as const) {
      expect(read(written(target))).toEqual(target);
    }
    expect(read('nonsense')).toBeNull();
  });
});
