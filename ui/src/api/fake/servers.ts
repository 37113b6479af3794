/** The fake workspace's servers of the Model Context Protocol: each is there as soon as it is on. */
import type { Command, Fault, McpPlace, McpServer, McpSetup, McpState, McpTool, Reply } from '../generated';
import type { World } from './world';

type ServerCommand = Extract<
  Command,
  { kind: 'put_server' | 'edit_server' | 'reload_server' | 'import_servers' | 'remove_server' }
>;

const ready: McpState = { is: 'ready', title: 'memory', version: '1.0', era: '2025-11-25' };
const told = [
  ['read_graph', 'Reads everything.', true],
  ['create_entities', 'Adds things.', false],
] as const;

export class FakeServers {
  readonly #world: World;
  readonly #all = new Map<string, McpServer>();
  /** Those that ask to sign in until somebody does. */
  readonly guarded = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  get all(): McpServer[] {
    return [...this.#all.values()].sort((a, b) => (a.setup.name < b.setup.name ? -1 : 1));
  }

  log(name: string): string[] {
    return this.#get(name).setup.on ? [`${name} is listening`] : [];
  }

  do(command: ServerCommand): Reply {
    switch (command.kind) {
      case 'put_server':
        return this.#put({ ...command.setup, place: withValues(command.setup, Object.keys(command.values)) });
      case 'edit_server': {
        const { setup } = this.#get(command.server);
        const { on = setup.on, trusted = setup.trusted, tools = {} } = command.patch;
        const switched = new Set(setup.switched_off);
        for (const [tool, is] of Object.entries(tools))
          if (is) switched.delete(tool);
          else switched.add(tool);
        return this.#put({ ...setup, on, trusted, switched_off: [...switched] });
      }
      case 'reload_server':
        if (command.sign_in) {
          this.guarded.delete(command.server);
          this.#world.tell({ event: 'page', server: command.server, url: 'https://example.org/sign-in' });
        }
        return this.#put(this.#get(command.server).setup);
      case 'import_servers':
        return this.#import(command.text, command.preview);
      case 'remove_server':
        this.#get(command.server);
        this.#all.delete(command.server);
        this.#tell();
        return { kind: 'done' };
      default:
        return command satisfies never;
    }
  }

  #get(name: string): McpServer {
    const found = this.#all.get(name);
    if (found) return found;
    throw {
      code: 'not_found',
      message: `there is no MCP server ${name}`,
      fix: '',
      kind: { is: 'server_unknown', name },
    } satisfies Fault;
  }

  #put(setup: McpSetup): Reply {
    const state: McpState = !setup.on
      ? { is: 'off' }
      : this.guarded.has(setup.name)
        ? { is: 'sign_in', why: 'the server asks to sign in' }
        : ready;
    const tools = told.map(([name, description, looks_only]): McpTool => ({
      name,
      offered_as: `${setup.name}__${name}`,
      description,
      on: !setup.switched_off.includes(name),
      looks_only,
      unfit: null,
    }));
    const server: McpServer = { setup, state, tools, memory_bytes: setup.on ? 42_000_000 : null };
    this.#all.set(setup.name, server);
    this.#tell();
    return { kind: 'server', data: server };
  }

  #import(text: string, preview: boolean): Reply {
    const servers = (JSON.parse(text) as { mcpServers?: Record<string, { command: string }> }).mcpServers;
    if (!servers) {
      const detail = 'there are no `mcpServers` in it';
      const message = `no servers can be read from it: ${detail}`;
      throw { code: 'bad_input', message, fix: '', kind: { is: 'servers_unread', detail } } satisfies Fault;
    }
    const there = (name: string) => this.#all.has(name);
    const taken = Object.entries(servers)
      .filter(([name]) => !there(name))
      .map(([name, { command }]): McpSetup => {
        const place: McpPlace = { kind: 'program', command, arguments: [], environment: {}, folder: null };
        return { name, place, on: true, trusted: false, may_sample: false, switched_off: [] };
      });
    const left_out = Object.keys(servers)
      .filter(there)
      .map((name) => ({ name, why: 'there is a server of this name already' }));
    if (!preview) for (const setup of taken) this.#put(setup);
    return { kind: 'servers_imported', data: { taken, keys: [], missing: [], left_out } };
  }

  #tell() {
    this.#world.tell({ event: 'servers', servers: this.all });
  }
}

/** What was given is kept with the keys. */
function withValues({ name, place }: McpSetup, given: readonly string[]): McpSetup['place'] {
  const kept = Object.fromEntries(given.map((one) => [one, { kind: 'key', key: `mcp/${name}/${one}` } as const]));
  return place.kind === 'program'
    ? { ...place, environment: { ...place.environment, ...kept } }
    : { ...place, headers: { ...place.headers, ...kept } };
}
