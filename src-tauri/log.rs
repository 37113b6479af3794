//! What the window's process reports: on stderr, and in a file for the day
//! when somebody asks what went wrong.
//!
//! The file stays small: a full one becomes `.old` in place of the one before.
//! It holds what the code says about itself, never what people or agents say,
//! and no key.

use crate::environment;
use door::Redactor;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

const FULL_BYTES: u64 = 4 * 1024 * 1024;

/// Without a folder only stderr gets to know.
pub(crate) fn start(folder: Option<PathBuf>, redactor: &Redactor) {
    let on_screen = redactor.clone();
    let screen =
        tracing_subscriber::fmt::layer().with_writer(move || on_screen.writer(io::stderr()));
    let file = folder.map(|folder| {
        tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .with_writer(Mutex::new(redactor.writer(LogFile::new(folder, FULL_BYTES))))
            .with_filter(environment::log_filter())
    });
    tracing_subscriber::registry()
        .with(screen.with_filter(environment::log_filter()))
        .with(file)
        .init();
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
}

struct LogFile {
    folder: PathBuf,
    full_bytes: u64,
    open: Option<(File, u64)>,
}

impl LogFile {
    /// Touches nothing before the first line: the folder may not be there yet.
    fn new(folder: PathBuf, full_bytes: u64) -> Self {
        LogFile { folder, full_bytes, open: None }
    }

    fn try_write(&mut self, line: &[u8]) -> io::Result<()> {
        let path = self.folder.join("coterie.log");
        if self.open.as_ref().is_some_and(|(_, bytes)| *bytes >= self.full_bytes) {
            self.open = None;
            fs::rename(&path, self.folder.join("coterie.log.old"))?;
        }
        let (file, bytes) = match &mut self.open {
            Some(open) => open,
            none => {
                fs::create_dir_all(&self.folder)?;
                let file = OpenOptions::new().append(true).create(true).open(&path)?;
                let bytes = file.metadata()?.len();
                none.insert((file, bytes))
            }
        };
        file.write_all(line)?;
        *bytes += line.len() as u64;
        Ok(())
    }
}

impl Write for LogFile {
    /// A log that cannot be written is no reason to fail, or to talk about it at every line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.try_write(line).is_err() {
            self.open = None;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_becomes_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = LogFile::new(folder.path().join("logs"), 10);
        for line in ["first\n", "second\n", "third\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let read = |name| fs::read_to_string(folder.path().join("logs").join(name)).unwrap();
        assert_eq!(read("coterie.log.old"), "first\nsecond\n");
        assert_eq!(read("coterie.log"), "third\n");
    }

    #[test]
    fn no_key_gets_into_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = LogFile::new(folder.path().to_owned(), FULL_BYTES);
        let mut log = Redactor::default().writer(file);
        log.write_all(b"refused: sk-0123456789").unwrap();
        log.write_all(b"abcdefghijklmn\n").unwrap();
        let read = fs::read_to_string(folder.path().join("coterie.log")).unwrap();
        assert_eq!(read, "refused: [redacted]\n");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("logs"), "").unwrap();
        let mut log = LogFile::new(folder.path().join("logs"), 10);
        log.write_all(b"nobody hears this\n").unwrap();
        assert_eq!(fs::read(folder.path().join("logs")).unwrap(), b"");
    }
}
