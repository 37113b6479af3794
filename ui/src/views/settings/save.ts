/** Sends one change of the settings; each area is replaced as a whole. */
import { faultOf } from '../../api/backend';
import type { Call, Command, Fault, Reply } from '../../api/generated';

export type Ask = (call: Call) => Promise<Reply>;

/** Does it, and gives the fault when it failed. */
export async function did(ask: Ask, command: Command): Promise<Fault | null> {
  try {
    await ask({ command });
    return null;
  } catch (caught) {
    return faultOf(caught);
  }
}
