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

it('words are found across what divides them for the eye, and not across blocks', () => {
  expect(found('<p>Here is <b>code</b> and a table</p>', 'code and a')).toEqual(['code and a']);
  expect(found('<pre><span>const</span> <span>line99</span> = 1</pre>', 'const line99')).toEqual(['const line99']);
  expect(found('<p>green</p><p>tea</p>', 'greentea')).toEqual([]);
  expect(found('<p>green\ntea</p>', 'green tea')).toEqual(['green\ntea']);
});

it('a letter whose small form is longer moves nothing', () => {
  expect(found('<p>İ tea</p><p>tea</p>', 'tea')).toEqual(['tea', 'tea']);
});
