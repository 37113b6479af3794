/**
 * A whole workspace in memory that behaves as the runtime does: for `vite dev`
 * and for tests. Nothing of it is in the built window.
 */
import { faultOf, type Backend } from '../backend';
import type { Appearance, Fault } from '../generated';
import { Answers } from './answers';
import { Desk, type Pause } from './desk';
import type { Places } from './keys';
import { firstStart, heat, many, stocked } from './start';
import { weeks } from './weeks';
import { World } from './world';

export type Options = {
  /** How it begins: as on a fresh machine, in the middle of something, or with ten thousand messages. */
  start?: 'first' | 'heat' | 'many';
  /** Model servers found on this machine. */
  offers?: readonly string[];
  /** Where keys can live. */
  keys?: Places;
  appearance?: Partial<Appearance>;
  /** Some are set already. */
  stocked?: boolean;
  /** Agents have worked for four weeks. */
  weeks?: boolean;
  /** How many memories there are besides. */
  memories?: number;
  now?: () => number;
  pause?: Pause;
  /** It cannot be opened. */
  closed?: boolean;
  /** Every question waits this long for its answer. */
  delayMs?: number;
};

const closed: Fault = {
  code: 'storage',
  message: '/home/you/.local/share/coterie/coterie.db is damaged: file is not a database',
  fix: 'put a copy of coterie.db in its place; backups/ holds those made before updates',
};

export type Fake = Backend & { world: World; answers: Answers };

export function fake(options: Options = {}): Fake {
  const pause = options.pause ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  const world = new World(options.now ?? Date.now);
  const desk = new Desk(world, pause);
  const answers = new Answers(world, desk, options.keys);
  answers.offers = options.offers ?? [];
  firstStart(answers, world);
  world.settings = { ...world.settings, appearance: { ...world.settings.appearance, ...options.appearance } };
  if (options.start === 'heat') heat(answers, world);
  if (options.start === 'many') many(world);
  if (options.stocked) stocked(answers, world);
  if (options.weeks) weeks(world);
  if (options.memories) answers.memories.fill(options.memories);
  return {
    world,
    answers,
    async ask(call, id) {
      await pause(options.delayMs ?? 0);
      if (options.closed) throw closed;
      try {
        return structuredClone('command' in call ? answers.command(call.command, id) : answers.query(call.query));
      } catch (thrown) {
        throw faultOf(thrown);
      }
    },
    events: (after, on) => world.hear(after, (news) => on(structuredClone(news))),
  };
}

/** The fake that the address asks for: `?heat`, `?many`, `?ollama`, `?stocked`, `?weeks`, `?memories=1000`, `?keys=locked`, `?dark`, `?zh`, `?slow`, `?closed`. */
export function fakeFor(search: string): Fake {
  const asked = new URLSearchParams(search);
  return fake({
    start: asked.has('heat') ? 'heat' : asked.has('many') ? 'many' : 'first',
    offers: asked.has('ollama') ? ['ollama'] : [],
    stocked: asked.has('stocked'),
    weeks: asked.has('weeks'),
    memories: Number(asked.get('memories') ?? 0),
    appearance: { ...(asked.has('dark') ? { theme: 'dark' } : {}), ...(asked.has('zh') ? { language: 'zh' } : {}) },
    keys: placesOf(asked.get('keys')),
    closed: asked.has('closed'),
    delayMs: asked.has('slow') ? 1500 : 0,
  });
}

function placesOf(text: string | null): Places {
  switch (text) {
    case 'none':
      return 'no keyring';
    case 'sealed':
    case 'locked':
      return text;
    default:
      return 'keyring';
  }
}
