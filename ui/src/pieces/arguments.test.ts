import { describe, expect, it } from 'vitest';
import { partsOf } from './arguments';

describe('what a use of a tool was given', () => {
  it('shows a text of several lines as lines in its language, and the rest as JSON', () => {
    expect(partsOf('shell', { command: 'echo a\nrm b', seconds: 5 })).toEqual([
      { kind: 'lines', name: 'command', text: 'echo a\nrm b', lang: 'bash' },
      { kind: 'rest', text: '{\n  "seconds": 5\n}' },
    ]);
    const lang = (tool: string, given: object) => partsOf(tool, given).map((one) => one.kind === 'lines' && one.lang);
    expect(lang('run_code', { language: 'python', code: 'a\nb' })).toEqual(['python', false]);
    expect(lang('write_file', { path: 'src/a.rs', content: 'a\nb' })).toEqual([false, 'rs']);
    expect(partsOf('shell', { command: 'echo hi; ls /' })).toEqual([
      { kind: 'lines', name: 'command', text: 'echo hi; ls /', lang: 'bash' },
    ]);
    expect(lang('some__tool', { text: 'a\nb' })).toEqual(['']);
  });

  it('shows an edit as what is taken away and what comes in its place, with no line left out', () => {
    const same = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const of = (last: string) => [...same, last].join('\n');
    expect(partsOf('edit_file', { new: of('two\u202e'), old: of('one\n'), path: 'a.txt' })).toEqual([
      { kind: 'rest', text: '{\n  "path": "a.txt"\n}' },
      {
        kind: 'change',
        shown: {
          stretches: [
            { kind: 'same', lines: same },
            { kind: 'removed', lines: ['one'] },
            { kind: 'added', lines: ['two\\u202e'] },
          ],
          added: 1,
          removed: 1,
        },
        ends: 'before',
      },
    ]);
    expect(partsOf('edit_file', { old: 'a\nb', new: '' })).toMatchObject([{ kind: 'change', ends: null }]);
  });

  it('leaves nothing out where a difference would show nothing', () => {
    expect(partsOf('edit_file', { old: 'a', new: 'a\n' })).toEqual([
      { kind: 'rest', text: '{\n  "old": "a"\n}' },
      { kind: 'lines', name: 'new', text: 'a\n', lang: '' },
    ]);
    expect(partsOf('x', ['a\nb'])).toEqual([{ kind: 'rest', text: '[\n  "a\\nb"\n]' }]);
    expect(partsOf('x', {})).toEqual([{ kind: 'rest', text: '{}' }]);
  });
});
