import { describe, expect, it } from 'vitest';
import type { MemoryChange, MemoryVersion } from '../../api/generated';
import { setLanguage, type Names } from '../../words';
import { canUndo, changesOf } from './changes';
import { memory } from '../../pieces/memory.kit';

const names: Names = { agent: () => 'Ada', group: () => 'Kitchen', members: () => [] };
const version = (n: number, change: MemoryChange, of = memory('m')): MemoryVersion => ({
  version: n,
  at_ms: n,
  change,
  by: null,
  memory: of,
});

describe('the history of a memory', () => {
  it('says what each version changed, the last one first', () => {
    setLanguage('en');
    const changes = changesOf(
      [
        version(1, 'added'),
        version(2, 'edited', memory('m', { text: 'other words', tags: ['tea'] })),
        version(3, 'edited', memory('m', { text: 'other words', scope: { kind: 'agent', id: 'a' }, importance: 20 })),
      ],
      names,
    );
    expect(changes.map(({ words, facts }) => ({ words, facts }))).toEqual([
      {
        words: null,
        facts: ['Who reads it: Every agent, about you → Only Ada', 'Importance: 80 → 20', 'Tags: tea → none'],
      },
      { words: { from: 'text of m', to: 'other words' }, facts: ['Tags: none → tea'] },
      { words: null, facts: [] },
    ]);
  });

  it('can be undone while a change stands that was not, and never after forgetting', () => {
    expect(canUndo([version(1, 'added')])).toBe(false);
    expect(canUndo([version(1, 'added'), version(2, 'pinned')])).toBe(true);
    expect(canUndo([version(1, 'added'), version(2, 'pinned'), version(3, 'undone')])).toBe(false);
    expect(canUndo([version(1, 'added'), version(2, 'edited'), version(3, 'forgotten')])).toBe(false);
  });
});
