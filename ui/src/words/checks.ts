/**
 * What the checks of the workspace found, in the reader's language, with the
 * window's own way out. Without a kind they are quoted.
 */
import type { Check, CheckAbout, CheckKind, Finding } from '../api/generated';
import { mend as mendInEnglish } from './en/checks';
import { tellFault } from './faults';
import { tellProblem } from './mistakes';
import { sayKeyringName } from './say';
import { heading, sentence, together } from './sentences';
import { filled, language, languageTag } from './words.svelte';
import { abouts, answers, found, mend as mendInChinese, skill, soul, without } from './zh/checks';

/** The findings that have words of their own; a fault has its own. */
export type Found = Exclude<Finding['is'], 'fault' | 'agent_stopped'> | 'soul_gone';

export type ToldCheck = {
  /** What was looked at. */
  name: string;
  /** What was found; no full stop in a title, sentences else. */
  detail: string;
  /** What to do about it. */
  helps: string;
  /** What the runtime or somebody else said of it, in English, where the reader's language is another one. */
  own: string;
};

export function tellCheck(check: Check): ToldCheck {
  const { kind } = check;
  if (language() === 'en') {
    const helps = kind ? helpsInEnglish(kind.finding) : '';
    // A model's name stands first as it is written.
    const detail = kind?.finding.is.startsWith('model') ? check.detail : heading(check.detail);
    return { name: heading(check.name), detail, helps: helps || sentence(check.fix), own: '' };
  }
  const told = kind && inChinese(kind);
  return (
    told ?? { name: check.name, detail: '', helps: '', own: `${sentence(check.detail)} ${sentence(check.fix)}`.trim() }
  );
}

function helpsInEnglish(finding: Finding): string {
  switch (finding.is) {
    case 'fault':
    case 'nobody_answers':
      return tellFault(finding.fault).helps;
    case 'agent_stopped':
      return afterMending(finding, mendInEnglish.agent_stopped ?? '');
    default:
      return mendInEnglish[finding.is] ?? '';
  }
}

/** Choosing a model brings back whoever stopped for want of one. */
function afterMending({ fault }: Extract<Finding, { is: 'agent_stopped' }>, then: string): string {
  const { helps } = tellFault(fault);
  return fault.code === 'no_model' ? helps : together(helps, then);
}

function inChinese({ about, finding }: CheckKind): ToldCheck | undefined {
  const name = filled(abouts[about.is], about, languageTag());
  switch (finding.is) {
    case 'fault': {
      const { title, helps, own } = tellFault(finding.fault);
      return { name, detail: title, helps, own };
    }
    case 'agent_stopped': {
      const { title, own } = tellFault(finding.fault);
      return { name, detail: title, helps: afterMending(finding, mendInChinese.agent_stopped ?? ''), own };
    }
    case 'nobody_answers': {
      const { title, helps, own } = tellFault(finding.fault);
      return { name, detail: say(found.nobody_answers, { title }), helps, own };
    }
    case 'soul_not_in_force': {
      const problem = finding.problem && tellProblem(finding.problem);
      const until = finding.version > 0 ? say(soul.keeps, { version: String(finding.version) }) : soul.none;
      return {
        name,
        detail: say(problem ? found.soul_not_in_force : found.soul_gone, { path: finding.path }),
        helps: together(problem ? problem.text : soul.put_back, until),
        own: problem ? problem.own : '',
      };
    }
    case 'skill_not_in_force': {
      const problem = tellProblem(finding.problem);
      const until = finding.kept ? skill.keeps : skill.none;
      const detail = say(found.skill_not_in_force, { path: finding.path });
      return { name, detail, helps: together(problem.text, until), own: problem.own };
    }
    case 'keyring_works': {
      const { name: keyring, keys } = finding;
      const detail = say(found.keyring_works, { name: sayKeyringName(keyring), keys });
      return { name, detail, helps: '', own: '' };
    }
    default: {
      const text = found[finding.is];
      if (text === undefined) return undefined;
      const detail = say(text, { ...plain(finding), without: without[about.is] ?? '' });
      const own = 'detail' in finding ? sentence(finding.detail) : '';
      return { name, detail: together(detail, beside(finding)), helps: mendInChinese[finding.is] ?? '', own };
    }
  }
}

/** What else a provider's answer means. */
function beside(finding: Finding): string {
  if (finding.is !== 'provider_answers') return '';
  const { tells_anybody, left_alone_seconds } = finding;
  const also = [
    tells_anybody ? answers.tells_anybody : '',
    left_alone_seconds === null ? '' : say(answers.left_alone, { seconds: left_alone_seconds }),
  ];
  return also
    .filter((one) => one !== '')
    .map((one) => `；${one}`)
    .join('');
}

/** What can stand in a text. */
function plain(of: Finding | CheckAbout): Record<string, string | number> {
  const params: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(of))
    if (typeof value === 'string' || typeof value === 'number') params[name] = value;
  return params;
}

const say = (text: string, params: Record<string, string | number>) => filled(text, params, languageTag());
