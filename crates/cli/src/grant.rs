//! `coterie grant …`: what agents may do without being asked about, and what
//! they never do.

use crate::ids;
use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::words;
use clap::Subcommand;
use domain::{
    Approvals, BlockedUse, Command as Order, Covers, Fault, Grant, GroupId, Query, SettingsPatch,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Every standing permission, with its last use
    List,
    /// Take a standing permission back
    Revoke {
        /// Its id, or either end of it
        id: String,
    },
    /// What no agent does, whoever allows it
    Blocked,
    /// Have no agent ever do something, whatever it may else
    Block {
        /// The tool's name; * is any tool
        tool: String,
        /// What the target fits, or the arguments of a tool without a target, or of shell and
        /// run_code their text, one of its lines or commands; * stands for any signs. Of a text
        /// that holds nobody who writes it otherwise (/bin/rm, a variable, sh -c): only to block
        /// the whole tool does
        #[arg(default_value = "*")]
        pattern: String,
        /// Only in this group, by name or id, and in what agents do elsewhere because of it
        #[arg(long, value_name = "GROUP")]
        group: Option<String>,
    },
    /// Hosts of this machine and the network around it that fetch may reach; with a host, let it
    /// be reached
    Near {
        /// As HOST or HOST:PORT
        host: Option<String>,
        /// Have it out of reach again
        #[arg(long, requires = "host")]
        not: bool,
    },
    /// Take something off the list of what no agent does
    Unblock {
        /// The tool's name, as the list has it
        tool: String,
        /// The pattern, as the list has it
        #[arg(default_value = "*")]
        pattern: String,
        /// The group, where the list has one
        #[arg(long, value_name = "GROUP")]
        group: Option<String>,
    },
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => {
            let (names, all) = (session.names().await?, grants(session).await?);
            session.screen.many(&all, |paint| list(&all, &names, paint));
            Ok(())
        }
        Command::Revoke { id } => revoke(session, &id).await,
        Command::Blocked => show_blocked(session, &approvals(session).await?.blocked).await,
        Command::Block { tool, pattern, group } => {
            let wanted = BlockedUse { tool, pattern, group: group_of(session, group).await? };
            let mut approvals = approvals(session).await?;
            if is_no_tool(session, &wanted.tool).await? {
                session.screen.aside(&format!(
                    "there is no tool {} as yet, so this holds for nothing; coterie agent tools AGENT lists them",
                    wanted.tool
                ));
            }
            if !approvals.blocked.contains(&wanted) {
                approvals.blocked.push(wanted);
            }
            change(session, approvals).await
        }
        Command::Near { host: None, .. } => {
            show_near(session, &approvals(session).await?.near_hosts)
        }
        Command::Near { host: Some(host), not } => near(session, host, not).await,
        Command::Unblock { tool, pattern, group } => {
            let wanted = BlockedUse { tool, pattern, group: group_of(session, group).await? };
            let mut approvals = approvals(session).await?;
            let before = approvals.blocked.len();
            approvals.blocked.retain(|one| *one != wanted);
            if approvals.blocked.len() == before {
                return Err(Fault::not_found(
                    format!("{} {} is not blocked", wanted.tool, wanted.pattern),
                    "coterie grant blocked shows what is",
                )
                .into());
            }
            change(session, approvals).await
        }
    }
}

async fn grants(session: &Session) -> Result<Vec<Grant>, Fault> {
    answered!(session.ask(Query::Grants).await?, Grants)
}

async fn approvals(session: &Session) -> Result<Approvals, Fault> {
    Ok(session.overview().await?.settings.approvals)
}

async fn change(session: &Session, approvals: Approvals) -> Result<(), Failure> {
    show_blocked(session, &changed(session, approvals).await?.blocked).await
}

async fn group_of(session: &Session, named: Option<String>) -> Result<Option<GroupId>, Fault> {
    let Some(named) = named else { return Ok(None) };
    Ok(Some(session.names().await?.group(&named)?.group.id))
}

/// Whether nothing is called that, as far as an agent is there of whom that can be asked.
async fn is_no_tool(session: &Session, tool: &str) -> Result<bool, Fault> {
    let agents = session.overview().await?.agents;
    let Some(agent) = agents.first().map(|agent| agent.id) else { return Ok(false) };
    let can = answered!(session.ask(Query::Capabilities { agent }).await?, Capabilities)?;
    // A pattern of names is for those that come, too.
    Ok(!tool.contains('*') && can.all.iter().all(|one| one.name != tool))
}

async fn changed(session: &Session, approvals: Approvals) -> Result<Approvals, Fault> {
    let patch = SettingsPatch { approvals: Some(approvals), ..SettingsPatch::default() };
    let settings = answered!(session.order(Order::ChangeSettings { patch }).await?, Settings)?;
    Ok(settings.approvals)
}

async fn near(session: &Session, host: String, not: bool) -> Result<(), Failure> {
    let mut approvals = approvals(session).await?;
    let is_there = approvals.near_hosts.contains(&host);
    match (not, is_there) {
        (true, false) => {
            return Err(Fault::not_found(
                format!("{host} is not among those that may be reached"),
                "coterie grant near shows which are",
            )
            .into());
        }
        (true, true) => approvals.near_hosts.retain(|one| *one != host),
        (false, true) => {}
        (false, false) => approvals.near_hosts.push(host),
    }
    show_near(session, &changed(session, approvals).await?.near_hosts)
}

fn show_near(session: &Session, hosts: &[String]) -> Result<(), Failure> {
    session.screen.many(hosts, |_| match hosts.is_empty() {
        true => "fetch reaches nothing on this machine or in the network around it".to_owned(),
        false => format!("fetch also reaches {}", hosts.join(", ")),
    });
    Ok(())
}

async fn show_blocked(session: &Session, blocked: &[BlockedUse]) -> Result<(), Failure> {
    let names = session.names().await?;
    session.screen.many(blocked, |paint| {
        if blocked.is_empty() {
            return "nothing is blocked".to_owned();
        }
        let place = |group| names.group_name_of(group);
        let row = |one: &BlockedUse| {
            let place = one.group.map_or_else(|| "everywhere".to_owned(), place);
            [one.tool.clone(), one.pattern.clone(), place]
        };
        table(paint, ["tool", "pattern", "in"], blocked.iter().map(row).collect())
    });
    Ok(())
}

async fn revoke(session: &Session, wanted: &str) -> Result<(), Failure> {
    const LIST: &str = "coterie grant list";
    let part = ids::part("permission", wanted, LIST)?;
    let all = grants(session).await?;
    let fitting: Vec<&Grant> = all.iter().filter(|grant| ids::fits(grant.id, &part)).collect();
    if fitting.len() > 1 {
        let told: Vec<String> = fitting.iter().map(|grant| grant.id.to_string()).collect();
        return Err(ids::ambiguous(wanted, "permissions", &told).into());
    }
    let Some(grant) = fitting.first() else {
        return Err(ids::unknown("permission", wanted, LIST).into());
    };
    session.order(Order::RevokeGrant { grant: grant.id }).await?;
    session.screen.one(*grant, |_| "it is asked about again from now on".to_owned());
    Ok(())
}

fn list(all: &[Grant], names: &Names, paint: Paint) -> String {
    if all.is_empty() {
        return "no agent may do anything risky without asking".to_owned();
    }
    let short = ids::shorter(all.iter().map(|grant| grant.id));
    let row = |grant: &Grant| {
        let used = match grant.used_ms {
            Some(at_ms) => format!("{}, {} times", words::ago(at_ms), grant.uses),
            None => "never".to_owned(),
        };
        [
            short(grant.id),
            match &grant.soul {
                Some(soul) => format!("{soul}, for {}", names.agent_name(grant.agent)),
                None => names.agent_name(grant.agent),
            },
            names.group_name_of(grant.group),
            names.tool(&grant.tool),
            covers(&grant.covers),
            if grant.always { "always" } else { "this session" }.to_owned(),
            used,
        ]
    };
    let heads = ["id", "agent", "group", "tool", "for", "lasts", "last used"];
    table(paint, heads, all.iter().map(row).collect())
}

fn covers(covers: &Covers) -> String {
    match covers {
        Covers::Arguments { arguments } => format!("exactly {arguments}"),
        Covers::Same { target } => format!("exactly {target}"),
        Covers::Target { pattern } => pattern.clone(),
        Covers::AnyUse => "anything".to_owned(),
    }
}
