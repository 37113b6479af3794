//! The words of a PDF. A process of its own reads them, since a PDF is a program by
//! whoever made it: one that cannot be read harms nobody else.

use std::io;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use domain::PdfUnread;
use domain::engine::PdfText;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::program;

/// More than the process gives itself, on a machine that has much else to do.
const LONGEST: Duration = Duration::from_secs(60);

/// What stands on its pages, or why nobody can say.
pub async fn pdf_text(engine: &Path, pdf: Vec<u8>) -> Result<PdfText, PdfUnread> {
    let program = program::choose(engine).map_err(|_| PdfUnread::NoReader)?;
    let read = tokio::time::timeout(LONGEST, read(&program, pdf)).await;
    let output = read.map_err(|_| PdfUnread::Heavy)?.map_err(|error| {
        tracing::warn!(%error, "nobody could read a PDF");
        PdfUnread::NoReader
    })?;
    if !output.status.success() {
        return Err(PdfUnread::Heavy);
    }
    let told: serde_json::Result<Result<PdfText, PdfUnread>> =
        serde_json::from_slice(&output.stdout);
    told.unwrap_or(Err(PdfUnread::Damaged))
}

async fn read(program: &Path, pdf: Vec<u8>) -> io::Result<Output> {
    let mut command = Command::new(program);
    command.arg("pdf").kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    #[cfg(windows)]
    command.creation_flags(0x0800_0000); // CREATE_NO_WINDOW
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that ends before it has read everything says why by how it ends.
        let _ = stdin.write_all(&pdf).await;
    }
    child.wait_with_output().await
}
