import { expect, it } from 'vitest';
import { scriptOf } from './script';

it.each([
  ['A plain sentence.', 'en'],
  ['夏季高温的数据撑得住这个说法吗？', 'zh-CN'],
  ['请看 README 里的 build steps，然后告诉我', 'zh-CN'],
  ['The word 人格 means soul in this window, and that is all there is to say.', 'en'],
  ['これは日本語の文章です', 'ja'],
  ['한국어 문장입니다', 'ko'],
  ['`cargo build --release --locked` 之后运行', 'zh-CN'],
  ['42 + 1', undefined],
  ['', undefined],
])('%s is %s', (text, tag) => {
  expect(scriptOf(text)).toBe(tag);
});
