import { afterEach, describe, expect, it } from 'vitest';
import type { NameMistake, SoulForm, SoulMistake, SoulProblem, SoulValue, YamlCause } from '../api/generated';
import { tellProblem, wholeProblem } from './mistakes';
import { setLanguage } from './words.svelte';
import { causes, forms, mistakes, values } from './zh/mistakes';

const word: SoulValue = { is: 'word', text: '9' };
const detail = 'mapping values are not allowed in this context';
const better = 'my-soul.md';
/** One of each; the types say when one is missing. */
const names: { [K in NameMistake['is']]: Extract<NameMistake, { is: K }> } = {
  not_utf8: { is: 'not_utf8' },
  ending: { is: 'ending' },
  empty: { is: 'empty' },
  space: { is: 'space' },
  dot: { is: 'dot' },
  mark: { is: 'mark' },
  character: { is: 'character', character: '/' },
  unseen: { is: 'unseen', code: 'U+200B' },
  long: { is: 'long', length: 70, most: 64 },
  bytes: { is: 'bytes', length: 300, most: 252 },
};
const found: { [K in SoulValue['is']]: Extract<SoulValue, { is: K }> } = {
  nothing: { is: 'nothing' },
  empty_text: { is: 'empty_text' },
  list: { is: 'list' },
  block: { is: 'block' },
  word: { is: 'word', text: '9' },
  text: { is: 'text', text: 'warm' },
};
const taken: { [K in SoulForm['is']]: Extract<SoulForm, { is: K }> } = {
  text: { is: 'text' },
  list: { is: 'list' },
  block: { is: 'block' },
  truth: { is: 'truth' },
  language: { is: 'language' },
  model: { is: 'model' },
  fallback: { is: 'fallback' },
  plan: { is: 'plan' },
  heartbeat: { is: 'heartbeat' },
  limit: { is: 'limit' },
  number: { is: 'number', from: 0, to: 2 },
  whole: { is: 'whole', from: 1, to: 100 },
};
const inVain = [null, 'calculator'];
const all: { [K in SoulMistake['is']]: readonly Extract<SoulMistake, { is: K }>[] } = {
  file_name: Object.values(names).map((wrong) => ({ is: 'file_name', wrong, better })),
  other_capitals: [{ is: 'other_capitals', file: 'ADA.md', counts: 'ada.md' }],
  other_file_composed: [{ is: 'other_file_composed' }],
  other_file_decomposed: [{ is: 'other_file_decomposed' }],
  not_plain: [{ is: 'not_plain' }],
  forbidden: [{ is: 'forbidden' }],
  unreadable: [{ is: 'unreadable', detail }],
  too_large: [{ is: 'too_large', most_kib: 256 }],
  utf16: [{ is: 'utf16' }],
  not_utf8: [{ is: 'not_utf8' }],
  control_character: [{ is: 'control_character', code: 'U+001B' }],
  persona_empty: [{ is: 'persona_empty' }],
  front_unended: [{ is: 'front_unended' }],
  front_late: [{ is: 'front_late' }],
  front_twice: [{ is: 'front_twice' }],
  front_form: [{ is: 'front_form', found: word }],
  front_long: [{ is: 'front_long' }],
  anchors: [{ is: 'anchors' }],
  tags: [{ is: 'tags' }],
  yaml: [
    { is: 'yaml', cause: null, detail },
    ...(Object.keys(causes) as YamlCause[]).map((cause) => ({ is: 'yaml' as const, cause, detail })),
  ],
  too_deep: [{ is: 'too_deep', most: 8 }],
  key_twice: [{ is: 'key_twice', key: 'role', line: 2000 }],
  key_unfit: [{ is: 'key_unfit' }],
  control_in_value: [{ is: 'control_in_value', code: 'U+001B' }],
  field_unknown: [{ is: 'field_unknown', field: 'mood' }],
  field_misspelt: [{ is: 'field_misspelt', field: 'rolle', close: 'role' }],
  field_form: [
    ...Object.values(taken).map((form) => ({ is: 'field_form' as const, field: 'plan', form, found: word })),
    ...Object.values(found).map((value) => ({
      is: 'field_form' as const,
      field: 'plan',
      form: taken.truth,
      found: value,
    })),
  ],
  field_range: [{ is: 'field_range', field: 'temperature', from: 0, to: 2, found: word }],
  field_unquoted: [{ is: 'field_unquoted', field: 'role', found: word }],
  item_unquoted: [{ is: 'item_unquoted', field: 'tools', found: word }],
  item_form: [{ is: 'item_form', field: 'tools', found: word }],
  field_lines: [{ is: 'field_lines', field: 'role' }],
  field_long: [{ is: 'field_long', field: 'role', length: 120, most: 100 }],
  name_length: [{ is: 'name_length', most: 64, found: found.text }],
  name_has: [{ is: 'name_has', character: '@', found: found.text }],
  name_reserved: [{ is: 'name_reserved', found: found.text }],
  name_spaces: [{ is: 'name_spaces', found: found.text }],
  limit_unknown: [{ is: 'limit_unknown', field: 'euros', known: 'usd_per_day, usd_per_run' }],
  policy_idle: [{ is: 'policy_idle', field: 'temperature' }],
  policy_unknown: [{ is: 'policy_unknown', field: 'max_iteration', known: 'max_iterations' }],
  policy_asks_anyway: [{ is: 'policy_asks_anyway' }],
  delegates_idle: [{ is: 'delegates_idle' }],
  tool_missing: inVain.map((close) => ({ is: 'tool_missing', name: 'calculater', close })),
  tool_not_now: inVain.map((close) => ({ is: 'tool_not_now', name: 'git__find', server: 'git', close })),
  skill_missing: inVain.map((close) => ({ is: 'skill_missing', name: 'tea', close })),
  server_missing: inVain.map((close) => ({ is: 'server_missing', name: 'git', close })),
  delegate_missing: inVain.map((close) => ({ is: 'delegate_missing', name: 'laochan', close })),
  skill_no_file: [{ is: 'skill_no_file' }],
  skill_link: [{ is: 'skill_link' }],
  skill_large: [{ is: 'skill_large', most_kib: 128 }],
  skill_no_front: [{ is: 'skill_no_front' }],
  skill_body_empty: [{ is: 'skill_body_empty' }],
  skill_field_missing: [{ is: 'skill_field_missing', field: 'description' }],
  skill_field_unknown: [{ is: 'skill_field_unknown', field: 'hint' }],
  skill_name: [{ is: 'skill_name', most: 64, found: found.text }],
  skill_other_name: [{ is: 'skill_other_name', folder: 'tea', name: 'coffee' }],
};
const each = Object.values(all).flat() as SoulMistake[];

const of = (kind?: SoulMistake): SoulProblem => ({
  line: 3,
  column: 1,
  message: 'the runtime says it in English',
  ...(kind ? { kind } : {}),
});

afterEach(() => setLanguage('en'));

describe('a problem of a soul file', () => {
  it('is told in Chinese with all that it carries, and with no word of another', () => {
    setLanguage('zh');
    for (const kind of each) {
      const { text, own } = tellProblem(of(kind));
      const shown = JSON.stringify(kind);
      expect(text, shown).toMatch(/\p{Script=Han}.*[。？]$/u);
      expect(text, shown).not.toMatch(/\{|undefined|runtime|null/);
      expect(text, shown).not.toMatch(/ [，。]|\p{Script=Han} {2}|[\u4e00-\u9fff][,;:?!]/u);
      expect(own.toLowerCase(), shown).toBe('detail' in kind ? `${detail}.` : '');
      const carried = kind.is === 'file_name' ? { ...kind, ...kind.wrong } : kind;
      for (const [name, value] of Object.entries(carried)) {
        if (['is', 'detail', 'wrong', 'cause'].includes(name) || typeof value === 'object') continue;
        expect(text, shown).toContain(String(value));
      }
    }
  });

  it('is told apart from every other', () => {
    setLanguage('zh');
    const texts = each.map((kind) => tellProblem(of(kind)).text);
    const twice = texts.filter((text, at) => texts.indexOf(text) !== at);
    // Once as a form and once as a value that was found.
    expect(twice).toEqual(['plan 应当是 true 或 false，而不是 9。']);
    expect(wholeProblem(of({ is: 'persona_empty' }))).toBe('人格是空的，在这里写这个智能体是谁。');
    expect(wholeProblem(of(all.field_form[7]))).toBe('plan 应当是 never、auto 或 always，而不是 9。');
    expect(wholeProblem(of(all.item_unquoted[0]))).toBe('tools 是一列文本，给 9 加上引号。');
    expect(wholeProblem(of(all.yaml[2]))).toBe(
      '这不是有效的 YAML：含冒号的值要加引号，各字段从同一列开始。原文：Mapping values are not allowed in this context.',
    );
  });

  it('stays the runtime’s sentence in English, but where that names a command of the terminal', () => {
    const said = new Set(each.map((kind) => wholeProblem(of(kind))));
    expect(said).toContain('The runtime says it in English.');
    expect(said).toContain('There is no tool calculater; Settings under Skills names them all.');
    expect([...said].filter((one) => /\bcoterie\b/.test(one))).toEqual([]);
    expect(said.size).toBe(6);
  });

  it('without a kind, or of one that only a later runtime knows, is quoted', () => {
    setLanguage('zh');
    const later = { ...of(), kind: { is: 'moon_full' } } as unknown as SoulProblem;
    for (const problem of [of(), later]) {
      expect(tellProblem(problem)).toEqual({ text: '文件有问题。', own: 'The runtime says it in English.' });
    }
  });

  it('keeps to the words of the design', () => {
    for (const table of [mistakes, forms, values, causes])
      for (const text of Object.values(table)) expect(text).not.toMatch(/您|请/);
  });
});
