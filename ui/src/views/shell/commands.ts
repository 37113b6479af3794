/** What can be asked for by its name, in the palette and in the composer: acts that the window has elsewhere too. */
import type { GroupId } from '../../api/generated';
import { keys } from '../../parts/chord';
import { toast } from '../../parts/toast.svelte';
import type { Command } from '../../pieces/command';
import { copyLink } from '../../pieces/links';
import { tellUndo } from '../../pieces/undo';
import { agentsOf, linkTo, living, nextZoom, ownZoom, runningIn, type Coterie, type Shortcut } from '../../state';
import { inEveryTongue, t, type Args, type Key } from '../../words';
import { pages } from '../palette/palette';
import type { Act } from './keys';

/** Those that can be done now; `act` does what has a key. */
export function commandsNow(coterie: Coterie, act: (act: Act) => void): readonly Command[] {
  const { mirror, place } = coterie;
  const group = place.page === 'conversations' ? place.group : undefined;
  const agents = living(mirror);
  const link = linkTo(place);
  const zoom = mirror.settings.appearance.zoom_percent;
  const keyOf = (act: Shortcut) => keys(coterie.shortcuts.of(act));
  const all: readonly (Command & { cannot?: boolean })[] = [
    {
      id: 'new_group',
      ...called('roster.new_group'),
      icon: 'users',
      keys: keyOf('new_group'),
      run: () => act('new_group'),
    },
    {
      id: 'new_soul',
      ...called('souls.new'),
      also: [...inEveryTongue('souls.new'), ...inEveryTongue('palette.new_soul_also')].join(', '),
      icon: 'soul',
      run: () => coterie.begin('new_soul', { page: 'souls' }),
    },
    {
      id: 'add_memory',
      ...called('memory.add'),
      icon: 'memory',
      run: () => coterie.begin('add_memory', { page: 'memory' }),
    },
    {
      id: 'connect',
      ...called('models.connect'),
      icon: 'plug',
      run: () => coterie.begin('connect', { page: 'settings', section: 'models' }),
    },
    {
      id: 'find',
      ...called('group.find'),
      icon: 'search',
      keys: keyOf('find'),
      cannot: !group,
      run: () => act('find'),
    },
    {
      id: 'export_conversation',
      ...called('palette.export_conversation'),
      icon: 'file',
      cannot: !group,
      run: () => coterie.begin('export_conversation', place),
    },
    {
      id: 'stop',
      ...called('shell.key_stop'),
      icon: 'stop',
      keys: 'Esc',
      cannot: !group || runningIn(mirror, group).length === 0,
      run: () => group && void coterie.stop(group),
    },
    ...speakers(coterie, group),
    {
      id: 'pause_all',
      ...called('palette.pause_all'),
      icon: 'pause',
      cannot: mirror.settings.all_paused,
      run: () => void pauseAll(coterie),
    },
    {
      id: 'resume_all',
      ...called('palette.resume_all'),
      icon: 'play',
      cannot: !mirror.settings.all_paused && agents.every((agent) => agent.state !== 'paused'),
      run: () => void resumeAll(coterie),
    },
    {
      id: 'import_memories',
      ...called('palette.import_memories'),
      icon: 'file',
      run: () => coterie.begin('import_memories', { page: 'memory' }),
    },
    {
      id: 'export_memories',
      ...called('palette.export_memories'),
      icon: 'file',
      run: () => coterie.begin('export_memories', { page: 'memory' }),
    },
    {
      id: 'consolidate_memories',
      ...called('palette.consolidate_memories'),
      icon: 'merge',
      run: () => coterie.begin('consolidate_memories', { page: 'memory' }),
    },
    {
      id: 'undo',
      ...called('shell.key_undo'),
      icon: 'undo',
      keys: keyOf('undo'),
      cannot: !coterie.undoable,
      run: () => act('undo'),
    },
    {
      id: 'left',
      ...called('shell.key_left'),
      icon: 'panel',
      keys: keyOf('left'),
      cannot: place.page !== 'conversations',
      run: () => act('left'),
    },
    {
      id: 'right',
      ...called('shell.key_right'),
      icon: 'panel',
      keys: keyOf('right'),
      cannot: !group,
      run: () => act('right'),
    },
    ...(['larger', 'smaller', 'own_size'] as const).map((size) => ({
      id: size,
      ...called(`shell.key_${size}`),
      also: [...inEveryTongue(`shell.key_${size}`), ...inEveryTongue('palette.zoom_also')].join(', '),
      icon: 'look' as const,
      keys: keyOf(size),
      cannot: zoom === (size === 'own_size' ? ownZoom : nextZoom(zoom, size)),
      run: () => act(size),
    })),
    {
      id: 'copy_link',
      ...called('desktop.copy_link'),
      icon: 'link',
      cannot: link === null,
      run: () => link !== null && copyLink(link),
    },
    {
      id: 'quit',
      ...called('desktop.quit'),
      icon: 'x',
      cannot: !coterie.desktop,
      run: () => void coterie.desktop?.quit(),
    },
    {
      id: 'shortcuts',
      ...called('shell.shortcuts'),
      icon: 'info',
      keys: keyOf('shortcuts'),
      run: () => act('shortcuts'),
    },
  ];
  return all.filter(({ cannot }) => !cannot);
}

/** The same, and each page to go to: what the composer offers where nothing is written yet. */
export function commandsHere(coterie: Coterie, act: (act: Act) => void): readonly Command[] {
  const elsewhere = pages.filter(({ page }) => page !== coterie.place.page);
  const goTo = ({ page, icon }: (typeof pages)[number]): Command => {
    const names = inEveryTongue(`shell.${page}`).join(', ');
    return { id: `page ${page}`, label: t(`shell.${page}`), also: names, icon, run: () => coterie.go({ page }) };
  };
  const search: Command = {
    id: 'search',
    ...called('shell.key_search'),
    icon: 'search',
    keys: keys(coterie.shortcuts.of('search')),
    run: () => act('search'),
  };
  return [...commandsNow(coterie, act), search, ...elsewhere.map(goTo)];
}

/** What it is called, and by which names in other languages it is found. */
const called = <K extends Key>(key: K, ...args: Args<K>) => ({
  label: t(key, ...args),
  also: inEveryTongue(key, ...args).join(', '),
});

/** Those who can be asked to speak, whoever's turn it is. */
function speakers(coterie: Coterie, group: GroupId | undefined): readonly Command[] {
  const row = group && coterie.mirror.groups.get(group);
  if (!row || row.archived || row.kind === 'task') return [];
  const free = agentsOf(coterie.mirror, row.id).filter((agent) => agent.state === 'idle');
  return free.map(({ id, name }) => ({
    id: `speak_now ${id}`,
    ...called('palette.speak_now', { name }),
    icon: 'chat',
    run: () => void coterie.attempt({ kind: 'speak_now', group: row.id, agent: id }),
  }));
}

const pausedNow = (coterie: Coterie) =>
  living(coterie.mirror)
    .filter((agent) => agent.state === 'paused')
    .map((agent) => agent.id);

/** Everybody, with all that comes by itself; who rested already rests on when that is taken back. */
async function pauseAll(coterie: Coterie): Promise<void> {
  if (!(await coterie.attempt({ kind: 'pause_all' }))) return;
  tellUndo(
    coterie,
    t('palette.all_paused'),
    () => coterie.do({ kind: 'resume_all' }),
    () => coterie.mirror.settings.all_paused,
  );
}

/** Whoever rests, and what comes by itself. */
async function resumeAll(coterie: Coterie): Promise<void> {
  if (coterie.mirror.settings.all_paused && !(await coterie.attempt({ kind: 'resume_all' }))) return;
  for (const agent of pausedNow(coterie)) if (!(await coterie.attempt({ kind: 'resume_agent', agent }))) return;
  toast.show({ text: t('palette.all_resumed') });
}
