/** Questions about risky uses of tools, and their answers, as the runtime's are. */
import type { Approval, Command, Grant } from '../generated';
import type { World } from './world';

type Answer = Extract<Command, { kind: 'answer_approval' }>;

/** Asks about a use of a tool; its run waits. */
export function ask(
  world: World,
  of: Pick<Approval, 'run' | 'agent' | 'group'>,
  more: Partial<Approval> = {},
): Approval {
  const asked_ms = world.now();
  const row: Approval = {
    call: world.nextId(),
    ...of,
    tool: 'write_file',
    arguments: { path: 'plan.md', content: 'tea' },
    target: '/home/you/desk/plan.md',
    like: '/home/you/desk/*',
    binding: 'b1',
    state: 'waiting',
    asked_ms,
    expires_ms: asked_ms + 600_000,
    answered_ms: null,
    ...more,
  };
  const { call, tool, expires_ms } = row;
  world.step(of.run, { step: 'tool_proposed', call, model_id: 'c', tool, arguments: JSON.stringify(row.arguments) });
  world.step(of.run, { step: 'approval_asked', call, expires_ms });
  world.save({ table: 'approval', row });
  return row;
}

export function answered(world: World, { call, binding, consent, covers }: Answer): Approval {
  const asked = world.approvals.get(call);
  if (!asked) throw { code: 'not_found', message: 'nobody asks about this', fix: '' };
  if (asked.binding !== binding)
    throw {
      code: 'conflict',
      message: 'what is asked has changed',
      fix: 'look again',
      kind: { is: 'approval_changed' },
    };
  // What was allowed and has not begun can still be taken back.
  if (asked.state !== 'waiting' && (asked.state !== 'allowed' || consent !== 'deny'))
    throw {
      code: 'refused',
      message: 'this has been answered already',
      fix: 'ask the agent again',
      kind: { is: 'approval_over', how: asked.state },
    };
  const row: Approval = { ...asked, state: consent === 'deny' ? 'denied' : 'allowed', answered_ms: world.now() };
  if (consent === 'session' || consent === 'always') {
    const target = { kind: 'same', target: asked.target ?? '' } as const;
    const grant: Grant = {
      id: world.nextId(),
      ...holder(world, asked),
      tool: asked.tool,
      covers: covers ?? (asked.target === null ? { kind: 'arguments', arguments: asked.arguments } : target),
      always: consent === 'always',
      schema: 's1',
      at_ms: world.now(),
      used_ms: null,
      uses: 0,
    };
    world.save({ table: 'grant', row: grant });
  }
  world.step(asked.run, { step: 'approval_ended', call, state: row.state });
  world.save({ table: 'approval', row });
  return row;
}

/** Whose it is: of a task, the soul's in the tasks of whoever gave the first of them. */
function holder(world: World, { agent, group }: Approval): Pick<Grant, 'agent' | 'group' | 'soul'> {
  const soul = world.groups.get(group)?.kind === 'task' ? (world.agents.get(agent)?.soul ?? null) : null;
  for (let at = { agent, group }; ;) {
    const parent = world.groups.get(at.group)?.kind === 'task' && world.agents.get(at.agent)?.parent;
    const run = parent && [...world.runs.values()].findLast((one) => one.agent === parent);
    if (!run) return { ...at, soul };
    at = { agent: run.agent, group: run.group };
  }
}
