/** Who speaks after a message, as the runtime's turn policies rule it. */
import type { Agent, AgentId, Author, Group, Member, Reason, Verdict } from '../generated';

export type Ruling = { agent: AgentId; verdict: Verdict; reason: Reason };

export function decide(
  author: Author,
  text: string,
  group: Group,
  members: readonly Member[],
  agents: ReadonlyMap<AgentId, Agent>,
): Ruling[] {
  const seats = members.flatMap((member) => {
    const agent = member.who.kind === 'agent' ? agents.get(member.who.id) : undefined;
    return agent && !(author.kind === 'agent' && author.id === agent.id) ? [{ agent, muted: member.muted }] : [];
  });
  const rule = (speaks: (agent: AgentId) => Reason | null, silent: Reason): Ruling[] =>
    seats.map(({ agent, muted }) => {
      const why = speaks(agent.id);
      if (!why) return { agent: agent.id, verdict: 'pass', reason: silent };
      if (muted) return { agent: agent.id, verdict: 'pass', reason: { kind: 'muted' } };
      if (agent.state === 'paused') return { agent: agent.id, verdict: 'wait', reason: { kind: 'paused' } };
      if (agent.state === 'error') return { agent: agent.id, verdict: 'wait', reason: { kind: 'in_error' } };
      return { agent: agent.id, verdict: 'speak', reason: why };
    });
  const named = new Set(seats.filter(({ agent }) => mentions(text, agent.name)).map(({ agent }) => agent.id));
  const ifNamed = (agent: AgentId): Reason | null => (named.has(agent) ? { kind: 'mentioned' } : null);
  if (group.policy === 'manual') return rule(() => null, { kind: 'only_when_asked' });
  if (author.kind === 'agent')
    return group.policy === 'rounds'
      ? []
      : rule(ifNamed, { kind: named.size > 0 ? 'not_mentioned' : 'nobody_addressed' });
  switch (group.policy) {
    case 'mention':
      return rule(ifNamed, { kind: 'not_mentioned' });
    case 'default_responder': {
      if (named.size > 0) return rule(ifNamed, { kind: 'not_mentioned' });
      const one = seats.some(({ agent }) => agent.id === group.default_agent)
        ? group.default_agent
        : seats[0]?.agent.id;
      return rule((agent) => (agent === one ? { kind: 'default_responder' } : null), {
        kind: 'not_the_default_responder',
      });
    }
    case 'broadcast':
      return rule(() => ({ kind: 'broadcast' }), { kind: 'not_its_turn' });
    case 'round_robin':
      return rule((agent) => (agent === seats[0]?.agent.id ? { kind: 'next_in_order' } : null), {
        kind: 'not_its_turn',
      });
    case 'weighted': {
      // A draw that always falls to the most talkative, so that a test can tell who.
      const weights = seats.map(({ agent }) => members.find((one) => is(one, agent.id))?.talkativeness ?? 50);
      const of = weights.reduce((sum, weight) => sum + weight, 0);
      const best = weights.indexOf(Math.max(...weights));
      return seats.flatMap(({ agent }, at) => {
        const draw = { weight: weights[at] ?? 0, of, roll: 0 };
        const speaks = rule(() => ({ kind: 'drawn', ...draw }), { kind: 'muted' })[at];
        const passes: Ruling = { agent: agent.id, verdict: 'pass', reason: { kind: 'not_drawn', ...draw } };
        return at === best && speaks ? [speaks] : [passes];
      });
    }
    case 'supervisor': {
      const by = group.supervisor ?? group.default_agent ?? seats[0]?.agent.id ?? '';
      const first = seats.find(({ agent, muted }) => !muted && agent.id !== by)?.agent.id ?? by;
      return rule((agent) => (agent === first ? { kind: 'chosen_by_supervisor', by, round: 1 } : null), {
        kind: 'not_chosen',
        by,
      });
    }
    case 'rounds': {
      const first = seats.find(({ agent, muted }) => !muted && agent.state !== 'paused')?.agent.id;
      return rule((agent) => (agent === first ? { kind: 'turn', round: 1 } : null), { kind: 'not_its_turn' });
    }
    default:
      return group.policy satisfies never;
  }
}

function is(member: Member, agent: AgentId): boolean {
  return member.who.kind === 'agent' && member.who.id === agent;
}

function mentions(text: string, name: string): boolean {
  const at = text.toLowerCase().indexOf(`@${name.toLowerCase()}`);
  return at !== -1 && !(/\w$/.test(name) && /\w/.test(text.slice(at + 1 + name.length, at + 2 + name.length)));
}
