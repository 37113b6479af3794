/**
 * What is wrong with a soul file, in the reader's language.
 *
 * The runtime says it in English. By its kind the window knows which mistake
 * it is; what has no kind, or one that only a later runtime knows, is quoted.
 */
import type { NameMistake, SoulForm, SoulMistake, SoulProblem, SoulValue } from '../api/generated';
import { sentence, together } from './sentences';
import { filled, language, languageTag, t } from './words.svelte';
import { mistakes as inTheWindow } from './en/mistakes';
import { causes, forms, mistakes, values } from './zh/mistakes';

/** The kinds as they are said: one by one where one has several faces. */
export type Mistake =
  Exclude<SoulMistake['is'], 'file_name'> | `file_name_${NameMistake['is']}` | `${InVain}_close` | 'yaml_cause';

/** What a soul names and what is not there, perhaps with the nearest name. */
type InVain = Exclude<Extract<SoulMistake, { close: string | null }>['is'], 'field_misspelt'>;

export type ToldProblem = {
  /** Whole sentences. */
  text: string;
  /** What the runtime or somebody else said of it, in English, where the reader's language is another one. */
  own: string;
};

export function tellProblem({ message, kind }: SoulProblem): ToldProblem {
  if (language() === 'en') {
    const own = kind && inTheWindow[mistakeOf(kind)];
    return { text: own ? filled(own, paramsOf(kind), languageTag()) : sentence(message), own: '' };
  }
  const text = kind && mistakes[mistakeOf(kind)];
  if (!kind || !text) return { text: t('souls.wrong'), own: sentence(message) };
  const own = 'detail' in kind ? sentence(kind.detail) : '';
  const said = filled(text, paramsOf(kind), languageTag());
  // A value that ends in a blank may stand before a full stop.
  return { text: said.replace(/ (?=[，。])/g, ''), own };
}

/** The same as one text. */
export function wholeProblem(problem: SoulProblem): string {
  const { text, own } = tellProblem(problem);
  return together(text, own && t('part.in_own_words', { text: own }));
}

function mistakeOf(kind: SoulMistake): Mistake {
  switch (kind.is) {
    case 'file_name':
      return `file_name_${kind.wrong.is}`;
    case 'yaml':
      return kind.cause === null ? 'yaml' : 'yaml_cause';
    case 'tool_missing':
    case 'tool_not_now':
    case 'skill_missing':
    case 'server_missing':
    case 'delegate_missing':
      return kind.close === null ? kind.is : `${kind.is}_close`;
    default:
      return kind.is;
  }
}

function paramsOf(kind: SoulMistake): Record<string, string | number> {
  const params: Record<string, string | number> = {};
  const of = kind.is === 'file_name' ? { ...kind, ...kind.wrong } : kind;
  for (const [name, value] of Object.entries(of))
    if (typeof value === 'string' || typeof value === 'number') params[name] = value;
  if ('found' in kind) params['found'] = valueOf(kind.found);
  if ('form' in kind) params['form'] = formOf(kind.form);
  if (kind.is === 'yaml' && kind.cause !== null) params['cause'] = causes[kind.cause];
  // The number of a line is a name, not an amount.
  if (kind.is === 'key_twice') params['line'] = String(kind.line);
  return params;
}

const formOf = (form: SoulForm): string => filled(forms[form.is], form, languageTag());
const valueOf = (value: SoulValue): string => filled(values[value.is], value, languageTag());
