import { describe, expect, it } from 'vitest';
import { difference } from './difference';

describe('difference', () => {
  it('is empty for equal texts, with or without the last line end', () => {
    expect(difference('a\nb\n', 'a\nb')).toEqual({ stretches: [], added: 0, removed: 0 });
    expect(difference('', '')).toEqual({ stretches: [], added: 0, removed: 0 });
  });

  it('counts lines and keeps their order', () => {
    expect(difference('name: Ada\nheat: 0.3\n', 'name: Ada\nheat: 2.4\nnew\n')).toEqual({
      stretches: [
        { kind: 'same', lines: ['name: Ada'] },
        { kind: 'removed', lines: ['heat: 0.3'] },
        { kind: 'added', lines: ['heat: 2.4', 'new'] },
      ],
      added: 2,
      removed: 1,
    });
  });

  it('folds long equal stretches around a change', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const changed = lines.with(10, 'other');
    expect(difference(lines.join('\n'), changed.join('\n')).stretches).toEqual([
      { kind: 'folded', count: 8 },
      { kind: 'same', lines: ['line 8', 'line 9'] },
      { kind: 'removed', lines: ['line 10'] },
      { kind: 'added', lines: ['other'] },
      { kind: 'same', lines: ['line 11', 'line 12'] },
      { kind: 'folded', count: 7 },
    ]);
  });
});
