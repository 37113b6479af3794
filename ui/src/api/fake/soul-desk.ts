/** What the fake workspace answers to whoever reads, checks and changes its souls. */
import type { Command, Fault, Query, Reply, SoulSource } from '../generated';
import type { Desk } from './desk';
import { inVain, tools, type Names } from './named';
import { answerProposal } from './proposals';
import { drafted, front, problems, readCard, writeSoul } from './souls';
import type { World } from './world';

const orders = ['draft_soul', 'save_soul', 'roll_back_soul', 'approve_proposal', 'decline_proposal'] as const;
const questions = ['soul', 'soul_version', 'check_soul', 'read_card'] as const;
type OfSouls = Extract<Command, { kind: (typeof orders)[number] }>;
type AsksSouls = Extract<Query, { kind: (typeof questions)[number] }>;

export const isOfSouls = (command: Command): command is OfSouls => (orders as readonly string[]).includes(command.kind);
export const asksSouls = (query: Query): query is AsksSouls => (questions as readonly string[]).includes(query.kind);

const fault = (code: Fault['code'], message: string, fix: string): Fault => ({ code, message, fix });

export class SoulDesk {
  readonly #world: World;
  readonly #desk: Desk;
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
        const soul = world.souls.get(query.soul);
        if (!soul) throw fault('not_found', `there is no soul ${query.soul}`, '');
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
