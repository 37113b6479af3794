/** The fake workspace's skills: whatever folder is added is one. */
import type { AgentId, Capabilities, Capability, Command, Fault, Query, Reply, Skill, SkillDetail } from '../generated';
import type { World } from './world';

type SkillCommand = Extract<Command, { kind: 'add_skill' | 'remove_skill' }>;
type SkillQuery = Extract<Query, { kind: 'skills' | 'skill' | 'capabilities' }>;

export class FakeSkills {
  readonly #world: World;
  readonly #all = new Map<string, Skill>();
  /** The folders of every agent. */
  roots: string[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  get all(): Skill[] {
    return [...this.#all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  ask(query: SkillQuery): Reply {
    switch (query.kind) {
      case 'skills':
        return { kind: 'skills', data: this.all };
      case 'skill':
        return { kind: 'skill_detail', data: this.#detail(query.skill) };
      case 'capabilities':
        return { kind: 'capabilities', data: this.#capabilities(query.agent) };
      default:
        return query satisfies never;
    }
  }

  #detail(name: string): SkillDetail {
    const skill = this.#get(name);
    const text = `---\nname: ${name}\ndescription: ${skill.description}\n---\nBoil water.\n`;
    return { skill, text, files: [{ path: 'references/leaves.md', bytes: 30 }] };
  }

  #capabilities(agent: AgentId): Capabilities {
    const one = (name: string, more: Partial<Capability>): Capability => ({
      kind: 'tool',
      name,
      description: '',
      risk: 'low',
      there: true,
      needs: [{ what: { is: 'allowed' }, met: true }],
      ...more,
    });
    const folder = { what: { is: 'folder' }, met: false } as const;
    const sandbox = { what: { is: 'sandbox', detail: 'the kernel is too old' }, met: false } as const;
    const all = [
      one('calculator', {}),
      one('fetch', { risk: 'high' }),
      one('shell', { risk: 'high', there: false, needs: [folder, sandbox] }),
    ];
    return { agent, roots: this.roots, left_out: [{ root: 'garden', why: 'link' }], all };
  }

  do(command: SkillCommand): Reply {
    if (command.kind === 'remove_skill') {
      this.#get(command.skill);
      this.#all.delete(command.skill);
      this.#tell();
      return { kind: 'done' };
    }
    const name = command.path.split(/[\\/]/).at(-1) ?? '';
    if (this.#all.has(name)) {
      const message = `there is a skill ${name} already`;
      throw { code: 'conflict', message, fix: '', kind: { is: 'skill_taken', name } } satisfies Fault;
    }
    const skill: Skill = {
      name,
      path: `/data/skills/${name}/SKILL.md`,
      description: 'Brews tea.',
      license: 'MIT',
      compatibility: 'Requires a kettle',
      metadata: {},
      tools: [{ said: 'Bash', tool: 'shell' }],
      hash: '0123456789ab',
      problem: null,
      warnings: [],
      agents: [],
    };
    this.put(skill);
    return { kind: 'skill', data: skill };
  }

  /** As if its file had changed on the disk. */
  put(skill: Skill) {
    this.#all.set(skill.name, skill);
    this.#tell();
  }

  #get(name: string): Skill {
    const found = this.#all.get(name);
    if (found) return found;
    const message = `there is no skill ${name}`;
    throw { code: 'not_found', message, fix: '', kind: { is: 'skill_unknown', name } } satisfies Fault;
  }

  #tell() {
    this.#world.tell({ event: 'skills', skills: this.all });
  }
}
