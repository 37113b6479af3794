import { describe, expect, it } from 'vitest';
import type { McpServer } from '../api/generated';
import { sayTool } from './tool-name';

const server = (name: string, title: string | undefined, tools: Record<string, string>): McpServer => ({
  setup: {
    name,
    ...(title === undefined ? {} : { title }),
    place: { kind: 'program', command: 'x', arguments: [], environment: {}, folder: null },
    on: true,
    trusted: false,
    may_sample: false,
    switched_off: [],
  },
  state: { is: 'asleep' },
  tools: Object.entries(tools).map(([offered_as, own]) => ({
    name: own,
    offered_as,
    description: '',
    on: true,
    looks_only: false,
    unfit: null,
  })),
  memory_bytes: null,
});

describe('a tool of a server', () => {
  const servers = new Map(
    [
      server('fk', undefined, { fk__look: 'look', fk______1a2b3c4d: '查询天气', fk___5e: 'a\u202eb' }),
      server('server-1a2b3c', '高德地图', { 'server-1a2b3c__route': 'route', 'server-1a2b3c_____77': '搜索' }),
    ].map((one) => [one.setup.name, one]),
  );
  const said = (tool: string) => sayTool(servers, tool);

  it('is called as its server calls it where its name cannot say that', () => {
    expect(said('fk______1a2b3c4d')).toBe('fk______1a2b3c4d (查询天气)');
    expect(said('server-1a2b3c_____77')).toBe('server-1a2b3c_____77 (高德地图: 搜索)');
    expect(said('server-1a2b3c__route')).toBe('server-1a2b3c__route (高德地图)');
    expect(said('fk___5e')).toBe('fk___5e (a\\u202eb)');
  });

  it('needs no other name where the one that agents know says it, nor where nothing is known of it', () => {
    for (const tool of ['fk__look', 'fk__gone', 'away__look', 'read_file']) expect(said(tool)).toBe(tool);
  });
});
