import { describe, expect, it } from 'vitest';
import { fitting, mentionAt, mentioned, named } from './mention';

describe('a mention', () => {
  it('is found where it is typed', () => {
    const table: [text: string, caret: number, found: ReturnType<typeof mentionAt>][] = [
      ['@', 1, { from: 0, query: '' }],
      ['hello @Ad', 9, { from: 6, query: 'Ad' }],
      ['你好@林', 4, { from: 2, query: '林' }],
      ['me@ada', 6, null],
      ['@Ada hello', 10, null],
      ['@Ada hello', 2, { from: 0, query: 'A' }],
      ['no mention', 5, null],
      ['@林夏，你看', 5, null],
    ];
    for (const [text, caret, found] of table) expect(mentionAt(text, caret), text).toEqual(found);
  });

  it('offers those that begin with what was typed first', () => {
    const agents = [{ name: 'Nada' }, { name: 'Ada' }, { name: 'Bo' }];
    expect(fitting('ad', agents)).toEqual([{ name: 'Ada' }, { name: 'Nada' }]);
    expect(fitting('', agents)).toEqual(agents);
  });

  it('is put where it was begun, with one space behind it', () => {
    expect(mentioned('hello @Ad', { from: 6, query: 'Ad' }, 9, 'Ada')).toEqual({ text: 'hello @Ada ', caret: 11 });
    expect(mentioned('@A please', { from: 0, query: 'A' }, 2, 'Ada')).toEqual({ text: '@Ada please', caret: 5 });
  });
});

describe('who is named', () => {
  it('is found as the workspace finds it', () => {
    const agents = ['Ada', 'Anna', 'Annabel', '林夏', '老陈'].map((name) => ({ name }));
    const table: [text: string, found: string[]][] = [
      ['@Ada what do you think?', ['Ada']],
      ['ask @ada, then @ANNA.', ['Ada', 'Anna']],
      ['@Annabel', ['Annabel']],
      ['@Anna @Ada @Anna', ['Ada', 'Anna']],
      ['@林夏你好，@老陈也来', ['林夏', '老陈']],
      ['你好@Ada请回答', ['Ada']],
      ['＠林夏 你好', ['林夏']],
      ['`@Ada` is how @Anna calls her', ['Anna']],
      ['a ` and @Ada', ['Ada']],
      ['ada@anna.example', []],
      ['@Adam and @nobody', []],
      ['Ada, Anna and @', []],
      ['```\n@Ada `x`\n``` and `` @Anna ` ``', []],
    ];
    for (const [text, found] of table)
      expect(
        named(text, agents).map(({ name }) => name),
        text,
      ).toEqual(found);
  });
});
