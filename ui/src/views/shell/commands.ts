/** What the palette can do, beside leading somewhere: acts that the window has elsewhere too. */
import { keys } from '../../parts/chord';
import { toast } from '../../parts/toast.svelte';
import { copyLink } from '../../pieces/links';
import { tellUndo } from '../../pieces/undo';
import { linkTo, living, runningIn, type Coterie, type Shortcut } from '../../state';
import { t } from '../../words';
import type { Command } from '../palette/palette';
import type { Act } from './keys';

/** Those that can be done now; `act` does what has a key. */
export function commandsNow(coterie: Coterie, act: (act: Act) => void): readonly Command[] {
  const { mirror, place } = coterie;
  const group = place.page === 'conversations' ? place.group : undefined;
  const agents = living(mirror);
  const link = linkTo(place);
  const keyOf = (act: Shortcut) => keys(coterie.shortcuts.of(act));
  const all: readonly (Command & { cannot?: boolean })[] = [
    {
      id: 'new_group',
      label: t('roster.new_group'),
      icon: 'users',
      keys: keyOf('new_group'),
      run: () => act('new_group'),
    },
    {
      id: 'new_soul',
      label: t('souls.new'),
      also: t('palette.new_soul_also'),
      icon: 'soul',
      run: () => coterie.begin('new_soul', { page: 'souls' }),
    },
    {
      id: 'add_memory',
      label: t('memory.add'),
      icon: 'memory',
      run: () => coterie.begin('add_memory', { page: 'memory' }),
    },
    {
      id: 'connect',
      label: t('models.connect'),
      icon: 'plug',
      run: () => coterie.begin('connect', { page: 'settings', section: 'models' }),
    },
    {
      id: 'find',
      label: t('group.find'),
      icon: 'search',
      keys: keyOf('find'),
      cannot: !group,
      run: () => act('find'),
    },
    {
      id: 'export_conversation',
      label: t('palette.export_conversation'),
      icon: 'file',
      cannot: !group,
      run: () => coterie.begin('export_conversation', place),
    },
    {
      id: 'stop',
      label: t('shell.key_stop'),
      icon: 'stop',
      keys: 'Esc',
      cannot: !group || runningIn(mirror, group).length === 0,
      run: () => group && void coterie.stop(group),
    },
    {
      id: 'pause_all',
      label: t('palette.pause_all'),
      icon: 'pause',
      cannot: agents.every((agent) => agent.state === 'paused'),
      run: () => void pauseAll(coterie),
    },
    {
      id: 'resume_all',
      label: t('palette.resume_all'),
      icon: 'play',
      cannot: agents.every((agent) => agent.state !== 'paused'),
      run: () => void resume(coterie, pausedNow(coterie)),
    },
    {
      id: 'import_memories',
      label: t('palette.import_memories'),
      icon: 'file',
      run: () => coterie.begin('import_memories', { page: 'memory' }),
    },
    {
      id: 'export_memories',
      label: t('palette.export_memories'),
      icon: 'file',
      run: () => coterie.begin('export_memories', { page: 'memory' }),
    },
    {
      id: 'consolidate_memories',
      label: t('palette.consolidate_memories'),
      icon: 'merge',
      run: () => coterie.begin('consolidate_memories', { page: 'memory' }),
    },
    {
      id: 'undo',
      label: t('shell.key_undo'),
      icon: 'undo',
      keys: keyOf('undo'),
      cannot: !coterie.undoable,
      run: () => act('undo'),
    },
    {
      id: 'left',
      label: t('shell.key_left'),
      icon: 'panel',
      keys: keyOf('left'),
      cannot: place.page !== 'conversations',
      run: () => act('left'),
    },
    {
      id: 'right',
      label: t('shell.key_right'),
      icon: 'panel',
      keys: keyOf('right'),
      cannot: !group,
      run: () => act('right'),
    },
    {
      id: 'copy_link',
      label: t('desktop.copy_link'),
      icon: 'link',
      cannot: link === null,
      run: () => link !== null && copyLink(link),
    },
    {
      id: 'quit',
      label: t('desktop.quit'),
      icon: 'x',
      cannot: !coterie.desktop,
      run: () => void coterie.desktop?.quit(),
    },
    {
      id: 'shortcuts',
      label: t('shell.shortcuts'),
      icon: 'info',
      keys: keyOf('shortcuts'),
      run: () => act('shortcuts'),
    },
  ];
  return all.filter(({ cannot }) => !cannot);
}

const pausedNow = (coterie: Coterie) =>
  living(coterie.mirror)
    .filter((agent) => agent.state === 'paused')
    .map((agent) => agent.id);

/** Everybody who works; who rests already is not what an undo brings back. */
async function pauseAll(coterie: Coterie): Promise<void> {
  const before = new Set(pausedNow(coterie));
  for (const { id } of living(coterie.mirror)) {
    // Who worked for somebody rests with them.
    if (coterie.mirror.agents.get(id)?.state === 'paused') continue;
    if (!(await coterie.attempt({ kind: 'pause_agent', agent: id }))) return;
  }
  const paused = () => pausedNow(coterie).filter((id) => !before.has(id));
  tellUndo(
    coterie,
    t('palette.all_paused'),
    () => resume(coterie, paused()),
    () => living(coterie.mirror).every((agent) => agent.state === 'paused'),
  );
}

async function resume(coterie: Coterie, agents: readonly string[]): Promise<void> {
  for (const agent of agents) {
    if (coterie.mirror.agents.get(agent)?.state !== 'paused') continue;
    if (!(await coterie.attempt({ kind: 'resume_agent', agent }))) return;
  }
  toast.show({ text: t('palette.all_resumed') });
}
