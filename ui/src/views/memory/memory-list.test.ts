import { describe, expect, it } from 'vitest';
import type { Call, Memory, Reply } from '../../api/generated';
import { FakeMemories } from '../../api/fake/memories';
import { World } from '../../api/fake/world';
import { fits } from './filter';
import { MemoryList } from './memory-list.svelte';
import { memory } from '../../pieces/memory.kit';

/** A list over so many memories, and the pages that were asked for. */
function listOver(count: number) {
  const memories = new FakeMemories(new World(() => 1_000_000_000));
  memories.fill(count);
  const asked: (number | null)[] = [];
  const ask = ({ query }: Extract<Call, { query: unknown }>): Promise<Reply> => {
    if (query.kind !== 'memories') throw new Error(query.kind);
    asked.push(query.before);
    return Promise.resolve({ kind: 'memories', data: memories.page(query.filter, query.before, query.limit) });
  };
  const list = new MemoryList(ask as (call: Call) => Promise<Reply>, (row, filter) =>
    fits(row, filter, 1_000_000_000, () => false),
  );
  return { list, asked };
}
const first = (list: MemoryList) => list.rows[0]?.text.slice(0, 9);
const last = (list: MemoryList) => list.rows.at(-1)?.text.slice(0, 9);

describe('a hundred thousand memories', () => {
  it('are never held all at once, however far the reader goes, and are read again on the way back', async () => {
    const { list } = listOver(100_000);
    await list.show({});
    expect([list.total, list.held]).toEqual([100_000, 100]);
    for (let page = 0; page < 30; page += 1) await list.after();
    expect(list.held).toBe(600);
    expect(first(list)).toBe('Note 9750');
    expect(last(list)).toBe('Note 9690');
    for (let page = 0; page < 40; page += 1) await list.before();
    expect(list.held).toBe(600);
    expect(first(list)).toBe('Note 1000');
  });
});

describe('the list of memories', () => {
  it('asks for nothing after the last page', async () => {
    const { list, asked } = listOver(150);
    await list.show({});
    await list.after();
    await list.after();
    expect(list.held).toBe(150);
    expect(asked).toHaveLength(2);
  });

  it('shows a change where it stands, drops what fits no longer, and puts what is new in front', async () => {
    const { list } = listOver(5);
    await list.show({});
    const [, second, third] = list.rows as [Memory, Memory, Memory];
    list.hear([
      { ...second, text: 'changed', version: 2 },
      { ...third, state: { kind: 'wrong' }, version: 2 },
      memory('new'),
    ]);
    expect(list.rows.map((row) => row.text.slice(0, 9))).toEqual([
      'text of n',
      'Note 5: t',
      'changed',
      'Note 2: t',
      'Note 1: t',
    ]);
  });

  it('takes what changed while a page was on its way, and no older version over it', async () => {
    const { list } = listOver(5);
    await list.show({});
    const newest = list.rows[0] as Memory;
    const reading = list.show({});
    list.hear([{ ...newest, text: 'changed', version: 2 }]);
    await reading;
    expect(list.rows[0]?.text).toBe('changed');
  });

  it('is read anew after news were lost, and when too much is new', async () => {
    const { list, asked } = listOver(5);
    await list.show({});
    list.hear(null);
    await Promise.resolve();
    expect(asked).toHaveLength(2);
    await new Promise<void>((done) => queueMicrotask(done));
    await Promise.resolve();
    list.hear(Array.from({ length: 300 }, (_, at) => memory(`new ${at}`)));
    expect(asked).toHaveLength(3);
  });
});
