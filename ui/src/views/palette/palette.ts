/** What the palette offers, and where each of it leads. Pure. */
import type { AgentId, FoundItem, GroupId, Piece } from '../../api/generated';
import type { IconName } from '../../parts/icons';
import { fitting, type Pick } from '../../parts/pick';
import {
  conversationOf,
  groupsArchived,
  groupsShown,
  living,
  soulsInOrder,
  type Mirror,
  type Page,
  type Place,
} from '../../state';
import { inOneBreath, moment, sayAuthor, sayMemoryKind, sayMemoryState, sayRunState, t } from '../../words';
import type { Command } from '../../pieces/command';
import { sections } from '../../pieces/sections';

/** What stands in front of an option. */
export type Sign =
  { kind: 'icon'; icon: IconName } | { kind: 'agent'; agent: AgentId } | { kind: 'group'; group: GroupId };

export type Option = Pick & {
  /** Where it leads, or what it does. */
  to: Place | Command;
  sign: Sign;
  text: readonly Piece[];
  /** Quietly, at the right. */
  about: string;
};

export const pages: readonly { page: Page; icon: IconName }[] = [
  { page: 'conversations', icon: 'chat' },
  { page: 'memory', icon: 'memory' },
  { page: 'souls', icon: 'soul' },
  { page: 'runs', icon: 'runs' },
  { page: 'feed', icon: 'feed' },
  { page: 'schedules', icon: 'clock' },
  { page: 'fleet', icon: 'users' },
  { page: 'approvals', icon: 'approve' },
  { page: 'settings', icon: 'settings' },
];

/** Of those with a name; more would hide what is found below. */
const namedAtMost = 6;
const lastAtMost = 4;
const actionsAtMost = 5;

type Known = { [part in 'agents' | 'groups' | 'members' | 'last' | 'souls']: Mirror[part] };
type NameOf = (agent: AgentId) => string;

/** Conversations, pages, souls and actions whose names have what is typed. */
export function named(mirror: Known, commands: readonly Command[], query: string): readonly Option[] {
  const groups = groupOptions(mirror);
  const actions = commands.map(actionOption);
  // Where one was last, before anything is typed.
  if (query.trim() === '') return [...groups.slice(0, lastAtMost), ...pageOptions(), ...actions];
  const here = [...groups, ...agentOptions(mirror), ...pageOptions(), ...soulOptions(mirror)];
  const places = fitting(query, [...here, ...sectionOptions()]);
  return [...places.slice(0, namedAtMost), ...fitting(query, actions).slice(0, actionsAtMost)].map((option) => ({
    ...option,
    text: withMark(option.label, query),
  }));
}

function groupOptions(mirror: Known): Option[] {
  const option = (archived: boolean) => (group: { id: GroupId; name: string }) => ({
    ...about(`group ${group.id}`, group.name, archived ? t('palette.archived') : t('palette.group')),
    to: { page: 'conversations', group: group.id } as const,
    sign: { kind: 'group', group: group.id } as const,
  });
  return [...groupsShown(mirror).map(option(false)), ...groupsArchived(mirror).map(option(true))];
}

function agentOptions(mirror: Known): Option[] {
  return living(mirror).flatMap((agent) => {
    const group = conversationOf(mirror, agent.id)?.id;
    if (!group) return [];
    const to = { page: 'conversations', group } as const;
    const sign = { kind: 'agent', agent: agent.id } as const;
    return [{ ...about(`agent ${agent.id}`, agent.name, agent.role || t('palette.agent')), to, sign }];
  });
}

function pageOptions(): Option[] {
  return pages.map(({ page, icon }) => ({
    ...about(`page ${page}`, t(`shell.${page}`), t('palette.page')),
    to: { page },
    sign: { kind: 'icon', icon },
  }));
}

/** Sections of Settings, also by what is found there. */
function sectionOptions(): Option[] {
  return sections.map(({ id, icon }) => ({
    ...about(`section ${id}`, t(`settings.section_${id}`), t('shell.settings')),
    also: t(`palette.also_${id}`),
    to: { page: 'settings', section: id },
    sign: { kind: 'icon', icon },
  }));
}

function soulOptions(mirror: Known): Option[] {
  return soulsInOrder(mirror).map(({ name }) => ({
    ...about(`soul ${name}`, name, t('palette.soul')),
    to: { page: 'souls', soul: name },
    sign: { kind: 'icon', icon: 'soul' },
  }));
}

function actionOption(command: Command): Option {
  const { id, label, also, icon, keys = '' } = command;
  return {
    ...about(`action ${id}`, label, keys),
    also,
    group: t('palette.actions'),
    spoken: keys === '' ? label : inOneBreath(label, keys),
    to: command,
    sign: { kind: 'icon', icon },
  };
}

const about = (value: string, label: string, what: string) => ({
  value,
  label,
  about: what,
  group: t('palette.go_to'),
  text: [{ text: label, found: false }],
  spoken: inOneBreath(label, what),
});

/** The name with what is typed set off, where it stands in it as it is typed. */
function withMark(label: string, query: string): readonly Piece[] {
  const typed = query.trim().toLowerCase();
  const at = typed === '' ? -1 : label.toLowerCase().indexOf(typed);
  if (at === -1) return [{ text: label, found: false }];
  const end = at + typed.length;
  const pieces = [
    { text: label.slice(0, at), found: false },
    { text: label.slice(at, end), found: true },
    { text: label.slice(end), found: false },
  ];
  return pieces.filter((piece) => piece.text !== '');
}

/** Where a message stands; the conversation of a task that has ended is looked at by its run. */
function placeOf(
  { group, message, run }: Extract<FoundItem, { kind: 'message' }>,
  mirror: Known,
  posts: readonly GroupId[],
): Place | undefined {
  if (mirror.groups.has(group)) return { page: 'conversations', group, message };
  if (posts.includes(group)) return { page: 'feed', post: group };
  return run ? { page: 'runs', run } : undefined;
}

/** What was found by words, as options under the heading of its kind. */
export function foundOptions(
  items: readonly FoundItem[],
  mirror: Known,
  posts: readonly GroupId[],
  nameOf: NameOf,
): readonly Option[] {
  return items.flatMap((item) => {
    const text = item.snippet;
    const said = text.map((piece) => piece.text).join('');
    const option = (value: string, group: string, what: string) => ({
      value,
      label: said,
      group,
      about: what,
      text,
      spoken: inOneBreath(said, what),
    });
    const when = moment(item.at_ms);
    const nameOfGroup = (group: GroupId) => mirror.groups.get(group)?.name ?? t('palette.task');
    switch (item.kind) {
      case 'message': {
        const { author } = item;
        const to = placeOf(item, mirror, posts);
        // What a task that has ended was asked is no word of the person's, and its run shows it.
        if (!to) return [];
        const group = to.page === 'feed' ? t('shell.feed') : nameOfGroup(item.group);
        const what = t('palette.said_in', { name: sayAuthor(author, nameOf), group, when });
        const sign: Sign =
          author.kind === 'agent' ? { kind: 'agent', agent: author.id } : { kind: 'icon', icon: 'user' };
        return { ...option(`message ${item.message}`, t('palette.messages'), what), sign, to };
      }
      case 'memory': {
        const { memory } = item;
        const holds = memory.state.kind === 'current';
        const kind = sayMemoryKind(memory.kind);
        const what = [kind, ...(holds ? [] : [sayMemoryState(memory)]), when].join(' · ');
        const to: Place = { page: 'memory', memory: memory.id };
        const sign: Sign = { kind: 'icon', icon: 'memory' };
        return { ...option(`memory ${memory.id}`, t('palette.memories'), what), sign, to };
      }
      case 'run': {
        const { run } = item;
        const who = nameOf(run.agent);
        // A conversation with one agent is called like that.
        const isTwice = said === `${who}, ${who}`;
        const isNamed = said === who || said.startsWith(`${who}, `);
        const what = [...(isNamed ? [] : [who]), sayRunState(run.state), when].join(' · ');
        const to: Place = { page: 'runs', run: run.id };
        const sign: Sign = { kind: 'icon', icon: 'runs' };
        const made = { ...option(`run ${run.id}`, t('palette.runs'), what), sign, to };
        const once = [{ text: who, found: text.some((piece) => piece.found) }];
        return isTwice ? { ...made, label: who, text: once, spoken: inOneBreath(who, what) } : made;
      }
      default:
        return item satisfies never;
    }
  });
}
