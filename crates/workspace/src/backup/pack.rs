//! Writes a backup.

use super::parts::{Found, HEAD, Hashed, Head, LIST, Listed, SEAL, unreadable};
use crate::new_file::Trouble;
use serde::Serialize;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use tar::{Builder, EntryType, Header};

pub(super) struct Packed {
    pub files: u32,
    /// Of the files in it.
    pub bytes: u64,
    /// Were there when they were looked for, and not any more.
    pub gone: u32,
}

/// `come` hears how many bytes are in it.
pub(super) fn write(
    to: impl Write,
    head: &Head,
    found: Vec<Found>,
    come: &mut dyn FnMut(u64),
) -> Result<Packed, Trouble> {
    let mut out = Builder::new(Hashed::new(to));
    record(&mut out, HEAD, head)?;
    let mut list: Vec<Listed> = Vec::new();
    let (mut bytes, mut gone) = (0, 0);
    for one in found {
        fail::fail_point!("backup.packing");
        match file(&mut out, one)? {
            Some(listed) => {
                bytes += listed.bytes;
                list.push(listed);
                come(bytes);
            }
            None => gone += 1,
        }
    }
    record(&mut out, LIST, &list)?;
    let mut out = out.into_inner()?;
    let hash = out.hash();
    writeln!(out.inner, "{SEAL}{hash}")?;
    Ok(Packed { files: u32::try_from(list.len()).unwrap_or(u32::MAX), bytes, gone })
}

/// Something of our own, in words.
fn record(out: &mut Builder<impl Write>, name: &str, what: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(what)?;
    out.append_data(&mut header(text.len() as u64, 0o600, 0), name, &text[..])
}

/// None where it is gone.
fn file(out: &mut Builder<impl Write>, one: Found) -> Result<Option<Listed>, Trouble> {
    let opened = File::open(&one.at).and_then(|file| Ok((file.metadata()?, file)));
    let (about, file) = match opened {
        Ok(opened) => opened,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(&one.at, &error)),
    };
    let bytes = about.len();
    let mut file = Hashed::new(file.take(bytes));
    let mut header = header(bytes, mode(&about), changed_s(&about));
    out.append_data(&mut header, &one.name, &mut file)?;
    if file.bytes != bytes {
        let error = io::Error::other("it became shorter while it was read");
        return Err(unreadable(&one.at, &error));
    }
    Ok(Some(Listed { path: one.name, bytes, blake3: file.hash() }))
}

fn header(bytes: u64, mode: u32, changed_s: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes);
    header.set_mode(mode);
    header.set_mtime(changed_s);
    header
}

/// Only whether it can be run; whoever restores it owns it, alone.
fn mode(about: &Metadata) -> u32 {
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o100 != 0 {
        return 0o700;
    }
    let _ = about;
    0o600
}

fn changed_s(about: &Metadata) -> u64 {
    let changed = about.modified().ok();
    let since = changed.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_secs())
}
