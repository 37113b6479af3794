//! Which memories a command is about.

use super::moment;
use super::scope::{kind, scope, standing};
use crate::names::Names;
use clap::Args;
use domain::{Fault, MemoryFilter, MemoryKind, Standing};

#[derive(Args)]
pub(crate) struct Which {
    /// Only of this kind: fact, preference, skill, relationship, episode or summary; several with commas
    #[arg(long, value_name = "KIND,…", value_parser = kind, value_delimiter = ',')]
    kind: Vec<MemoryKind>,
    /// Only of this scope: user, workspace, agent:NAME or group:NAME; can be given more than once
    #[arg(long, value_name = "SCOPE")]
    scope: Vec<String>,
    /// Only what this agent reads, by name or id
    #[arg(long)]
    agent: Option<String>,
    /// Only with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only those that are read in every turn
    #[arg(long)]
    pinned: bool,
    /// Only what ended, began or was noted since then: a date, a date with a time, or how long ago as 7d
    #[arg(long, value_name = "WHEN", value_parser = moment::beginning)]
    since: Option<i64>,
    /// Only what began or was noted until then; the whole of a date's day
    #[arg(long, value_name = "WHEN", value_parser = moment::end)]
    until: Option<i64>,
    /// holding, contested (waits for you to say which of two is right), past or any
    #[arg(long, value_parser = standing, default_value = "holding")]
    standing: Standing,
}

impl Which {
    pub(super) fn filter(self, names: &Names) -> Result<MemoryFilter, Fault> {
        let Which { kind, scope: scopes, agent, tag, pinned, since, until, standing } = self;
        if since.zip(until).is_some_and(|(since, until)| since >= until) {
            let message = "--until is not after --since, so nothing lies between";
            return Err(Fault::bad_input(
                message,
                "give a later --until, or leave one of them out",
            ));
        }
        Ok(MemoryFilter {
            kinds: kind,
            scopes: scopes.iter().map(|word| scope(word, names)).collect::<Result<_, _>>()?,
            agent: agent.map(|name| names.agent(&name).map(|agent| agent.id)).transpose()?,
            tag,
            pinned,
            since_ms: since,
            until_ms: until,
            standing,
        })
    }
}
