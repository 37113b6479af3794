/** Memories for tests. */
import type { Memory } from '../api/generated';

export function memory(id: string, more: Partial<Memory> = {}): Memory {
  return {
    id,
    kind: 'fact',
    scope: { kind: 'user' },
    text: `text of ${id}`,
    statement: null,
    tags: [],
    trust: 'person',
    importance: 80,
    pinned: false,
    source: { message: null, run: null, tool: null, file: null },
    valid_from_ms: null,
    valid_to_ms: null,
    created_at_ms: 1000,
    changed_at_ms: 1000,
    state: { kind: 'current' },
    evidence: 1,
    recalled: 0,
    recalled_at_ms: null,
    version: 1,
    ...more,
  };
}
