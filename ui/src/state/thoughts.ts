/** What an agent thought before it spoke, out of the steps of its run, and what it is thinking now. Pure. */
import type { Step } from '../api/generated';

/** Each thought whole, in their order: what a model thought before it used a tool, and before it spoke. */
export function thoughts(steps: readonly Step[]): readonly string[] {
  const all: string[] = [];
  let last: Step | undefined;
  for (const step of steps) {
    if (step.step !== 'delta' || step.reasoning === '') continue;
    // One answer may have been written down in pieces, one behind the other.
    const goesOn = last?.run === step.run && last.n + 1 === step.n;
    all.push((goesOn ? (all.pop() ?? '') : '') + step.reasoning);
    last = step;
  }
  return all;
}

/**
 * What of the thoughts that came while a run goes on is in none of its steps yet. They begin with
 * the run, or behind an answer that was taken back, and so with the first of its steps or a later one.
 */
export function thinking(steps: readonly Step[], live: string): string {
  const told = steps.flatMap((step) => (step.step === 'delta' ? [step.reasoning] : []));
  for (let first = 0; first < told.length; first += 1) {
    const end = endOf(told, first, live);
    if (end !== undefined) return live.slice(end);
  }
  return live;
}

/** Where they end, all from this one on; undefined where it does not begin with them. */
function endOf(told: readonly string[], first: number, live: string): number | undefined {
  let end = 0;
  for (const one of told.slice(first)) {
    if (!live.startsWith(one, end)) return undefined;
    end += one.length;
  }
  return end;
}

/** How long a text is: its words, and each Chinese character for one. */
export function wordsIn(text: string): number {
  const all = text.match(/\p{Script=Han}|[^\s\p{Script=Han}]+/gu) ?? [];
  return all.filter((one) => /[\p{L}\p{N}]/u.test(one)).length;
}
