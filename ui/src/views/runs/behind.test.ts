import { describe, expect, it } from 'vitest';
import type { Step, StepKind } from '../../api/generated';
import { behind } from './behind';

const run = (...kinds: StepKind[]): Step[] => kinds.map((kind, at) => ({ run: 'r', n: at + 1, at_ms: at, ...kind }));
const called = { step: 'model_called', model: 'a/b' } as const;
const delta = (text: string, reasoning = '') => ({ step: 'delta', text, reasoning }) as const;
const of = (steps: Step[], n: number, sent = 0) => {
  const step = steps[n - 1];
  if (!step) throw new Error('no such step');
  return behind(step, steps, sent);
};

describe('what stands behind a step', () => {
  it('is the request that was sent, where each call has one on record', () => {
    const steps = run(called, delta(''), called, delta('Done.'));
    expect([of(steps, 1, 2), of(steps, 3, 2)]).toEqual([
      { kind: 'request', n: 1 },
      { kind: 'request', n: 2 },
    ]);
    expect(of(steps, 3, 1)).toBeNull();
  });

  it('is all that was written in one go', () => {
    const steps = run(called, delta('', 'Hm. '), delta('So '), delta('it is.'), called, delta('Else.'));
    expect(of(steps, 2)).toEqual({ kind: 'wrote', text: 'So it is.', reasoning: 'Hm. ' });
  });

  it('is what a tool was given and what it gave, also when it has not returned', () => {
    const use = { step: 'tool_proposed', model_id: 'x', tool: 'add', arguments: '{}' } as const;
    const steps = run(
      { ...use, call: 'one' },
      { ...use, call: 'two' },
      { step: 'tool_returned', call: 'one', state: 'succeeded', text: '4' },
    );
    expect([of(steps, 1), of(steps, 2)]).toEqual([
      { kind: 'use', tool: 'add', arguments: '{}', result: '4' },
      { kind: 'use', tool: 'add', arguments: '{}', result: null },
    ]);
  });

  it('is the fault that ended it', () => {
    const fault = { code: 'provider', message: 'busy', fix: '' } as const;
    const steps = run({ step: 'settled', outcome: { kind: 'failed', fault } }, { step: 'woken', by: 'm' });
    expect([of(steps, 1), of(steps, 2)]).toEqual([{ kind: 'fault', fault }, null]);
  });
});
