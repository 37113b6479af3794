import { describe, expect, it } from 'vitest';
import type { Step } from '../../api/generated';
import { waterfall } from './waterfall';

const delta = (n: number, at_ms: number): Step => ({ run: 'r', n, at_ms, step: 'delta', text: 'a', reasoning: '' });
const steps: Step[] = [
  { run: 'r', n: 1, at_ms: 1000, step: 'woken', by: 'm' },
  { run: 'r', n: 2, at_ms: 1000, step: 'decided', verdict: 'speak', reason: { kind: 'mentioned' } },
  { run: 'r', n: 3, at_ms: 1010, step: 'brief_built', messages: 3, characters: 400 },
  { run: 'r', n: 4, at_ms: 1020, step: 'model_called', model: 'local/starter' },
  {
    run: 'r',
    n: 5,
    at_ms: 1500,
    step: 'retried',
    fault: { code: 'provider', message: 'busy', fix: '' },
    attempt: 2,
    after_ms: 500,
    replaces: false,
  },
  { run: 'r', n: 6, at_ms: 2500, step: 'model_called', model: 'local/starter' },
  delta(7, 3000),
  delta(8, 3500),
  delta(9, 5000),
  { run: 'r', n: 10, at_ms: 5100, step: 'message_posted', message: 'm2' },
  { run: 'r', n: 11, at_ms: 5100, step: 'settled', outcome: { kind: 'replied', message: 'm2', gave_up: false } },
];

describe('waterfall', () => {
  it('makes one bar of a use of a tool, also of one that does not return', () => {
    const of = { run: 'r', tool: 'calculator', model_id: 'x', arguments: '{}' };
    const uses: Step[] = [
      { ...of, n: 1, at_ms: 1000, step: 'tool_proposed', call: 'one' },
      { ...of, n: 2, at_ms: 1001, step: 'tool_proposed', call: 'two' },
      { run: 'r', n: 3, at_ms: 1002, step: 'tool_dispatched', call: 'one' },
      { run: 'r', n: 4, at_ms: 1500, step: 'tool_returned', call: 'one', state: 'succeeded', text: '4' },
    ];
    const { bars } = waterfall(uses, { startMs: 1000, firstTokenMs: null, endMs: 2000 });
    expect(bars.map((bar) => [bar.tone, bar.fromMs, bar.toMs])).toEqual([
      ['tool', 0, 500],
      ['tool', 1, 1000],
    ]);
  });

  it('has a use that a person was asked about begin with the answer, or wait to the end', () => {
    const of = { run: 'r', tool: 'shell', model_id: 'x', arguments: '{}' };
    const asked: Step[] = [
      { ...of, n: 1, at_ms: 1000, step: 'tool_proposed', call: 'one' },
      { run: 'r', n: 2, at_ms: 1010, step: 'approval_asked', call: 'one', expires_ms: 9000 },
      { run: 'r', n: 3, at_ms: 4010, step: 'approval_ended', call: 'one', state: 'allowed' },
      { run: 'r', n: 4, at_ms: 4011, step: 'tool_dispatched', call: 'one' },
      { run: 'r', n: 5, at_ms: 4500, step: 'tool_returned', call: 'one', state: 'succeeded', text: '4' },
    ];
    const barsOf = (steps: Step[]) =>
      waterfall(steps, { startMs: 1000, firstTokenMs: null, endMs: 5000 }).bars.map((bar) => [
        bar.tone,
        bar.fromMs,
        bar.toMs,
      ]);
    expect(barsOf(asked)).toEqual([
      ['tool', 3010, 3500],
      ['waiting', 10, 3010],
      ['moment', 3010, 3010],
    ]);
    expect(barsOf(asked.slice(0, 2))[1]).toEqual(['waiting', 10, 4000]);
  });

  it('counts a wait in line as that, and not as a wait for the model', () => {
    const stood: Step[] = [
      { run: 'r', n: 1, at_ms: 1000, step: 'brief_built', messages: 3, characters: 400 },
      { run: 'r', n: 2, at_ms: 1010, step: 'model_called', model: 'local/starter' },
      { run: 'r', n: 3, at_ms: 5010, step: 'stood_in_line', waited_ms: 4000 },
      { run: 'r', n: 4, at_ms: 7010, step: 'stood_in_line', waited_ms: 2000 },
      delta(5, 8000),
      { run: 'r', n: 6, at_ms: 9000, step: 'settled', outcome: { kind: 'replied', message: 'm2', gave_up: false } },
    ];
    const { bars } = waterfall(stood, { startMs: 1000, firstTokenMs: 8000, endMs: 9000 });
    expect(bars.map((bar) => [bar.step.step, bar.tone, bar.fromMs, bar.toMs])).toEqual([
      ['brief_built', 'quiet', 0, 10],
      ['stood_in_line', 'waiting', 10, 4010],
      ['stood_in_line', 'waiting', 4010, 6010],
      ['model_called', 'quiet', 6010, 7000],
      ['delta', 'work', 7000, 8000],
      ['settled', 'moment', 8000, 8000],
    ]);
  });

  it('makes one bar of the pieces of an answer', () => {
    const { bars, totalMs } = waterfall(steps, { startMs: 1000, firstTokenMs: 3000, endMs: 5100 });
    expect(totalMs).toBe(4100);
    expect(bars.map((bar) => [bar.step.step, bar.fromMs, bar.toMs])).toEqual([
      ['woken', 0, 0],
      ['decided', 0, 0],
      ['brief_built', 10, 20],
      ['model_called', 20, 500],
      ['retried', 500, 1000],
      ['model_called', 1500, 2000],
      ['delta', 2000, 4100],
      ['message_posted', 4100, 4100],
      ['settled', 4100, 4100],
    ]);
  });

  it('tells waiting from writing when the pieces were not kept', () => {
    const kept = steps.filter((step) => step.step !== 'delta');
    const { bars } = waterfall(kept, { startMs: 1000, firstTokenMs: 3000, endMs: 5100 });
    expect(bars.filter((bar) => bar.step.n === 6).map((bar) => [bar.wrote, bar.fromMs, bar.toMs])).toEqual([
      [false, 1500, 2000],
      [true, 2000, 4100],
    ]);
  });

  it('stays inside the run when clocks do not agree', () => {
    const { bars } = waterfall(steps, { startMs: 2000, firstTokenMs: 3000, endMs: 3000 });
    for (const bar of bars) {
      expect(bar.fromMs).toBeGreaterThanOrEqual(0);
      expect(bar.toMs).toBeGreaterThanOrEqual(bar.fromMs);
      expect(bar.toMs).toBeLessThanOrEqual(1000);
    }
  });

  it('has nothing to show for a run without steps', () => {
    expect(waterfall([], { startMs: 5, firstTokenMs: null, endMs: 5 })).toEqual({ bars: [], totalMs: 1 });
  });
});
