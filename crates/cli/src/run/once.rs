//! `coterie run once`: a dialog in, one whole turn out.

use super::recalled::{self, Said};
use super::steps::steps;
use crate::names::Names;
use crate::quiet::{self, PATIENCE};
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::{approval, question, words};
use clap::Args;
use domain::{
    ApprovalState, Call, Command, Event, Fault, FaultCode, FromOwner, GroupId, Line, Mark, Outcome,
    QuestionState, Record, Request, RequestId, Run, RunOnce, RunState, Target, Update,
};
use futures::StreamExt;
use serde::Deserialize;
use std::convert::Infallible;
use std::io::Read;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

#[derive(Args)]
pub(crate) struct Once {
    /// Who answers, by name or id
    #[arg(long)]
    agent: String,
    /// How long to wait for the answer
    #[arg(long, value_name = "SECONDS", default_value_t = PATIENCE)]
    wait: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dialog {
    dialog: Vec<Line>,
}

/// How long a turn that is stopped may take to end.
const ENDING: Duration = Duration::from_secs(3);

pub(super) async fn run(session: &Session, once: Once) -> Result<(), Failure> {
    let until = Instant::now() + Duration::from_secs(once.wait);
    let names = session.names().await?;
    let agent = names.agent(&once.agent)?.id;
    let Dialog { dialog } = read_dialog()?;

    let id = RequestId(uuid::Uuid::now_v7());
    let call = Call::Command(Command::RunOnce { agent, dialog });
    let asked = session.door.send(Request { id, call });
    tokio::pin!(asked);
    let mut interrupted = quiet::interrupt().await;
    let mut waits_for = None;
    let answer = tokio::select! {
        answer = timeout_at(until, &mut asked) => answer.ok(),
        () = &mut interrupted => None,
        never = tell_questions(session, names.overview.mark, GroupId(id.0), &mut waits_for) => match never {},
    };
    let Some(answer) = answer else {
        // Nobody will hear the answer. Its group bears the request's id.
        let stop = Command::Stop { target: Target::Group(GroupId(id.0)) };
        let _ = timeout(ENDING, async {
            session.order(stop).await?;
            asked.await.result
        })
        .await;
        let fault = not_in_time(&names.agent_name(agent), until, once.wait);
        return Err(match waits_for {
            Some(what) => Fault { message: format!("{}: {what}", fault.message), ..fault },
            None => fault,
        }
        .into());
    };
    let once = *answered!(answer.result?, RunOnce)?;
    let said = recalled::look_up(session, &once.steps).await;
    report(session, &names, &said, once)
}

/// Says what the person is asked meanwhile, as it is asked.
async fn tell_questions(
    session: &Session,
    after: Mark,
    group: GroupId,
    waits_for: &mut Option<String>,
) -> Infallible {
    let mut events = session.door.events(Some(after));
    while let Some(said) = events.next().await {
        let FromOwner::Event(Event { update: Update::Saved { record }, .. }) = said else {
            continue;
        };
        let is_here = match &record {
            Record::Approval(asked) => asked.group == group,
            Record::Question(asked) => asked.group == group,
            _ => false,
        };
        let Ok(names) = session.names().await else { continue };
        let asks = match &record {
            Record::Approval(asked) if asked.state == ApprovalState::Waiting => {
                approval::asks(asked, &names)
            }
            Record::Question(asked) if asked.state == QuestionState::Waiting => {
                question::asks(asked, &names)
            }
            _ if is_here => {
                *waits_for = None;
                continue;
            }
            _ => continue,
        };
        if is_here {
            session.screen.aside(&asks);
            *waits_for = Some("it waited for your answer to what it had asked".to_owned());
        }
    }
    std::future::pending().await
}

fn not_in_time(agent: &str, until: Instant, seconds: u64) -> Fault {
    if Instant::now() < until {
        let message = format!("interrupted before {agent} had answered; the turn is stopped");
        return Fault::new(FaultCode::Internal, message, "try again");
    }
    Fault::new(
        FaultCode::TimedOut,
        format!("{agent} did not answer within {seconds} s; the turn is stopped"),
        "wait longer with --wait",
    )
}

fn read_dialog() -> Result<Dialog, Fault> {
    let mut text = Vec::new();
    let fix = "give {\"dialog\":[{\"role\":\"user\",\"content\":\"…\"}]} on stdin; the roles are user and assistant";
    std::io::stdin()
        .lock()
        .read_to_end(&mut text)
        .map_err(|error| Fault::bad_input(format!("read the dialog: {error}"), fix))?;
    // The place of the mistake is in the error.
    serde_json::from_slice(&text)
        .map_err(|error| Fault::bad_input(format!("read the dialog: {error}"), fix))
}

fn report(session: &Session, names: &Names, said: &Said, once: RunOnce) -> Result<(), Failure> {
    let plain = |reply: &str| {
        let table = steps(session.screen.paint, &once.run, &once.steps, names, said);
        format!("{}\n\n{table}", reply.trim_end())
    };
    if let Some(fault) = failure(&once.run, names) {
        if session.screen.is_plain() {
            session.screen.text(&steps(session.screen.paint, &once.run, &once.steps, names, said));
        }
        return Err(Failure::with(fault, &once));
    }
    session.screen.one(&once, |_| match &once.reply {
        Some(reply) => plain(reply),
        None => {
            let outcome = words::outcome(once.run.outcome.as_ref(), |id| names.agent_name(id));
            plain(&format!("{}: {outcome}", names.agent_name(once.run.agent)))
        }
    });
    Ok(())
}

/// Why nothing was answered. Silence that the agent chose is an answer.
fn failure(run: &Run, names: &Names) -> Option<Fault> {
    let name = names.agent_name(run.agent);
    match (&run.outcome, run.state) {
        (Some(Outcome::Failed { fault }), _) => {
            let message = format!("{name} could not answer: {}", fault.message);
            let way_back = words::with_way_back(fault, names.agent_by_id(run.agent));
            Some(Fault { message, ..way_back })
        }
        (Some(Outcome::Silent { reason }), RunState::Stopped) => {
            let why = words::reason(reason, |id| names.agent_name(id));
            Some(Fault::new(
                FaultCode::Refused,
                format!("{name} was stopped before it had answered: {why}"),
                "try again when it works again: coterie agent show says what it does",
            ))
        }
        (None, RunState::Interrupted) => Some(Fault::new(
            FaultCode::Storage,
            format!("{name}'s turn was cut off in the middle"),
            format!("coterie run resume {}, or coterie run drop {}", run.id, run.id),
        )),
        (Some(Outcome::Replied { .. } | Outcome::Silent { .. }) | None, _) => None,
    }
}
