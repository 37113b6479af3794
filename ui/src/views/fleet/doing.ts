/** What an agent is doing now or did last, as the page of all of them says it. Pure. */
import type { Agent, GroupId, Message, MessageId, Run, RunId, Step } from '../../api/generated';
import { unmarked } from '../../parts/unmarked';
import { writtenOut } from '../../parts/visible';
import { doings, isOfFeed, mayPass, shortArguments, type Mirror, type Place, type Use } from '../../state';
import { list, sayReason, sayRunState, sayScope, t, titleFault } from '../../words';

/** How an agent stands; each has a sign and a word of its own. */
export type Standing = 'works' | 'queued' | 'needs' | 'rests' | 'paused' | 'error' | 'interrupted';

export type Line = {
  standing: Standing;
  /** Verb and object. */
  does: string;
  /** What came of it; empty while it goes on. */
  came: string;
  /** The run that it is about. */
  run: Run | null;
  /** Where the person sees it, or does something about it. */
  to: Place | null;
};

type Looked = Pick<
  Mirror,
  'groups' | 'last' | 'live' | 'steps' | 'waiting' | 'approvals' | 'questions' | 'agents' | 'settings'
>;

export type Known = {
  mirror: Looked;
  /** The agent's runs, the newest last. */
  runs: readonly Run[];
  /** Of runs that had begun before the window looked. */
  stepsBefore: ReadonlyMap<RunId, readonly Step[]>;
  /** Threads of the feed, as far as they were looked up. */
  threads: ReadonlyMap<GroupId, FeedThread>;
  /** The beginnings of answers that are not the last words in their conversation. */
  said: ReadonlyMap<MessageId, string>;
  nameOf: (id: string) => string;
};

export type FeedThread = {
  /** The first line of its post; empty where nobody is shown that. */
  title: string;
  community: string;
};

export function lineOf(agent: Agent, known: Known): Line {
  const run = known.runs.findLast((one) => one.state === 'running') ?? known.runs.at(-1) ?? null;
  const cutOff = known.runs.findLast((one) => one.state === 'interrupted');
  const last = run ? ended(run, known) : { does: t('fleet.nothing_yet'), came: '' };
  const to = run ? placeOf(run, known) : null;
  switch (agent.state) {
    case 'error':
      return {
        standing: 'error',
        does: t(mayPass(agent.problem) ? 'fleet.stopped_for_now' : 'fleet.stopped'),
        came: agent.problem ? titleFault(agent.problem) : '',
        run,
        to,
      };
    case 'waiting_approval':
      return { ...asks(agent, known), came: '', run };
    case 'paused':
      return { standing: 'paused', ...last, run, to };
    case 'idle':
    case 'running':
    case 'terminated':
      break;
    default:
      return agent.state satisfies never;
  }
  if (run?.state === 'running') return { ...now(run, known), came: '', run, to };
  if (cutOff)
    return {
      standing: 'interrupted',
      does: says('cut_off', cutOff, known),
      came: t('fleet.waits_for_word'),
      run: cutOff,
      to: placeOf(cutOff, known),
    };
  return { standing: 'rests', ...last, run, to };
}

/** What a person is asked, and where. */
function asks(agent: Agent, { mirror }: Known): Pick<Line, 'standing' | 'does' | 'to'> {
  const to: Place = { page: 'approvals' };
  const question = [...mirror.questions.values()].find((one) => one.agent === agent.id && one.state === 'waiting');
  if (question) return { standing: 'needs', does: t('fleet.asks', { text: cut(question.text) }), to };
  const wanted = [...mirror.approvals.values()].find((one) => one.agent === agent.id && one.state === 'waiting');
  if (!wanted) return { standing: 'needs', does: t('fleet.needs_you'), to };
  return { standing: 'needs', does: t('fleet.asks_to_use', used(wanted.tool, JSON.stringify(wanted.arguments))), to };
}

function now(run: Run, known: Known): Pick<Line, 'standing' | 'does'> {
  const { mirror } = known;
  const place = mirror.waiting.get(run.id);
  if (place) {
    const does = place.budget
      ? t('fleet.waits_for_budget', { scope: sayScope(place.budget), n: place.position })
      : t('fleet.waits_for_model', { n: place.position });
    return { standing: 'queued', does };
  }
  const steps = mirror.steps.get(run.id) ?? known.stepsBefore.get(run.id) ?? [];
  const uses = doings(steps).filter((one): one is Use => one.kind === 'use' && one.state === 'dispatched');
  const going = uses.filter((one) => one.toMs === null);
  if (going.length > 1) {
    const tools = list(going.map((one) => one.tool));
    return { standing: 'works', does: t('fleet.uses', { tool: tools }) };
  }
  const [use] = going;
  if (use) return { standing: 'works', does: t('fleet.uses_on', used(use.tool, use.arguments)) };
  const writes = Boolean(mirror.live.get(run.id)?.text);
  return { standing: 'works', does: says(writes ? 'writes' : 'thinks', run, known) };
}

function ended(run: Run, known: Known): Pick<Line, 'does' | 'came'> {
  switch (run.outcome?.kind) {
    case 'replied': {
      const last = known.mirror.last.get(run.group);
      const words = last?.id === run.outcome.message ? textOf(last) : (known.said.get(run.outcome.message) ?? '');
      return { does: says('answered', run, known), came: words ? t('fleet.words', { words }) : t('fleet.said') };
    }
    case 'silent':
      return { does: says('read', run, known), came: sayReason(run.outcome.reason, known.nameOf) };
    case 'failed':
      return { does: says('tried', run, known), came: titleFault(run.outcome.fault) };
    case undefined:
      return { does: says('tried', run, known), came: sayRunState(run.state) };
    default:
      return run.outcome satisfies never;
  }
}

/** What it does where, and in the feed about what. */
function says(does: Does, run: Run, known: Known): string {
  const thread = isOfFeed(run, known.mirror) ? known.threads.get(run.group) : undefined;
  if (!thread) return t(`fleet.${does}`, { group: groupOf(run, known) });
  const { title, community } = thread;
  if (isToPost(run)) return t(`fleet.post_${does}`, { community });
  return title ? t(`fleet.reply_${does}`, { post: title }) : t(`fleet.${does}`, { group: community });
}

type Does = 'thinks' | 'writes' | 'answered' | 'read' | 'tried' | 'cut_off';

/** Nobody wrote anything that it answers. */
const isToPost = ({ cause }: Run) => cause.author.kind === 'system';

export const textOf = ({ body }: Message) => (body.kind === 'text' ? cut(unmarked(body.text.slice(0, 240))) : '');

/** What a tool is used on: the first thing that its arguments name. */
function used(tool: string, written: string): { tool: string; object: string } {
  return { tool, object: writtenOut(shortArguments(written)) || t('tools.no_arguments') };
}

function placeOf(run: Run, known: Known): Place {
  if (isOfFeed(run, known.mirror)) return { page: 'feed', post: run.group };
  return known.mirror.groups.get(run.group)?.kind === 'task' || !known.mirror.groups.has(run.group)
    ? { page: 'runs', run: run.id }
    : { page: 'conversations', group: run.group };
}

function groupOf(run: Run, known: Known): string {
  const found = known.mirror.groups.get(run.group);
  if (!found) return isOfFeed(run, known.mirror) ? t('shell.feed') : t('fleet.a_task');
  return found.kind === 'direct' ? t('fleet.your_chat') : found.name;
}

/** The first line of a post that says something, as the thread is called by it. */
export function titleOf(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^[#*_ \t]+|[#*_ \t]+$/g, ''));
  return cut(unmarked(lines.find((line) => line !== '') ?? ''));
}

const most = 80;

function cut(text: string): string {
  const letters = [...text.replace(/\s+/g, ' ').trim()];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('');
}
