/** Who can be mentioned in the feed: whom it could give something, who reads the community first. */
import type { Agent, AgentId, FeedQuota } from '../../api/generated';

export function mentionable(
  agents: readonly Agent[],
  quotas: readonly FeedQuota[],
  /** Of the community; none stands for everybody. */
  readers: readonly AgentId[],
): readonly Agent[] {
  const hears = new Set(quotas.map(({ agent }) => agent));
  const isOutside = ({ id }: Agent) => readers.length > 0 && !readers.includes(id);
  return agents
    .filter(({ id }) => hears.has(id))
    .toSorted((one, other) => Number(isOutside(one)) - Number(isOutside(other)));
}
