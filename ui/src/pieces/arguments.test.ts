import { describe, expect, it } from 'vitest';
import { partsOf, plainName } from './arguments';

describe('what a use of a tool was given', () => {
  it('shows a text of several lines as lines in its language, and the rest by its names', () => {
    expect(partsOf('shell', { command: 'echo a\nrm b', seconds: 5 })).toEqual([
      { kind: 'lines', name: 'command', text: 'echo a\nrm b', lang: 'bash' },
      { kind: 'fields', fields: [{ name: 'seconds', value: '5' }] },
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
      { kind: 'fields', fields: [{ name: 'path', value: 'a.txt' }] },
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

  it('shows what a file is to hold as a change of what it holds', () => {
    const given = { path: 'a.txt', content: 'one\ntwo', replace: true };
    const fields = [
      { name: 'path', value: 'a.txt' },
      { name: 'replace', value: 'true' },
    ];
    const change = {
      stretches: [
        { kind: 'same', lines: ['one'] },
        { kind: 'added', lines: ['two'] },
      ],
      added: 1,
      removed: 0,
    };
    expect(partsOf('write_file', given, 'one')).toEqual([
      { kind: 'fields', fields },
      { kind: 'change', shown: change, ends: null },
    ]);
    for (const none of [null, undefined, 'one\ntwo'])
      expect(partsOf('write_file', given, none)).toEqual(partsOf('write_file', given));
  });

  it('leaves nothing out where a difference would show nothing', () => {
    expect(partsOf('edit_file', { old: 'a', new: 'a\n' })).toEqual([
      { kind: 'fields', fields: [{ name: 'old', value: 'a' }] },
      { kind: 'lines', name: 'new', text: 'a\n', lang: '' },
    ]);
    expect(partsOf('x', ['a\nb'])).toEqual([{ kind: 'whole', text: '[\n  "a\\nb"\n]' }]);
    expect(partsOf('x', {})).toEqual([{ kind: 'whole', text: '{}' }]);
  });

  it.each([
    ['a.txt', 'a.txt'],
    ['C:\\users\\Lin', 'C:\\users\\Lin'],
    ['she said "go"', 'she said "go"'],
    ['path: b.txt', 'path: b.txt'],
    [true, 'true'],
    ['true', '"true"'],
    ['TRUE', '"TRUE"'],
    [null, 'null'],
    ['null', '"null"'],
    [17, '17'],
    ['17', '"17"'],
    ['1e3', '"1e3"'],
    ['', '""'],
    [' a', '" a"'],
    ['a\t', '"a\\t"'],
    ['\u00a0', '"\u00a0"'],
    ['"a"', '"\\"a\\""'],
    ['{"a":1}', '"{\\"a\\":1}"'],
    ['a\u202eb', '"a\\u202eb"'],
    ['a\\u202eb', '"a\\\\u202eb"'],
    [{ a: ['b\u202e', 1] }, '{"a":["b\\u202e",1]}'],
    [['x'.repeat(80)], `[\n  "${'x'.repeat(80)}"\n]`],
  ])('is one value and looks like no other: %j', (value, shown) => {
    expect(partsOf('x', { value })).toEqual([{ kind: 'fields', fields: [{ name: 'value', value: shown }] }]);
  });

  it('has names that look like nothing else', () => {
    expect(['path', 'ignore-case', '路径', 'path a.txt', '', 'a\u202e'].map(plainName)).toEqual([
      'path',
      'ignore-case',
      '路径',
      '"path a.txt"',
      '""',
      '"a\\u202e"',
    ]);
  });
});
