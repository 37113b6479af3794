//! Files that go along with a message.

use crate::screen::Failure;
use crate::session::{Session, answered};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::{Attachment, Command, Fault};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// No file that can be shown is larger; the workspace says by how much.
const MOST_BYTES: u64 = 6_000_000;

/// Has the workspace keep each of the files, in their order.
pub(crate) async fn keep(session: &Session, files: &[PathBuf]) -> Result<Vec<Attachment>, Failure> {
    let mut kept = Vec::new();
    for file in files {
        let bytes = read(file).map_err(|error| unreadable(file, &error))?;
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        let attach = Command::Attach { name, base64: BASE64_STANDARD.encode(bytes) };
        kept.push(answered!(session.order(attach).await?, Attachment)?);
    }
    Ok(kept)
}

/// As much of it as could be shown, and a little more.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(file)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(file: &Path, error: &io::Error) -> Fault {
    Fault::not_found(format!("read {}: {error}", file.display()), "name a file that you may read")
}
