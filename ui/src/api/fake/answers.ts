/** What the fake workspace answers to commands and queries. */
import type {
  Agent,
  AgentId,
  Command,
  Fault,
  Group,
  GroupId,
  LeftAlone,
  Provider,
  Query,
  Reply,
  RequestId,
  SoulSource,
  TurnPolicy,
} from '../generated';
import { answered } from './approvals';
import { FakeBackups, isOfBackups } from './backups';
import { doBranches, isOfBranches } from './branches';
import { answeredQuestion } from './questions';
import type { Budgets } from './budgets';
import { detailOf, runsOf, sentBy } from './detail';
import { FakeConversations } from './conversations';
import { FakeDrafts } from './drafts';
import { searched } from './everywhere';
import { checked } from './doctor';
import { asksFeed, FakeFeed, isOfFeed } from './feed';
import { asksSchedules, FakeSchedules, isOfSchedules } from './schedules';
import { FakeFiles } from './files';
import { doOutside, isOutside } from './outside';
import { OwnModels } from './own-models';
import { FakeKeys, type Places } from './keys';
import { FakeMemories } from './memories';
import { FakeMemoryFiles } from './memory-files';
import { doMessages, forgetting, isOfMessages } from './messages';
import { modelsOf, offered, presets } from './models';
import type { Desk } from './desk';
import { FakeServers } from './servers';
import { changed } from './settings';
import { FakeSkills } from './skills';
import { templates } from './templates';
import { asksSouls, isOfSouls, SoulDesk } from './soul-desk';
import { front, problems } from './souls';
import type { World } from './world';

const fault = (code: Fault['code'], message: string, fix: string): Fault => ({ code, message, fix });
const done: Reply = { kind: 'done' };
const caps = { messages_per_post: 10, chain_depth: 3, pair_hops: 4, runs_per_hour: 60 };

export class Answers {
  #world: World;
  #desk: Desk;
  #budgets: Budgets;
  /** Model servers that a look around finds. */
  offers: readonly string[] = [];
  readonly keys: FakeKeys;
  readonly feed: FakeFeed;
  readonly schedules: FakeSchedules;
  readonly files = new FakeFiles();
  readonly own: OwnModels;
  readonly drafts = new FakeDrafts();
  readonly servers: FakeServers;
  readonly skills: FakeSkills;
  readonly souls: SoulDesk;
  readonly memories: FakeMemories;
  readonly memoryFiles: FakeMemoryFiles;
  readonly conversations: FakeConversations;
  readonly backups = new FakeBackups();
  /** Models that make vectors. */
  vectorModels: string[] = [];
  /** Providers that calls did not reach. */
  leftAlone: readonly LeftAlone[] = [];

  constructor(world: World, desk: Desk, places: Places = 'keyring') {
    this.keys = new FakeKeys(world, places);
    this.#world = world;
    this.memories = desk.memories;
    this.memoryFiles = new FakeMemoryFiles(this.memories);
    this.conversations = new FakeConversations((group) => world.messagesOf(group));
    this.own = new OwnModels(world);
    this.servers = new FakeServers(world, this.files);
    this.skills = new FakeSkills(world);
    const named = () => ({
      skills: this.skills.all.map((skill) => skill.name),
      mcp: this.servers.all.map((server) => server.setup.name),
    });
    this.souls = new SoulDesk(world, desk, named);
    [this.#desk, this.#budgets] = [desk, desk.budgets];
    this.feed = new FakeFeed(world, desk.budgets);
    this.schedules = new FakeSchedules(world);
  }

  command(command: Command, request?: RequestId): Reply {
    if (isOfFeed(command)) return this.feed.do(command);
    if (isOfMessages(command)) return doMessages(this.#world, this.feed, this.memories, command);
    if (isOfBackups(command)) return this.backups.do(command);
    if (isOutside(command)) return doOutside(this.#world, command);
    if (isOfSchedules(command)) return this.schedules.do(command);
    if (isOfSouls(command)) return this.souls.do(command);
    if (isOfBranches(command)) {
      const again = (post: Command) => this.command(post, request);
      const make = (group: Group, agents: AgentId[]) => this.newGroup(`${group.name} 2`, agents, group.policy);
      return doBranches(this.#world, this.#desk, command, again, make);
    }
    const world = this.#world;
    switch (command.kind) {
      case 'post': {
        const known = request === undefined ? undefined : this.#desk.message(request);
        if (known) return { kind: 'message', data: known };
        const text = command.text.trim();
        const limit = world.settings.limits.message_characters;
        if (text === '' && !command.attachments?.length)
          throw fault('bad_input', 'the message is empty', 'write something');
        if ([...text].length > limit)
          throw fault('bad_input', `the message has more than ${limit} characters`, 'shorten it or send it in parts');
        const shown = command.attachments?.length ? { attachments: command.attachments } : {};
        const more = { ...shown, parent: command.reply_to };
        const named = request === undefined ? more : { ...more, id: request, root: request };
        const said = this.#desk.post(this.#group(command.group), { kind: 'user' }, text, named);
        this.drafts.said(said);
        return { kind: 'message', data: said };
      }
      case 'save_draft':
        return { kind: 'draft', data: this.drafts.save(command) };
      case 'post_unsent': {
        const known = this.#desk.message(command.unsent);
        if (known) return { kind: 'message', data: known };
        const unsent = this.drafts.of(command.group).unsent.find((one) => one.id === command.unsent);
        if (!unsent) throw fault('not_found', 'this message waits no longer', 'write it again');
        const { text, attachments, reply_to } = unsent;
        return this.command({ kind: 'post', group: command.group, text, attachments, reply_to }, unsent.id);
      }
      case 'bring_back': {
        world.comeBack(command.group, command.agent);
        this.#desk.notice(command.group, {
          kind: 'notice',
          notice: { kind: 'joined', agent: command.agent, sees: null },
        });
        return { kind: 'group', data: world.view(this.#group(command.group)) };
      }
      case 'attach':
        return { kind: 'attachment', data: this.files.keep(command.name, command.base64) };
      case 'new_group_from': {
        const view = templates(world).templates.find((one) => one.template === command.template);
        const members = (view?.members ?? []).flatMap((one) => one.agent ?? []);
        const group = this.newGroup(command.name ?? command.template, members, view?.policy ?? 'rounds');
        return { kind: 'group', data: world.view(group) };
      }
      case 'new_group': {
        const group = this.newGroup(command.name, command.members, command.policy);
        return { kind: 'group', data: world.view(group) };
      }
      case 'edit_group': {
        const before = this.#group(command.group);
        const group = { ...before, ...command.patch };
        world.save({ table: 'group', row: group });
        if (group.policy !== before.policy)
          this.#desk.notice(group.id, { kind: 'notice', notice: { kind: 'policy_changed', policy: group.policy } });
        return { kind: 'group', data: world.view(group) };
      }
      case 'add_member': {
        const group = this.#group(command.group);
        const agent = { kind: 'agent', id: command.agent } as const;
        const sees = command.sees.kind === 'last' ? command.sees.messages : command.sees.kind === 'all' ? null : 0;
        const position = Math.max(0, ...world.membersOf(group.id).map((member) => member.position)) + 1;
        world.save({
          table: 'member',
          row: { group: group.id, who: agent, position, muted: false, talkativeness: null, cursor: 0, joined_after: 0 },
        });
        this.#desk.notice(group.id, { kind: 'notice', notice: { kind: 'joined', agent: command.agent, sees } });
        return { kind: 'group', data: world.view(group) };
      }
      case 'remove_member': {
        world.leave(command.group, { kind: 'agent', id: command.agent });
        this.#desk.notice(command.group, { kind: 'notice', notice: { kind: 'left', agent: command.agent } });
        return { kind: 'group', data: world.view(this.#group(command.group)) };
      }
      case 'edit_member': {
        const member = world
          .membersOf(command.group)
          .find((one) => one.who.kind === 'agent' && one.who.id === command.agent);
        if (!member) throw fault('not_found', 'the agent is not in this group', '');
        const { position, ...patch } = command.patch;
        world.reseat(command.group, { ...member, ...patch }, position);
        return { kind: 'group', data: world.view(this.#group(command.group)) };
      }
      case 'mark_read': {
        if (this.feed.markRead(command.group, command.seq)) return done;
        const you = world.membersOf(command.group).find((member) => member.who.kind === 'user');
        if (you) world.save({ table: 'member', row: { ...you, cursor: Math.max(you.cursor, command.seq) } });
        return done;
      }
      case 'speak_now': {
        const cause = world.messagesOf(command.group).at(-1);
        if (!cause) throw fault('bad_input', 'there is nothing to answer yet', 'say something first');
        void this.#desk.run(this.#group(command.group), command.agent, cause, { kind: 'asked_by_user' });
        return done;
      }
      case 'stop':
        this.#desk.stopAt(command.target);
        return done;
      case 'new_agent':
        return { kind: 'agent', data: this.newAgent(command.soul, command.name, command.parent) };
      case 'pause_agent':
        return this.#agent(command.agent, { state: 'paused' });
      case 'resume_agent':
        return this.#agent(command.agent, { state: 'idle', problem: null });
      case 'terminate_agent':
        return this.#terminate(command.agent);
      case 'set_agent_model':
        return this.#agent(command.agent, { model: command.model });
      case 'answer_question':
        return { kind: 'question', data: answeredQuestion(world, command) };
      case 'answer_approval':
        return { kind: 'approval', data: answered(world, command) };
      case 'revoke_grant':
        if (!world.grants.delete(command.grant)) throw fault('not_found', 'there is no such grant', '');
        world.tell({ event: 'removed', removed: { table: 'grant', id: command.grant } });
        return done;
      case 'resume_run':
      case 'drop_run': {
        const run = world.runs.get(command.run);
        if (!run) throw fault('not_found', 'there is no such run', '');
        world.save({ table: 'run', row: { ...run, state: 'dropped' } });
        const cause = this.#desk.message(run.cause.message);
        if (command.kind === 'resume_run' && cause)
          void this.#desk.run(this.#group(run.group), run.agent, cause, run.cause.reason);
        return done;
      }
      case 'run_once':
        throw fault('refused', 'a workspace in memory runs nobody once', '');
      case 'set_budget':
        this.#budgets.set(command.budget);
        return done;
      case 'reset_budget':
        this.#budgets.reset(command.scope);
        return done;
      case 'add_memory':
      case 'edit_memory':
      case 'pin_memory':
      case 'judge_memory':
      case 'merge_memories':
      case 'forget_memory':
      case 'undo_memory':
        return { kind: 'memory', data: this.memories.do(command) };
      case 'consolidate_memories':
      case 'import_memories':
      case 'export_memories':
        return this.memoryFiles.do(command);
      case 'export_group':
        return { kind: 'group_export', data: this.conversations.export(command) };
      case 'rebuild_memory_index':
      case 'drop_import':
        this.memories.seeTo(command);
        return done;
      case 'save_provider':
        return { kind: 'provider', data: this.#saveProvider(command) };
      case 'remove_provider':
        world.providers.delete(command.provider);
        world.tell({ event: 'removed', removed: { table: 'provider', name: command.provider } });
        this.keys.forgetUnused(command.provider);
        return done;
      case 'add_model_file':
        return { kind: 'local_model', data: this.own.add(command.path) };
      case 'remove_model_file':
        this.own.remove(command.path);
        return done;
      case 'set_model_window':
        return { kind: 'provider', data: this.#setWindow(command.model, command.tokens) };
      case 'forget_answers':
        return { kind: 'forgotten', data: 3 };
      case 'use_model':
      case 'change_settings':
        world.save({ table: 'settings', row: changed(world.settings, command) });
        return { kind: 'settings', data: world.settings };
      case 'put_server':
      case 'edit_server':
      case 'reload_server':
      case 'import_servers':
      case 'remove_server':
      case 'attach_resource':
      case 'fill_prompt':
        return this.servers.do(command);
      case 'add_skill':
      case 'remove_skill':
        return this.skills.do(command);
      case 'set_key':
      case 'use_variable':
      case 'remove_key':
      case 'move_keys':
      case 'seal_keys':
      case 'unlock_keys':
      case 'lock_keys':
      case 'change_passphrase':
        this.keys.do(command);
        return { kind: 'keys', data: this.keys.all() };
      default:
        return command satisfies never;
    }
  }

  query(query: Query): Reply {
    if (asksFeed(query)) return this.feed.answer(query);
    if (asksSchedules(query)) return this.schedules.answer(query);
    if (asksSouls(query)) return this.souls.ask(query);
    const world = this.#world;
    switch (query.kind) {
      case 'overview': {
        const open_runs = [...world.runs.values()].filter(
          (run) => run.state === 'running' || run.state === 'interrupted',
        );
        const data = {
          mark: world.mark,
          settings: world.settings,
          // Who had a task that has ended is looked up by its run.
          agents: [...world.agents.values()].filter((agent) => agent.state !== 'terminated' || !agent.parent),
          groups: [...world.groups.values()].map((group) => world.view(group)),
          souls: [...world.souls.values()],
          providers: [...world.providers.values()],
          open_runs,
          waiting: [],
          starter_model: 'local/smollm2-135m',
          data_dir: '/home/you/.local/share/coterie',
          held_up: null,
          keys: this.keys.all(),
          drafts: this.drafts.all,
          approvals: [...world.approvals.values()].filter((one) => one.state === 'waiting'),
          questions: [...world.questions.values()].filter((one) => one.state === 'waiting'),
          grants: [...world.grants.values()],
          passes: [...world.passes.values()],
          sources: [...world.sources.values()],
          proposals: [...world.proposals.values()].filter((one) => one.state === 'waiting'),
          servers: this.servers.all,
          skills: this.skills.all,
        };
        return { kind: 'overview', data };
      }
      case 'messages':
        return { kind: 'messages', data: this.conversations.page(query) };
      case 'occurrences':
        return { kind: 'occurrences', data: this.conversations.occurrences(query) };
      case 'attachment':
        return { kind: 'attachment_content', data: this.files.content(query.hash) };
      case 'message': {
        const found = this.#desk.message(query.message);
        if (!found) throw fault('not_found', 'there is no such message', '');
        return { kind: 'message', data: found };
      }
      case 'decisions': {
        const of = (message: string) => query.message === null || message === query.message;
        const found = world.decisions.filter(({ group, message }) => group === query.group && of(message));
        return { kind: 'decisions', data: found.slice(-query.limit) };
      }
      case 'agent': {
        const agent = world.agents.get(query.agent);
        if (!agent) throw fault('not_found', 'there is no such agent', '');
        const groups = [...world.groups.keys()].filter((group) =>
          world.membersOf(group).some((member) => member.who.kind === 'agent' && member.who.id === agent.id),
        );
        return { kind: 'agent_detail', data: { agent, groups, transitions: [] } };
      }
      case 'agents':
        return { kind: 'agents', data: [...world.agents.values()] };
      case 'last_runs':
      case 'runs':
        return { kind: 'runs', data: runsOf(world, query) };
      case 'run': {
        const detail = detailOf(world, query.run);
        if (!detail) throw fault('not_found', 'there is no such run', '');
        return { kind: 'run_detail', data: detail };
      }
      case 'sent_request': {
        const request = sentBy(world, query.run);
        if (!request || query.n !== 1) throw fault('not_found', 'there is no such request', '');
        return { kind: 'sent_request', data: request };
      }
      case 'replay':
        return {
          kind: 'replayed',
          data: { steps: world.steps.get(query.run)?.length ?? 0, difference: null },
        };
      case 'variants':
        return { kind: 'variants', data: world.branches.variants(query.group, world.messages) };
      case 'reactions': {
        const here = new Set(world.messagesOf(query.group).map((one) => one.id));
        return { kind: 'reactions', data: world.reactions.filter((one) => here.has(one.item)) };
      }
      case 'group_templates':
        return { kind: 'group_templates', data: templates(world) };
      case 'forgetting':
        return { kind: 'forgetting', data: forgetting(world, this.memories, query.message) };
      case 'questions':
        return { kind: 'questions', data: [...world.questions.values()].reverse().slice(0, query.limit) };
      case 'approvals':
        return { kind: 'approvals', data: [...world.approvals.values()].reverse().slice(0, query.limit) };
      case 'passes':
        return { kind: 'passes', data: [...world.passes.values()] };
      case 'grants':
        return { kind: 'grants', data: [...world.grants.values()] };
      case 'prompt': {
        const name = world.agents.get(query.agent)?.soul ?? '';
        const wrong = query.soul === undefined ? undefined : problems(query.soul)[0];
        if (wrong) throw fault('bad_input', `soul ${name}, line ${wrong.line}: ${wrong.message}`, 'correct the text');
        const text = (query.soul ?? world.files.get(name) ?? '').replace(/^---[\s\S]*?\n---\n/, '');
        return {
          kind: 'prompt',
          data: {
            text: `You are in the group “${this.#group(query.group).name}”.\n\n${text}`,
            tokens: Math.ceil(text.length / 4),
          },
        };
      }
      case 'would_wake': {
        const group = this.#group(query.group);
        return {
          kind: 'would_wake',
          data: this.#budgets.wouldWake(this.#desk.wouldWake(group, query.text), group),
        };
      }
      case 'memories':
        return { kind: 'memories', data: this.memories.page(query.filter, query.before, query.limit) };
      case 'search_memories': {
        const data = this.memories.search(query.text, query.filter, query.limit, query.min_score);
        return { kind: 'found_memories', data };
      }
      case 'memory':
        return { kind: 'memory_detail', data: this.memories.detail(query.memory) };
      case 'search': {
        if (query.search.text.trim() === '')
          throw fault('bad_input', 'there is nothing to look for', 'say what to look for');
        return { kind: 'found', data: searched(world, this.memories, query.search) };
      }
      case 'memory_index':
        return { kind: 'memory_index', data: this.memories.index() };
      case 'budgets':
        return { kind: 'budgets', data: this.#budgets.all() };
      case 'usage':
        return { kind: 'usage', data: this.#budgets.usage(query.by, query.since_ms) };
      case 'discover': {
        const known = [...world.providers.values()].map((provider) => provider.base_url);
        return { kind: 'offers', data: offered(this.offers).filter((offer) => !known.includes(offer.base_url)) };
      }
      case 'models_of':
        return { kind: 'models', data: modelsOf(query.provider, query.key, this.keys) };
      case 'vector_models':
        return { kind: 'vector_models', data: this.vectorModels };
      case 'local_models':
        return { kind: 'local_models', data: this.own.all() };
      case 'left_alone':
        return { kind: 'left_alone', data: [...this.leftAlone] };
      case 'presets':
        return { kind: 'presets', data: presets };
      case 'keys':
        return { kind: 'keys', data: this.keys.all() };
      case 'servers':
      case 'server_log':
      case 'server_offers':
        return this.servers.ask(query);
      case 'skills':
      case 'skill':
      case 'capabilities':
        return this.skills.ask(query);
      case 'replaced':
        return { kind: 'replaced', data: world.onDisk.get(world.approvals.get(query.call)?.target ?? '') ?? null };
      case 'doctor':
        return checked;
      default:
        return query satisfies never;
    }
  }

  newAgent(soul: string, name: string | null, parent: string | null = null): Agent {
    const world = this.#world;
    const head = front(world.files.get(soul) ?? '');
    const agent: Agent = {
      id: world.nextId(),
      name: name ?? head['name'] ?? soul,
      soul,
      soul_version: world.souls.get(soul)?.version ?? 1,
      role: head['role'] ?? '',
      description: head['description'] ?? '',
      language: head['language'] ?? 'en',
      avatar: head['avatar'] ?? soul,
      model: null,
      parent,
      state: 'idle',
      problem: null,
      created_ms: world.now() + world.agents.size,
    };
    world.save({ table: 'agent', row: agent });
    this.#seat({ name: agent.name, kind: 'direct', policy: 'default_responder' }, [agent.id]);
    return agent;
  }

  newGroup(name: string | null, members: readonly string[], policy: TurnPolicy | null): Group {
    const names = members.map((id) => this.#world.agents.get(id)?.name ?? '');
    return this.#seat(
      { name: name ?? names.join(', '), kind: 'group', policy: policy ?? 'default_responder' },
      members,
    );
  }

  #seat(named: Pick<Group, 'name' | 'kind' | 'policy'>, members: readonly string[]): Group {
    const world = this.#world;
    const group: Group = {
      id: world.nextId(),
      ...named,
      default_agent: members[0] ?? null,
      supervisor: null,
      caps,
      archived: false,
      created_ms: world.now(),
    };
    world.save({ table: 'group', row: group });
    const who = [{ kind: 'user' } as const, ...members.map((id) => ({ kind: 'agent', id }) as const)];
    who.forEach((one, position) =>
      world.save({
        table: 'member',
        row: { group: group.id, who: one, position, muted: false, talkativeness: null, cursor: 0, joined_after: 0 },
      }),
    );
    return group;
  }

  writeSoul(name: string, text: string, source: SoulSource): Reply {
    return this.souls.write(name, text, source);
  }

  #agent(id: string, patch: Partial<Agent>): Reply {
    const before = this.#world.agents.get(id);
    if (!before) throw fault('not_found', 'there is no such agent', '');
    const row = { ...before, ...patch };
    this.#world.save({ table: 'agent', row });
    return { kind: 'agent', data: row };
  }

  /** It and whoever works for it leave every group. */
  #terminate(id: string): Reply {
    const world = this.#world;
    for (const child of [...world.agents.values()]) if (child.parent === id) this.#terminate(child.id);
    for (const group of world.groups.values()) if (group.kind === 'group') world.leave(group.id, { kind: 'agent', id });
    return this.#agent(id, { state: 'terminated' });
  }

  /** With its key, or not at all; and not over what is another by now. */
  #saveProvider(command: Extract<Command, { kind: 'save_provider' }>): Provider {
    const { provider, key: value, replaces } = command;
    const { name } = provider;
    const before = this.#world.providers.get(name);
    if (replaces && JSON.stringify(before) !== JSON.stringify(replaces)) {
      const changed = fault('conflict', `provider ${name} was changed or removed meanwhile`, 'look at it again');
      throw { ...changed, kind: { is: 'provider_changed', name } };
    }
    const key = value === null ? provider.key : `provider/${name}`;
    if (key !== null && value !== null) this.keys.do({ kind: 'set_key', name: key, value });
    const row = { ...provider, key };
    this.#world.save({ table: 'provider', row });
    this.keys.tell();
    return row;
  }

  #setWindow(model: string, tokens: number | null): Provider {
    const [name = '', ...rest] = model.split('/');
    const provider = this.#world.providers.get(name);
    if (!provider) throw fault('not_found', `there is no provider called ${name}`, '');
    const wanted = rest.join('/');
    const models = provider.models.map((one) => (one.name === wanted ? { ...one, chosen_tokens: tokens } : one));
    const row = { ...provider, models };
    this.#world.save({ table: 'provider', row });
    return row;
  }

  #group(id: GroupId): Group {
    const group = this.#world.groups.get(id);
    if (!group) throw fault('not_found', 'there is no such group', '');
    return group;
  }
}
