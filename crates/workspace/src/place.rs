//! Where an agent works: the folders whose files are its to see.

use crate::souls::Front;
use std::path::{Path, PathBuf};
use tools::Place;

/// The soul's `roots`; a relative one begins in the data directory. What is
/// not there is nobody's to see.
pub(crate) fn of(data: &Path, front: &Front) -> Place {
    let roots = front.roots.iter().flatten().map(|root| data.join(root));
    Place { roots: roots.filter_map(real).collect() }
}

fn real(root: PathBuf) -> Option<PathBuf> {
    root.canonicalize().ok().filter(|root| root.is_dir())
}
