/** Something that a dialog does: it is at it, or it has failed and says why. */
import { faultOf } from '../api/backend';
import type { Fault } from '../api/generated';

export class Attempt {
  busy = $state(false);
  fault = $state.raw<Fault | null>(null);

  async at(work: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.fault = null;
    try {
      await work();
    } catch (caught) {
      this.fault = faultOf(caught);
    } finally {
      this.busy = false;
    }
  }

  /** For a dialog that opens anew. */
  forget(): void {
    this.busy = false;
    this.fault = null;
  }
}
