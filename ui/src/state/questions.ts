/** What agents and servers want to know from the person. Pure. */
import type { Choice, Field, Question } from '../api/generated';

export const isOpen = (question: Question) => question.state === 'waiting';

/** Those that one use of a tool waits for, oldest first. */
export function askedBy(questions: ReadonlyMap<string, Question>, call: string): readonly Question[] {
  return [...questions.values()].filter((one) => one.call === call && isOpen(one)).sort(byTime);
}

/** Those that wait, oldest first, and the others, newest first. */
export function questionsIn(questions: Iterable<Question>): { waiting: Question[]; over: Question[] } {
  const all = [...questions];
  const at = (question: Question) => question.answered_ms ?? question.asked_ms;
  return {
    waiting: all.filter(isOpen).sort(byTime),
    over: all.filter((one) => !isOpen(one)).sort((a, b) => at(b) - at(a)),
  };
}

const byTime = (a: Question, b: Question) => a.asked_ms - b.asked_ms;

/** What stands in a field of the form: one text, or several that are chosen. */
export type Entered = string | readonly string[];

/** What stands there before anybody entered anything. */
export function atFirst(field: Field): Entered {
  const { default: value, takes } = field;
  if (takes.kind === 'choice' && takes.several) return Array.isArray(value) ? value.map(String) : [];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null || value === undefined ? '' : String(value);
}

/** The digits of the number that a person's words stand for, if any. */
export type DigitsIn = (text: string) => string | undefined;

/** The answer that the form stands for; what is empty is left out, or taken out where the field held something. */
export function valuesOf(
  fields: readonly Field[],
  entered: ReadonlyMap<string, Entered>,
  digitsIn: DigitsIn,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = entered.get(field.name) ?? atFirst(field);
    if (value.length > 0) values[field.name] = valueOf(field, value, digitsIn);
    else if (field.default !== null) values[field.name] = null;
  }
  return values;
}

function valueOf({ takes }: Field, entered: Entered, digitsIn: DigitsIn): unknown {
  switch (takes.kind) {
    case 'text':
    case 'choice':
      return entered;
    case 'number':
      // What is no number is refused with a sentence that says so.
      return digitsIn(String(entered)) ?? entered;
    case 'yes_no':
      return entered === 'yes';
    default:
      return takes satisfies never;
  }
}

/** Whether everything stands there that has to. */
export function isFilledIn(fields: readonly Field[], entered: ReadonlyMap<string, Entered>): boolean {
  return fields.every((field) => {
    const value = entered.get(field.name) ?? atFirst(field);
    return !field.required || (typeof value === 'string' ? value.trim() : value).length > 0;
  });
}

/** What a person reads of a choice. */
export const titleOf = (choice: Choice) => choice.title ?? choice.value;

/** The answer on one line, as far as it is on record. */
export function inShort(question: Question): string {
  const { given } = question;
  if (given?.kind !== 'values') return '';
  const one = (value: unknown) => (Array.isArray(value) ? value.map(String).join(', ') : String(value));
  const entries = Object.entries(given.values);
  const [only] = entries;
  if (entries.length === 1 && only) return one(only[1]);
  return entries.map(([name, value]) => `${name}: ${one(value)}`).join(', ');
}
