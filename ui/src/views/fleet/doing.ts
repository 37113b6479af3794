/** What an agent is doing now or did last, as the fleet's page says it. Pure. */
import type { Agent, GroupId, Run, Step } from '../../api/generated';
import { doings, type Use } from '../../state';
import { t } from '../../words';

export type Line = {
  /** Verb and object. */
  does: string;
  /** What came of it; empty while it goes on. */
  came: string;
  run: Run | null;
  going: boolean;
};

type Known = {
  /** The agent's runs, the newest last. */
  runs: readonly Run[];
  stepsOf: (run: string) => readonly Step[];
  isWriting: (run: string) => boolean;
  isInLine: (run: string) => boolean;
  groupOf: (group: GroupId) => string;
};

export function lineOf(agent: Agent, known: Known): Line {
  const run = known.runs.at(-1) ?? null;
  if (!run) return { does: t('fleet.resting'), came: '', run, going: false };
  const group = known.groupOf(run.group);
  if (run.state === 'running') return { does: now(run, group, agent, known), came: '', run, going: true };
  switch (run.outcome?.kind) {
    case 'replied':
      return { does: t('fleet.answered', { group }), came: t('fleet.spoke'), run, going: false };
    case 'silent':
      return { does: t('fleet.silent', { group }), came: t('fleet.kept_silent'), run, going: false };
    case 'failed':
      return { does: t('fleet.could_not', { group }), came: t('fleet.went_wrong'), run, going: false };
    case undefined:
      return { does: t('fleet.could_not', { group }), came: t(`run_state.${run.state}`), run, going: false };
    default:
      return run.outcome satisfies never;
  }
}

function now(run: Run, group: string, agent: Agent, known: Known): string {
  const uses = doings(known.stepsOf(run.id)).filter((one): one is Use => one.kind === 'use');
  const use = uses.findLast((one) => one.toMs === null && (one.state === 'asking' || one.state === 'dispatched'));
  if (use?.state === 'asking' || (use && agent.state === 'waiting_approval'))
    return t('fleet.asks', { tool: use.tool });
  if (use) {
    const object = objectOf(use.arguments);
    return object ? t('fleet.uses_on', { tool: use.tool, object }) : t('fleet.uses', { tool: use.tool });
  }
  if (known.isInLine(run.id)) return t('fleet.in_line', { group });
  return known.isWriting(run.id) ? t('fleet.writes', { group }) : t('fleet.thinks', { group });
}

const mostSigns = 60;

/** The first thing that the arguments name: a file, an address, words to look for. */
export function objectOf(text: string): string {
  try {
    const found: unknown = Object.values(JSON.parse(text) as Record<string, unknown>).find(
      (one) => typeof one === 'string',
    );
    const line = typeof found === 'string' ? (found.trim().split('\n')[0] ?? '') : '';
    return line.length > mostSigns ? `${line.slice(0, mostSigns - 1)}…` : line;
  } catch {
    return '';
  }
}
