/** Reactions as they are shown: each sign once, with who gave it. */
import type { Participant, Reaction } from '../api/generated';

/** What is offered where somebody has asked for signs; and where they always stand. */
export const offered: readonly string[] = ['👍', '👎', '❤️', '😄', '🎉', '👏', '🤔', '👀'];
export const offeredAlways: readonly string[] = ['👍', '👏', '🤔'];

export type Sign = { sign: string; count: number; own: boolean; givers: readonly Participant[] };

export function counted(reactions: readonly Reaction[]): Sign[] {
  const signs = new Map<string, Participant[]>();
  for (const { sign, who } of reactions) signs.set(sign, [...(signs.get(sign) ?? []), who]);
  return [...signs].map(([sign, givers]) => ({
    sign,
    count: givers.length,
    own: givers.some((one) => one.kind === 'user'),
    givers,
  }));
}
