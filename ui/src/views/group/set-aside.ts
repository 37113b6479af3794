/** Says how much goes out of sight when another version takes the place of a message, and brings it back. */
import type { Message } from '../../api/generated';
import { tellUndo } from '../../pieces/undo';
import type { Coterie } from '../../state';
import { t } from '../../words';

const messagesOf = (coterie: Coterie, { group }: Message) => coterie.mirror.threads.get(group)?.messages;

/** Does what sets it aside, with all that followed it. Gives whether that was done. */
export async function setAside(
  coterie: Coterie,
  message: Message,
  act: () => Promise<unknown>,
  /** What is said when so many are back with it. */
  isBack: (later: number) => string,
): Promise<boolean> {
  const { id, seq } = message;
  const after = messagesOf(coterie, message)?.filter((one) => one.seq > seq && one.body.kind === 'text');
  const later = after?.length ?? 0;
  if (!(await act())) return false;
  if (later === 0) return true;
  const back = async () => {
    await coterie.do({ kind: 'show_branch', message: id });
    return isBack(later);
  };
  const isAside = () => messagesOf(coterie, message)?.every((one) => one.id !== id) ?? true;
  tellUndo(coterie, t('group.set_aside', { n: later }), back, isAside);
  return true;
}
