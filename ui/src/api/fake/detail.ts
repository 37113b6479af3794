/** What the fake workspace tells about one run. */
import type { RunDetail, ToolSpec } from '../generated';
import type { World } from './world';

export const calculator: ToolSpec = {
  name: 'calculator',
  description: 'Works out an expression: + - * / ^, brackets and common functions.',
  input: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
  effects: 'none',
  risk: 'low',
};

export function detailOf(world: World, id: string): RunDetail | null {
  const run = world.runs.get(id);
  const group = run && world.groups.get(run.group);
  if (!run || !group) return null;
  const agent = world.agents.get(run.agent);
  const context: RunDetail['context'] = {
    user: world.settings.your_name || 'you',
    agent_name: agent?.name ?? '',
    parent: agent?.parent ?? null,
    soul: agent?.soul ?? '',
    soul_version: run.soul_version,
    soul_hash: '',
    group_name: group.name,
    policy: group.policy,
    model: run.model,
    plans_with: null,
    fallback: null,
    temperature: 0.7,
    max_tokens: 4096,
    limits: { max_iterations: 10, max_replan_attempts: 3, parallel_tools: true, plan: 'auto' },
    tools: [calculator],
    roots: [],
    system_prompt: world.files.get(agent?.soul ?? '') ?? '',
  };
  const decisions = world.decisions.filter((decision) => decision.message === run.cause.message);
  return { run, context, steps: world.steps.get(id) ?? [], decisions, calls: [] };
}
