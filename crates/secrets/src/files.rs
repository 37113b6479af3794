//! Small private files: read whole, replaced whole.

use crate::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Nothing when there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::File { what: "read", path: path.to_owned(), source }),
    }
}

/// Puts these bytes in the place of the file, readable by its owner only. A
/// crash leaves either the old file or the new one. After an error the file may
/// be either of them.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let all = || {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".tmp");
        let temporary = Path::new(&temporary);
        // One that a crash left behind may have had other rights.
        ignore_missing(fs::remove_file(temporary))?;
        let mut file = private(temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        step();
        fs::rename(temporary, path)?;
        step();
        sync_folder(path)
    };
    all().map_err(|source| Error::File { what: "write", path: path.to_owned(), source })
}

/// Gives the file another name beside it, which none has yet.
pub(crate) fn put_aside(path: &Path) -> Result<(), Error> {
    let name = |nth: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(if nth == 1 { ".damaged".to_owned() } else { format!(".damaged-{nth}") });
        PathBuf::from(name)
    };
    let all = || {
        let free = (1..).map(name).find(|aside| !aside.exists()).expect("there is no end of names");
        fs::rename(path, free)?;
        step();
        sync_folder(path)
    };
    all().map_err(|source| Error::File { what: "put aside", path: path.to_owned(), source })
}

/// Fine when there is no such file.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    let all = || {
        ignore_missing(fs::remove_file(path))?;
        step();
        sync_folder(path)
    };
    all().map_err(|source| Error::File { what: "remove", path: path.to_owned(), source })
}

/// A point at which a test lets this process die.
pub(crate) fn step() {
    fail::fail_point!("secrets.step");
}

fn ignore_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A rename lasts only when the folder is on the disk too. Windows has no such call.
fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
