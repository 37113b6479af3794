//! `coterie approval …`: what agents want to do and a person is asked about
//! first.

use crate::ids;
use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::visible::line;
use crate::words;
use clap::{Args, Subcommand};
use domain::{Approval, ApprovalState, Command as Order, Consent, Covers, Fault, GroupKind, Query};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// What waits for your answer, and what was answered
    List {
        /// How many of those that were answered to show too
        #[arg(long, default_value_t = 0, value_name = "N")]
        answered: u32,
    },
    /// Let an agent do what it asks for, this once unless you say more
    Allow(Allow),
    /// Say no; the agent is told so
    Deny {
        /// What is asked: its id, or either end of it
        id: String,
    },
}

#[derive(Args)]
pub(crate) struct Allow {
    /// What is asked: its id, or either end of it
    id: String,
    /// Also the next times, until Coterie ends
    #[arg(long, conflicts_with = "always")]
    session: bool,
    /// Also the next times, until you revoke it with coterie grant revoke
    #[arg(long)]
    always: bool,
    /// The next times for every target that fits this, where * stands for any signs; else only
    /// for the same target, or the same arguments
    #[arg(long, value_name = "PATTERN", conflicts_with = "any")]
    covers: Option<String>,
    /// The next times whatever the tool is used for
    #[arg(long)]
    any: bool,
}

impl Allow {
    fn consent(&self) -> Result<(Consent, Option<Covers>), Fault> {
        let consent = match (self.session, self.always) {
            (_, true) => Consent::Always,
            (true, false) => Consent::Session,
            (false, false) => Consent::Once,
        };
        let covers = match (&self.covers, self.any) {
            (Some(pattern), _) => Some(Covers::Target { pattern: pattern.clone() }),
            (None, true) => Some(Covers::AnyUse),
            (None, false) => None,
        };
        if consent == Consent::Once && covers.is_some() {
            return Err(Fault::bad_input(
                "once is for exactly what is asked",
                "add --session or --always to allow more than that",
            ));
        }
        Ok((consent, covers))
    }
}

const MOST: u32 = 500;

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    let names = session.names().await?;
    match command {
        Command::List { answered } => {
            let mut all = newest(session).await?;
            // What waits is done in the order in which it was asked.
            let waits = |one: &Approval| one.state == ApprovalState::Waiting;
            all.sort_by_key(|one| if waits(one) { (0, one.asked_ms) } else { (1, 0) });
            let mut more = answered;
            all.retain(|approval| {
                let shown = waits(approval) || more > 0;
                more = more.saturating_sub(u32::from(!waits(approval)));
                shown
            });
            session.screen.many(&all, |paint| list(&all, &names, paint));
            Ok(())
        }
        Command::Allow(allow) => {
            let (consent, covers) = allow.consent()?;
            answer(session, &names, &allow.id, consent, covers).await
        }
        Command::Deny { id } => answer(session, &names, &id, Consent::Deny, None).await,
    }
}

/// One of them, answered or not.
pub(crate) async fn show(session: &Session, id: &str) -> Result<(), Failure> {
    let names = session.names().await?;
    let asked = find(newest(session).await?, id, &names)?;
    session.screen.one(&asked, |paint| list(std::slice::from_ref(&asked), &names, paint));
    Ok(())
}

async fn newest(session: &Session) -> Result<Vec<Approval>, Fault> {
    answered!(session.ask(Query::Approvals { limit: MOST }).await?, Approvals)
}

async fn answer(
    session: &Session,
    names: &Names,
    id: &str,
    consent: Consent,
    covers: Option<Covers>,
) -> Result<(), Failure> {
    let asked = find(newest(session).await?, id, names)?;
    let Approval { call, binding, .. } = asked;
    let order = Order::AnswerApproval { call, binding, consent, covers };
    let answered = answered!(session.order(order).await?, Approval)?;
    session.screen.one(&answered, |_| {
        let name = names.agent_name(answered.agent);
        let held = holder(&answered, names);
        match consent {
            Consent::Deny => format!("{name} is told no"),
            Consent::Once => format!("{name} may do it this once"),
            Consent::Session => format!("{held} may do it until Coterie ends"),
            Consent::Always => {
                format!("{held} may do it from now on; coterie grant list shows what holds")
            }
        }
    });
    Ok(())
}

/// Who works on a task is there until it is done, so what is allowed for longer is for its soul.
fn holder(answered: &Approval, names: &Names) -> String {
    let name = names.agent_name(answered.agent);
    let works_on_a_task = names.kind_of(answered.group) == Some(GroupKind::Task);
    match names.agent_by_id(answered.agent).filter(|_| works_on_a_task) {
        Some(agent) => format!("{} in such tasks", agent.soul),
        None => name,
    }
}

fn find(all: Vec<Approval>, wanted: &str, names: &Names) -> Result<Approval, Fault> {
    const LIST: &str = "coterie approval list";
    ids::one_of("question", all, wanted, LIST, |one| one.call, |one| what(one, names))
}

/// For whoever waits for an answer of the agent.
pub(crate) fn asks(approval: &Approval, names: &Names) -> String {
    format!("{}; {}", what(approval, names), way(approval))
}

/// How it is answered.
pub(crate) fn way(approval: &Approval) -> String {
    let id = ids::end_of(approval.call);
    format!("answer with coterie approval allow {id}, or deny {id}, in another terminal")
}

pub(crate) fn what(approval: &Approval, names: &Names) -> String {
    let touched = approval.target.clone().unwrap_or_else(|| approval.arguments.to_string());
    let touched = line(&touched);
    format!(
        "{} wants to use {}: {touched}",
        names.agent_name(approval.agent),
        names.tool(&approval.tool)
    )
}

fn list(all: &[Approval], names: &Names, paint: Paint) -> String {
    if all.is_empty() {
        return "nothing waits for your answer".to_owned();
    }
    let short = ids::shorter(all.iter().map(|approval| approval.call));
    let row = |approval: &Approval| {
        let touched = approval.target.clone().unwrap_or_else(|| approval.arguments.to_string());
        [
            short(approval.call),
            names.agent_name(approval.agent),
            names.group_name_of(approval.group),
            names.tool(&approval.tool),
            touched,
            state(approval),
        ]
    };
    table(paint, ["id", "agent", "group", "tool", "what", "state"], all.iter().map(row).collect())
}

fn state(approval: &Approval) -> String {
    let left_ms = approval.expires_ms - words::now_ms();
    match approval.state {
        ApprovalState::Waiting if left_ms > 0 => {
            format!("waits, {} left", words::duration(left_ms))
        }
        ApprovalState::Waiting | ApprovalState::Expired => "nobody answered in time".to_owned(),
        ApprovalState::Allowed => "allowed, not begun yet".to_owned(),
        ApprovalState::Covered => "allowed while its permission stands, not begun yet".to_owned(),
        ApprovalState::Used => "allowed".to_owned(),
        ApprovalState::Denied => "denied".to_owned(),
        ApprovalState::Withdrawn => "its turn ended first".to_owned(),
    }
}
