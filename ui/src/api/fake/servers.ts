/** The fake workspace's servers of the Model Context Protocol: each is there as soon as it is on. */
import type {
  Command,
  Fault,
  FilledPrompt,
  McpOffers,
  McpPlace,
  McpServer,
  McpSetup,
  McpState,
  McpTool,
  Reply,
  Query,
} from '../generated';
import type { FakeFiles } from './files';
import type { World } from './world';

type ServerCommand = Extract<
  Command,
  {
    kind:
      | 'put_server'
      | 'edit_server'
      | 'reload_server'
      | 'import_servers'
      | 'remove_server'
      | 'attach_resource'
      | 'fill_prompt';
  }
>;
type ServerQuery = Extract<Query, { kind: 'servers' | 'server_log' | 'server_offers' }>;

const ready: McpState = { is: 'ready', title: 'memory', version: '1.0', era: '2025-11-25' };
const told = [
  ['read_graph', 'Reads everything.', true],
  ['create_entities', 'Adds things.', false],
] as const;

const offers: McpOffers = {
  resources: [
    { uri: 'notes://tea.md', name: 'tea.md', title: 'Tea', description: null, mime_type: 'text/markdown', bytes: 20 },
  ],
  templates: [{ uri_template: 'notes://{name}', name: 'note', description: null }],
  prompts: [
    { name: 'greet', title: null, description: 'Says hello', arguments: [] },
    {
      name: 'review',
      title: 'Review',
      description: null,
      arguments: [
        { name: 'file', description: 'Which file', required: true },
        { name: 'style', description: null, required: false },
      ],
    },
  ],
};

export class FakeServers {
  readonly #world: World;
  readonly #files: FakeFiles;
  readonly #all = new Map<string, McpServer>();
  /** Those that ask to sign in until somebody does. */
  readonly guarded = new Set<string>();
  /** Whose first tool is listed twice. */
  readonly twice = new Set<string>();

  constructor(world: World, files: FakeFiles) {
    this.#world = world;
    this.#files = files;
  }

  get all(): McpServer[] {
    return [...this.#all.values()].sort((a, b) => (a.setup.name < b.setup.name ? -1 : 1));
  }

  ask(query: ServerQuery): Reply {
    switch (query.kind) {
      case 'servers':
        return { kind: 'servers', data: this.all };
      case 'server_log':
        return { kind: 'lines', data: this.#get(query.server).setup.on ? [`${query.server} is listening`] : [] };
      case 'server_offers':
        this.#get(query.server);
        return { kind: 'server_offers', data: offers };
      default:
        return query satisfies never;
    }
  }

  /** What stands at an address, unless nothing does. */
  #read(name: string, uri: string): string {
    this.#get(name);
    if (uri.startsWith('notes://')) return `# ${uri}`;
    const detail = `the server refused: nothing is at ${uri} (code -32002)`;
    throw {
      code: 'provider',
      message: `the MCP server ${name} did not do it: ${detail}`,
      fix: 'try it again',
      kind: { is: 'server_failed', name, detail },
    } satisfies Fault;
  }

  #fill(name: string, prompt: string, given: Record<string, string>): FilledPrompt {
    this.#get(name);
    const words = Object.entries(given).map(([one, value]) => `${one}: ${value}`);
    return { text: [`Please ${prompt}.`, ...words].join('\n'), attachments: [] };
  }

  do(command: ServerCommand): Reply {
    switch (command.kind) {
      case 'put_server':
        if (!command.replaces && this.#all.has(command.setup.name)) throw taken(command.setup.name);
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
      case 'attach_resource': {
        const { server, uri } = command;
        const kept = this.#files.keep(uri, btoa(this.#read(server, uri)));
        return { kind: 'attachment', data: { ...kept, from: { server, uri } } };
      }
      case 'fill_prompt':
        return { kind: 'filled_prompt', data: this.#fill(command.server, command.prompt, command.arguments) };
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
    const [first] = tools;
    if (first && this.twice.has(setup.name)) {
      tools.push({ ...first, unfit: 'the server lists another tool of this name before it, which agents get' });
    }
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
        const setup = { place, on: true, trusted: false, may_sample: false, switched_off: [] };
        // A name has letters of ours alone.
        return /^[\w-]+$/.test(name) ? { name, ...setup } : { name: 'server-1a2b3c', title: name, ...setup };
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

function taken(name: string): Fault {
  const message = `there is a server called ${name} already`;
  return { code: 'conflict', message, fix: '', kind: { is: 'server_name_taken', name } };
}

/** What was given is kept with the keys. */
function withValues({ name, place }: McpSetup, given: readonly string[]): McpSetup['place'] {
  const kept = Object.fromEntries(given.map((one) => [one, { kind: 'key', key: `mcp/${name}/${one}` } as const]));
  return place.kind === 'program'
    ? { ...place, environment: { ...place.environment, ...kept } }
    : { ...place, headers: { ...place.headers, ...kept } };
}
