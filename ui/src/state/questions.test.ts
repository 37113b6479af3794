import { describe, expect, it } from 'vitest';
import type { Field, Takes } from '../api/generated';
import { atFirst, isFilledIn, valuesOf, type Entered } from './questions';

const digitsIn = (text: string) => (/^[\d,]+$/.test(text) ? text.replaceAll(',', '') : undefined);

const text: Takes = { kind: 'text', format: null, least: null, most: null };
const number: Takes = { kind: 'number', whole: true, least: 1, most: null };
const choice = (several: boolean): Takes => {
  const options = ['a', 'b'].map((value) => ({ value, title: null }));
  return { kind: 'choice', options, several, least: null, most: null };
};

function field(name: string, takes: Takes, more: Partial<Field> = {}): Field {
  return { name, title: null, about: null, required: false, takes, default: null, sounds_secret: false, ...more };
}

describe('what was entered', () => {
  it('begins with what the fields hold by themselves', () => {
    expect(atFirst(field('x', text))).toBe('');
    expect(atFirst(field('x', number, { default: 42 }))).toBe('42');
    expect(atFirst(field('x', { kind: 'yes_no' }, { default: false }))).toBe('no');
    expect(atFirst(field('x', choice(false), { default: 'b' }))).toBe('b');
    expect(atFirst(field('x', choice(true), { default: ['b'] }))).toEqual(['b']);
    expect(atFirst(field('x', choice(true)))).toEqual([]);
  });

  it('is the answer in the kinds that the fields take, without what is empty', () => {
    const fields = [
      field('name', text),
      field('n', number),
      field('ok', { kind: 'yes_no' }),
      field('one', choice(false)),
      field('many', choice(true)),
      field('more', text),
      field('held', number, { default: 7 }),
    ];
    const entered = new Map<string, Entered>([
      ['name', 'Ada'],
      ['n', '3,000'],
      ['ok', 'no'],
      ['one', 'a'],
      ['many', ['a', 'b']],
    ]);
    expect(valuesOf(fields, entered, digitsIn)).toEqual({
      name: 'Ada',
      n: '3000',
      ok: false,
      one: 'a',
      many: ['a', 'b'],
      held: '7',
    });
    expect(valuesOf([field('n', number)], new Map([['n', 'many']]), digitsIn)).toEqual({ n: 'many' });
    const long = '1234567890123456789';
    expect(valuesOf([field('n', number)], new Map([['n', long]]), digitsIn)).toEqual({ n: long });
    const emptied = new Map([['held', '']]);
    expect(valuesOf([field('held', number, { default: 7 })], emptied, digitsIn)).toEqual({ held: null });
  });

  it('is whole when everything stands there that has to', () => {
    const fields = [field('name', text, { required: true }), field('more', text)];
    const check = (name: string) => isFilledIn(fields, new Map([['name', name]]));
    expect([check(''), check('  '), check('Ada')]).toEqual([false, false, true]);
    expect(isFilledIn([field('n', number, { required: true, default: 1 })], new Map())).toBe(true);
    expect(isFilledIn([field('m', choice(true), { required: true })], new Map())).toBe(false);
  });
});
