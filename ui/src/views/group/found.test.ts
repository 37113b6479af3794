import { expect, it } from 'vitest';
import { rangesOf } from './found';

const found = (html: string, text: string) => {
  const within = document.createElement('div');
  within.innerHTML = html;
  return rangesOf(within, text).map((range) => range.toString());
};

it('words are found wherever they stand, in capitals or not', () => {
  expect(found('<p>Tea, <b>more tea</b> and TEAPOTS</p>', 'tea')).toEqual(['Tea', 'tea', 'TEA']);
  expect(found('<p>绿茶和红茶</p>', '茶')).toEqual(['茶', '茶']);
  expect(found('<p>aaa</p>', 'aa')).toEqual(['aa']);
  expect(found('<p>tea</p>', '')).toEqual([]);
});

it('a piece whose small letters are longer is left alone', () => {
  expect(found('<p>İ tea</p><p>tea</p>', 'tea')).toEqual(['tea']);
});
