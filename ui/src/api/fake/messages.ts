/** What can be done with one message: forgotten, reacted to. */
import type { Command, Fault, Forgetting, Message, MessageId, Reaction, Reply } from '../generated';
import type { FakeFeed } from './feed';
import type { FakeMemories } from './memories';
import type { World } from './world';

export type OfMessages = Extract<Command, { kind: 'forget_message' | 'react' }>;

export const isOfMessages = (command: Command): command is OfMessages =>
  command.kind === 'forget_message' || command.kind === 'react';

function found(world: World, id: MessageId): Message {
  const message = world.messages.find((one) => one.id === id);
  if (message) return message;
  throw { code: 'not_found', message: 'there is no such message', fix: '' } satisfies Fault;
}

export function forgetting(world: World, memories: FakeMemories, id: MessageId): Forgetting {
  const message = found(world, id);
  return { message, copies: [], memories: memories.of(id) };
}

export function doMessages(world: World, feed: FakeFeed, memories: FakeMemories, command: OfMessages): Reply {
  switch (command.kind) {
    case 'forget_message': {
      const message = found(world, command.message);
      for (const memory of memories.of(message.id)) memories.do({ kind: 'forget_memory', memory: memory.id });
      const row: Message = { ...message, body: { kind: 'notice', notice: { kind: 'removed' } }, attachments: [] };
      world.messages[world.messages.indexOf(message)] = row;
      world.tell({ event: 'saved', record: { table: 'message', row } });
      return { kind: 'message', data: row };
    }
    case 'react': {
      const { item, sign, on } = command;
      const is = (one: Reaction) => one.item === item && one.sign === sign && one.who.kind === 'user';
      world.reactions = world.reactions.filter((one) => !is(one));
      if (on) world.reactions.push({ item, sign, who: { kind: 'user' } });
      const all = world.reactions.filter((one) => one.item === item);
      if (!feed.reacted(item)) {
        world.tell({
          event: 'saved',
          record: { table: 'reactions', row: { group: found(world, item).group, item, all } },
        });
      }
      return { kind: 'done' };
    }
    default:
      return command satisfies never;
  }
}
