/**
 * The steps of a run as bars over its time.
 *
 * A step is a moment; a bar is what went on until the next one. The many
 * pieces of one answer are one bar. Who stood in line for a model waited for it
 * only from then on, and a use that a person was asked about began with the answer.
 */
import type { Step } from '../../api/generated';

export type Tone = 'work' | 'tool' | 'quiet' | 'waiting' | 'moment';
export type Bar = {
  step: Step;
  /** The part of a call in which text arrived. */
  wrote: boolean;
  tone: Tone;
  /** From the run's start, in milliseconds. */
  fromMs: number;
  toMs: number;
};

export type Waterfall = { bars: readonly Bar[]; totalMs: number };

/** When a run began, when its first text came, and when it ended: now, while it goes on. */
export type Times = { startMs: number; firstTokenMs: number | null; endMs: number };

export function waterfall(steps: readonly Step[], { startMs, firstTokenMs, endMs }: Times): Waterfall {
  const returned = new Map(steps.flatMap((step) => (step.step === 'tool_returned' ? [[step.call, step.at_ms]] : [])));
  const allowed = new Map(steps.flatMap((step) => (step.step === 'approval_ended' ? [[step.call, step.at_ms]] : [])));
  const kept = steps.filter((step, at) => {
    // A use of a tool is one bar, from its proposal to its return.
    if (step.step === 'tool_dispatched' || step.step === 'tool_returned') return false;
    // An answer without words was only a use of a tool.
    if (step.step === 'delta' && step.text === '' && step.reasoning === '') return false;
    return step.step !== 'delta' || steps[at - 1]?.step !== 'delta';
  });
  const shown = asWaited(kept);
  const totalMs = Math.max(1, endMs - startMs);
  const within = (atMs: number) => Math.min(totalMs, Math.max(0, atMs - startMs));
  const bar = (step: Step, tone: Tone, from: number, to: number): Bar => {
    const fromMs = within(from);
    return { step, wrote: tone === 'work', tone, fromMs, toMs: Math.max(fromMs, within(to)) };
  };
  const bars = shown.flatMap((step, at) => {
    const next = shown[at + 1];
    const before = shown[at - 1];
    if (step.step === 'stood_in_line') return [bar(step, 'waiting', begins(step), step.at_ms)];
    const from = step.step === 'model_called' && before?.step === 'stood_in_line' ? before.at_ms : step.at_ms;
    if (step.step === 'approval_asked') return [bar(step, 'waiting', step.at_ms, allowed.get(step.call) ?? endMs)];
    if (step.step === 'tool_proposed') {
      // While a person is asked, nothing is being done yet.
      const begun = allowed.get(step.call) ?? step.at_ms;
      return [bar(step, 'tool', begun, returned.get(step.call) ?? endMs)];
    }
    const end = lasts(step) ? until(step, next ? begins(next) : endMs) : step.at_ms;
    // Where the pieces were not kept, it is still known when the first one came.
    const isSplit = step.step === 'model_called' && next?.step !== 'delta' && firstTokenMs !== null;
    if (isSplit && firstTokenMs >= from && firstTokenMs < end) {
      return [bar(step, 'quiet', from, firstTokenMs), bar(step, 'work', firstTokenMs, end)];
    }
    return [bar(step, toneOf(step), from, end)];
  });
  return { bars, totalMs };
}

/** Records of earlier versions have the call of a model before the wait for its turn. */
function asWaited(steps: readonly Step[]): readonly Step[] {
  const all: Step[] = [];
  for (const step of steps) {
    const isAfterCall = step.step === 'stood_in_line' && all.at(-1)?.step === 'model_called';
    all.splice(isAfterCall ? all.length - 1 : all.length, 0, step);
  }
  return all;
}

/** A wait in line is on record when it is over. */
function begins(step: Step): number {
  return step.step === 'stood_in_line' ? step.at_ms - step.waited_ms : step.at_ms;
}

/** A retry says itself how long it waits. */
function until(step: Step, next: number): number {
  return step.step === 'retried' ? Math.min(next, step.at_ms + step.after_ms) : next;
}

function lasts(step: Step): boolean {
  return (
    step.step === 'brief_built' || step.step === 'model_called' || step.step === 'delta' || step.step === 'retried'
  );
}

function toneOf(step: Step): Tone {
  switch (step.step) {
    case 'delta':
      return 'work';
    case 'model_called':
    case 'brief_built':
      return 'quiet';
    case 'tool_proposed':
      return 'tool';
    case 'approval_asked':
    case 'retried':
    case 'stood_in_line':
      return 'waiting';
    case 'recalled':
    case 'woken':
    case 'decided':
    case 'spoke_for_another':
    case 'kept':
    case 'usage_recorded':
    case 'folded':
    case 'planned':
    case 'replanned':
    case 'approval_ended':
    case 'granted':
    case 'tool_dispatched':
    case 'tool_returned':
    case 'steered':
    case 'reflected':
    case 'message_posted':
    case 'fell_back':
    case 'from_cache':
    case 'interrupted':
    case 'resumed':
    case 'settled':
      return 'moment';
    default:
      return step satisfies never;
  }
}
