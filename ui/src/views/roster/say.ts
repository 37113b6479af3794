/** What the roster says: previews of rows, and the words around an agent on its way. */
import type { Agent, Group, GroupId, Message, Waiting } from '../../api/generated';
import { unmarked } from '../../parts/unmarked';
import {
  agentsOf,
  askedHere,
  isAskedFor,
  isInLine,
  lastMessages,
  openRuns,
  placeInLine,
  answeringIn,
  type Carried,
  type Coterie,
  type Done,
  type Effect,
  type Mirror,
} from '../../state';
import { list, sayAuthor, sayScope, sayShipped, t, titleFault } from '../../words';

type NameOf = Coterie['nameOf'];

/** The second line of an agent's row, and whether it wants the person. */
export function agentLine(mirror: Mirror, agent: Agent, direct: Group | undefined): { text: string; needs: boolean } {
  const interrupted = openRuns(mirror).some((run) => run.agent === agent.id && run.state === 'interrupted');
  switch (agent.state) {
    case 'running': {
      if (isAskedFor(mirror, agent)) return { text: t('roster.needs_you'), needs: true };
      const place = placeInLine(mirror, agent.id);
      return { text: place ? waits(place) : t('roster.writing'), needs: false };
    }
    case 'waiting_approval':
      return { text: t('roster.needs_you'), needs: true };
    case 'paused':
      return { text: t('roster.paused'), needs: false };
    case 'error':
      return { text: agent.problem ? titleFault(agent.problem) : t('roster.needs_you'), needs: true };
    case 'idle':
    case 'terminated': {
      if (interrupted) return { text: t('roster.interrupted'), needs: true };
      // It goes on elsewhere, and here when there is room.
      if (direct?.problem) return { text: titleFault(direct.problem), needs: true };
      const last = direct && mirror.last.get(direct.id);
      const said = last ? plain(last) : '';
      if (said) return { text: said, needs: false };
      const parent = agent.parent && mirror.agents.get(agent.parent);
      const text = parent ? t('roster.works_for', { name: parent.name }) : sayShipped(agent.description);
      return { text, needs: false };
    }
    default:
      return agent.state satisfies never;
  }
}

function waits({ position: n, budget }: Waiting): string {
  return budget ? t('roster.queued_budget', { scope: sayScope(budget), n }) : t('roster.queued', { n });
}

/** The second line of a group's row. */
export function groupLine(mirror: Mirror, group: GroupId, nameOf: NameOf): string {
  if (askedHere(mirror, group).length > 0) return t('roster.needs_you');
  const running = answeringIn(mirror, group);
  const writing = running.filter((run) => !isInLine(mirror, run.id)).map((run) => nameOf(run.agent));
  if (writing.length === 1 && writing[0]) return t('roster.is_writing', { name: writing[0] });
  if (writing.length > 1) return t('roster.are_writing', { names: list(writing) });
  const places = running.flatMap((run) => mirror.waiting.get(run.id) ?? []);
  const place = places.sort((a, b) => a.position - b.position)[0];
  if (place) return waits(place);
  const stopped = mirror.groups.get(group)?.problem;
  if (stopped) return titleFault(stopped);
  const last = mirror.last.get(group);
  const said = last ? plain(last) : '';
  if (!last || said === '') return list(agentsOf(mirror, group).map((agent) => agent.name));
  switch (last.author.kind) {
    case 'user':
      return t('roster.you_said', { text: said });
    case 'agent':
      return t('roster.said', { name: nameOf(last.author.id), text: said });
    case 'outside':
    case 'source':
      return t('roster.said', { name: sayAuthor(last.author, nameOf), text: said });
    case 'system':
      return said;
    default:
      return last.author satisfies never;
  }
}

function plain(message: Message): string {
  return message.body.kind === 'text' ? unmarked(message.body.text.slice(0, 240)) : '';
}

/** The consequence, as the ghost says it: follows the agent's name. */
export function sayEffect(mirror: Mirror, effect: Effect, nameOf: NameOf): string {
  switch (effect.kind) {
    case 'new_group':
      return t('roster.makes_group', { name: nameOf(effect.with) });
    case 'join':
      return t('roster.joins', { group: nameOfGroup(mirror, effect.group), n: lastMessages });
    case 'leave':
      return t('roster.leaves', { group: nameOfGroup(mirror, effect.group) });
    default:
      return effect satisfies never;
  }
}

/** What a target says of itself while something hangs over it. */
export function sayDrop(mirror: Mirror, effect: Effect, nameOf: NameOf): string {
  switch (effect.kind) {
    case 'new_group':
      return t('roster.drop_to_group');
    case 'join':
      return t('roster.drop_to_add', { name: nameOf(effect.agent) });
    case 'leave':
      return t('roster.drop_to_leave', { name: nameOf(effect.agent), group: nameOfGroup(mirror, effect.group) });
    default:
      return effect satisfies never;
  }
}

export function sayDone(coterie: Coterie, done: Done): string {
  const { effect } = done;
  const group = nameOfGroup(coterie.mirror, done.group);
  switch (effect.kind) {
    case 'new_group':
      return t('roster.made', { group });
    case 'join': {
      const name = coterie.nameOf(effect.agent);
      if (done.sees?.kind === 'all') return t('roster.joined_all', { name, group });
      if (done.sees?.kind === 'nothing') return t('roster.joined_nothing', { name, group });
      return t('roster.joined', { name, group, n: done.sees?.messages ?? lastMessages });
    }
    case 'leave':
      return t('roster.left', { name: coterie.nameOf(effect.agent), group });
    default:
      return effect satisfies never;
  }
}

/** The same as the ghost, for ears. */
export function sayCarry(mirror: Mirror, carried: Carried, effect: Effect | null, nameOf: NameOf): string {
  const name = nameOf(carried.agent);
  return effect
    ? t('roster.voice', { name, effect: sayEffect(mirror, effect, nameOf) })
    : t('roster.nowhere', { name });
}

const nameOfGroup = (mirror: Mirror, group: GroupId) => mirror.groups.get(group)?.name ?? '';
