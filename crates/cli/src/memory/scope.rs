//! The words for kinds, scopes and standings on the command line.

use crate::names::Names;
use crate::words;
use domain::{Fault, Judgement, MemoryKind, MemoryScope, Standing};

pub(super) fn kind(word: &str) -> Result<MemoryKind, String> {
    MemoryKind::ALL.into_iter().find(|kind| words::memory::kind(*kind) == word).ok_or_else(|| {
        format!("choose one of {}", MemoryKind::ALL.map(words::memory::kind).join(", "))
    })
}

pub(super) fn standing(word: &str) -> Result<Standing, String> {
    serde_json::from_value(word.into())
        .map_err(|_| "choose one of holding, contested, past, any".to_owned())
}

pub(super) fn judgement(word: &str) -> Result<Judgement, String> {
    serde_json::from_value(word.into())
        .map_err(|_| "choose one of right, wrong, outdated".to_owned())
}

pub(crate) fn scope(word: &str, names: &Names) -> Result<MemoryScope, Fault> {
    match word.split_once(':') {
        Some(("agent", name)) => Ok(MemoryScope::Agent(names.agent(name)?.id)),
        Some(("group", name)) => Ok(MemoryScope::Group(names.group(name)?.group.id)),
        None if word == "user" => Ok(MemoryScope::User),
        None if word == "workspace" => Ok(MemoryScope::Workspace),
        Some(_) | None => Err(Fault::bad_input(
            format!("{word:?} is no scope"),
            "choose one of user, workspace, agent:NAME, group:NAME",
        )),
    }
}
