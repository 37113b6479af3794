/**
 * What an agent did besides talking, out of the steps of its run: uses of
 * tools, plans, what it heard meanwhile, and where it began its answer anew. Pure;
 * in the order of the steps.
 */
import type { CallId, CallState, Fault, Plan, Run, RunId, Step } from '../api/generated';
import type { Mirror } from './mirror';

/** One use of a tool, from its proposal to what came of it. */
export type Use = {
  kind: 'use';
  key: string;
  call: CallId;
  tool: string;
  /** As the model wrote them, valid JSON or not. */
  arguments: string;
  /** `proposed` until somebody looks at it, `asking` while a person is asked, `allowed` until it begins. */
  state: CallState | 'proposed' | 'asking' | 'allowed';
  /** What the model read about it; null until it returned. */
  result: string | null;
  fromMs: number;
  /** Null until it returned. */
  toMs: number | null;
};

export type Doing =
  | Use
  | { kind: 'plan'; key: string; plan: Plan; /** Why there is another one than before. */ because: string | null }
  | { kind: 'heard'; key: string; messages: number; text: string }
  /** What it had begun to say broke off, and what it said then took its place. */
  | { kind: 'anew'; key: string; fault: Fault };

/** Steps that a conversation shows something of; the first one says that none before it is missed. */
export function isDoing(step: Step): boolean {
  switch (step.step) {
    case 'woken':
    case 'recalled':
    case 'planned':
    case 'replanned':
    case 'tool_proposed':
    case 'approval_asked':
    case 'approval_ended':
    case 'tool_dispatched':
    case 'tool_returned':
    case 'steered':
      return true;
    case 'retried':
    case 'fell_back':
      return step.replaces;
    case 'delta':
      return step.reasoning !== '' || step.text !== '';
    case 'decided':
    case 'granted':
    case 'brief_built':
    case 'model_called':
    case 'stood_in_line':
    case 'spoke_for_another':
    case 'kept':
    case 'usage_recorded':
    case 'folded':
    case 'reflected':
    case 'message_posted':
    case 'from_cache':
    case 'interrupted':
    case 'resumed':
    case 'settled':
      return false;
    default:
      return step satisfies never;
  }
}

/**
 * The run, and before it those that it goes on with: a turn that was cut off and taken up again
 * is several runs, and a use may be proposed in one of them and made in the next. One that has
 * ended by itself has its own place.
 */
export function triesOf(runs: ReadonlyMap<RunId, Run>, run: Run): readonly Run[] {
  const tries = [run];
  for (let [first] = tries; first?.resumes;) {
    const earlier = runs.get(first.resumes);
    if (!earlier || tries.includes(earlier) || !wasCutOff(earlier)) break;
    tries.unshift(earlier);
    first = earlier;
  }
  return tries;
}

const wasCutOff = ({ state }: Run) => state === 'interrupted' || state === 'resumed';

/** What is known of the steps of a whole turn, in their order. */
export function stepsOfTurn({ runs, steps }: Pick<Mirror, 'runs' | 'steps'>, run: Run): readonly Step[] {
  return triesOf(runs, run).flatMap((one) => steps.get(one.id) ?? []);
}

export function doings(steps: readonly Step[]): readonly Doing[] {
  const all: Doing[] = [];
  const uses = new Map<CallId, Use>();
  let because: string | null = null;
  for (const step of steps) {
    switch (step.step) {
      case 'planned':
        all.push({ kind: 'plan', key: keyOf(step), plan: step.plan, because });
        because = null;
        break;
      case 'replanned':
        because = step.because;
        break;
      case 'tool_proposed': {
        const { call, tool } = step;
        const use: Use = {
          kind: 'use',
          key: keyOf(step),
          call,
          tool,
          arguments: step.arguments,
          state: 'proposed',
          result: null,
          fromMs: step.at_ms,
          toMs: null,
        };
        uses.set(call, use);
        all.push(use);
        break;
      }
      case 'approval_asked': {
        const use = uses.get(step.call);
        if (use) use.state = 'asking';
        break;
      }
      case 'approval_ended': {
        const use = uses.get(step.call);
        if (use) use.state = step.state === 'allowed' || step.state === 'covered' ? 'allowed' : 'proposed';
        break;
      }
      case 'tool_dispatched': {
        const use = uses.get(step.call);
        if (use) Object.assign(use, { state: 'dispatched', fromMs: step.at_ms } satisfies Partial<Use>);
        break;
      }
      case 'tool_returned': {
        const use = uses.get(step.call);
        if (use) {
          Object.assign(use, { state: step.state, result: step.text, toMs: step.at_ms } satisfies Partial<Use>);
        }
        break;
      }
      case 'steered':
        all.push({ kind: 'heard', key: keyOf(step), messages: step.messages.length, text: step.text });
        break;
      case 'retried':
      case 'fell_back':
        if (step.replaces) all.push({ kind: 'anew', key: keyOf(step), fault: step.fault });
        break;
      default:
    }
  }
  return all;
}

const keyOf = ({ run, n }: Step) => `${run} ${n}`;

const shortest = 80;

/** The arguments on one line, with a sign where lines break: the value alone where there is one, else `name: value`. */
export function shortArguments(written: string): string {
  let value: unknown;
  try {
    value = parsed(written);
  } catch {
    return cut(written);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return cut(plain(value));
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only) return cut(plain(only[1]));
  return cut(entries.map(([name, one]) => `${name}: ${plain(one)}`).join(', '));
}

/** The arguments as they were meant; undefined where they are no JSON. */
export function givenArguments(written: string): unknown {
  try {
    return parsed(written);
  } catch {
    return undefined;
  }
}

/** With whole numbers that a number cannot hold as text, as the shell hands them. */
function parsed(written: string): unknown {
  const texts = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
  const isTooLong = (one: string) => /^-?\d{16,}$/.test(one) && !Number.isSafeInteger(Number(one));
  return JSON.parse(written.replace(texts, (one) => (isTooLong(one) ? `"${one}"` : one)));
}

const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function cut(text: string): string {
  const line = text
    .trim()
    .replace(/\s*[\n\v\f\r\u2028\u2029]\s*/g, '⏎')
    .replace(/\s+/g, ' ');
  const letters = [...line];
  return letters.length > shortest ? `${letters.slice(0, shortest - 1).join('')}…` : line;
}
