import { describe, expect, it } from 'vitest';
import type { Call, Reply, Run, RunState } from '../../api/generated';
import { RunList } from './run-list.svelte';

function run(seq: number, state: RunState = 'settled', agent = 'ada'): Run {
  return {
    seq,
    id: `run ${seq}`,
    agent,
    group: 'g',
    state,
    cause: { message: 'm', author: { kind: 'user' }, reason: { kind: 'mentioned' } },
    root: 'm',
    depth: 1,
    model: 'local/starter',
    soul_version: 1,
    reads_after: 0,
    reads_to: 1,
    usage: { input_tokens: null, output_tokens: null, cached_tokens: null, cache_write_tokens: null },
    estimated: false,
    asked_instead: null,
    cost_microusd: null,
    outcome: null,
    attempt: 1,
    resumes: null,
    started_ms: seq,
    first_token_ms: null,
    ended_ms: null,
  };
}

/** An owner of 120 runs that answers in pages, newest first. */
class Owner {
  all = Array.from({ length: 120 }, (_, at) => run(at + 1));
  ask = async (call: Call): Promise<Reply> => {
    if (!('query' in call) || call.query.kind !== 'runs') throw new Error('not asked for here');
    const { filter, before, limit } = call.query;
    const fitting = this.all.filter(
      (each) => (before === null || each.seq < before) && (!filter.state || each.state === filter.state),
    );
    return { kind: 'runs', data: fitting.toReversed().slice(0, limit) };
  };
}

const seen = (...runs: Run[]) => new Map(runs.map((each) => [each.id, each]));
const seqs = (runs: readonly Run[]) => runs.map((each) => each.seq);

describe('the list of runs', () => {
  it('is read in pages without a gap or a double', async () => {
    const list = new RunList(new Owner().ask);
    await list.show({});
    expect([list.read.length, list.more]).toEqual([50, true]);
    await list.older();
    await list.older();
    expect(seqs(list.fresh(seen()))).toEqual(Array.from({ length: 120 }, (_, at) => 120 - at));
    expect(list.more).toBe(false);
  });

  it('takes what was seen since in its order, and in its newest state', async () => {
    const owner = new Owner();
    owner.all.push(run(121, 'running'));
    const list = new RunList(owner.ask);
    await list.show({});
    const fresh = list.fresh(seen(run(122, 'running'), run(121, 'settled')));
    expect(fresh.slice(0, 3)).toEqual([run(122, 'running'), run(121, 'settled'), run(120)]);
  });

  it('believes what was read of a run that has ended over what was seen before', async () => {
    const list = new RunList(new Owner().ask);
    await list.show({});
    expect(list.fresh(seen(run(120, 'running')))[0]).toEqual(run(120, 'settled'));
  });

  it('leaves out what the filter does, and lets go of what no longer fits', async () => {
    const owner = new Owner();
    owner.all.push(run(121, 'interrupted'), run(122, 'interrupted'));
    const list = new RunList(owner.ask);
    await list.show({ state: 'interrupted' });
    expect(seqs(list.fresh(seen()))).toEqual([122, 121]);
    expect(seqs(list.fresh(seen(run(123, 'settled'), run(122, 'dropped'))))).toEqual([121]);
  });

  it('does not take an old run whose page was not read', async () => {
    const list = new RunList(new Owner().ask);
    await list.show({});
    expect(seqs(list.fresh(seen(run(3, 'dropped'))))).not.toContain(3);
  });
});
