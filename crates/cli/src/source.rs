//! `coterie source …`: what is told in the feed when it happens.

use crate::names::fits;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::words::memory::moment;
use crate::{feed, ids, key};
use clap::{ArgGroup, Args, Subcommand};
use domain::{
    Command as Order, Community, EndedRuns, Fault, FaultCode, FeedSource, Query, Secret,
    SourcePlan, SourceView, Watches, hook_key,
};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Have something be told in the feed whenever it happens
    Add(Add),
    /// Every source, with where it writes
    List,
    /// Have one that is off tell what happens from now on
    On {
        /// Its name
        source: String,
    },
    /// Tell nothing by it; what happens meanwhile is never told
    Off {
        /// Its name
        source: String,
    },
    /// Remove it; what it wrote stays
    Remove {
        /// Its name
        source: String,
    },
    /// Draw another token for one that hears programs; the one so far opens nothing any more
    Token {
        /// Its name
        source: String,
    },
}

#[derive(Args)]
#[command(group(ArgGroup::new("watches").required(true)))]
pub(crate) struct Add {
    /// What it is to be called
    name: String,
    /// The community that it writes in
    #[arg(long = "in", value_name = "COMMUNITY")]
    community: String,
    /// Files that come, change and go in this folder and the folders in it
    #[arg(long, value_name = "FOLDER", group = "watches")]
    files: Option<PathBuf>,
    /// Turns that end with an answer outside of the feed, or with a failure
    #[arg(long, group = "watches")]
    runs: bool,
    /// Turns that end with a failure
    #[arg(long, group = "watches")]
    failed_runs: bool,
    /// Memories that contradict one that is more trusted
    #[arg(long, group = "watches")]
    contradictions: bool,
    /// What programs on this machine send to its address, with a token that is shown once
    #[arg(long, group = "watches")]
    hook: bool,
    /// How many posts it may write within an hour; what happens beyond that is told together
    #[arg(long, value_name = "N", default_value_t = 6)]
    per_hour: u32,
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(add) => self::add(session, add).await,
        Command::List => list(session).await,
        Command::On { source } => switch(session, &source, true).await,
        Command::Off { source } => switch(session, &source, false).await,
        Command::Remove { source } => {
            let source = named(session, &source).await?.source.id;
            session.order(Order::RemoveSource { source }).await?;
            session.screen.one(&source, |_| "removed".to_owned());
            Ok(())
        }
        Command::Token { source } => {
            let view = named(session, &source).await?;
            if view.source.plan.watches != Watches::Hook {
                let name = view.source.plan.name;
                let fix = "coterie source add NAME --in COMMUNITY --hook adds one that does";
                return Err(Fault::bad_input(format!("{name} hears no programs"), fix).into());
            }
            key::must_have_a_place(session).await?;
            let token = keep_token(session, &view.source).await?;
            show_token(session, &view.source, token).await
        }
    }
}

async fn add(session: &Session, add: Add) -> Result<(), Failure> {
    let community = feed::community_named(session, &add.community).await?.id;
    let watches = match add.files {
        Some(folder) => {
            let folder = std::path::absolute(&folder).unwrap_or(folder);
            Watches::Files { folder: folder.display().to_string() }
        }
        None if add.hook => Watches::Hook,
        None if add.contradictions => Watches::Contradictions,
        None if add.failed_runs => Watches::Runs { which: EndedRuns::Failed },
        None => Watches::Runs { which: EndedRuns::All },
    };
    let plan = SourcePlan { name: add.name, community, watches, per_hour: add.per_hour };
    match plan.watches {
        Watches::Hook => add_hook(session, plan).await,
        Watches::Files { .. } | Watches::Runs { .. } | Watches::Contradictions => {
            changed(session, Order::NewSource { plan }).await
        }
    }
}

/// Where its token cannot be kept there is no source either.
async fn add_hook(session: &Session, plan: SourcePlan) -> Result<(), Failure> {
    key::must_have_a_place(session).await?;
    let source: Box<FeedSource> =
        answered!(session.order(Order::NewSource { plan }).await?, Source)?;
    match keep_token(session, &source).await {
        Ok(token) => show_token(session, &source, token).await,
        Err(failure) => {
            session.order(Order::RemoveSource { source: source.id }).await?;
            Err(failure)
        }
    }
}

async fn keep_token(session: &Session, source: &FeedSource) -> Result<String, Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message = format!("no random bytes can be drawn: {error}");
        Fault::new(FaultCode::Internal, message, "try again")
    })?;
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    key::keep(session, &hook_key(&source.plan.name), Secret::new(token.clone())).await?;
    Ok(token)
}

/// What programs send to where, said this once.
#[derive(Serialize)]
struct Heard {
    #[serde(flatten)]
    view: SourceView,
    token: String,
}

async fn show_token(session: &Session, source: &FeedSource, token: String) -> Result<(), Failure> {
    let view = named(session, &source.plan.name).await?;
    let heard = Heard { view, token };
    session.screen.one(&heard, |_| {
        let at = match &heard.view.address {
            Some(address) => format!("programs send to it with\n\n  curl {address} \\\n"),
            None => "its address is in coterie source list, as soon as a window or coterie \
                     serve is open; programs send to it with\n\n  curl ADDRESS \\\n"
                .to_owned(),
        };
        let token = &heard.token;
        format!(
            "{at}    -H 'Authorization: Bearer {token}' \\\n    \
             -H 'Content-Type: text/plain' --data 'what happened'\n\n\
             this token is shown once; coterie source token {} draws another",
            source.plan.name
        )
    });
    Ok(())
}

async fn switch(session: &Session, name: &str, on: bool) -> Result<(), Failure> {
    let source = named(session, name).await?.source.id;
    changed(session, Order::SwitchSource { source, on }).await
}

/// Shows the source as it is after an order.
async fn changed(session: &Session, order: Order) -> Result<(), Failure> {
    let source: Box<FeedSource> = answered!(session.order(order).await?, Source)?;
    let communities = communities(session).await?;
    let all = all(session).await?;
    let Some(view) = all.into_iter().find(|view| view.source.id == source.id) else {
        return Ok(());
    };
    session.screen.one(&view, |paint| shown(paint, &communities, std::slice::from_ref(&view)));
    Ok(())
}

async fn list(session: &Session) -> Result<(), Failure> {
    let (all, communities) = (all(session).await?, communities(session).await?);
    session.screen.many(&all, |paint| shown(paint, &communities, &all));
    Ok(())
}

async fn all(session: &Session) -> Result<Vec<SourceView>, Fault> {
    answered!(session.ask(Query::Sources).await?, Sources)
}

async fn communities(session: &Session) -> Result<Vec<Community>, Fault> {
    answered!(session.ask(Query::Communities).await?, Communities)
}

async fn named(session: &Session, name: &str) -> Result<SourceView, Fault> {
    let all = all(session).await?;
    let found = all.into_iter().find(|view| fits(&view.source.plan.name, name));
    found.ok_or_else(|| ids::unknown("source", name, "coterie source list"))
}

fn shown(paint: Paint, communities: &[Community], all: &[SourceView]) -> String {
    if all.is_empty() {
        return "nothing is told by itself; coterie source add has something be told".to_owned();
    }
    let row = |view: &SourceView| {
        let FeedSource { plan, posts, posted_ms, .. } = &view.source;
        let community = communities.iter().find(|one| one.id == plan.community);
        [
            plan.name.clone(),
            watches(&plan.watches),
            community.map(|one| one.name.clone()).unwrap_or_default(),
            match posted_ms {
                Some(at) => format!("{posts}, last {}", moment(*at)),
                None => "none yet".to_owned(),
            },
            state(view),
        ]
    };
    let heads = ["name", "tells of", "in", "posts", ""];
    table(paint, heads, all.iter().map(row).collect())
}

fn watches(watches: &Watches) -> String {
    match watches {
        Watches::Files { folder } => format!("files in {folder}"),
        Watches::Runs { which: EndedRuns::All } => "turns that end".to_owned(),
        Watches::Runs { which: EndedRuns::Failed } => "turns that fail".to_owned(),
        Watches::Contradictions => "memories that contradict others".to_owned(),
        Watches::Hook => "what programs send".to_owned(),
    }
}

fn state(view: &SourceView) -> String {
    match &view.problem {
        _ if !view.source.on => "off".to_owned(),
        Some(problem) => problem.message.clone(),
        None if view.held_back => {
            format!("{} posts an hour are written; more comes later", view.source.plan.per_hour)
        }
        None => view.address.clone().unwrap_or_default(),
    }
}
