import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { en } from './en';
import { visibleText } from './scan';
import type { Word } from './shape';
import { setLanguage, t, filled } from './words.svelte';
import { day, duration, list, moment, money, short } from './format';
import { zh } from './zh';

type Tables = Record<string, Record<string, Word>>;
const tables: Record<'en' | 'zh', Tables> = { en, zh };

const keys = (table: Tables) =>
  Object.entries(table)
    .flatMap(([area, words]) => Object.keys(words).map((key) => `${area}.${key}`))
    .sort();
const wordAt = (table: Tables, key: string): Word | undefined => {
  const [area = '', name = ''] = key.split('.');
  return table[area]?.[name];
};
const texts = (word: Word | undefined) =>
  word === undefined ? [] : typeof word === 'string' ? [word] : Object.values(word);
const params = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))].sort();

describe('the languages', () => {
  it('have the same keys', () => {
    expect(keys(zh)).toEqual(keys(en));
  });

  it('have no empty text', () => {
    for (const [tongue, table] of Object.entries(tables)) {
      for (const key of keys(table))
        for (const text of texts(wordAt(table, key))) expect(text.trim(), `${tongue} ${key}`).not.toBe('');
    }
  });

  it('take the same params, plural where the other is', () => {
    for (const key of keys(en)) {
      const [ours, theirs] = [wordAt(en, key), wordAt(zh, key)];
      expect(typeof theirs, key).toBe(typeof ours);
      const last = (word: Word | undefined) => params(texts(word).at(-1) ?? '');
      expect(last(theirs), key).toEqual(last(ours));
    }
  });

  it('have the plural forms that they need and no others', () => {
    for (const [tongue, table] of Object.entries(tables)) {
      const needed = new Intl.PluralRules(tongue).resolvedOptions().pluralCategories.toSorted();
      for (const key of keys(table)) {
        const word = wordAt(table, key);
        if (typeof word === 'object') expect(Object.keys(word).sort(), `${tongue} ${key}`).toEqual(needed);
      }
    }
  });

  it('keep to the words of the design', () => {
    for (const key of keys(zh)) {
      for (const text of texts(wordAt(zh, key))) {
        expect(text, key).not.toMatch(/您|请(?!它|才|谁|一)/);
        expect(text.replace(/\{\w+\}/g, ''), key).not.toMatch(/[\u4e00-\u9fff][,;:?!]/);
      }
    }
    for (const key of keys(en)) {
      for (const text of texts(wordAt(en, key))) expect(text, key).not.toMatch(/!|\b(please|oops|sorry|AI)\b/i);
    }
  });
});

describe('t', () => {
  it('follows the language at once', () => {
    setLanguage('en');
    expect(t('souls.problems', { n: 1 })).toBe('1 problem');
    expect(t('souls.problems', { n: 1200 })).toBe('1,200 problems');
    setLanguage('zh');
    expect(t('souls.problems', { n: 1 })).toBe('1 个问题');
    expect(document.documentElement.lang).toBe('zh-CN');
    setLanguage('en');
  });

  it('leaves a param that was not given as it stands', () => {
    expect(filled('{who} and {what}', { who: 'Ada' }, 'en')).toBe('Ada and {what}');
    expect(filled('{who}', { who: '{what}', what: 'no' }, 'en')).toBe('{what}');
  });
});

describe('numbers and times', () => {
  const now = new Date(2026, 4, 20, 14, 0).getTime();
  const at = (month: number, date: number, hour = 9, minute = 5) => new Date(2026, month, date, hour, minute).getTime();

  it('are written as English does', () => {
    setLanguage('en');
    expect([0, 50, 6100, 21_000, 480_000, 5_000_000, 1_234_560_000].map(money)).toEqual([
      '$0',
      '<$0.0001',
      '$0.0061',
      '$0.021',
      '$0.48',
      '$5.00',
      '$1,234.56',
    ]);
    expect([999, 1100, 64_200, 999_600, 1_048_576].map(short)).toEqual(['999', '1.1k', '64k', '1M', '1M']);
    expect([duration(40), duration(2400), duration(31_000), duration(120_000), duration(7_200_000)]).toEqual([
      '40 ms',
      '2.4 s',
      '31 s',
      '2 min',
      '2 h',
    ]);
    expect([moment(at(4, 20), now), moment(at(4, 15), now), moment(at(3, 12), now)]).toEqual([
      '09:05',
      'Fri',
      '12 Apr',
    ]);
    expect([day(at(4, 20), now), day(at(4, 19), now), day(at(4, 15), now)]).toEqual(['Today', 'Yesterday', 'Friday']);
    expect(list(['Bo', 'Ada', 'Ines'])).toBe('Bo, Ada and Ines');
  });

  it('are written as Chinese does', () => {
    setLanguage('zh');
    expect([duration(2400), day(at(4, 20), now), moment(at(4, 15), now), moment(at(3, 12), now)]).toEqual([
      '2.4 秒',
      '今天',
      '周五',
      '4月12日',
    ]);
    expect(list(['老陈', '林夏'])).toBe('老陈和林夏');
    setLanguage('en');
  });
});

describe('what is visible in components', () => {
  const files = import.meta.glob('../**/*.svelte', { query: '?raw', import: 'default', eager: true }) as Record<
    string,
    string
  >;

  it('comes from the words', () => {
    expect(Object.keys(files).length).toBeGreaterThan(20);
    const found = Object.entries(files).flatMap(([file, source]) =>
      visibleText(source).map((text) => `${file}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['<p>Hello</p>', 'Hello'],
    ['<p>你好</p>', '你好'],
    ['<img alt="A cat">', 'A cat'],
    ['<button aria-label="Close"></button>', 'Close'],
    ['<button title={"Close"}></button>', 'Close'],
    ['<Field label="Name" />', 'Name'],
    ['<p>{open ? "Open" : word}</p>', 'Open'],
    ['<p>{`${n} runs`}</p>', 'runs'],
    ['{#if a}<p>{#each b as c (c)}Row{/each}</p>{/if}', 'Row'],
    ['<svelte:head><title>Souls</title></svelte:head>', 'Souls'],
    ['<script>toast.show({ text: "Bo left" })</script>', 'Bo left'],
    ['<script>let { label = "More" } = $props()</script>', 'More'],
    ['<Menu items={[{ label: "Delete", run }]} />', 'Delete'],
  ])('is found: %s', (source, text) => {
    expect(visibleText(source)).toEqual([text]);
  });

  it.each([
    ["<p>{t('souls.title')}</p>"],
    ['<p class="strong" data-testid="x">{name} · 3 %</p>'],
    ["<p>{kind === 'done' ? a : b}</p>"],
    ['<Icon name="copy" /><Button kind="primary" keys="Ctrl S">{t(\'souls.save\')}</Button>'],
    ['<style>p { color: red }</style>'],
    ["<script>const label = t('part.more'); const kind = 'primary';</script>"],
  ])('is not found: %s', (source) => {
    expect(visibleText(source)).toEqual([]);
  });

  it('has no inline style, which the policy of the page forbids', () => {
    const inline = Object.entries(files).filter(([, source]) =>
      /\sstyle=/.test(source.replace(/<script[\s\S]*?<\/script>/g, '')),
    );
    expect(inline.map(([file]) => file)).toEqual([]);
  });

  it('is in no page of its own', () => {
    const page = readFileSync('index.html', 'utf8');
    expect(page).not.toMatch(/<(script|style)>|\son\w+=|\sstyle=/);
  });
});
