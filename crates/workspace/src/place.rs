//! What an agent has here: the folders whose files are its to see, and whom it
//! may give tasks to.

use crate::souls::Front;
use std::path::{Path, PathBuf};
use tools::Place;

/// The soul's `roots`; a relative one begins in the data directory. What is
/// not there is nobody's to see.
pub(crate) fn of(data: &Path, front: &Front) -> Place {
    let roots = front.roots.iter().flatten().map(|root| data.join(root));
    let delegates = front.delegates.clone().unwrap_or_default();
    Place { roots: roots.filter_map(real).collect(), delegates }
}

fn real(root: PathBuf) -> Option<PathBuf> {
    root.canonicalize().ok().filter(|root| root.is_dir())
}
