import { expect, it } from 'vitest';
import type { FoundItem } from '../../api/generated';
import { foundOptions } from './palette';

const of = (said: string, name: string) => {
  const run = { id: 'r', agent: 'a', group: 'g', state: 'settled' };
  const item = { kind: 'run', run, snippet: [{ text: said, found: false }], at_ms: 0 } as unknown as FoundItem;
  const known = { agents: new Map(), groups: new Map(), members: new Map(), last: new Map(), souls: new Map() };
  return foundOptions([item], known, [], () => name)[0];
};

it('says once who had a run', () => {
  const direct = of('Ines, Ines', 'Ines');
  expect([direct?.label, direct?.text, direct?.about]).toEqual([
    'Ines',
    [{ text: 'Ines', found: false }],
    expect.not.stringContaining('Ines'),
  ]);
  const inGroup = of('Ines, Tea', 'Ines');
  expect([inGroup?.label, inGroup?.about]).toEqual(['Ines, Tea', expect.not.stringContaining('Ines')]);
  expect(of('play/small', 'Ines')?.about).toContain('Ines');
});

it('leads a message to where it stands, and leaves out what a task was asked', () => {
  const known = { agents: new Map(), groups: new Map(), members: new Map(), last: new Map(), souls: new Map() };
  const said = (group: string, run: string | null) => {
    const author = { kind: 'user' };
    const snippet = [{ text: 'tea', found: true }];
    const item = { kind: 'message', message: 'm', group, seq: 1, author, run, snippet, at_ms: 0 };
    return foundOptions([item as unknown as FoundItem], known, ['post'], () => 'Ada').map((one) => one.to);
  };
  expect(said('post', null)).toEqual([{ page: 'feed', post: 'post' }]);
  expect(said('task', 'r')).toEqual([{ page: 'runs', run: 'r' }]);
  expect(said('task', null)).toEqual([]);
});
