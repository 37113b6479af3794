/**
 * The fake workspace's schedules: it understands `every weekday at 9`, `every 2 hours`,
 * `in 20 minutes` and `on 2026-12-24 at 18:00`, and nothing comes by itself.
 */
import type {
  Command,
  Fault,
  Message,
  Query,
  ReadTimes,
  Reply,
  Schedule,
  ScheduleId,
  ScheduleView,
  Times,
  TimeView,
} from '../generated';
import { doSources, isOfSources, sourcesOf, type SourceCommand } from './sources';
import type { World } from './world';

const commands = [
  'new_schedule',
  'edit_schedule',
  'pause_schedule',
  'remove_schedule',
  'run_schedule',
  'ask_for_digest',
  'pause_all',
  'resume_all',
] as const;
type ScheduleCommand = Extract<Command, { kind: (typeof commands)[number] }> | SourceCommand;
type ScheduleQuery = Extract<Query, { kind: 'schedules' | 'sources' | 'read_times' }>;

export const isOfSchedules = (command: Command): command is ScheduleCommand =>
  isOfSources(command) || commands.some((kind) => kind === command.kind);
export const asksSchedules = (query: Query): query is ScheduleQuery =>
  query.kind === 'schedules' || query.kind === 'sources' || query.kind === 'read_times';

const hourMs = 3_600_000;

export class FakeSchedules {
  #all = new Map<ScheduleId, ScheduleView>();
  #world: World;
  #rested = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  do(command: ScheduleCommand): Reply {
    const world = this.#world;
    if (isOfSources(command)) return doSources(world, command);
    switch (command.kind) {
      case 'new_schedule': {
        const { plan } = command;
        const { times, next } = this.#read(plan.words, plan.zone);
        const schedule: Schedule = {
          id: world.nextId(),
          plan: { ...plan, zone: plan.zone || 'UTC' },
          times,
          made_by: { kind: 'user' },
          paused: false,
          next_ms: next[0] ?? null,
          created_ms: world.now(),
        };
        return this.#keep({ schedule, next, lately: [], skipped: null });
      }
      case 'edit_schedule': {
        const view = this.#find(command.schedule);
        const { plan } = command;
        const { times, next } = this.#read(plan.words, plan.zone);
        return this.#keep({ ...view, next, schedule: { ...view.schedule, plan, times, next_ms: next[0] ?? null } });
      }
      case 'pause_schedule': {
        const view = this.#find(command.schedule);
        return this.#keep({ ...view, schedule: { ...view.schedule, paused: command.paused } });
      }
      case 'remove_schedule':
        this.#all.delete(command.schedule);
        world.tell({ event: 'removed', removed: { table: 'schedule', id: command.schedule } });
        return { kind: 'done' };
      case 'run_schedule': {
        const view = this.#find(command.schedule);
        const { work, agent } = view.schedule.plan;
        const text = work.kind === 'say' ? work.text : '';
        const group = work.kind === 'say' ? work.group : this.#direct(agent);
        const message = this.#notice(group, { kind: 'scheduled', agent, schedule: view.schedule.id, text });
        const time = { schedule: view.schedule.id, due_ms: world.now(), at_ms: world.now() };
        const given: TimeView = {
          time: { ...time, became: { kind: 'given', group, message: message.id } },
          run: null,
          outcome: null,
        };
        this.#keep({ ...view, lately: [given, ...view.lately] });
        return { kind: 'message', data: message };
      }
      case 'ask_for_digest': {
        const { agent } = command;
        const since_ms = world.now() - 24 * hourMs;
        return {
          kind: 'message',
          data: this.#notice(this.#direct(agent), { kind: 'asked_for_digest', agent, since_ms }),
        };
      }
      case 'pause_all':
      case 'resume_all': {
        const pauses = command.kind === 'pause_all';
        for (const agent of world.agents.values()) {
          if (pauses && agent.state === 'idle') this.#rested.add(agent.id);
          if (!this.#rested.has(agent.id)) continue;
          world.save({ table: 'agent', row: { ...agent, state: pauses ? 'paused' : 'idle' } });
        }
        if (!pauses) this.#rested.clear();
        const { restored, ...settings } = { ...world.settings, all_paused: pauses };
        world.save({ table: 'settings', row: pauses && restored ? { ...settings, restored } : settings });
        return { kind: 'settings', data: world.settings };
      }
      default:
        return command satisfies never;
    }
  }

  answer(query: ScheduleQuery): Reply {
    switch (query.kind) {
      case 'schedules':
        return { kind: 'schedules', data: [...this.#all.values()] };
      case 'sources':
        return sourcesOf(this.#world);
      case 'read_times':
        return { kind: 'read_times', data: this.#read(query.words, query.zone) };
      default:
        return query satisfies never;
    }
  }

  #read(words: string, zone: string): ReadTimes {
    const times = this.#times(words);
    if (!times) {
      const message = `"${words}" says no times that can be understood`;
      throw { code: 'bad_input', message, fix: '', kind: { is: 'times_unread', words } } as Fault;
    }
    if (times.kind === 'once') return { times, zone: zone || 'UTC', next: [times.at_ms] };
    const apart = times.kind === 'every' ? (times.minutes / 60) * hourMs : 24 * hourMs;
    return { times, zone: zone || 'UTC', next: [1, 2, 3].map((n) => this.#world.now() + n * apart) };
  }

  #times(words: string): Times | null {
    const hours = /^every (\d+) hours$/.exec(words);
    if (hours) return { kind: 'every', minutes: Number(hours[1]) * 60, from_ms: this.#world.now() };
    const soon = /^in (\d+) minutes$/.exec(words);
    if (soon) return { kind: 'once', at_ms: this.#world.now() + Number(soon[1]) * 60_000 };
    const date = /^on (\S+) at (\S+)$/.exec(words);
    if (date) return { kind: 'once', at_ms: Date.parse(`${date[1]}T${date[2]}Z`) };
    const at = /^every weekday at (\d+)$/.exec(words);
    if (!at) return null;
    const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const;
    return { kind: 'days', days: [...days], minute: Number(at[1]) * 60 };
  }

  #find(id: ScheduleId): ScheduleView {
    const found = this.#all.get(id);
    if (!found) throw { code: 'not_found', message: `there is no schedule ${id}`, fix: '' } as Fault;
    return found;
  }

  #keep(view: ScheduleView): Reply {
    this.#all.set(view.schedule.id, view);
    this.#world.save({ table: 'schedule', row: view.schedule });
    return { kind: 'schedule', data: view.schedule };
  }

  #direct(agent: string): string {
    const groups = [...this.#world.groups.values()];
    return groups.find((group) => group.kind === 'direct' && group.default_agent === agent)?.id ?? '';
  }

  #notice(group: string, notice: Extract<Message['body'], { kind: 'notice' }>['notice']): Message {
    const id = this.#world.nextId();
    const message: Message = {
      seq: this.#world.nextSeq(),
      id,
      group,
      parent: null,
      author: { kind: 'system' },
      body: { kind: 'notice', notice },
      chain_depth: 0,
      root: id,
      run: null,
      at_ms: this.#world.now(),
    };
    this.#world.save({ table: 'message', row: message });
    return message;
  }
}
