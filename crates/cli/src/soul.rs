//! `coterie soul …`: who the agents are.

mod check;
mod delete;
mod new;
mod proposals;

pub(crate) use check::check;

use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::{visible, words};
use clap::Subcommand;
use domain::{
    Command as Order, Fault, Query, Soul, SoulDetail, SoulProblem, SoulSource, SoulStanding,
};
use serde::Serialize;
use similar::TextDiff;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Write a soul for a name and a sentence; an agent writes it where one has a model that can
    New(new::New),
    /// Make a soul of another program's file: who somebody is, never what they may use
    Import(new::Import),
    /// All souls, and what is wrong with them
    List,
    /// Check a file; prints FILE:LINE:COLUMN: what is wrong, and what it names that is not there
    Check {
        /// A soul's file, wherever it lies
        file: PathBuf,
    },
    /// The text in a soul's file
    Show {
        /// The soul's name: its file in souls/ without .md
        name: String,
    },
    /// A soul's versions, newest first
    History {
        /// The soul's name
        name: String,
    },
    /// What changed from one version to another
    Diff {
        /// The soul's name
        name: String,
        /// The number of one version
        from: i64,
        /// The number of the other
        to: i64,
    },
    /// Put an earlier version in force again, as the newest
    Rollback {
        /// The soul's name
        name: String,
        /// The number of the version
        version: i64,
    },
    /// Give a soul's file another name; its agents and its versions go along
    Rename {
        /// The soul's name
        name: String,
        /// What its file is to be called, without .md
        to: String,
    },
    /// Take a soul that no agent lives by out of force; its file and its versions are kept
    Delete {
        /// The soul's name
        name: String,
    },
    /// Bring back a soul that was deleted, as it was last
    Restore {
        /// The soul's name
        name: String,
    },
    /// What agents would have otherwise in their souls, and waits for your answer
    Proposals {
        /// Only of this soul
        name: Option<String>,
    },
    /// Write what an agent proposed into the soul's file
    Approve {
        /// The proposal: its id, or either end of it
        id: String,
    },
    /// Leave the soul as it is; the agent is told so
    Decline {
        /// The proposal: its id, or either end of it
        id: String,
    },
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::New(new) => new::new(session, new).await,
        Command::Import(import) => new::import(session, import).await,
        Command::List => list(session).await,
        Command::Check { .. } => unreachable!("done without a workspace"),
        Command::Show { name } => show(session, &name).await,
        Command::History { name } => history(session, &name).await,
        Command::Diff { name, from, to } => diff(session, &name, from, to).await,
        Command::Rollback { name, version } => roll_back(session, &name, version).await,
        Command::Rename { name, to } => delete::rename(session, &name, to).await,
        Command::Delete { name } => delete::delete(session, &name).await,
        Command::Restore { name } => delete::bring_back(session, name).await,
        Command::Proposals { name } => proposals::list(session, name.as_deref()).await,
        Command::Approve { id } => proposals::approve(session, &id).await,
        Command::Decline { id } => proposals::decline(session, &id).await,
    }
}

async fn list(session: &Session) -> Result<(), Failure> {
    let souls = session.overview().await?.souls;
    session.screen.many(&souls, |paint| {
        let rows = souls.iter().map(|soul| {
            [
                soul.name.clone(),
                soul.version.to_string(),
                words::ago(soul.updated_ms),
                standing(soul),
            ]
        });
        table(paint, ["soul", "version", "changed", ""], rows.collect())
    });
    Ok(())
}

fn standing(soul: &Soul) -> String {
    match soul.standing() {
        SoulStanding::Wrong(problem) => {
            format!("not in force: {}:{}: {}", problem.line, problem.column, problem.message)
        }
        SoulStanding::Unusable(problem) => format!("not in force: {}", problem.message),
        SoulStanding::Gone => "its file is gone".to_owned(),
        SoulStanding::Deleted => "deleted; coterie soul restore brings it back".to_owned(),
        SoulStanding::InForce if soul.warnings.is_empty() => String::new(),
        SoulStanding::InForce => format!("{} warnings", soul.warnings.len()),
    }
}

async fn show(session: &Session, name: &str) -> Result<(), Failure> {
    let soul = session.names().await?.soul(name)?;
    let detail = answered!(session.ask(Query::Soul { soul }).await?, SoulDetail)?;
    let problem = not_in_force(&detail.soul);
    let shown = Shown { in_force: problem.is_none(), detail: &detail };
    session.screen.one(&shown, |_| detail.text.clone());
    if let Some(problem) = problem {
        session.screen.aside(&problem);
    }
    Ok(())
}

#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    detail: &'a SoulDetail,
    /// Whether agents live by the text as it stands there.
    in_force: bool,
}

/// Why a soul's file is not what its agents live by, if it is not.
fn not_in_force(soul: &Soul) -> Option<String> {
    let instead = match soul.version {
        ..1 => "no version of it was ever valid".to_owned(),
        version => format!("version {version} stays in force"),
    };
    match soul.standing() {
        SoulStanding::InForce => None,
        SoulStanding::Wrong(SoulProblem { line, column, message, .. }) => Some(format!(
            "this text is not in force, {instead}: {}:{line}:{column}: {message}; correct the file",
            soul.path
        )),
        SoulStanding::Unusable(problem) => Some(format!(
            "what is in the file is not in force, {instead}: {}: {}",
            soul.path, problem.message
        )),
        SoulStanding::Deleted => Some(format!(
            "{} was deleted, this is its last version; coterie soul restore brings it back",
            soul.name
        )),
        SoulStanding::Gone => {
            Some(format!("the file is gone, {instead}; save it again at {}", soul.path))
        }
    }
}

async fn history(session: &Session, name: &str) -> Result<(), Failure> {
    let soul = session.names().await?.soul(name)?;
    let versions = answered!(session.ask(Query::Soul { soul }).await?, SoulDetail)?.versions;
    session.screen.many(&versions, |paint| {
        let rows = versions.iter().map(|version| {
            let hash = version.hash.chars().take(12).collect();
            [
                version.version.to_string(),
                words::ago(version.at_ms),
                source(version.source).to_owned(),
                hash,
            ]
        });
        table(paint, ["version", "when", "from", "hash"], rows.collect())
    });
    Ok(())
}

fn source(source: SoulSource) -> &'static str {
    match source {
        SoulSource::Bundled => "came with Coterie",
        SoulSource::Editor => "Coterie's editor",
        SoulSource::File => "the file",
        SoulSource::Rollback => "rollback",
        SoulSource::Proposal => "a proposal of its agent",
    }
}

#[derive(Serialize)]
struct Diff {
    soul: String,
    from: i64,
    to: i64,
    /// In unified format; empty when both are the same.
    diff: String,
}

async fn diff(session: &Session, name: &str, from: i64, to: i64) -> Result<(), Failure> {
    let soul = session.names().await?.soul(name)?;
    let (old, new) = (text(session, &soul, from).await?, text(session, &soul, to).await?);
    let diff = TextDiff::from_lines(&old, &new)
        .unified_diff()
        .header(&format!("{soul} version {from}"), &format!("{soul} version {to}"))
        .to_string();
    let diff = Diff { soul, from, to, diff };
    session.screen.one(&diff, |paint| painted(&diff.diff, paint));
    Ok(())
}

/// A difference in unified format, in colours where the screen has them.
fn painted(diff: &str, paint: Paint) -> String {
    let diff = visible::lines(diff);
    let lines = diff.lines().map(|line| match line.as_bytes().first() {
        Some(b'+') => paint.good(line),
        Some(b'-') => paint.bad(line),
        _ => line.to_owned(),
    });
    lines.map(|line| line + "\n").collect()
}

async fn text(session: &Session, soul: &str, version: i64) -> Result<String, Fault> {
    let query = Query::SoulVersion { soul: soul.to_owned(), version };
    Ok(answered!(session.ask(query).await?, SoulVersion)?.text)
}

async fn roll_back(session: &Session, name: &str, version: i64) -> Result<(), Failure> {
    let soul = session.names().await?.soul(name)?;
    let soul = answered!(session.order(Order::RollBackSoul { soul, version }).await?, Soul)?;
    session.screen.one(&soul, |_| {
        format!(
            "{} is as in version {version} again, which is now version {}",
            soul.name, soul.version
        )
    });
    Ok(())
}
