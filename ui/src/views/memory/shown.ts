/** What a card and a line of the table are given, and a picture of several memories. */
import type { Call, Memory, MemoryFilter, MemoryId, MemoryScores, Reply } from '../../api/generated';
import { sayMemoryState, t, type Names } from '../../words';

/** One memory in a list. */
export type Shown = {
  memory: Memory;
  names: Names;
  /** In a search. */
  scores?: MemoryScores | undefined;
  /** The highest score of the search. */
  best?: number;
  /** What was searched for, to be set off. */
  question?: string;
  current: boolean;
  chosen: boolean;
  onopen: () => void;
  onchoose: () => void;
};

/** All that fit a filter, as one picture. */
export type Pictured = {
  filter: MemoryFilter;
  ask: (call: Call) => Promise<Reply>;
  selected: MemoryId | undefined;
  onopen: (memory: MemoryId) => void;
};

/** How a memory stands: whether its words are gone, whether it holds, and that in a word. */
export function standing(memory: Memory): { gone: boolean; holds: boolean; said: string } {
  const said = sayMemoryState(memory);
  return { gone: memory.state.kind === 'forgotten', holds: said === t('memory.state_current'), said };
}
