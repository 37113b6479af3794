/**
 * Faults in the reader's language.
 *
 * The runtime's own sentences are English and name commands of the terminal.
 * By its kind the window knows which fault it is and says it in its own words;
 * what has no kind is told by its code, and its English sentences are quoted.
 */
import type { Fault, FaultKind, MemoryFileWrong, SoulKept } from '../api/generated';
import { mend as mendInEnglish } from './en/mend';
import { money, size } from './format';
import { sayFileWrong, sayPlaceInFile } from './memory-file';
import { heading, sentence, together } from './sentences';
import { filled, language, languageTag, t, type Tongue } from './words.svelte';
import { mend as mendInChinese, spender, thing, wrong as wrongInChinese } from './zh/faults';

/** The kinds as they are said: one by one where one has several faces. */
export type Kind =
  | Exclude<FaultKind['is'], 'model' | 'model_file' | 'pdf_unread' | 'over_budget' | 'soul_kept'>
  | `model_${Extract<FaultKind, { is: 'model' }>['trouble']}`
  | `model_file_${Extract<FaultKind, { is: 'model_file' }>['wrong']}`
  | `pdf_${Extract<FaultKind, { is: 'pdf_unread' }>['why']}`
  | `soul_kept_${SoulKept}`
  | 'owner_silent_pid'
  | `budget_${'zero' | 'turn' | 'day' | 'call' | 'soul'}`;

/** The same, of what is to be done: for a file of memories that depends on what is wrong with it. */
export type Mendable = Exclude<Kind, 'memory_file'> | `memory_file_${MemoryFileWrong['is']}`;

/** A fault as the screen says it. */
export type Told = {
  /** What went wrong; no full stop. */
  title: string;
  /** What to do about it in the window; empty where only the runtime knows. */
  helps: string;
  /** What the runtime said of it, in English, where the reader's language is another one. */
  own: string;
};

/** What is wrong is the runtime's own sentence in English. */
type Words = { wrong?: Partial<Record<Kind, string>>; mend: Partial<Record<Mendable, string>> };
const words: Record<Tongue, Words> = {
  en: { mend: mendInEnglish },
  zh: { wrong: wrongInChinese, mend: mendInChinese },
};

export function tellFault(fault: Fault): Told {
  const { code, message, fix, kind } = fault;
  const { wrong, mend } = words[language()];
  const helps = kind ? say(mend[mendableOf(kind)], kind) : '';
  if (!wrong) return { title: heading(message) || t(`fault.${code}`), helps: helps || sentence(fix), own: '' };
  const title = kind ? say(wrong[kindOf(kind)], kind) : '';
  return title && kind
    ? { title, helps, own: detailOf(fault, kind) }
    : { title: t(`fault.${code}`), helps: '', own: `${sentence(message)} ${sentence(fix)}`.trim() };
}

/** The same where there is room for one line only. */
export const titleFault = (fault: Fault): string => tellFault(fault).title;

/** Everything that is known of it, as one text: a tip, a note. */
export function wholeFault(fault: Fault): string {
  const { title, helps, own } = tellFault(fault);
  return together(sentence(title), helps, own && t('part.in_own_words', { text: own }));
}

function mendableOf(kind: FaultKind): Mendable {
  return kind.is === 'memory_file' ? `memory_file_${kind.wrong.is}` : kindOf(kind);
}

function kindOf(kind: Exclude<FaultKind, MemoryFile>): Exclude<Kind, 'memory_file'>;
function kindOf(kind: FaultKind): Kind;
function kindOf(kind: FaultKind): Kind {
  switch (kind.is) {
    case 'model':
      return `model_${kind.trouble}`;
    case 'model_file':
      return `model_file_${kind.wrong}`;
    case 'pdf_unread':
      return `pdf_${kind.why}`;
    case 'over_budget':
      return budgetKind(kind);
    case 'soul_kept':
      return `soul_kept_${kind.why}`;
    case 'owner_silent':
      return kind.pid === null ? 'owner_silent' : 'owner_silent_pid';
    default:
      return kind.is;
  }
}

type MemoryFile = Extract<FaultKind, { is: 'memory_file' }>;
type OverBudget = Extract<FaultKind, { is: 'over_budget' }>;

/** A new day helps only where the call would fit it on its own. */
function budgetKind({ scope, limit, needed, soul }: OverBudget): Kind {
  if (soul !== undefined) return 'budget_soul';
  if (limit === 0) return 'budget_zero';
  if (scope.kind === 'message' || scope.kind === 'run') return 'budget_turn';
  return needed <= limit ? 'budget_day' : 'budget_call';
}

function amountsOf({ scope, name, unit, soul: _, ...amounts }: OverBudget): Record<string, string> {
  const amount = (n: number) => (unit === 'tokens' ? t('budgets.tokens', { n }) : money(n));
  const [used, limit, needed] = [amounts.used, amounts.limit, amounts.needed].map(amount);
  const who = filled(name === null ? spender[scope.kind] : spender.named, { name: name ?? '' }, languageTag());
  return { who, used: used ?? '', limit: limit ?? '', needed: needed ?? '' };
}

function say(text: string | undefined, kind: FaultKind): string {
  if (text === undefined) return '';
  const values: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(kind))
    if (value !== null && typeof value !== 'object') values[name] = value;
  // A number of a process is a name, not an amount.
  if (kind.is === 'owner_silent' && kind.pid !== null) values['pid'] = String(kind.pid);
  if (kind.is === 'over_budget') Object.assign(values, amountsOf(kind));
  if (kind.is === 'attachment_large') Object.assign(values, { bytes: size(kind.bytes), most: size(kind.most) });
  if (kind.is === 'memory_file') {
    const part = kind.line === null ? null : ({ is: 'line', number: kind.line } as const);
    Object.assign(values, { place: sayPlaceInFile({ file: kind.path, part }), wrong: sayFileWrong(kind.wrong) });
  }
  if ('state' in kind) values['state'] = t(`agent_state.${kind.state}`);
  if (kind.is === 'soul_version_unknown') values['version'] = String(kind.version);
  if (kind.is === 'proposal_stale' && kind.section === '') values['section'] = t('souls.proposal_first');
  if (kind.is === 'database_no_file') values['found'] = thing[kind.found];
  return filled(text, values, languageTag());
}

/** What no table can have: what SQLite, a provider or the system said of it. */
function detailOf(fault: Fault, kind: FaultKind): string {
  if (kind.is === 'model') return sentence(fault.message);
  const told = kind.is === 'memory_file' ? kind.wrong : kind;
  return 'detail' in told ? sentence(told.detail) : '';
}
