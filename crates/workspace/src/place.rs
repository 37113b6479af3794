//! What an agent has here: the folders whose files are its to see and change,
//! and whom it may give tasks to.

use crate::souls::Front;
use domain::AgentId;
use std::fs;
use std::path::{Path, PathBuf};
use tools::Place;

/// Where each agent that works with files has a folder of its own.
const OWN_FOLDERS: &str = "folders";

/// What is Coterie's own in the data directory. An agent that could write there
/// could change what it is, and what it may do.
const FIXED: [&str; 25] = [
    "attachments",
    "backups",
    "coterie.db",
    "coterie.db-journal",
    "coterie.db-shm",
    "coterie.db-wal",
    "coterie.sock",
    OWN_FOLDERS,
    "index",
    "keys.sealed",
    "logs",
    "mcp",
    "models",
    "profile.md",
    "prompts",
    "replaced",
    "restore",
    "restore.gone",
    "restore.unfinished",
    "secrets.json",
    "skills",
    "souls",
    "templates",
    "temporary",
    "workspace.lock",
];

/// The soul's `roots`; a relative one begins in the data directory. What is
/// not there is nobody's to see.
pub(crate) fn of(data: &Path, front: &Front) -> Place {
    let roots = front.roots.iter().flatten().map(|root| data.join(root));
    let delegates = front.delegates.clone().unwrap_or_default();
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    Place {
        roots: roots.filter_map(real).collect(),
        fixed: FIXED.iter().map(|name| data.join(name)).collect(),
        delegates,
        ..Place::default()
    }
}

/// The same with a folder that is the agent's alone, behind those of its soul.
/// It is made when it is first needed, and stays when the agent ends.
pub(crate) fn with_own(place: &Place, data: &Path, agent: AgentId) -> Place {
    let folder = data.join(OWN_FOLDERS).join(agent.to_string());
    let made = fs::create_dir_all(&folder);
    let own = made.ok().and_then(|()| real(folder));
    let mut place = Place { own: own.clone(), ..place.clone() };
    place.roots.extend(own);
    place
}

fn real(root: PathBuf) -> Option<PathBuf> {
    root.canonicalize().ok().filter(|root| root.is_dir())
}
