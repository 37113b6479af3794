import { describe, expect, it } from 'vitest';
import { Composing, fitting, lengthOf, mentionAt, mentioned, named, recalled, sends } from './compose';

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

describe('Enter', () => {
  const enter = (more: Partial<KeyboardEvent> = {}) =>
    ({
      key: 'Enter',
      shiftKey: false,
      altKey: false,
      ctrlKey: false,
      metaKey: false,
      isComposing: false,
      keyCode: 13,
      timeStamp: 1000,
      ...more,
    }) as KeyboardEvent;

  it('sends, and with Shift does not', () => {
    expect(sends(enter(), new Composing())).toBe(true);
    expect(sends(enter({ shiftKey: true }), new Composing())).toBe(false);
    expect(sends(enter({ key: 'a' }), new Composing())).toBe(false);
  });

  it('never sends while something is composed', () => {
    const composing = new Composing();
    expect(sends(enter({ isComposing: true }), composing)).toBe(false);
    expect(sends(enter({ keyCode: 229 }), composing)).toBe(false);
    composing.started();
    expect(sends(enter(), composing)).toBe(false);
  });

  it('does not send when the composition ended just before the key arrived', () => {
    const composing = new Composing();
    composing.started();
    composing.ended(1000);
    expect(sends(enter({ timeStamp: 1002 }), composing)).toBe(false);
    composing.released();
    expect(sends(enter({ timeStamp: 1010 }), composing)).toBe(true);
  });

  it('sends again later even if the key was never let go', () => {
    const composing = new Composing();
    composing.started();
    composing.ended(1000);
    expect(sends(enter({ timeStamp: 1000 + Composing.afterMs }), composing)).toBe(true);
  });
});

describe('the composer', () => {
  it('counts characters as the limit does', () => {
    expect(lengthOf('好👍a')).toBe(3);
  });

  it('brings back what was said, the newest first', () => {
    const said = ['one', 'two'];
    expect(recalled(said, '')).toBe('two');
    expect(recalled(said, 'two')).toBe('one');
    expect(recalled(said, 'one')).toBeNull();
    expect(recalled(said, 'something new')).toBeNull();
    expect(recalled([], '')).toBeNull();
  });
});
