import { describe, expect, it } from 'vitest';
import { fake } from '../api/fake';
import type { Overview, Run, Usage } from '../api/generated';
import { opened } from './mirror';
import { answeringIn, families, isBusy, soulsInOrder, soulTroubles, speed, subtreeOf } from './select';

const workspace = () => {
  const backend = fake({ pause: () => Promise.resolve(), now: () => 1000 });
  const look = () => opened((backend.answers.query({ kind: 'overview' }) as { data: Overview }).data);
  return { ...backend, look };
};

describe('agents', () => {
  it('stand under those that they work for, however deep', () => {
    const { answers, look } = workspace();
    const names = (agents: readonly { name: string }[]) => agents.map((agent) => agent.name);
    const ada = [...look().agents.values()][0]?.id ?? '';
    const kit = answers.newAgent('bo', 'Kit', ada);
    const leaf = answers.newAgent('bo', 'Leaf', kit.id);
    const shown = families(look());
    expect(shown.slice(0, 4).map(({ agent, depth }) => [agent.name, depth])).toEqual([
      ['Ada', 0],
      ['Kit', 1],
      ['Leaf', 2],
      ['Otto', 0],
    ]);
    expect(names(subtreeOf(look(), ada))).toEqual(['Kit', 'Leaf']);
    expect(names(subtreeOf(look(), leaf.id))).toEqual([]);
  });
});

describe('souls', () => {
  it('stand in the order of their agents in the roster, then by name', () => {
    const { answers, look } = workspace();
    answers.writeSoul('zoe', '---\nname: Zoe\n---\nYou are Zoe.\n', 'file');
    answers.writeSoul('abe', '---\nname: Abe\n---\nYou are Abe.\n', 'file');
    const names = soulsInOrder(look()).map((soul) => soul.name);
    expect(names).toEqual(['ada', 'otto', 'bo', 'ines', 'laochen', 'linxia', 'abe', 'zoe']);
  });

  it('that cannot come into force are named where their agents talk, once each', () => {
    const { answers, world, look } = workspace();
    const group = [...world.groups.values()].find((one) => one.kind === 'group')?.id ?? '';
    expect(soulTroubles(look(), group)).toEqual([]);
    const second = answers.newAgent('bo', 'Bob');
    answers.command({ kind: 'add_member', group, agent: second.id, sees: { kind: 'all' } });
    answers.writeSoul('bo', '---\nname: Bo\ntemperature: 9\n---\nYou are Bo.\n', 'file');
    answers.writeSoul('ines', 'no front matter', 'file');
    const ada = world.souls.get('ada');
    if (ada) world.keep({ table: 'soul', row: { ...ada, file_hash: null } });
    expect(
      soulTroubles(look(), group).map(({ soul, agents }) => [
        soul.name,
        soul.problem?.line,
        agents.map((agent) => agent.name),
      ]),
    ).toEqual([
      ['ada', undefined, ['Ada']],
      ['bo', 3, ['Bo', 'Bob']],
    ]);
  });
});

describe('speed', () => {
  const usage = (output_tokens: number | null): Usage => ({
    input_tokens: 1,
    output_tokens,
    cached_tokens: null,
    cache_write_tokens: null,
  });
  const run = (more: Partial<Run>) =>
    speed({ first_token_ms: 1000, ended_ms: 3000, usage: usage(100), ...more } as Run);

  it('is what was written in a second', () => expect(run({})).toBe(50));
  it('is not told of an answer that is too short, or was not counted', () => {
    expect(run({ ended_ms: 1499 })).toBeUndefined();
    expect(run({ usage: usage(7) })).toBeUndefined();
    expect(run({ usage: usage(null) })).toBeUndefined();
    expect(run({ first_token_ms: null })).toBeUndefined();
  });
});

describe('a conversation', () => {
  it('is not busy while somebody only looks back for what is worth remembering', () => {
    const { look } = workspace();
    const mirror = look();
    const run = (kind: 'mentioned' | 'looking_back') =>
      ({ id: 'r', agent: 'a', group: 'g', root: 'm', state: 'running', cause: { reason: { kind } } }) as Run;
    const having = (one: Run) => ({ ...mirror, runs: new Map([[one.id, one]]) });
    expect(answeringIn(having(run('mentioned')), 'g')).toHaveLength(1);
    expect(isBusy(having(run('mentioned')), 'g')).toBe(true);
    expect(answeringIn(having(run('looking_back')), 'g')).toEqual([]);
    expect(isBusy(having(run('looking_back')), 'g')).toBe(false);
  });
});
