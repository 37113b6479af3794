/** What the fake workspace answers to whoever reads, checks and changes its souls. */
import type { Command, Fault, Query, Reply, SoulKept, SoulSource } from '../generated';
import type { Desk } from './desk';
import { inVain, tools, type Names } from './named';
import { answerProposal } from './proposals';
import { drafted, front, problems, readCard, writeSoul } from './souls';
import type { World } from './world';

const orders = [
  'draft_soul',
  'save_soul',
  'roll_back_soul',
  'rename_soul',
  'delete_soul',
  'bring_back_soul',
  'approve_proposal',
  'decline_proposal',
] as const;
const questions = ['soul', 'soul_version', 'check_soul', 'read_card'] as const;
type OfSouls = Extract<Command, { kind: (typeof orders)[number] }>;
type AsksSouls = Extract<Query, { kind: (typeof questions)[number] }>;

export const isOfSouls = (command: Command): command is OfSouls => (orders as readonly string[]).includes(command.kind);
export const asksSouls = (query: Query): query is AsksSouls => (questions as readonly string[]).includes(query.kind);

const fault = (code: Fault['code'], message: string, fix: string): Fault => ({ code, message, fix });

const kept = (name: string, other: string, why: SoulKept): Fault => ({
  ...fault('refused', `soul ${name} stays as it is: ${other}`, 'look who is in the way'),
  kind: { is: 'soul_kept', name, other, why },
});

export class SoulDesk {
  readonly #world: World;
  readonly #desk: Desk;
  readonly #deleted = new Map<string, string>();
  readonly #named: () => Pick<Names, 'skills' | 'mcp'>;

  constructor(world: World, desk: Desk, named: () => Pick<Names, 'skills' | 'mcp'>) {
    this.#world = world;
    this.#desk = desk;
    this.#named = named;
  }

  do(command: OfSouls): Reply {
    const world = this.#world;
    switch (command.kind) {
      case 'draft_soul':
        return { kind: 'soul_draft', data: drafted(command.name, command.sentence) };
      case 'save_soul': {
        const soul = world.souls.get(command.soul);
        if (soul && soul.file_hash !== command.base_hash)
          throw fault('conflict', `soul ${command.soul} has changed meanwhile`, 'look at both versions');
        return this.write(command.soul, command.text, 'editor');
      }
      case 'roll_back_soul':
        return this.write(command.soul, this.#version(command.soul, command.version).text, 'rollback');
      case 'rename_soul':
        return this.#rename(command.soul, command.to);
      case 'delete_soul':
        return this.#delete(command.soul);
      case 'bring_back_soul':
        return this.write(command.soul, this.#deleted.get(command.soul) ?? '', 'rollback');
      case 'approve_proposal':
      case 'decline_proposal':
        return answerProposal(world, command, (soul, text) => this.write(soul, text, 'proposal'));
      default:
        return command satisfies never;
    }
  }

  ask(query: AsksSouls): Reply {
    const world = this.#world;
    switch (query.kind) {
      case 'soul': {
        const soul = this.#soul(query.soul);
        const versions = (world.versions.get(query.soul) ?? []).map((version) => ({ ...version, text: '' })).reverse();
        return { kind: 'soul_detail', data: { soul, text: world.files.get(query.soul) ?? '', versions } };
      }
      case 'soul_version':
        return { kind: 'soul_version', data: this.#version(query.soul, query.version) };
      case 'check_soul': {
        const warnings = inVain(query.text, { tools, delegates: this.#souls(), ...this.#named() });
        return { kind: 'soul_checked', data: { errors: problems(query.text), warnings } };
      }
      case 'read_card':
        return { kind: 'soul_card', data: readCard(query.files) };
      default:
        return query satisfies never;
    }
  }

  write(name: string, text: string, source: SoulSource): Reply {
    return writeSoul(this.#world, this.#desk, name, text, source);
  }

  #rename(from: string, to: string): Reply {
    const world = this.#world;
    const soul = this.#soul(from);
    if (world.souls.has(to)) throw kept(from, to, 'name_taken');
    const renamed = { ...soul, name: to, path: soul.path.replace(`${from}.md`, `${to}.md`) };
    world.files.set(to, world.files.get(from) ?? '');
    world.versions.set(
      to,
      (world.versions.get(from) ?? []).map((version) => ({ ...version, soul: to })),
    );
    world.files.delete(from);
    world.souls.delete(from);
    world.tell({ event: 'removed', removed: { table: 'soul', name: from } });
    world.save({ table: 'soul', row: renamed });
    for (const agent of world.agents.values())
      if (agent.soul === from) world.save({ table: 'agent', row: { ...agent, soul: to } });
    return { kind: 'soul', data: renamed };
  }

  #delete(name: string): Reply {
    const world = this.#world;
    const worn = [...world.agents.values()].filter((agent) => agent.soul === name && agent.state !== 'terminated');
    if (worn.length > 0) throw kept(name, worn.map((agent) => agent.name).join(', '), 'worn');
    const gone = { ...this.#soul(name), hash: '', file_hash: null };
    this.#deleted.set(name, world.files.get(name) ?? '');
    world.files.delete(name);
    world.save({ table: 'soul', row: gone });
    return { kind: 'soul', data: gone };
  }

  #soul(name: string) {
    const soul = this.#world.souls.get(name);
    if (!soul) throw fault('not_found', `there is no soul ${name}`, '');
    return soul;
  }

  #version(soul: string, version: number) {
    const found = this.#world.versions.get(soul)?.find((one) => one.version === version);
    if (!found) throw fault('not_found', `soul ${soul} has no version ${version}`, '');
    return found;
  }

  /** By their files and by what their agents are called. */
  #souls(): string[] {
    return [...this.#world.files].flatMap(([stem, text]) => [stem, front(text)['name'] ?? stem]);
  }
}
