import { describe, expect, it } from 'vitest';
import { fitting, grouped, moved } from './pick';

const picks = [
  { value: 'openai/gpt-5', label: 'gpt-5', group: 'openai' },
  { value: 'openai/gpt-5-mini', label: 'gpt-5-mini', group: 'openai' },
  { value: 'ollama/qwen3:8b', label: 'qwen3:8b', hint: '通义千问', group: 'ollama' },
];
const values = (query: string) => fitting(query, picks).map((pick) => pick.value);

describe('a list to pick from', () => {
  it('keeps what holds every word that is typed', () => {
    expect(values('')).toHaveLength(3);
    expect(values('MINI open')).toEqual(['openai/gpt-5-mini']);
    expect(values('ｑｗｅｎ')).toEqual(['ollama/qwen3:8b']);
    expect(values('千问')).toEqual(['ollama/qwen3:8b']);
    expect(values('gpt qwen')).toEqual([]);
  });

  it('stands under its headings, numbered through', () => {
    expect(grouped(picks).map(({ title, picks: of }) => [title, of.map(({ at }) => at)])).toEqual([
      ['openai', [0, 1]],
      ['ollama', [2]],
    ]);
  });

  it('is walked by keys, around its ends', () => {
    expect(moved('ArrowDown', 2, 3)).toBe(0);
    expect(moved('ArrowUp', 0, 3)).toBe(2);
    expect(moved('PageDown', 0, 3)).toBe(2);
    expect(moved('a', 0, 3)).toBeUndefined();
    expect(moved('ArrowDown', 0, 0)).toBeUndefined();
  });
});
