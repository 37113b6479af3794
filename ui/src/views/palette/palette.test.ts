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
