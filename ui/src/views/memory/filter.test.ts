import { describe, expect, it } from 'vitest';
import type { Memory, MemoryFilter } from '../../api/generated';
import { FakeMemories } from '../../api/fake/memories';
import { World } from '../../api/fake/world';
import { filterOf, fits, nothingChosen, scopeOf, scopeValue } from './filter';
import { memory } from '../../pieces/memory.kit';

const now = new Date(2026, 4, 20, 14, 0).getTime();
const nobody = () => false;

describe('what is asked for', () => {
  it('leaves out what leaves nothing out', () => {
    expect(filterOf(nothingChosen, now)).toEqual({});
    expect(filterOf({ ...nothingChosen, tag: '  ' }, now)).toEqual({});
  });

  it('names the scope, the kinds, the reader, the tag and the standing', () => {
    const choice = { ...nothingChosen, scope: 'group:g', kinds: ['skill'] as const, agent: 'a', tag: ' tea ' };
    expect(filterOf({ ...choice, standing: 'past' }, now)).toEqual({
      scopes: [{ kind: 'group', id: 'g' }],
      kinds: ['skill'],
      agent: 'a',
      tag: 'tea',
      standing: 'past',
    });
  });

  it('counts days and years by the clock of the machine', () => {
    const day = (year: number, month: number, date: number) => new Date(year, month, date).getTime();
    expect(filterOf({ ...nothingChosen, period: 'week' }, now)).toEqual({ since_ms: day(2026, 4, 14) });
    expect(filterOf({ ...nothingChosen, period: 'last_year' }, now)).toEqual({
      since_ms: day(2025, 0, 1),
      until_ms: day(2026, 0, 1),
    });
    expect(filterOf({ ...nothingChosen, period: 'before' }, now)).toEqual({ until_ms: day(2025, 0, 1) });
  });

  it('can name every scope and read it back', () => {
    for (const scope of [{ kind: 'user' }, { kind: 'workspace' }, { kind: 'agent', id: 'a' }] as const)
      expect(scopeOf(scopeValue(scope))).toEqual(scope);
    expect(scopeOf('*')).toBeUndefined();
  });
});

describe('a memory that changed', () => {
  const cases: [string, Partial<Memory>, MemoryFilter, boolean][] = [
    ['holds', {}, {}, true],
    ['is of another kind', {}, { kinds: ['skill'] }, false],
    ['bears the tag in other letters', { tags: ['Tea'] }, { tag: 'tea' }, true],
    ['has ended', { valid_to_ms: now - 1 }, {}, false],
    ['has ended, and the past is asked for', { valid_to_ms: now - 1 }, { standing: 'past' }, true],
    ['has not begun', { valid_from_ms: now + 1 }, {}, false],
    ['waits for a person', { state: { kind: 'contested', by: 'b' } }, { standing: 'contested' }, true],
    ['waits, and what holds is asked for', { state: { kind: 'contested', by: 'b' } }, {}, false],
    ['is forgotten', { state: { kind: 'forgotten' } }, { standing: 'past' }, false],
    ['is forgotten, and everything is asked for', { state: { kind: 'forgotten' } }, { standing: 'any' }, true],
    ['is everybody’s, and one agent asks', {}, { agent: 'a' }, true],
    ['is another agent’s', { scope: { kind: 'agent', id: 'b' } }, { agent: 'a' }, false],
    ['is of a group that the agent is not in', { scope: { kind: 'group', id: 'g' } }, { agent: 'a' }, false],
    ['was so before', { valid_from_ms: 10 }, { since_ms: 20 }, false],
  ];
  it.each(cases)('%s', (_, more, filter, shown) => {
    expect(fits(memory('m', more), filter, now, nobody)).toBe(shown);
  });

  it('is shown just where the workspace would list it', () => {
    const world = new World(() => now);
    const memories = new FakeMemories(world);
    const plain = { statement: null, importance: null, valid_to_ms: null } as const;
    const given = [
      { kind: 'fact', text: 'tea', scope: { kind: 'user' }, tags: ['a'], valid_from_ms: null },
      { kind: 'skill', text: 'knots', scope: { kind: 'agent', id: 'x' }, tags: [], valid_from_ms: 5 },
      { kind: 'episode', text: 'rain', scope: { kind: 'group', id: 'g' }, tags: [], valid_from_ms: now + 5 },
    ] as const;
    const all = given.map((one) => memories.add({ ...plain, ...one, tags: [...one.tags] }));
    const filters: MemoryFilter[] = [{}, { kinds: ['skill'] }, { tag: 'A' }, { agent: 'x' }, { standing: 'any' }];
    for (const filter of filters) {
      const listed = memories.page(filter, null, 10).memories.map((one) => one.id);
      const shown = all.filter((one) => fits(one, filter, now, nobody)).map((one) => one.id);
      expect(shown.sort(), JSON.stringify(filter)).toEqual(listed.sort());
    }
  });
});
