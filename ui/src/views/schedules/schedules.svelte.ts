/** Schedules and sources as the page shows them: asked for again when one changes, or what came of one. */
import { untrack } from 'svelte';
import { faultOf } from '../../api/backend';
import type { Community, Fault, ScheduleView, SourceView } from '../../api/generated';
import { expect, type Coterie } from '../../state';

const togetherMs = 200;

export class Schedules {
  all = $state.raw<readonly ScheduleView[]>([]);
  sources = $state.raw<readonly SourceView[]>([]);
  communities = $state.raw<readonly Community[]>([]);
  loading = $state(true);
  fault = $state.raw<Fault | null>(null);

  #coterie: Coterie;
  #asked = 0;

  /** Looks again for as long as the component is there that makes it. */
  constructor(coterie: Coterie) {
    this.#coterie = coterie;
    $effect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const look = () => void this.#look();
      untrack(look);
      const stop = coterie.hearSchedules(() => {
        clearTimeout(timer);
        timer = setTimeout(look, togetherMs);
      });
      return () => {
        stop();
        clearTimeout(timer);
      };
    });
  }

  async #look(): Promise<void> {
    const asked = (this.#asked += 1);
    try {
      const [all, sources, communities] = await Promise.all([
        this.#coterie.query({ kind: 'schedules' }),
        this.#coterie.query({ kind: 'sources' }),
        this.#coterie.query({ kind: 'communities' }),
      ]);
      if (asked !== this.#asked) return;
      this.all = expect(all, 'schedules');
      this.sources = expect(sources, 'sources');
      this.communities = expect(communities, 'communities').filter((one) => !one.archived);
      this.fault = null;
    } catch (caught) {
      if (asked === this.#asked) this.fault = faultOf(caught);
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }
}
