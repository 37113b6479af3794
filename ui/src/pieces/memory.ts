/** What is done with a memory wherever one is shown, and how those are called whom it names. */
import type { Command, Judgement, Memory, MemoryId } from '../api/generated';
import { toast } from '../parts/toast.svelte';
import { agentsOf, type Coterie } from '../state';
import { sentence, t, together, type Names } from '../words';
import { takeBack } from './taken-back';
import { tellUndo } from './undo';

export function namesIn(coterie: Coterie): Names {
  return {
    agent: (agent) => coterie.nameOf(agent) || t('part.gone_agent'),
    group: (group) => coterie.mirror.groups.get(group)?.name ?? t('part.gone_group'),
    members: (group) => agentsOf(coterie.mirror, group).map((agent) => agent.name),
  };
}

/** Does it and says so, with the way back where there is one. Gives the memory as it is then. */
export async function actOn(
  coterie: Coterie,
  command: Command,
  said: string,
  /** What else has to be undone with it. */
  others: readonly MemoryId[] = [],
): Promise<Memory | undefined> {
  const reply = await coterie.attempt(command);
  if (reply?.kind !== 'memory') return undefined;
  tellChanged(coterie, reply.data, said, others);
  return reply.data;
}

/** Says what was done with a memory, with the way back. */
export function tellChanged(
  coterie: Coterie,
  { id, version }: Memory,
  said: string,
  others: readonly MemoryId[] = [],
): void {
  tellUndo(coterie, said, () => takeBack(coterie, [id, ...others]), holdsIn(coterie, id, version));
}

/** Says what is remembered by itself of words that say several things. What was changed by them is taken back. */
export function tellSeveral(coterie: Coterie, all: readonly Memory[], before?: Memory): void {
  const said = t('memory.did_add_several', { texts: together(...all.map((one) => sentence(one.text))) });
  const [changed] = all.filter((one) => one.id === before?.id && one.version > before.version);
  if (changed) tellChanged(coterie, changed, said);
  else toast.show({ text: said });
}

/** Whether nobody has changed it since. */
function holdsIn(coterie: Coterie, id: MemoryId, version: number): () => boolean {
  let holds = true;
  const stop = coterie.hearMemories((changed) => {
    if (!changed?.some((row) => row.id === id && row.version > version)) return;
    holds = false;
    stop();
  });
  return () => holds;
}

export const judge = (coterie: Coterie, memory: Memory, judgement: Judgement): Promise<Memory | undefined> =>
  actOn(
    coterie,
    { kind: 'judge_memory', memory: memory.id, judgement },
    t(`memory.did_${judgement}`),
    // What gave way to it comes back with it.
    judgement === 'right' && 'by' in memory.state ? [memory.state.by] : [],
  );

export const pin = (coterie: Coterie, memory: MemoryId, pinned: boolean): Promise<Memory | undefined> =>
  actOn(coterie, { kind: 'pin_memory', memory, pinned }, t(pinned ? 'memory.did_pin' : 'memory.did_unpin'));

/** Takes the last change back. */
export async function undoLast(coterie: Coterie, memory: MemoryId): Promise<void> {
  const said = await coterie.attempt(() => takeBack(coterie, [memory]));
  if (said !== undefined) toast.show({ text: said });
}
