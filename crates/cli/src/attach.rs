//! Files that go along with a message.

use crate::screen::Failure;
use crate::session::{Session, answered};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::{Attachment, Command, Fault};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// No file that can be shown is larger; the workspace says by how much.
const MOST_BYTES: u64 = 11_000_000;

/// Has the workspace keep each of the files, in their order.
pub(crate) async fn keep(session: &Session, files: &[PathBuf]) -> Result<Vec<Attachment>, Failure> {
    let mut kept = Vec::new();
    for file in files {
        let bytes = read(file, MOST_BYTES).map_err(|error| unreadable(file, &error))?;
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        let attach = Command::Attach { name, base64: BASE64_STANDARD.encode(bytes) };
        kept.push(answered!(session.order(attach).await?, Attachment)?);
    }
    Ok(kept)
}

/// As much of it as could be shown, and a little more.
pub(crate) fn read(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Before it is opened: a pipe would wait for somebody who writes to it.
    let what = fs::metadata(file)?;
    if what.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    if !what.is_file() {
        return Err(io::Error::other("it is a pipe or a device, no file"));
    }
    File::open(file)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(file: &Path, error: &io::Error) -> Fault {
    Fault::not_found(format!("read {}: {error}", file.display()), "name a file that you may read")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::process::Command;
    use tempfile::TempDir;

    #[test]
    fn a_pipe_or_a_device_is_refused_and_not_waited_for() {
        let refused = "it is a pipe or a device, no file";
        assert_eq!(read(Path::new("/dev/zero"), MOST_BYTES).unwrap_err().to_string(), refused);
        let folder = TempDir::new().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(read(&pipe, MOST_BYTES).unwrap_err().to_string(), refused);
        assert_eq!(read(folder.path(), MOST_BYTES).unwrap_err().to_string(), "it is a folder");
    }
}
