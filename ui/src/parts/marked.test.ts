import { describe, expect, it } from 'vitest';
import { marked } from './marked';

const set = (text: string, question: string) =>
  marked(text, question)
    .map((piece) => (piece.isMarked ? `[${piece.text}]` : piece.text))
    .join('');

describe('words of a question in a text', () => {
  it.each([
    ['Shaded streets are cooler', 'do trees cool streets', 'Shaded [streets] are [cooler]'],
    ['tree-lined, and a street', 'trees streets', '[tree]-lined, and a [street]'],
    ['an important port', 'port', 'an important [port]'],
    ['树荫下的街道更凉快', '街道降温', '树荫下的[街道]更凉快'],
    ['Green tea, no team, two teas', 'green tea cup', '[Green] [tea], no team, two [teas]'],
    ['a teapot for tea', 'tea', 'a [teapot] for [tea]'],
    ['记得买茶叶和茶', '茶', '记得买[茶]叶和[茶]'],
    ['what is it', 'what is it', '[what] [is] [it]'],
    ['a (b) [c] \\d', 'what? (b) [c] \\d', 'a ([b]) [[c]] \\d'],
    ['nothing here', '', 'nothing here'],
  ])('%s / %s', (text, question, shown) => {
    expect(set(text, question)).toBe(shown);
  });
});
