import { describe, expect, it } from 'vitest';
import type { Agent, Group, Run } from '../api/generated';
import { worksFor } from './family';

const agent = (id: string, parent: string | null) => ({ id, parent, name: id, state: 'running' }) as Agent;
const group = (id: string, kind: Group['kind']) => ({ id, kind }) as Group;
const run = (of: string, where: string, state: Run['state']) =>
  ({ id: `${of}-run`, agent: of, group: where, state }) as Run;
const by = <T extends { id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));

describe('who works on a task', () => {
  const agents = by([agent('ada', null), agent('kit', 'ada'), agent('bo', null)]);
  const groups = by([group('task', 'task'), group('talk', 'direct')]);
  const known = (runs: readonly Run[]) => ({ agents, groups, runs: by(runs) });

  it('is waited for by whoever gave it, as long as it lasts', () => {
    const going = known([run('kit', 'task', 'running')]);
    expect(worksFor(going, 'ada')?.name).toBe('kit');
    expect(worksFor(going, 'bo')).toBeUndefined();
    expect(worksFor(known([run('kit', 'task', 'settled')]), 'ada')).toBeUndefined();
  });

  it('is not whoever answers the person in a conversation of their own', () => {
    expect(worksFor(known([run('kit', 'talk', 'running')]), 'ada')).toBeUndefined();
  });
});
