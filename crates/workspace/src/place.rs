//! What an agent has here: the folders whose files are its to see and change,
//! and whom it may give tasks to.

use crate::roots;
use crate::shared::Shared;
use crate::souls::{Front, Policy};
use domain::{AgentId, RootLeftOut, RootTrouble};
use std::fs;
use std::path::{Path, PathBuf};
use tools::{Offer, Place, Results};

/// Where each agent that works with files has a folder of its own.
const OWN_FOLDERS: &str = "folders";

/// What is Coterie's own in the data directory. An agent that could write there
/// could change what it is, and what it may do.
const FIXED: [&str; 28] = [
    "attachments",
    "backups",
    "coterie.db",
    "coterie.db-journal",
    "coterie.db-shm",
    "coterie.db-wal",
    "coterie.sock",
    OWN_FOLDERS,
    "index",
    "logs",
    "mcp",
    "models",
    "profile.md",
    "prompts",
    "replaced",
    "reranker",
    "restore",
    "restore.gone",
    "restore.unfinished",
    secrets::LEDGER_FILE,
    "secrets.json.tmp",
    secrets::SEALED_FILE,
    "secrets.sealed.tmp",
    "skills",
    "souls",
    "templates",
    "temporary",
    "workspace.lock",
];

/// The soul's `roots`, without those that [`left_out`] tells.
pub(crate) fn of(shared: &Shared, front: &Front) -> Place {
    let data = real_data(&shared.places.data);
    let gives_tasks = Policy::of(front.policy.as_ref()).delegation.unwrap_or(true);
    Place {
        roots: looked_up(shared, front).filter_map(|(_, found)| found.ok()).collect(),
        fixed: FIXED.iter().map(|name| data.join(name)).collect(),
        delegates: front.delegates.clone().filter(|_| gives_tasks).unwrap_or_default(),
        ..Place::default()
    }
}

/// The folders that a soul names and that its agent does not get.
pub(crate) fn left_out(shared: &Shared, front: &Front) -> Vec<RootLeftOut> {
    let left_out = looked_up(shared, front).filter_map(|(root, found)| {
        let why = found.err()?;
        Some(RootLeftOut { root: root.to_owned(), why })
    });
    left_out.collect()
}

/// A relative one begins in the data directory.
fn looked_up<'a>(
    shared: &'a Shared,
    front: &'a Front,
) -> impl Iterator<Item = (&'a str, Result<PathBuf, RootTrouble>)> {
    let found = |root: &'a String| {
        let path = shared.places.data.join(root);
        (root.as_str(), roots::real(&path, || writable(shared)))
    };
    front.roots.iter().flatten().map(found)
}

/// Where agents may write, as far as it lies anywhere.
fn writable(shared: &Shared) -> Vec<PathBuf> {
    let data = &shared.places.data;
    let given = shared.souls.roots().into_iter().map(|root| data.join(root));
    given.chain([data.join(OWN_FOLDERS)]).filter_map(|root| root.canonicalize().ok()).collect()
}

/// The same with a folder that is the agent's alone, behind those of its soul.
/// It is made when it is first needed, and stays when the agent ends.
pub(crate) fn with_own(place: &Place, data: &Path, agent: AgentId) -> Place {
    let folder = own_folder(data, agent);
    let own = fs::create_dir_all(&folder).ok().map(|()| folder);
    let mut place = Place { own: own.clone(), ..place.clone() };
    place.roots.extend(own);
    place
}

/// Where its long results are kept, with a folder of its own or without, and which of its
/// tools reads there.
pub(crate) fn results(place: &Place, data: &Path, agent: AgentId, tools: &Offer) -> Results {
    let reads = |tool: &&str| place.own.is_some() && tools.has(tool);
    Results {
        folder: own_folder(data, agent),
        read_with: THAT_READ.into_iter().find(reads).map(str::to_owned),
    }
}

const THAT_READ: [&str; 5] = ["read_file", "search_files", "shell", "shell_online", "run_code"];

fn own_folder(data: &Path, agent: AgentId) -> PathBuf {
    real_data(data).join(OWN_FOLDERS).join(agent.to_string())
}

fn real_data(data: &Path) -> PathBuf {
    data.canonicalize().unwrap_or_else(|_| data.to_owned())
}
