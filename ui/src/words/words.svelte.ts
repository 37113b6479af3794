/**
 * The words on the screen, in the language of the moment.
 *
 * Reads its language from reactive state, so a page that calls `t` follows a
 * change at once. Knows no page and no record.
 */
import { apart } from './apart';
import { en } from './en';
import { zh } from './zh';
import type { KeyOf, ParamsOf, Word, WordAt } from './shape';

export type Tongue = 'en' | 'zh';
export type LanguageChoice = 'system' | Tongue;
export type Key = KeyOf<typeof en>;
export type Args<K> = [ParamsOf<WordAt<typeof en, K>>] extends [never]
  ? []
  : [params: Record<ParamsOf<WordAt<typeof en, K>>, string | number>];

const tables = { en, zh } as const;
const tags: Record<Tongue, string> = { en: 'en', zh: 'zh-CN' };

let choice = $state<LanguageChoice>('system');
let ofSystem = $state<Tongue>(systemTongue());

function systemTongue(): Tongue {
  const wanted = typeof navigator === 'undefined' ? 'en' : (navigator.language ?? 'en');
  return wanted.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

if (typeof window !== 'undefined') {
  window.addEventListener('languagechange', () => {
    ofSystem = systemTongue();
    tellDocument();
  });
}

/** Switches the window's language; `system` follows the system's. */
export function setLanguage(to: LanguageChoice): void {
  choice = to;
  tellDocument();
}

/** The language in force. */
export function language(): Tongue {
  return choice === 'system' ? ofSystem : choice;
}

/** Its BCP 47 tag, for `Intl` and for `lang`. */
export function languageTag(): string {
  return tags[language()];
}

function tellDocument(): void {
  if (typeof document !== 'undefined') document.documentElement.lang = languageTag();
}

/** The text of a key, its `{params}` filled in. */
export function t<K extends Key>(key: K, ...args: Args<K>): string {
  return said(language(), key, args[0] ?? {});
}

/** The same in every language: what is looked for is found by any of them. */
export function inEveryTongue<K extends Key>(key: K, ...args: Args<K>): readonly string[] {
  return (Object.keys(tables) as Tongue[]).map((tongue) => said(tongue, key, args[0] ?? {}));
}

function said(tongue: Tongue, key: Key, params: Readonly<Record<string, string | number>>): string {
  const dot = key.indexOf('.');
  const table: Readonly<Record<string, Readonly<Record<string, Word>>>> = tables[tongue];
  const word = table[key.slice(0, dot)]?.[key.slice(dot + 1)];
  return word === undefined ? key : filled(word, params, tags[tongue]);
}

/** Picks the plural form by `n` and fills the params; numbers are written as the language writes them. */
export function filled(word: Word, params: Readonly<Record<string, string | number>>, tag: string): string {
  const text = typeof word === 'string' ? word : plural(word, Number(params['n'] ?? 0), tag);
  if (!text.includes('{')) return text;
  const parts = text.split(/(\{\w+\})/).map((part) => {
    const value = params[/^\{(\w+)\}$/.exec(part)?.[1] ?? ''];
    if (value === undefined) return part;
    return typeof value === 'number' ? formsOf(tag).numbers.format(value) : value;
  });
  return apart(parts);
}

function plural(word: Exclude<Word, string>, n: number, tag: string): string {
  return formsOf(tag).plurals.select(n) === 'one' ? (word.one ?? word.other) : word.other;
}

type Forms = { numbers: Intl.NumberFormat; plurals: Intl.PluralRules };
const forms: Partial<Record<string, Forms>> = {};

/** Dear to make, and asked for on every row. */
const formsOf = (tag: string): Forms =>
  (forms[tag] ??= { numbers: new Intl.NumberFormat(tag), plurals: new Intl.PluralRules(tag) });
