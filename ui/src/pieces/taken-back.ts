/** Takes changes of memories back, and says what holds again then, and what of them stays. */
import type { Memory, MemoryDetail, MemoryId, Reply } from '../api/generated';
import type { Coterie } from '../state';
import { isOver, sentence, t, together } from '../words';

/** So many are named; more nobody reads in a note. */
const namedAtMost = 3;

/** Takes the last change of each back. Gives what is to be said of it; fails where one of them cannot be. */
export async function takeBack(coterie: Coterie, memories: readonly MemoryId[]): Promise<string> {
  const details = await Promise.all(memories.map((memory) => lookAt(coterie, memory)));
  const before = details.flatMap((one) => (one ? [one.memory, ...one.related] : []));
  const replies: Memory[][] = [];
  for (const memory of memories) replies.push(memoriesIn(await coterie.do({ kind: 'undo_memory', memory })));
  const told = new Set(replies.flat().map((one) => one.id));
  // Those of a merge come back with it, and no reply names them.
  const gaveWay = before.filter((one) => one.state.kind === 'superseded' && !told.has(one.id));
  const came = await Promise.all(gaveWay.map((one) => lookAt(coterie, one.id)));
  const again = holdAgain(
    before,
    replies.flat(),
    came.flatMap((one) => (one ? [one.memory] : [])),
  );
  const stays = replies.flatMap(([undone, ...others]) => others.filter((one) => undone && staysOf(one, undone)));
  return (
    together(
      ...(again.length > 0 ? [t('memory.did_undo_holds', { texts: named(again) })] : []),
      ...(stays.length > 0
        ? [t(again.length > 0 ? 'memory.stays' : 'memory.did_undo_but', { texts: named(stays) })]
        : []),
    ) || t('memory.did_undo')
  );
}

/** Those that hold now and did not before, or in other words. What of them was changed later is none of it. */
export function holdAgain(
  before: readonly Memory[],
  changed: readonly Memory[],
  came: readonly Memory[] = [],
): readonly Memory[] {
  const [undone] = changed;
  const earlier = new Map(before.map((one) => [one.id, one]));
  // The last of them is how it is now.
  const now = new Map([...changed, ...came].map((one) => [one.id, one]));
  return [...now.values()].filter((one) => {
    const was = earlier.get(one.id);
    const isNews = !was || !holds(was) || was.text !== one.text;
    return isNews && holds(one) && !(undone && staysOf(one, undone));
  });
}

const holds = (memory: Memory) => memory.state.kind === 'current' && !isOver(memory, Date.now());

/** Whether it stays of a change that was taken back, since somebody has changed it later. */
const staysOf = (memory: Memory, undone: Memory) =>
  memory.id !== undone.id && memory.state.kind === 'current' && memory.changed_at_ms < undone.changed_at_ms;

const memoriesIn = (reply: Reply): Memory[] => {
  if (reply.kind === 'memory') return [reply.data];
  return reply.kind === 'memories' ? reply.data.memories : [];
};

async function lookAt(coterie: Coterie, memory: MemoryId): Promise<MemoryDetail | undefined> {
  const reply = await coterie.query({ kind: 'memory', memory }).catch(() => undefined);
  return reply?.kind === 'memory_detail' ? reply.data : undefined;
}

function named(memories: readonly Memory[]): string {
  const texts = memories.slice(0, namedAtMost).map((one) => sentence(one.text));
  const more = memories.length - texts.length;
  return together(...texts, ...(more > 0 ? [t('memory.and_more', { n: more })] : []));
}
