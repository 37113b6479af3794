/** What agents and servers want to know, and the answers, as the runtime's are. */
import type { Command, Question } from '../generated';
import type { World } from './world';

type Answer = Extract<Command, { kind: 'answer_question' }>;

/** Asks something in a run, which waits for it. */
export function askPerson(
  world: World,
  of: Pick<Question, 'run' | 'agent' | 'group'>,
  more: Partial<Question> = {},
): Question {
  const asked_ms = world.now();
  const answer = { name: 'answer', title: null, about: null, required: true, default: null, sounds_secret: false };
  const row: Question = {
    id: world.nextId(),
    call: world.nextId(),
    ...of,
    server: null,
    text: 'Which tea?',
    asks: {
      kind: 'form',
      fields: [{ ...answer, takes: { kind: 'text', format: null, least: null, most: null } }],
    },
    state: 'waiting',
    given: null,
    asked_ms,
    expires_ms: asked_ms + 600_000,
    answered_ms: null,
    ...more,
  };
  const { call } = row;
  const tool = row.server === null ? 'ask_user' : `${row.server}__form`;
  const written = JSON.stringify({ question: row.text });
  world.step(of.run, { step: 'tool_proposed', call, model_id: 'c', tool, arguments: written });
  world.step(of.run, { step: 'tool_dispatched', call });
  world.save({ table: 'question', row });
  return row;
}

export function answeredQuestion(world: World, { question, answer }: Answer): Question {
  const asked = world.questions.get(question);
  if (!asked) throw { code: 'not_found', message: 'nobody asks this', fix: '' };
  if (asked.state !== 'waiting')
    throw {
      code: 'refused',
      message: 'this has been answered already',
      fix: 'say it to the agent',
      kind: { is: 'question_over', how: asked.state },
    };
  const row: Question = {
    ...asked,
    state: answer.kind === 'given' ? 'answered' : answer.kind,
    given: answer.kind === 'given' ? { kind: 'values', values: answer.values } : null,
    answered_ms: world.now(),
  };
  world.step(asked.run, { step: 'tool_returned', call: asked.call, state: 'succeeded', text: 'The person answered' });
  world.save({ table: 'question', row });
  return row;
}
