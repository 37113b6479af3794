/** Puts what was read about runs together with what was seen of them since. */
import type { Run, RunFilter, RunId } from '../../api/generated';

/**
 * Newest first. Of a run that is in both, what was seen counts, unless it was
 * still running there. Nothing before `oldest` is taken: its page was not read.
 */
export function fresh(
  read: readonly Run[],
  seen: ReadonlyMap<RunId, Run>,
  oldest: number,
  filter: RunFilter,
): readonly Run[] {
  const runs = new Map<RunId, Run>(read.map((run) => [run.id, run]));
  for (const run of seen.values()) {
    const known = runs.get(run.id);
    const isStale = run.state === 'running' && known !== undefined && known.state !== 'running';
    if (run.seq >= oldest && !isStale) runs.set(run.id, run);
  }
  return [...runs.values()].filter((run) => fits(run, filter)).sort((a, b) => b.seq - a.seq);
}

function fits(run: Run, filter: RunFilter): boolean {
  return (
    (!filter.agent || filter.agent === run.agent) &&
    (!filter.group || filter.group === run.group) &&
    (!filter.state || filter.state === run.state)
  );
}
