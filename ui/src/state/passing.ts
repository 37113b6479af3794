import type { Fault, ModelTrouble } from '../api/generated';

const passing: ReadonlySet<ModelTrouble> = new Set(['away', 'broken', 'busy', 'failing', 'engine']);

/** Whether an agent that stopped for it tries again by itself. */
export function mayPass(fault: Fault | null | undefined): boolean {
  return fault?.kind?.is === 'model' && passing.has(fault.kind.trouble);
}
