import { describe, expect, it } from 'vitest';
import { desktop } from './zh/desktop';
import { mend, wrong } from './zh/faults';
import { feed } from './zh/feed';
import { fleet } from './zh/fleet';
import { group } from './zh/group';
import { roster } from './zh/roster';
import { runs } from './zh/runs';
import { agent_state, reason, run_state } from './zh/say';
import { schedules } from './zh/schedules';
import { settings } from './zh/settings';

const oneOf = (text: { other: string }) => text.other;

/** Every place that names a state, by the one word for it. */
const named: Readonly<Record<string, readonly (string | undefined)[]>> = {
  空闲: [agent_state.idle, fleet.rests, group.state_idle],
  在工作: [agent_state.running, fleet.works, oneOf(fleet.at_work), oneOf(desktop.works), desktop.nobody_works],
  等你答复: [
    agent_state.waiting_approval,
    fleet.needs,
    fleet.needs_you,
    fleet.waits_for_word,
    oneOf(fleet.need_you),
    roster.needs_you,
    group.asks_you,
  ],
  已暂停: [
    agent_state.paused,
    fleet.paused,
    roster.paused,
    roster.was_paused,
    schedules.paused,
    reason.paused,
    wrong.agent_paused,
    settings.restore_replaces,
    settings.take_in_rest,
  ],
  已全部暂停: [desktop.all_rest, schedules.all_paused, wrong.all_paused],
  已停下: [
    agent_state.error,
    reason.in_error,
    fleet.error,
    fleet.stopped,
    fleet.stopped_for_now,
    desktop.stopped,
    mend.agent_no_resume,
  ],
  排队中: [fleet.queued, roster.queued, roster.queued_budget, group.state_waiting, group.state_waiting_budget],
  被中断: [
    run_state.interrupted,
    fleet.interrupted,
    fleet.cut_off,
    fleet.reply_cut_off,
    roster.interrupted,
    feed.interrupted,
    runs.interrupted,
    runs.step_interrupted,
    wrong.run_not_interrupted,
  ],
};

describe('a state in Chinese', () => {
  it.each(Object.entries(named))('has the word %s wherever it is named', (word, places) => {
    for (const text of places) expect(text).toContain(word);
  });
});
