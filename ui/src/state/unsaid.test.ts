import { expect, it } from 'vitest';
import type { Step, StepKind } from '../api/generated';
import { unsaid } from './unsaid';

const steps = (...kinds: StepKind[]) => kinds.map((kind, at) => ({ run: 'r', n: at + 1, at_ms: 0, ...kind }) as Step);
const delta = (text: string): StepKind => ({ step: 'delta', text, reasoning: '' });
const fault = { code: 'provider', message: 'the connection broke', fix: 'nothing' } as const;
const again = (replaces: boolean): StepKind => ({ step: 'retried', fault, attempt: 2, after_ms: 5, replaces });

it.each([
  ['nothing was written', steps(delta('')), [], ''],
  ['it broke off', steps(delta('Start with ')), [], 'Start with'],
  ['some of it was said beside a tool', steps(delta('Let me look.'), delta('It is ')), ['Let me look.'], 'It is'],
  ['it was begun anew', steps(delta('One. '), again(true), delta('Two. ')), [], 'Two.'],
  ['it was begun anew and nothing came', steps(delta('One. '), again(true), delta('')), [], 'One.'],
  ['a try that nobody saw came between', steps(delta('One. '), again(false), delta('Two. ')), [], 'One.\n\nTwo.'],
])('what a turn had written that broke off is told where %s', (_, all, messages, left) => {
  expect(unsaid(all, messages)).toBe(left);
});
