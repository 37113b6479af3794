/** What a person says to a proposal for a soul, in the fake workspace. */
import type { Command, Fault, Reply } from '../generated';
import type { World } from './world';

type Answer = Extract<Command, { kind: 'approve_proposal' | 'decline_proposal' }>;

/** Writes it where what it replaces stands in the file as it was; else that was changed. */
export function answerProposal(world: World, command: Answer, write: (soul: string, text: string) => Reply): Reply {
  const proposal = world.proposals.get(command.proposal);
  if (proposal?.state !== 'waiting')
    throw conflict('this proposal does not wait for an answer any more', { is: 'proposal_answered' });
  const settle = (state: 'approved' | 'declined') =>
    world.save({ table: 'proposal', row: { ...proposal, state, answered_ms: world.now() } });
  if (command.kind === 'decline_proposal') {
    settle('declined');
    return { kind: 'done' };
  }
  const text = world.files.get(proposal.soul) ?? '';
  if (proposal.before === null || !text.includes(proposal.before)) {
    const { soul: name, section } = proposal;
    const kind = { is: 'proposal_stale', name, section, now: 'Otherwise.' } as const;
    throw conflict('it was changed after this was proposed', kind);
  }
  settle('approved');
  return write(proposal.soul, text.replace(proposal.before, proposal.text));
}

function conflict(message: string, kind: NonNullable<Fault['kind']>): Fault {
  return { code: 'conflict', message, fix: 'decline it', kind };
}
