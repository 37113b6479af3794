//! A file that a person wants to have: one that is not there yet, whole, and
//! theirs alone.

use domain::{Fault, FaultCode};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::Path;
use store::StoreError;

/// Has the file written. It appears whole or not at all.
pub(crate) fn write<T>(
    path: &str,
    content: impl FnOnce(&mut BufWriter<File>) -> Result<T, Trouble>,
) -> Result<T, Fault> {
    let to = Path::new(path);
    if !to.is_absolute() || to.file_name().is_none() {
        let message = format!("{path} does not say in which folder the file is to lie");
        return Err(Fault::bad_input(message, "give its whole path"));
    }
    if to.exists() {
        let fix = "choose another name, or remove the file first";
        return Err(Fault::new(FaultCode::Refused, format!("{path} is there already"), fix));
    }
    let part = to.with_added_extension("part");
    let written = || {
        let mut file = BufWriter::new(private(&part)?);
        let told = content(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&part, to)?;
        Ok::<_, Trouble>(told)
    };
    written().map_err(|trouble| {
        let _ = std::fs::remove_file(&part);
        trouble.told(path)
    })
}

/// Nobody else on the machine reads it.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub(crate) enum Trouble {
    Store(StoreError),
    File(io::Error),
    /// Something else, that has its words already.
    Told(Fault),
}

impl Trouble {
    fn told(self, path: &str) -> Fault {
        match self {
            Trouble::Store(error) => Fault::from(error),
            Trouble::Told(fault) => fault,
            Trouble::File(error) => {
                let fix = "choose a folder that is there, that this account may write to, and \
                           that has room";
                Fault::bad_input(format!("{path} cannot be written: {error}"), fix)
            }
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Trouble::Store(error)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::File(error)
    }
}
