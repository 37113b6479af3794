/** Tasks that agents gave each other, as far as a person is waited for in them. Pure. */
import type { Agent, GroupId, Run } from '../api/generated';
import type { Use } from './doings';
import type { Mirror } from './mirror';
import { waits, type Waits } from './notices';
import { living, runOf } from './select';

type Known = Pick<Mirror, 'agents' | 'groups' | 'runs'>;
type Asked = Known & Pick<Mirror, 'approvals' | 'questions'>;

/** The turn that gave the task in which this is asked, the one that gave that, and so on up to a conversation; none for what is asked in one. */
export function turnsAbove(mirror: Known, asked: Pick<Waits, 'agent' | 'group'>): readonly Run[] {
  const turns: Run[] = [];
  for (let at = asked; mirror.groups.get(at.group)?.kind === 'task';) {
    const parent = mirror.agents.get(at.agent)?.parent;
    const run = parent ? runOf(mirror, parent) : undefined;
    if (!run || turns.includes(run)) break;
    turns.push(run);
    at = run;
  }
  return turns;
}

/** What a turn waits for since somebody asks the person who works on a task of its, however far below. */
export function askedBelow(mirror: Asked, run: Run): readonly Waits[] {
  return waits(mirror).filter((one) => turnsAbove(mirror, one).some((turn) => turn.id === run.id));
}

/** What the person is asked in a conversation, and in tasks that were given there. */
export function askedHere(mirror: Asked, group: GroupId): readonly Waits[] {
  const isHere = (one: { group: GroupId }) => one.group === group;
  return waits(mirror).filter((one) => isHere(one) || turnsAbove(mirror, one).some(isHere));
}

/** Whether somebody who works for this agent asks the person. */
export function isAskedFor(mirror: Asked, agent: Agent): boolean {
  return waits(mirror).some((one) => turnsAbove(mirror, one).some((turn) => turn.agent === agent.id));
}

/** What this agent, and whoever works for it, asks the person. */
export function askedFor(mirror: Asked, agent: Agent): readonly Waits[] {
  const isOf = (one: { agent: Agent['id'] }) => one.agent === agent.id;
  return waits(mirror).filter((one) => isOf(one) || turnsAbove(mirror, one).some(isOf));
}

/** Who works on a task of this agent's, for which it waits. */
export function worksFor(mirror: Known, agent: Agent['id']): Agent | undefined {
  return living(mirror).find((one) => {
    const run = one.parent === agent ? runOf(mirror, one.id) : undefined;
    return run && mirror.groups.get(run.group)?.kind === 'task';
  });
}

/**
 * The use of a turn that gave the task in which this is asked. A use does not say whom it made, so of
 * several that go on at once it is the one that names its soul; of those, by their order.
 */
export function useAbove(mirror: Known, run: Run, uses: readonly Use[], asked: Waits): Use | undefined {
  const child = childBelow(mirror, run, asked);
  if (!child) return undefined;
  const going = uses.filter((use) => use.tool === 'delegate' && use.state === 'dispatched');
  const meant = going.filter((use) => names(use, child));
  const alike = living(mirror).filter((one) => one.parent === run.agent && one.soul === child.soul);
  return meant[alike.findIndex((one) => one.id === child.id)] ?? meant[0] ?? going[0];
}

/** Who works for the turn's agent and is asked for, or has those who are. */
function childBelow(mirror: Known, run: Run, asked: Waits): Agent | undefined {
  const turns = turnsAbove(mirror, asked);
  const at = turns.findIndex((turn) => turn.id === run.id);
  const below = at === 0 ? asked.agent : turns[at - 1]?.agent;
  return below === undefined ? undefined : mirror.agents.get(below);
}

/** By its soul, or by the name in that, which the agent has a number behind where it is not alone. */
function names(use: Use, child: Agent): boolean {
  const to = /"to"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(use.arguments)?.[1];
  if (to === undefined) return false;
  const wanted = String(JSON.parse(to)).trim().toLowerCase();
  const name = child.name.toLowerCase();
  return child.soul.toLowerCase() === wanted || name === wanted || name.replace(/[ -]?\d+$/, '') === wanted;
}
