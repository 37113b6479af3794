//! Schedules: what agents are given at set times, with nobody there to say it.

use crate::{
    AgentId, CommunityId, GroupId, MessageId, Outcome, Participant, Reason, RunId, ScheduleId,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What is given to whom, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Schedule {
    pub id: ScheduleId,
    pub plan: SchedulePlan,
    /// What the plan's words say.
    pub times: Times,
    /// An agent, where a person allowed its wish.
    pub made_by: Participant,
    /// The agent's soul says it: it is changed in the soul's file alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub of_soul: bool,
    pub paused: bool,
    /// `None` when it is over.
    pub next_ms: Option<i64>,
    pub created_ms: i64,
}

/// What somebody who makes a schedule says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SchedulePlan {
    pub agent: AgentId,
    pub work: ScheduledWork,
    /// A sentence such as `every weekday at 9`, or a cron expression.
    pub words: String,
    /// By its name, such as `Asia/Shanghai`; empty stands for the machine's.
    pub zone: String,
    /// Nothing is given outside of these.
    pub hours: Option<ActiveHours>,
    pub catch_up: CatchUp,
}

/// What the agent is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ScheduledWork {
    /// Is told this, and answers in the group.
    Say { group: GroupId, text: String },
    /// Writes a post, about this if it says something.
    Post { community: CommunityId, text: String },
    /// Looks whether there is anything to do, and keeps silent where there is not.
    Heartbeat,
    /// Tells what has happened since the last time.
    Digest,
}

/// When it is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Times {
    Once {
        at_ms: i64,
    },
    /// So far apart, counted from a moment.
    Every {
        minutes: u32,
        from_ms: i64,
    },
    /// On these days, at a time of day. The time that a clock leaves out is the one
    /// right after it; of one that it shows twice, the first counts.
    Days {
        days: Vec<Day>,
        minute: u16,
    },
    /// As cron has it: minute, hour, day of the month, month, day of the week.
    Cron {
        expression: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Day {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// In minutes since midnight; `to` is not part of them. They may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ActiveHours {
    pub from: u16,
    pub to: u16,
}

/// What becomes of times that passed while nobody was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CatchUp {
    Skip,
    /// The last of them is made up for.
    Once,
    /// The last of them are, up to so many.
    All {
        most: u32,
    },
}

/// What became of a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ScheduleTime {
    pub schedule: ScheduleId,
    pub due_ms: i64,
    pub at_ms: i64,
    pub became: Became,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Became {
    Given {
        group: GroupId,
        message: MessageId,
    },
    /// Nobody was there: this time, and others before it.
    Missed {
        times: u32,
    },
    Skipped {
        why: Reason,
    },
}

/// A schedule as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ScheduleView {
    pub schedule: Schedule,
    /// The next three.
    pub next: Vec<i64>,
    /// What became of the last ones, the newest first.
    pub lately: Vec<TimeView>,
    /// Why none of its times is given as things stand.
    pub skipped: Option<Reason>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct TimeView {
    pub time: ScheduleTime,
    /// The run that came of it, and what it came to.
    pub run: Option<RunId>,
    pub outcome: Option<Outcome>,
}

/// What words say about times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReadTimes {
    pub times: Times,
    /// The zone that they are in, by its name.
    pub zone: String,
    /// The next three.
    pub next: Vec<i64>,
}
