import { describe, expect, it } from 'vitest';
import type { Run, Step, StepKind } from '../api/generated';
import { doings, givenArguments, isDoing, shortArguments, stepsOfTurn } from './doings';

const steps = (...kinds: StepKind[]) =>
  kinds.map((kind, at) => ({ run: 'r', n: at + 1, at_ms: at * 100, ...kind }) as Step);

const proposed = (call: string): StepKind => ({
  step: 'tool_proposed',
  call,
  model_id: call,
  tool: 'calculator',
  arguments: '{"expression":"1+1"}',
});

describe('what a run did', () => {
  it('has a line for each use of a tool, from its proposal to its return', () => {
    const seen = doings(
      steps(
        { step: 'woken', by: 'm' },
        proposed('one'),
        proposed('two'),
        { step: 'tool_dispatched', call: 'two' },
        { step: 'tool_dispatched', call: 'one' },
        { step: 'tool_returned', call: 'two', state: 'failed', text: 'no' },
      ),
    );
    expect(seen.map((one) => one.kind === 'use' && [one.call, one.state, one.result, one.fromMs, one.toMs])).toEqual([
      ['one', 'dispatched', null, 400, null],
      ['two', 'failed', 'no', 300, 500],
    ]);
  });

  it('is in the runs that it goes on with too, and not in one that has ended by itself', () => {
    const ran = (id: string, state: Run['state'], resumes: string | null) => ({ id, state, resumes }) as Run;
    const runs = [
      ran('a', 'settled', null),
      ran('b', 'resumed', 'a'),
      ran('c', 'resumed', 'b'),
      ran('d', 'running', 'c'),
    ];
    const made = (run: string, kind: StepKind) => [run, [{ run, n: 1, at_ms: 0, ...kind } as Step]] as const;
    const mirror = {
      runs: new Map(runs.map((run) => [run.id, run])),
      steps: new Map([
        made('a', proposed('zero')),
        made('b', proposed('one')),
        made('c', proposed('two')),
        made('d', { step: 'tool_returned', call: 'one', state: 'succeeded', text: '2' }),
      ]),
    };
    const seen = doings(stepsOfTurn(mirror, ran('d', 'running', 'c')));
    expect(seen.map((one) => one.kind === 'use' && [one.key, one.state])).toEqual([
      ['b 1', 'succeeded'],
      ['c 1', 'proposed'],
    ]);
  });

  it('says of a second plan why there is one', () => {
    const plan = { steps: [] };
    const seen = doings(
      steps(
        { step: 'planned', plan },
        { step: 'replanned', attempt: 1, because: 'the file is gone' },
        { step: 'planned', plan },
      ),
    );
    expect(seen.map((one) => one.kind === 'plan' && one.because)).toEqual([null, 'the file is gone']);
  });

  it('says of a use that was allowed and has not begun that it was', () => {
    const proposed = { step: 'tool_proposed', call: 'c', model_id: 'c', tool: 'shell', arguments: '{}' } as const;
    const asked = { step: 'approval_asked', call: 'c', expires_ms: 9 } as const;
    const ended = (state: 'allowed' | 'denied') => ({ step: 'approval_ended', call: 'c', state }) as const;
    const stateOf = (...all: Parameters<typeof steps>) =>
      doings(steps(...all)).map((one) => one.kind === 'use' && one.state);
    expect(stateOf(proposed, asked)).toEqual(['asking']);
    expect(stateOf(proposed, asked, ended('allowed'))).toEqual(['allowed']);
    expect(stateOf(proposed, asked, ended('denied'))).toEqual(['proposed']);
  });

  it('says where an answer broke off that was shown, and not of a try that nobody saw', () => {
    const fault = { code: 'provider', message: 'the connection broke', fix: 'nothing' } as const;
    const again = { step: 'retried', fault, attempt: 2, after_ms: 5 } as const;
    const all = steps({ ...again, replaces: false }, { ...again, replaces: true });
    expect(all.filter(isDoing).map((step) => step.n)).toEqual([2]);
    expect(doings(all)).toEqual([{ kind: 'anew', key: 'r 2', fault }]);
  });

  it('counts what was heard meanwhile, and leaves out what a reader does not miss', () => {
    const all = steps(
      { step: 'model_called', model: 'a/b' },
      { step: 'steered', messages: ['m1', 'm2'], text: 'Lin: stop' },
      { step: 'delta', text: '', reasoning: '' },
    );
    expect(all.filter(isDoing).map((step) => step.step)).toEqual(['steered']);
    expect(doings(all)).toEqual([{ kind: 'heard', key: 'r 2', messages: 2, text: 'Lin: stop' }]);
  });
});

describe('arguments', () => {
  it.each([
    ['{"expression":"17*23"}', '17*23'],
    ['{"path":"a.txt","lines":3}', 'path: a.txt, lines: 3'],
    ['{"to":{"name":"Bo"}}', '{"name":"Bo"}'],
    ['{}', ''],
    ['[1,2]', '[1,2]'],
    ['not\n json', 'not⏎json'],
    ['{"command":"echo a\\n\\n  rm -r b"}', 'echo a⏎rm -r b'],
  ])('are said on one line: %s', (written, said) => {
    expect(shortArguments(written)).toBe(said);
  });

  it('are cut on the line and whole behind it', () => {
    const written = JSON.stringify({ text: '好'.repeat(200) });
    expect([...shortArguments(written)]).toHaveLength(80);
    expect(givenArguments(written)).toEqual({ text: '好'.repeat(200) });
    expect(givenArguments('{broken')).toBeUndefined();
    // The very digits of an id that a number cannot hold.
    const id = '{"id":1234567890123456789,"says":"1234567890123456789","n":1.5}';
    expect(givenArguments(id)).toEqual({ id: '1234567890123456789', says: '1234567890123456789', n: 1.5 });
    expect(shortArguments(id)).toContain('id: 1234567890123456789, says: 1234567890123456789');
  });
});
