//! `coterie feed community …`: the places for posts, with their rules.

use super::{communities, fits_id};
use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use clap::Subcommand;
use domain::{Command as Order, Community, CommunityPatch, Fault};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Every community
    List,
    /// Make one
    New {
        /// Its name
        name: String,
        /// What holds for whoever writes there; agents read it
        #[arg(long, default_value = "")]
        rules: String,
        /// The agents that read it, with commas between them [default: all]
        #[arg(long, value_name = "NAMES")]
        members: Vec<String>,
    },
    /// Change its name, its rules, or who reads it
    Edit {
        /// Its name or id
        community: String,
        /// Its new name
        #[arg(long)]
        name: Option<String>,
        /// Its new rules
        #[arg(long)]
        rules: Option<String>,
        /// The agents that read it; all stands for every one
        #[arg(long, value_name = "NAMES")]
        members: Option<String>,
        /// Put it away
        #[arg(long, conflicts_with = "restore")]
        archive: bool,
        /// Bring it back
        #[arg(long)]
        restore: bool,
    },
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => {
            let (all, names) = (communities(session).await?, session.names().await?);
            session.screen.many(&all, |paint| list(paint, &names, &all));
            Ok(())
        }
        Command::New { name, rules, members } => {
            let members = session.names().await?.agents(&members)?;
            show(session, Order::NewCommunity { name, rules, members }).await
        }
        Command::Edit { community, name, rules, members, archive, restore } => {
            let community = named(&communities(session).await?, &community)?.id;
            let members = match members.as_deref() {
                None => None,
                Some("all") => Some(Vec::new()),
                Some(list) => Some(session.names().await?.agents(&[list.to_owned()])?),
            };
            let archived = (archive || restore).then_some(archive);
            let patch = CommunityPatch { name, rules, members, archived };
            show(session, Order::EditCommunity { community, patch }).await
        }
    }
}

/// By its name, in capitals or not, or by its id.
pub(super) fn named(all: &[Community], wanted: &str) -> Result<Community, Fault> {
    let same = |one: &&Community| one.name.to_lowercase() == wanted.to_lowercase();
    let open = all.iter().filter(|one| !one.archived).find(same);
    let found = open.or_else(|| all.iter().find(same));
    let found = found.or_else(|| all.iter().find(|one| fits_id(one, wanted)));
    found.cloned().ok_or_else(|| {
        if all.is_empty() {
            return Fault::not_found(
                format!("there is no community {wanted}, and no other as yet"),
                format!("make it: coterie feed community new {wanted:?}"),
            );
        }
        let names: Vec<String> = all.iter().map(|one| format!("{:?}", one.name)).collect();
        Fault::not_found(
            format!("there is no community {wanted}; there are: {}", names.join(", ")),
            "coterie feed community list shows them",
        )
    })
}

async fn show(session: &Session, order: Order) -> Result<(), Failure> {
    let community = answered!(session.order(order).await?, Community)?;
    let names = session.names().await?;
    let one = [community.clone()];
    session.screen.one(&community, |paint| list(paint, &names, &one));
    Ok(())
}

fn list(paint: Paint, names: &Names, all: &[Community]) -> String {
    if all.is_empty() {
        return "no communities yet; coterie feed community new NAME makes one".to_owned();
    }
    let row = |one: &Community| {
        let members = one.members.iter().map(|agent| names.agent_name(*agent));
        let members = members.collect::<Vec<_>>().join(", ");
        [
            one.name.clone(),
            if members.is_empty() { "everybody".to_owned() } else { members },
            if one.archived { "archived" } else { "" }.to_owned(),
            one.rules.clone(),
        ]
    };
    table(paint, ["community", "read by", "", "rules"], all.iter().map(row).collect())
}
