/** Where in the window the person is. */
import type { AgentId, GroupId, MemoryId, MemoryScope, MessageId, RunId } from '../api/generated';

export type Place =
  | {
      page: 'conversations';
      group?: GroupId | undefined;
      /** The message to bring into sight. */
      message?: MessageId | undefined;
    }
  | { page: 'souls'; soul?: string | undefined; version?: number | undefined }
  | { page: 'runs'; run?: RunId | undefined; agent?: AgentId | undefined; group?: GroupId | undefined }
  | { page: 'approvals' }
  | { page: 'schedules' }
  | { page: 'fleet' }
  | { page: 'feed'; post?: GroupId | undefined }
  | {
      page: 'memory';
      memory?: MemoryId | undefined;
      /** Only what is remembered for these. */
      scope?: MemoryScope | undefined;
    }
  | { page: 'settings'; section?: string | undefined };

export type Page = Place['page'];

/** What a page can be asked to begin as soon as it is there. */
export type Beginning =
  | 'connect'
  | 'find'
  | 'export_conversation'
  | 'new_soul'
  | 'add_memory'
  | 'import_memories'
  | 'export_memories'
  | 'consolidate_memories';
