/** The fake workspace's sources: they are kept, and nothing happens to them by itself. */
import type { Command, Fault, FeedSource, Reply } from '../generated';
import type { World } from './world';

export type SourceCommand = Extract<Command, { kind: 'new_source' | 'switch_source' | 'remove_source' }>;

const kinds: readonly Command['kind'][] = ['new_source', 'switch_source', 'remove_source'];

export const isOfSources = (command: Command): command is SourceCommand => kinds.includes(command.kind);

export function doSources(world: World, command: SourceCommand): Reply {
  switch (command.kind) {
    case 'new_source': {
      const { plan } = command;
      const path = plan.watches.kind === 'files' ? plan.watches.folder : '/';
      if (!path.startsWith('/')) {
        const kind = { is: 'source_folder_away', path, detail: 'not found' } as const;
        throw {
          code: 'bad_input',
          message: `the folder ${path} cannot be looked into: not found`,
          fix: '',
          kind,
        } as Fault;
      }
      const started = { on: true, posts: 0, posted_ms: null, removed_ms: null };
      return keep(world, { id: world.nextId(), plan, created_ms: world.now(), ...started });
    }
    case 'switch_source':
      return keep(world, { ...find(world, command.source), on: command.on });
    case 'remove_source':
      return keep(world, { ...find(world, command.source), on: false, removed_ms: world.now() });
    default:
      return command satisfies never;
  }
}

export const sourcesOf = (world: World): Reply => ({
  kind: 'sources',
  data: [...world.sources.values()]
    .filter((source) => source.removed_ms === null)
    .map((source) => ({
      source,
      problem: null,
      held_back: false,
      address:
        source.plan.watches.kind === 'hook' && source.on ? `http://127.0.0.1:4321/hooks/${source.plan.name}` : null,
    })),
});

function find(world: World, id: string): FeedSource {
  const found = world.sources.get(id);
  if (!found) throw { code: 'not_found', message: `there is no source ${id}`, fix: '' } as Fault;
  return found;
}

function keep(world: World, source: FeedSource): Reply {
  world.save({ table: 'source', row: source });
  return { kind: 'source', data: source };
}
