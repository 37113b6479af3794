//! `coterie mcp grant …`: what other programs may do here.

use crate::memory::scope::scope;
use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::words;
use clap::{Args, Subcommand};
use domain::{Command as Order, Fault, GroupId, MemoryScope, Pass, PassRights, Query};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Every program that was let in, and what it may do
    List,
    /// Let a program in, or have it be let do this and no more
    Add(Add),
    /// Let a program in no longer
    Revoke {
        /// The program's name
        name: String,
    },
}

#[derive(Args)]
pub(crate) struct Add {
    /// What the program is called here: its messages stand under it
    name: String,
    /// Groups that it may read; an agent's name is the direct chat with it
    #[arg(long, value_name = "GROUP", num_args = 1..)]
    groups: Vec<String>,
    /// Let it say something: in these groups, or without any in those that it may read
    #[arg(long, value_name = "GROUP", num_args = 0..)]
    say: Option<Vec<String>>,
    /// Memories that it may search: user, workspace, agent:NAME, group:NAME
    #[arg(long, value_name = "SCOPE", num_args = 1..)]
    memory: Vec<String>,
    /// How many messages it may write within an hour
    #[arg(long, value_name = "N", default_value_t = 30)]
    per_hour: u32,
}

pub(super) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => {
            let (names, all) = (session.names().await?, passes(session).await?);
            session.screen.many(&all, |paint| list(&all, &names, paint));
            Ok(())
        }
        Command::Add(add) => give(session, add).await,
        Command::Revoke { name } => revoke(session, &name).await,
    }
}

async fn passes(session: &Session) -> Result<Vec<Pass>, Fault> {
    let mut all: Vec<Pass> = answered!(session.ask(Query::Passes).await?, Passes)?;
    all.retain(Pass::holds);
    Ok(all)
}

async fn give(session: &Session, add: Add) -> Result<(), Failure> {
    let names = session.names().await?;
    let reads = groups(&names, &add.groups)?;
    let says = match &add.say {
        None => Vec::new(),
        Some(none) if none.is_empty() && reads.is_empty() => {
            let message = "--say names no group, and there is none that it may read";
            return Err(Fault::bad_input(message, "give --groups GROUP, or --say GROUP").into());
        }
        Some(none) if none.is_empty() => reads.clone(),
        Some(wanted) => groups(&names, wanted)?,
    };
    let memory: Vec<MemoryScope> =
        add.memory.iter().map(|word| scope(word, &names)).collect::<Result<_, _>>()?;
    let rights = PassRights { name: add.name, reads, says, memory, says_per_hour: add.per_hour };
    let pass = *answered!(session.order(Order::PutPass { rights }).await?, Pass)?;
    let name = &pass.rights.name;
    session.screen.one(&pass, |_| {
        let told = may(&pass.rights, &names).join("; ");
        format!("{name} may {told}\nhave it start: coterie mcp serve {name}")
    });
    Ok(())
}

fn groups(names: &Names, wanted: &[String]) -> Result<Vec<GroupId>, Fault> {
    wanted.iter().map(|name| Ok(names.group(name)?.group.id)).collect()
}

async fn revoke(session: &Session, name: &str) -> Result<(), Failure> {
    let all = passes(session).await?;
    let Some(pass) = all.iter().find(|pass| pass.rights.name.eq_ignore_ascii_case(name)) else {
        return Err(Fault::not_found(
            format!("no program is let in as {name}"),
            "coterie mcp grant list shows who is",
        )
        .into());
    };
    let revoked = session.order(Order::RevokePass { pass: pass.id }).await?;
    let revoked = answered!(revoked, Pass)?;
    session.screen.one(&revoked, |_| format!("{} may do nothing here any more", pass.rights.name));
    Ok(())
}

fn list(all: &[Pass], names: &Names, paint: Paint) -> String {
    if all.is_empty() {
        return "no other program is let in; coterie mcp grant add lets one".to_owned();
    }
    let row = |pass: &Pass| {
        let used = match pass.used_ms {
            Some(at_ms) => format!("{}, {} times", words::ago(at_ms), pass.uses),
            None => "never".to_owned(),
        };
        [pass.rights.name.clone(), may(&pass.rights, names).join("; "), used]
    };
    table(paint, ["program", "may", "last used"], all.iter().map(row).collect())
}

/// What it may do, a thing each.
fn may(rights: &PassRights, names: &Names) -> Vec<String> {
    let named = |groups: &[GroupId]| {
        groups.iter().map(|group| names.group_name_of(*group)).collect::<Vec<_>>().join(", ")
    };
    let mut may = Vec::new();
    if !rights.reads.is_empty() {
        may.push(format!("read {}", named(&rights.reads)));
    }
    if !rights.says.is_empty() {
        let most = rights.says_per_hour;
        may.push(format!("say {most} messages an hour in {}", named(&rights.says)));
    }
    if !rights.memory.is_empty() {
        let scopes = rights.memory.iter().map(|scope| words::memory::scope(*scope, names));
        may.push(format!("search memories of {}", scopes.collect::<Vec<_>>().join(", ")));
    }
    may
}
