/** What a new group can begin with, of those who are there. */
import type { TemplateView } from '../generated';
import type { World } from './world';

const caps = { messages_per_post: 2, chain_depth: 3, pair_hops: 4, runs_per_hour: 60 };

export function templates(world: World): TemplateView[] {
  const member = (soul: string, name: string) => ({
    soul,
    name,
    agent: [...world.agents.values()].find((one) => one.soul === soul)?.id ?? null,
  });
  const [ada, bo, otto] = [member('ada', 'Ada'), member('bo', 'Bo'), member('otto', 'Otto')];
  return [
    { template: 'pair_review', policy: 'rounds', caps, members: [ada, bo], supervisor: null },
    { template: 'debate', policy: 'supervisor', caps, members: [ada, bo, otto], supervisor: 'otto' },
  ];
}
