/** What an agent had written in a turn that broke off, out of the steps of its run. Pure. */
import type { Step } from '../api/generated';

/**
 * What stands in none of the messages that came of it; empty where all of it does. Of an answer that
 * was begun anew it is what was written last.
 */
export function unsaid(steps: readonly Step[], messages: readonly string[]): string {
  let written: string[] = [];
  let beginsAnew = false;
  for (const step of steps) {
    if ((step.step === 'retried' || step.step === 'fell_back') && step.replaces) beginsAnew = true;
    if (step.step !== 'delta' || step.text.trim() === '') continue;
    if (beginsAnew) written = [];
    beginsAnew = false;
    written.push(step.text.trim());
  }
  return written.filter((text) => !messages.some((message) => message.includes(text))).join('\n\n');
}
