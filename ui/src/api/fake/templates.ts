/** What a new group can begin with, of those who are there. */
import type { GroupTemplates } from '../generated';
import type { World } from './world';

const caps = { messages_per_post: 2, chain_depth: 3, pair_hops: 4, runs_per_hour: 60 };

export function templates(world: World): GroupTemplates {
  const member = (soul: string, name: string) => ({
    soul,
    name,
    agent: [...world.agents.values()].find((one) => one.soul === soul)?.id ?? null,
  });
  const [ada, bo, otto] = [member('ada', 'Ada'), member('bo', 'Bo'), member('otto', 'Otto')];
  const shipped = { caps, is_own: false, about: '' };
  return {
    templates: [
      {
        ...shipped,
        template: 'pair_review',
        title: 'Pair review',
        policy: 'rounds',
        members: [ada, bo],
        supervisor: null,
      },
      {
        ...shipped,
        template: 'debate',
        title: 'Debate',
        policy: 'supervisor',
        members: [ada, bo, otto],
        supervisor: 'otto',
      },
      {
        caps,
        is_own: true,
        template: 'duel',
        title: 'Duel at dawn',
        about: 'Two, and no judge.',
        policy: 'rounds',
        members: [bo, ada],
        supervisor: null,
      },
    ],
    wrong: [
      {
        code: 'bad_input',
        message: 'group template templates/groups/dusk.yaml:1:1: members is missing',
        fix: 'correct the file; it is read anew each time',
        kind: { is: 'group_template_wrong', path: 'templates/groups/dusk.yaml', detail: '1:1: members is missing' },
      },
    ],
  };
}
