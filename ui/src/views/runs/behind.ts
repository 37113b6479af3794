/** What a step of a run has to show besides its line. Plain: it looks at the steps, never at the door. */
import type { Fault, Step } from '../../api/generated';

export type Behind =
  | { kind: 'request'; n: number }
  | { kind: 'wrote'; text: string; reasoning: string }
  | { kind: 'use'; tool: string; arguments: string; result: string | null }
  | { kind: 'text'; text: string }
  | { kind: 'fault'; fault: Fault };

/** Null where its line says all there is, or another part of the page. `sent` is how many requests are on record. */
export function behind(step: Step, steps: readonly Step[], sent: number): Behind | null {
  switch (step.step) {
    case 'model_called':
      return requestOf(step, steps, sent);
    case 'delta':
      return wroteFrom(step, steps);
    case 'tool_proposed': {
      const returned = steps.find((one) => one.step === 'tool_returned' && one.call === step.call);
      return {
        kind: 'use',
        tool: step.tool,
        arguments: step.arguments,
        result: returned?.step === 'tool_returned' ? returned.text : null,
      };
    }
    case 'replanned':
      return { kind: 'text', text: step.because };
    case 'recalled':
      return step.query === '' ? null : { kind: 'text', text: step.query };
    case 'spoke_for_another':
    case 'steered':
      return { kind: 'text', text: step.text };
    case 'retried':
    case 'fell_back':
      return { kind: 'fault', fault: step.fault };
    case 'settled':
      return step.outcome.kind === 'failed' ? { kind: 'fault', fault: step.outcome.fault } : null;
    case 'woken':
    case 'decided':
    case 'brief_built':
    case 'stood_in_line':
    case 'kept':
    case 'usage_recorded':
    case 'folded':
    case 'planned':
    case 'approval_asked':
    case 'approval_ended':
    case 'granted':
    case 'tool_dispatched':
    case 'tool_returned':
    case 'reflected':
    case 'message_posted':
    case 'from_cache':
    case 'interrupted':
    case 'resumed':
      return null;
    default:
      return step satisfies never;
  }
}

/** Requests and calls stand in the same order; where one of them is not on record, nobody can tell which. */
function requestOf(step: Step, steps: readonly Step[], sent: number): Behind | null {
  const calls = steps.filter((one) => one.step === 'model_called');
  const at = calls.findIndex((one) => one.n === step.n);
  return calls.length === sent && at !== -1 ? { kind: 'request', n: at + 1 } : null;
}

/** All pieces of one answer. */
function wroteFrom(step: Step, steps: readonly Step[]): Behind {
  let [text, reasoning] = ['', ''];
  for (const one of steps.slice(steps.findIndex(({ n }) => n === step.n))) {
    if (one.step !== 'delta') break;
    text += one.text;
    reasoning += one.reasoning;
  }
  return { kind: 'wrote', text, reasoning };
}
