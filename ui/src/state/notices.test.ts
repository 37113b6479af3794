import { describe, expect, it } from 'vitest';
import type { Agent, Approval, Message, Question } from '../api/generated';
import { toTell, troubles, waits, worthTelling, type Waits } from './notices';

const asks = (id: string): Waits => ({ is: 'approval', id, agent: 'a', group: 'g', tool: 'shell' });
const ids = (all: readonly Waits[]) => all.map(({ id }) => id);

describe('what is told through the system', () => {
  it('is what is new while nobody looks, each thing once', () => {
    const opened = toTell(null, [asks('before')], false);
    expect(ids(opened.tell)).toEqual([]);
    const away = toTell(opened.known, [asks('before'), asks('one')], false);
    expect(ids(away.tell)).toEqual(['one']);
    const still = toTell(away.known, [asks('before'), asks('one'), asks('two')], false);
    expect(ids(still.tell)).toEqual(['two']);
    expect(ids(toTell(still.known, [asks('two')], false).tell)).toEqual([]);
  });

  it('is nothing that came while the window was looked at, also when it is left then', () => {
    const looked = toTell(new Set(), [asks('one')], true);
    expect(ids(looked.tell)).toEqual([]);
    expect(ids(toTell(looked.known, [asks('one')], false).tell)).toEqual([]);
  });

  it('says who asks and where, and nothing of what it is about', () => {
    const approval = {
      call: 'c',
      agent: 'a',
      group: 'g',
      tool: 'shell',
      state: 'waiting',
      arguments: { command: 'planted' },
      target: 'planted',
    } as unknown as Approval;
    const question = {
      id: 'q',
      agent: 'a',
      group: 'g',
      server: 'notes',
      state: 'waiting',
      text: 'planted',
    } as unknown as Question;
    const answered = { ...question, id: 'r', state: 'answered' } as Question;
    const all = waits({
      approvals: new Map([['c', approval]]),
      questions: new Map([
        ['q', question],
        ['r', answered],
      ]),
    });
    expect(all).toEqual([
      { is: 'approval', id: 'c', agent: 'a', group: 'g', tool: 'shell' },
      { is: 'question', id: 'q', agent: 'a', group: 'g', server: 'notes' },
    ]);
  });

  it('is who could not answer and who has stopped, the two in one, and nothing of why', () => {
    const agent = (id: string, state: Agent['state']) => ({ id, state, problem: 'planted' }) as unknown as Agent;
    const failed = (id: string, who: string) =>
      ({
        id,
        group: `of ${who}`,
        body: { kind: 'notice', notice: { kind: 'run_failed', agent: who, fault: 'planted' } },
      }) as unknown as Message;
    const said = { id: 'm', group: 'h', body: { kind: 'text', text: 'planted' } } as unknown as Message;
    const mirror = {
      agents: new Map([agent('a', 'error'), agent('b', 'idle')].map((one) => [one.id, one])),
      last: new Map([failed('1', 'a'), failed('2', 'b'), said].map((one) => [one.group, one])),
    };
    const all = troubles(mirror);
    expect(worthTelling(all, mirror)).toEqual([
      { is: 'stopped', id: 'a', agent: 'a' },
      { is: 'failed', id: '2', agent: 'b', group: 'of b' },
    ]);
    // Who goes on is no news of what was left out before.
    const { known } = toTell(new Set(), all, false);
    const later = { ...mirror, agents: new Map([['a', agent('a', 'idle')]]) };
    expect(worthTelling(toTell(known, troubles(later), false).tell, later)).toEqual([]);
  });
});
