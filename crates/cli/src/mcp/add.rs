//! `coterie mcp add`: a server as somebody describes it at the command line.

use super::{Patience, USUAL, there};
use crate::paths::whole;
use crate::screen::Failure;
use crate::session::Session;
use crate::unseen;
use clap::Args;
use domain::{Command as Order, Fault, McpPlace, McpSetup, McpValue, Secret};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Add {
    /// What it is called: letters, digits and -; stands before the names of its tools
    name: String,
    /// Where it is, if it is not a program here: https://…
    #[arg(long, conflicts_with_all = ["command", "env", "env_from", "folder"])]
    url: Option<String>,
    /// A header sent to it, whose value you type unseen or pass on standard input
    #[arg(long, value_name = "NAME", requires = "url")]
    header: Option<String>,
    /// A variable that it gets; one that is not plainly a setting is kept with the keys
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// A variable that it gets, which holds what one of Coterie's own holds
    #[arg(long, value_name = "NAME=VARIABLE")]
    env_from: Vec<String>,
    /// A variable kept with the keys, whose value you type unseen or pass on standard input
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    secret: Option<String>,
    /// Where it starts [default: your own folder]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Believe it what it says its tools do
    #[arg(long)]
    trust: bool,
    /// Put it in the place of a server of this name, whose keys go with that
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    patience: Patience,
    /// The program and its arguments, behind --
    #[arg(last = true, required_unless_present = "url")]
    command: Vec<String>,
}

pub(super) async fn run(session: &Session, add: Add) -> Result<(), Failure> {
    let within = add.patience.within(USUAL);
    let mut values = BTreeMap::new();
    let mut given = BTreeMap::new();
    for pair in &add.env {
        let (name, value) = split(pair)?;
        values.insert(name, Secret::new(value));
    }
    for pair in &add.env_from {
        let (name, variable) = split(pair)?;
        given.insert(name, McpValue::Variable { variable });
    }
    if let Some(name) = add.secret.as_ref().or(add.header.as_ref()) {
        let value = unseen::all(&format!("Value of {name}: "))?;
        given.insert(name.clone(), McpValue::Key { key: format!("mcp/{}/{name}", add.name) });
        values.insert(name.clone(), value);
    }
    let place = match (add.url, add.command.split_first()) {
        (Some(url), _) => McpPlace::Address { url, headers: given },
        (None, Some((command, arguments))) => McpPlace::Program {
            command: command.clone(),
            arguments: arguments.to_vec(),
            environment: given,
            folder: add.folder.as_deref().map(whole).transpose()?,
        },
        (None, None) => {
            return Err(Fault::bad_input(
                "a server is a program, or is at an address",
                "give the program behind --, or --url URL",
            )
            .into());
        }
    };
    let setup = McpSetup {
        name: add.name,
        title: None,
        place,
        on: true,
        trusted: add.trust,
        may_sample: false,
        switched_off: BTreeSet::new(),
    };
    there(session, Order::PutServer { setup, values, replaces: add.replace }, within).await
}

fn split(pair: &str) -> Result<(String, String), Fault> {
    let found = pair.split_once('=').filter(|(name, _)| !name.is_empty());
    found.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| {
        // What was meant as a key is not repeated.
        Fault::bad_input("a variable is given as NAME=VALUE", "put = between the two")
    })
}
