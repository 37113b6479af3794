//! Pictures, text files and PDFs that people show with their messages.
//!
//! A file is kept before the message that shows it is posted, under the hash of
//! its bytes, and safe on the disk by then. So a crash in between loses nothing
//! that was posted; what no message shows goes at the next start.

mod dimensions;
mod pdf;
mod plain;
mod shelf;
mod sort;

pub(crate) use shelf::Shelf;

use crate::shared::Shared;
use crate::tool_pictures;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::{Attachment, AttachmentContent, AttachmentKind, Fault, FaultCode, FaultKind};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use store::table::{drafts, messages, tool_calls};

/// So many files a message shows at most.
pub(crate) const MOST_FILES: usize = 10;
/// In base64 these are the five megabytes that the strictest provider takes.
pub(crate) const PICTURE_BYTES: usize = 3_900_000;
pub(crate) const TEXT_BYTES: usize = 500_000;

/// Keeps a file that is to be shown, and says what it is.
pub(crate) async fn keep(
    shared: &Arc<Shared>,
    name: String,
    base64: String,
) -> Result<Attachment, Fault> {
    let name = shared.safe.taken_out_of(&sort::plain_name(&name));
    let most = pdf::PDF_BYTES.div_ceil(3) * 4;
    if base64.len() > most + 4 {
        return Err(too_large(&name, base64.len() / 4 * 3, pdf::PDF_BYTES));
    }
    let called = name.clone();
    let bytes = off_the_loop(move || {
        BASE64_STANDARD
            .decode(base64.trim_end())
            .map_err(|error| Fault::bad_input(format!("read {called}: {error}"), "send it again"))
    });
    let bytes = match bytes.await? {
        pdf if pdf::is_pdf(&pdf) => {
            pdf::text(&shared.places.engine, &name, pdf).await?.into_bytes()
        }
        bytes => bytes,
    };
    let shared = shared.clone();
    off_the_loop(move || put(&shared, name, bytes)).await
}

fn put(shared: &Shared, name: String, bytes: Vec<u8>) -> Result<Attachment, Fault> {
    let (kind, bytes) = sort::sorted(bytes).ok_or_else(|| unfit(&name))?;
    let most = if kind.is_picture() { PICTURE_BYTES } else { TEXT_BYTES };
    if bytes.len() > most {
        return Err(too_large(&name, bytes.len(), most));
    }
    if bytes.is_empty() {
        return Err(empty(&name));
    }
    if kind.is_picture() && dimensions::dimensions(kind, &bytes).is_none() {
        return Err(damaged(&name));
    }
    let bytes = match kind {
        // A key belongs in the keyring, and in no file of ours.
        AttachmentKind::Text => match String::from_utf8(bytes) {
            Ok(text) => shared.safe.taken_out_of(&text).into_bytes(),
            Err(_) => return Err(unfit(&name)),
        },
        AttachmentKind::Png | AttachmentKind::Jpeg | AttachmentKind::Gif | AttachmentKind::Webp => {
            bytes
        }
    };
    let hash = shared.attachments.put(&bytes).map_err(|error| disk(&error))?;
    fail::fail_point!("attachment.kept");
    let bytes = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    Ok(Attachment { hash, name, kind, bytes, from: None })
}

/// Keeps a picture that nobody has looked at, or says why it does not. Blocks.
pub(crate) fn keep_picture(
    shelf: &Shelf,
    base64: &str,
) -> Result<(String, AttachmentKind), &'static str> {
    if base64.len() / 4 * 3 > PICTURE_BYTES {
        return Err("it is too large");
    }
    let bytes = BASE64_STANDARD.decode(base64.trim()).map_err(|_| "it cannot be read")?;
    let kind = sort::picture(&bytes).ok_or("it is no PNG, JPEG, GIF or WebP")?;
    dimensions::dimensions(kind, &bytes).ok_or("it is damaged")?;
    let hash = shelf.put(&bytes).map_err(|_| "there is no room for it on the disk")?;
    Ok((hash, kind))
}

/// What a message is to show, as it lies on the shelf: a caller's word counts
/// for the name only.
pub(crate) async fn confirmed(
    shared: &Arc<Shared>,
    shown: Vec<Attachment>,
) -> Result<Vec<Attachment>, Fault> {
    if shown.is_empty() {
        return Ok(shown);
    }
    if shown.len() > MOST_FILES {
        return Err(Fault::bad_input(
            format!("a message shows at most {MOST_FILES} files"),
            "send the others with another message",
        )
        .of(FaultKind::AttachmentsMany { most: MOST_FILES as u32 }));
    }
    let shared = shared.clone();
    off_the_loop(move || {
        let confirm = |attachment: Attachment| {
            let name = sort::plain_name(&attachment.name);
            let lies_there = shared.attachments.look(&attachment.hash);
            let Some((kind, bytes)) = lies_there else { return Err(gone(&name)) };
            Ok(Attachment { name, kind, bytes, ..attachment })
        };
        shown.into_iter().map(confirm).collect()
    })
    .await
}

/// Keeps what lies in the folder of another workspace, in which each file is named by its
/// hash. What no message shows then goes at the next start. Blocks.
pub(crate) fn take_over(shared: &Shared, folder: &Path) -> Result<(), Fault> {
    shared.attachments.take_over(folder).map_err(|error| disk(&error))
}

/// As they lie on the shelf, whatever is said of them; what is gone stays as it was called.
pub(crate) fn as_they_lie(shared: &Shared, shown: Vec<Attachment>) -> Vec<Attachment> {
    let lies = |attachment: Attachment| match shared.attachments.look(&attachment.hash) {
        Some((kind, bytes)) => Attachment { kind, bytes, ..attachment },
        None => attachment,
    };
    shown.into_iter().map(lies).collect()
}

/// The bytes of a kept file, for a screen.
pub(crate) async fn content(
    shared: &Arc<Shared>,
    hash: String,
) -> Result<AttachmentContent, Fault> {
    let shared = shared.clone();
    off_the_loop(move || {
        let (kind, bytes) = shared.attachments.bytes(&hash).ok_or_else(|| gone("asked for"))?;
        Ok(AttachmentContent { kind, base64: BASE64_STANDARD.encode(bytes) })
    })
    .await
}

/// Takes away what no message shows, nor is to show. At the start only: nobody has kept
/// anything for a message that is still to come.
pub(crate) fn sweep(shared: &Shared) -> Result<(), Fault> {
    let shown = still_shown(shared)?;
    if let Err(error) = shared.attachments.keep_only(&shown) {
        // They only take room, and the next start looks again.
        tracing::warn!(%error, "files that no message shows cannot be taken away");
    }
    Ok(())
}

/// Takes away those that were shown by what is forgotten, and that nothing shows now.
pub(crate) async fn let_go(shared: &Arc<Shared>, shown: Vec<Attachment>) -> Result<(), Fault> {
    if shown.is_empty() {
        return Ok(());
    }
    let shared = shared.clone();
    off_the_loop(move || {
        let still = still_shown(&shared)?;
        for gone in shown.iter().filter(|one| !still.contains(&one.hash)) {
            shared.attachments.remove(&gone.hash).map_err(|error| disk(&error))?;
        }
        Ok(())
    })
    .await
}

fn still_shown(shared: &Shared) -> Result<HashSet<String>, Fault> {
    shared.store.read(|read| {
        let mut shown = messages::attached(read)?;
        shown.extend(drafts::attached(read)?);
        for result in tool_calls::with_pictures(read)? {
            shown.extend(tool_pictures::hashes(&result));
        }
        Ok(shown)
    })
}

/// Files may be large and disks slow.
async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Fault::new(FaultCode::Internal, error.to_string(), "")))
}

fn too_large(name: &str, bytes: usize, most: usize) -> Fault {
    let (size, most_shown) = (size(bytes), size(most));
    let kind = FaultKind::AttachmentLarge {
        name: name.to_owned(),
        bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        most: u32::try_from(most).unwrap_or(u32::MAX),
    };
    Fault::bad_input(
        format!("the file {name} has {size}; {most_shown} is the most that can be shown"),
        "make it smaller, or show a part of it",
    )
    .of(kind)
}

fn unfit(name: &str) -> Fault {
    Fault::bad_input(
        format!(
            "the file {name} is neither a picture (PNG, JPEG, GIF, WebP), a PDF nor a text file"
        ),
        "save it as one of these, or paste what matters of it",
    )
    .of(FaultKind::AttachmentUnfit { name: name.to_owned() })
}

fn empty(name: &str) -> Fault {
    Fault::bad_input(format!("the file {name} is empty"), "choose one with something in it")
        .of(FaultKind::AttachmentEmpty { name: name.to_owned() })
}

/// To a model it would be no picture, and the whole question would be refused.
fn damaged(name: &str) -> Fault {
    Fault::bad_input(
        format!("the picture {name} is damaged: how wide and high it is cannot be read"),
        "save it anew as PNG, JPEG, GIF or WebP",
    )
    .of(FaultKind::AttachmentDamaged { name: name.to_owned() })
}

fn gone(name: &str) -> Fault {
    Fault::not_found(format!("the file {name} is not kept here any more"), "attach it again")
        .of(FaultKind::AttachmentGone { name: name.to_owned() })
}

fn disk(error: &std::io::Error) -> Fault {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Fault::new(
            FaultCode::Storage,
            "the disk is full, so the file cannot be kept",
            "free some space, then attach it again",
        )
        .of(FaultKind::DiskFull),
        _ => Fault::new(
            FaultCode::Storage,
            format!("the file cannot be kept: {error}"),
            "see that the data directory can be written to, then attach it again",
        )
        .of(FaultKind::DiskFails { detail: error.to_string() }),
    }
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
