/** What the fake workspace tells about one run. */
import type { ModelCall, Query, Run, RunDetail, SentRequest, ToolSpec } from '../generated';
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
    workspace: '/home/you/.local/share/coterie',
    user: world.settings.your_name || 'you',
    agent_name: agent?.name ?? '',
    agent_role: agent?.role ?? '',
    agent_language: agent?.language ?? '',
    agent_model: agent?.model ?? null,
    parent: agent?.parent ?? null,
    soul: agent?.soul ?? '',
    soul_version: run.soul_version,
    soul_hash: '',
    group_name: group.name,
    members: [world.settings.your_name || 'you'],
    members_with_role: [],
    policy: group.policy,
    caps: group.caps,
    model: run.model,
    plans_with: null,
    fallback: null,
    temperature: 0.7,
    max_tokens: 4096,
    limits: { max_iterations: 10, max_replan_attempts: 3, parallel_tools: true, plan: 'auto' },
    tools: [calculator],
    skills: [],
    mcp_servers: [],
    roots: [],
    system_prompt: world.files.get(agent?.soul ?? '') ?? '',
  };
  const decisions = world.decisions.filter((decision) => decision.message === run.cause.message);
  const sent = sentBy(world, id) ? 1 : 0;
  return { run, context, steps: world.steps.get(id) ?? [], decisions, calls: callsOf(run), sent };
}

/** The one call of its model, where it is known what that took. */
function callsOf({ model, usage, estimated, cost_microusd, started_ms, first_token_ms, ended_ms }: Run): ModelCall[] {
  if (usage.input_tokens === null || ended_ms === null) return [];
  const waited = first_token_ms === null ? null : first_token_ms - started_ms;
  return [{ model, usage, estimated, cost_microusd, first_token_ms: waited, took_ms: ended_ms - started_ms, ended_ms }];
}

/** The one request of a run that asked its model. */
export function sentBy(world: World, id: string): SentRequest | null {
  const run = world.runs.get(id);
  const called = world.steps.get(id)?.find((step) => step.step === 'model_called');
  if (!run || !called) return null;
  const agent = world.agents.get(run.agent);
  const cause = world.messagesOf(run.group).find((message) => message.id === run.cause.message);
  const plain = { calls: [], answers: null, images: [], kept: null };
  return {
    n: 1,
    model: run.model,
    turns: [
      { role: 'system', content: world.files.get(agent?.soul ?? '') ?? '', ...plain },
      { role: 'user', content: cause?.body.kind === 'text' ? cause.body.text : '', ...plain },
    ],
    tools: [calculator],
    temperature: 0.7,
    max_tokens: 4096,
    stop: ['\n' + (world.settings.your_name || 'you') + ':'],
    seed: null,
    format: null,
    at_ms: called.at_ms,
  };
}

/** The newest of each agent, and those that are open. */
function lastRunsOf(world: World): Run[] {
  const all = [...world.runs.values()];
  const newest = new Map(all.map((run) => [run.agent, run.id]));
  const isOpen = (run: Run) => run.state === 'running' || run.state === 'interrupted';
  return all.filter((run) => newest.get(run.agent) === run.id || isOpen(run));
}

/** The newest runs that fit. */
export function runsOf(world: World, query: Extract<Query, { kind: 'runs' | 'last_runs' }>): Run[] {
  if (query.kind === 'last_runs') return lastRunsOf(world);
  const { agent, group, state } = query.filter;
  const found = [...world.runs.values()].filter(
    (run) =>
      (!agent || run.agent === agent) &&
      (!group || run.group === group) &&
      (!state || run.state === state) &&
      run.seq < (query.before ?? Infinity),
  );
  return found.sort((a, b) => b.seq - a.seq).slice(0, query.limit);
}
