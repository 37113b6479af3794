/** Every word of the window, in Simplified Chinese. */
import type { en } from '../en';
import type { Translated } from '../shape';
import { approvals } from './approvals';
import { budgets } from './budgets';
import { desktop } from './desktop';
import { feed } from './feed';
import { fleet } from './fleet';
import { given } from './given';
import { group } from './group';
import { keys } from './keys';
import { memory } from './memory';
import { memory_file } from './memory-file';
import { models } from './models';
import { palette } from './palette';
import { part } from './part';
import { plots } from './plots';
import { questions } from './questions';
import { roster, template } from './roster';
import { runs } from './runs';
import {
  agent_state,
  card_form,
  card_loss,
  card_use,
  cause,
  fault,
  notice,
  policy,
  reason,
  run_state,
  scope,
  shipped,
  verdict,
} from './say';
import { schedules } from './schedules';
import { servers } from './servers';
import { settings } from './settings';
import { shell } from './shell';
import { skills } from './skills';
import { souls } from './souls';
import { sources } from './sources';
import { tools } from './tools';
import { when } from './when';

export const zh = {
  agent_state,
  approvals,
  budgets,
  card_form,
  card_loss,
  card_use,
  cause,
  desktop,
  fault,
  feed,
  fleet,
  given,
  group,
  keys,
  memory,
  memory_file,
  models,
  notice,
  palette,
  part,
  plots,
  policy,
  questions,
  reason,
  roster,
  run_state,
  runs,
  scope,
  schedules,
  servers,
  settings,
  shell,
  shipped,
  skills,
  souls,
  sources,
  template,
  tools,
  verdict,
  when,
} as const satisfies { readonly [A in keyof typeof en]: Translated<(typeof en)[A]> };
