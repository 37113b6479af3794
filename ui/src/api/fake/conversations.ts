/** What is read of a conversation, looked for in it, and written to a file, as the runtime does it, in short. */
import type { Command, Fault, GroupExport, Message, Occurrence, Query } from '../generated';

type Page = Extract<Query, { kind: 'messages' }>;
type Wanted = Extract<Query, { kind: 'occurrences' }>;
type Export = Extract<Command, { kind: 'export_group' }>;

export class FakeConversations {
  /** What lies on the disk, by its path. */
  readonly files = new Map<string, readonly Message[]>();
  #messagesOf: (group: string) => readonly Message[];

  constructor(messagesOf: (group: string) => readonly Message[]) {
    this.#messagesOf = messagesOf;
  }

  page({ group, before, limit }: Page): Message[] {
    return this.#messagesOf(group)
      .filter((message) => message.seq < (before ?? Infinity))
      .slice(-limit);
  }

  occurrences({ group, text, limit }: Wanted): Occurrence[] {
    const wanted = text.trim().toLowerCase();
    const has = ({ body }: Message) => body.kind === 'text' && body.text.toLowerCase().includes(wanted);
    const found = this.#messagesOf(group).filter((message) => wanted !== '' && has(message));
    return found
      .reverse()
      .slice(0, limit)
      .map(({ id, seq }) => ({ message: id, seq }));
  }

  export({ group, path, format }: Export): GroupExport {
    if (this.files.has(path)) {
      const there: Fault = {
        code: 'refused',
        message: `${path} is there already`,
        fix: 'choose another name, or remove the file first',
      };
      throw there;
    }
    const messages = this.#messagesOf(group).filter(({ body }) => format === 'json' || body.kind === 'text');
    this.files.set(path, messages);
    return { path, format, messages: messages.length };
  }
}
