//! The folder that a confined program has for as long as it runs.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;

use crate::confinement::Confinement;

/// One that is there already is somebody else's.
pub(crate) fn make(confinement: &Confinement) -> io::Result<()> {
    if let Some(parent) = confinement.temporary.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::DirBuilder::new().mode(0o700).create(&confinement.temporary)
}

/// For when nobody is left who could put something there again.
pub(crate) fn remove(confinement: &Confinement) {
    let _ = fs::remove_dir_all(&confinement.temporary);
}
