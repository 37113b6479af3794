//! `coterie schedule …`: what agents are given at set times.

mod given;
mod shown;

use crate::quiet::{self, Patience};
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::{feed, ids};
use clap::{Args, Subcommand};
use domain::{
    ActiveHours, CatchUp, Command as Order, Fault, Message, Query, Schedule, SchedulePlan,
    ScheduleView, ScheduledWork,
};
use std::time::Duration;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Have an agent be told something at set times
    Add(Add),
    /// Every schedule, in the order in which they come next
    List,
    /// A schedule, with what became of its last times
    Show {
        /// Its id, or either end of it
        schedule: String,
    },
    /// Change what is given, or when
    Edit {
        /// Its id, or either end of it
        schedule: String,
        /// What the agent is told
        #[arg(long)]
        text: Option<String>,
        /// When: a sentence or a cron expression
        #[arg(long)]
        when: Option<String>,
        #[command(flatten)]
        times: Times,
    },
    /// Give nothing by it until resume
    Pause {
        /// Its id, or either end of it
        schedule: String,
    },
    /// Have a paused one go on; what passed meanwhile is not made up for
    Resume {
        /// Its id, or either end of it
        schedule: String,
    },
    /// Remove it, with what became of its times
    Remove {
        /// Its id, or either end of it
        schedule: String,
    },
    /// Give it now, beside its times
    Run {
        /// Its id, or either end of it
        schedule: String,
        #[command(flatten)]
        patience: Patience,
    },
    /// What a sentence or a cron expression says, with the next three times
    Read {
        /// Such as "every weekday at 9"
        when: String,
        #[command(flatten)]
        times: Times,
    },
}

#[derive(Args)]
pub(crate) struct Add {
    /// The agent's name
    agent: String,
    /// When: a sentence such as "every weekday at 9", "in 20 minutes", "每天早上9点", or a cron
    /// expression [default for a heartbeat: every 30 minutes]
    when: Option<String>,
    /// What it is told; with --post what the post is to be about
    text: Option<String>,
    /// The group it is told in [default: your chat with it]
    #[arg(long = "in", value_name = "GROUP")]
    group: Option<String>,
    /// Have it write a post in this community
    #[arg(long, value_name = "COMMUNITY", conflicts_with = "group")]
    post: Option<String>,
    /// Have it look whether there is anything to do, and keep silent where there is not
    #[arg(long, conflicts_with_all = ["group", "post", "digest"])]
    heartbeat: bool,
    /// Have it tell what has happened since the last time
    #[arg(long, conflicts_with_all = ["group", "post"])]
    digest: bool,
    #[command(flatten)]
    times: Times,
}

#[derive(Args)]
pub(crate) struct Times {
    /// The time zone, by its name such as Europe/Berlin [default: this machine's]
    #[arg(long)]
    zone: Option<String>,
    /// Give nothing outside of these hours, such as 9-17:30; all takes that back
    #[arg(long, value_parser = given::hours)]
    hours: Option<given::Hours>,
    /// What becomes of times that pass while Coterie is closed: skip, once, or how many of
    /// the last are made up for [default: once]
    #[arg(long, value_parser = given::catch_up)]
    catch_up: Option<CatchUp>,
}

impl Times {
    fn hours(&self, before: Option<ActiveHours>) -> Option<ActiveHours> {
        match self.hours {
            Some(given::Hours::Between(hours)) => Some(hours),
            Some(given::Hours::All) => None,
            None => before,
        }
    }
}

impl Command {
    /// Whether an agent may answer at once.
    pub(crate) fn gives_turns(&self) -> bool {
        matches!(self, Command::Run { patience, .. } if patience.wait > 0)
    }
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(add) => self::add(session, add).await,
        Command::List => list(session).await,
        Command::Show { schedule } => {
            let view = find(session, &schedule).await?;
            show(session, &view).await
        }
        Command::Edit { schedule, text, when, times } => {
            let stands = find(session, &schedule).await?.schedule;
            let plan = edited(stands.plan, text, when, &times)?;
            let order = Order::EditSchedule { schedule: stands.id, plan };
            changed(session, order).await
        }
        Command::Pause { schedule } => pause(session, &schedule, true).await,
        Command::Resume { schedule } => pause(session, &schedule, false).await,
        Command::Remove { schedule } => {
            let schedule = find(session, &schedule).await?.schedule;
            session.order(Order::RemoveSchedule { schedule: schedule.id }).await?;
            session.screen.one(&schedule, |_| "removed".to_owned());
            Ok(())
        }
        Command::Run { schedule, patience } => {
            let schedule = find(session, &schedule).await?.schedule.id;
            given(session, Order::RunSchedule { schedule }, &patience).await
        }
        Command::Read { when, times } => {
            let (zone, hours) = (times.zone.clone().unwrap_or_default(), times.hours(None));
            let read = session.ask(Query::ReadTimes { words: when, zone, hours }).await?;
            let read = answered!(read, ReadTimes)?;
            session.screen.one(&read, |paint| shown::read(paint, &read));
            Ok(())
        }
    }
}

async fn add(session: &Session, add: Add) -> Result<(), Failure> {
    let names = session.names().await?;
    let agent = names.agent(&add.agent)?;
    let text = add.text.unwrap_or_default();
    let work = if add.heartbeat {
        ScheduledWork::Heartbeat
    } else if add.digest {
        ScheduledWork::Digest
    } else if let Some(community) = &add.post {
        ScheduledWork::Post { community: feed::community_named(session, community).await?.id, text }
    } else {
        let wanted = add.group.as_deref().unwrap_or(&agent.name);
        ScheduledWork::Say { group: names.group(wanted)?.group.id, text }
    };
    let words = match (add.when, add.heartbeat) {
        (Some(when), _) => when,
        (None, true) => "every 30 minutes".to_owned(),
        (None, false) => {
            return Err(Fault::bad_input(
                "it is not said when",
                "say it behind the agent's name, like \"every weekday at 9\"",
            )
            .into());
        }
    };
    let plan = SchedulePlan {
        agent: agent.id,
        work,
        words,
        zone: add.times.zone.clone().unwrap_or_default(),
        hours: add.times.hours(None),
        catch_up: add.times.catch_up.unwrap_or(CatchUp::Once),
    };
    changed(session, Order::NewSchedule { plan }).await
}

/// What stands, with what is given in its place.
fn edited(
    plan: SchedulePlan,
    text: Option<String>,
    when: Option<String>,
    times: &Times,
) -> Result<SchedulePlan, Fault> {
    let work = match (plan.work, text) {
        (work, None) => work,
        (ScheduledWork::Say { group, .. }, Some(text)) => ScheduledWork::Say { group, text },
        (ScheduledWork::Post { community, .. }, Some(text)) => {
            ScheduledWork::Post { community, text }
        }
        (ScheduledWork::Heartbeat | ScheduledWork::Digest, Some(_)) => {
            return Err(Fault::bad_input(
                "a heartbeat and a digest are told nothing",
                "leave --text out",
            ));
        }
    };
    Ok(SchedulePlan {
        work,
        words: when.unwrap_or(plan.words),
        zone: times.zone.clone().unwrap_or(plan.zone),
        hours: times.hours(plan.hours),
        catch_up: times.catch_up.unwrap_or(plan.catch_up),
        ..plan
    })
}

async fn pause(session: &Session, wanted: &str, paused: bool) -> Result<(), Failure> {
    let schedule = find(session, wanted).await?.schedule.id;
    changed(session, Order::PauseSchedule { schedule, paused }).await
}

/// Shows the schedule as it is after an order.
async fn changed(session: &Session, order: Order) -> Result<(), Failure> {
    let schedule: Box<Schedule> = answered!(session.order(order).await?, Schedule)?;
    let view = find(session, &schedule.id.to_string()).await?;
    show(session, &view).await
}

async fn show(session: &Session, view: &ScheduleView) -> Result<(), Failure> {
    let names = session.names().await?;
    session.screen.one(view, |paint| shown::one(paint, &names, view));
    Ok(())
}

async fn list(session: &Session) -> Result<(), Failure> {
    let (all, names) = (all(session).await?, session.names().await?);
    session.screen.many(&all, |paint| shown::list(paint, &names, &all));
    Ok(())
}

async fn all(session: &Session) -> Result<Vec<ScheduleView>, Fault> {
    answered!(session.ask(Query::Schedules).await?, Schedules)
}

async fn find(session: &Session, wanted: &str) -> Result<ScheduleView, Fault> {
    const LIST: &str = "coterie schedule list";
    let part = ids::part("schedule", wanted, LIST)?;
    let mut fitting = all(session).await?;
    fitting.retain(|view| ids::fits(view.schedule.id, &part));
    if fitting.len() > 1 {
        let told: Vec<String> = fitting.iter().map(|view| view.schedule.id.to_string()).collect();
        return Err(ids::ambiguous(wanted, "schedules", &told));
    }
    fitting.pop().ok_or_else(|| ids::unknown("schedule", wanted, LIST))
}

/// Gives an agent something now, and shows what it says to it.
pub(crate) async fn given(
    session: &Session,
    order: Order,
    patience: &Patience,
) -> Result<(), Failure> {
    let before = session.overview().await?.mark;
    let mut interrupted = quiet::interrupt().await;
    let reply = quiet::ordered(session, order, &mut interrupted).await?;
    let given: Message = answered!(reply, Message)?;
    if session.overview().await?.settings.all_paused {
        session.screen.aside("everything is paused: it waits until coterie resume");
    }
    if patience.wait > 0 && session.door.owns() {
        let wait = Duration::from_secs(patience.wait);
        quiet::stay(session, before, wait, interrupted).await?.tell(session);
    }
    let query = Query::Messages { group: given.group, before: None, limit: 50 };
    let mut said = answered!(session.ask(query).await?, Messages)?;
    said.retain(|message| message.seq >= given.seq);
    let names = session.names().await?;
    session.screen.many(&said, |paint| shown::said(paint, &names, &said));
    Ok(())
}
