//! `schedule`: has the agent be told something at set times, if a person allows it.
//!
//! What it is told is its own words; whoever allows them reads them first.

use super::{Act, Ground};
use crate::shared::Shared;
use crate::{groups, schedules};
use domain::{
    CatchUp, Effects, Fault, GroupKind, Participant, ScheduleId, SchedulePlan, ScheduledWork,
};
use futures::FutureExt;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use store::StoreError;
use store::table::{groups as group_table, runs};
use tools::{CallContext, Returned, Tool};
use uuid::Uuid;

/// Has you be told something later or again and again, in this conversation, and answer it
/// then. The person is asked first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// When: "in 20 minutes", "tomorrow at 9", "every weekday at 18:30", "every 2 hours",
    /// or a cron expression with five fields.
    when: String,
    /// What you are to be told then, with all that you need to know.
    text: String,
    /// The time zone by its name, such as Europe/Berlin; the person's when left out.
    zone: Option<String>,
}

pub(crate) fn tool(ground: Ground) -> impl Tool {
    // With the same key it is the same schedule.
    Act::risky("schedule", Effects::Repeatable, ground, |shared, input, with| {
        make(shared, input, with).boxed()
    })
}

async fn make(shared: Arc<Shared>, input: Input, with: CallContext) -> Result<Returned, Fault> {
    let here = shared.store.read(|read| {
        let group = group_table::get(read, runs::get(read, with.run)?.group)?;
        Ok::<_, StoreError>(match group.kind {
            GroupKind::Direct | GroupKind::Group => group.id,
            GroupKind::Task | GroupKind::Post => groups::direct_of(with.agent),
        })
    })?;
    let plan = SchedulePlan {
        agent: with.agent,
        work: ScheduledWork::Say { group: here, text: input.text },
        words: input.when,
        zone: input.zone.unwrap_or_default(),
        hours: None,
        catch_up: CatchUp::Once,
    };
    let id = ScheduleId(Uuid::new_v5(&with.key.0, b"schedule"));
    let by = schedules::By { id, who: Participant::Agent(with.agent) };
    let made = schedules::new(&shared, by, plan).await?;
    let zone = TimeZone::get(&made.plan.zone).unwrap_or(TimeZone::UTC);
    let next = made.next_ms.and_then(|next| Timestamp::from_millisecond(next).ok());
    Ok(Returned::ok(match next {
        Some(next) => {
            let next = next.to_zoned(zone).strftime("%A, %-d %B %Y, %H:%M %Q");
            format!("you will be told; the first time is {next}")
        }
        None => "that is over already".to_owned(),
    }))
}
