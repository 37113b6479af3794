//! A new workspace: the bundled souls and skills, an agent for each soul, and a first group.

use crate::shared::Shared;
use crate::{groups, lifecycle, models, profile, skills};
use domain::{AgentId, Fault, FaultCode, FaultKind, GroupKind, RequestId, SoulSource};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;
use store::Durability;
use store::table::{agents, groups as group_table, settings};
use uuid::Uuid;

/// The agents that ship, in the order of the roster.
const SOULS: &[(&str, &str)] = &[
    ("ada", include_str!("../../../souls/ada.md")),
    ("otto", include_str!("../../../souls/otto.md")),
    ("bo", include_str!("../../../souls/bo.md")),
    ("ines", include_str!("../../../souls/ines.md")),
    ("linxia", include_str!("../../../souls/linxia.md")),
    ("laochen", include_str!("../../../souls/laochen.md")),
];

/// The skills that ship. They are the person's like any other: changed, they stay so,
/// and removed, they do not come back.
const SKILLS: &[(&str, &str)] =
    &[("write-a-soul", include_str!("../../../skills/write-a-soul/SKILL.md"))];

/// The starter model speaks English, so the first group does too.
const FIRST_GROUP: &[&str] = &["ada", "otto", "bo"];
const FIRST_GROUP_NAME: &str = "First group";

/// Set when everything of the first start is there: whatever a start that was
/// cut off left out is made up for by the next.
const DONE: &str = "first_start";

/// The text of a soul that ships.
pub(crate) fn bundled(soul: &str) -> Option<&'static str> {
    SOULS.iter().find(|(stem, _)| *stem == soul).map(|(_, text)| *text)
}

/// What an agent of a soul that ships is called.
pub(crate) fn name_of(soul: &str) -> &str {
    let named = |text: &'static str| text.lines().find_map(|line| line.strip_prefix("name: "));
    bundled(soul).and_then(named).unwrap_or(soul)
}

/// Writes the bundled souls and skills and the empty profile that are not there; before
/// the first look.
pub(crate) fn lay_out(shared: &Shared) -> Result<(), Fault> {
    if is_done(shared)? {
        return Ok(());
    }
    profile::lay_out(&shared.places)?;
    for (stem, text) in SOULS {
        if !shared.souls.folder().file(stem).exists() {
            shared.souls.expect(text, SoulSource::Bundled);
            shared.souls.folder().save(stem, text, None)?;
        }
    }
    for (name, text) in SKILLS {
        skills::lay_out(shared.skills.folder(), name, text)?;
    }
    Ok(())
}

/// Makes the agents and the first group; after the first look.
pub(crate) async fn populate(shared: &Arc<Shared>) -> Result<(), Fault> {
    choose_starter_model(shared).await?;
    if is_done(shared)? {
        return Ok(());
    }
    let have = shared.store.read(|read| Ok::<_, Fault>(agents::all(read)?))?;
    let mut made: Vec<(&str, AgentId)> = Vec::new();
    for (stem, _) in SOULS {
        let agent = match have.iter().find(|agent| agent.soul == *stem) {
            Some(agent) => agent.clone(),
            // The person may have put a broken soul there before the first start.
            None if shared.souls.in_force(stem).is_none() => continue,
            None => {
                lifecycle::create(shared, new_request(), (*stem).to_owned(), None, None, None)
                    .await?
            }
        };
        made.push((stem, agent.id));
    }
    let first: Vec<AgentId> = made
        .iter()
        .filter(|(stem, _)| FIRST_GROUP.contains(stem))
        .map(|(_, agent)| *agent)
        .collect();
    // A start that was cut off may have come this far.
    if !first.is_empty() && !has_group(shared)? {
        groups::create(shared, new_request(), Some(FIRST_GROUP_NAME.into()), first, None).await?;
    }
    shared
        .store
        .write(Durability::Process, |write| {
            Ok::<_, Fault>(settings::put_fact(write, DONE, "done")?)
        })
        .await
}

/// With nothing chosen, the starter model answers, if it is there.
async fn choose_starter_model(shared: &Arc<Shared>) -> Result<(), Fault> {
    let mut current = shared.store.read(|read| Ok::<_, Fault>(settings::to_change(read)?))?;
    if current.models.default.is_some() || !shared.places.starter_model().exists() {
        return Ok(());
    }
    current.models.default = Some(models::STARTER.to_owned());
    shared
        .store
        .write(Durability::Process, move |write| Ok::<_, Fault>(settings::put(write, &current)?))
        .await
}

/// Creates the data directory and finds out whether it can be written to.
pub(crate) fn prepare_folder(data: &Path) -> Result<(), Fault> {
    std::fs::create_dir_all(data).map_err(|error| unusable(data, &error))?;
    try_writing(data, Durability::Process)
}

/// As much as a database that is opened writes beside itself, and a little
/// more.
const PROBE: &[u8] = &[0; 64 * 1024];

/// Writes something into the data directory and takes it away again.
pub(crate) fn try_writing(data: &Path, durability: Durability) -> Result<(), Fault> {
    let probe = data.join(".writable");
    let written = File::create(&probe).and_then(|mut file| {
        file.write_all(PROBE)?;
        match durability {
            Durability::Process => Ok(()),
            Durability::Power => file.sync_all(),
        }
    });
    // What was written before the disk was full goes too.
    let removed = std::fs::remove_file(&probe);
    written.and(removed).map_err(|error| unusable(data, &error))
}

fn unusable(data: &Path, error: &io::Error) -> Fault {
    let path = data.display().to_string();
    let (message, fix, kind) = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => (
            format!("the disk that holds {path} is full"),
            "free some space and try again; nothing that was saved is lost",
            FaultKind::FolderFull { path },
        ),
        ErrorKind::ReadOnlyFilesystem => (
            format!("the data directory {path} is on a disk that is read-only"),
            "make it writable, or choose another one with --data DIR",
            FaultKind::FolderReadOnly { path },
        ),
        _ => (
            format!("the data directory {path} cannot be used: {error}"),
            "make it writable, or choose another one with --data DIR",
            FaultKind::FolderUnusable { path, detail: error.to_string() },
        ),
    };
    Fault::new(FaultCode::Storage, message, fix).of(kind)
}

fn has_group(shared: &Shared) -> Result<bool, Fault> {
    let groups = shared.store.read(|read| Ok::<_, Fault>(group_table::all(read)?))?;
    Ok(groups.iter().any(|group| group.kind == GroupKind::Group))
}

fn is_done(shared: &Shared) -> Result<bool, Fault> {
    shared.store.read(|read| Ok(settings::fact(read, DONE)?.as_deref() == Some("done")))
}

fn new_request() -> RequestId {
    RequestId(Uuid::now_v7())
}
