//! Writes memories to a file, as they are at one moment.

use super::progress::Progress;
use super::scope;
use crate::derived::blocking;
use crate::new_file::{self, Trouble};
use crate::shared::Shared;
use ::memory::file;
use domain::{Fault, MemoryExport, MemoryFilter, MemoryFormat, MemoryKind, MemoryWork};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use store::Read;
use store::table::memories;

/// What is read from the database at a time.
const READ_AT_ONCE: u32 = 500;

/// Writes what fits the filter to a file that is not there yet. It appears whole
/// or not at all.
pub(crate) async fn export(
    shared: &Arc<Shared>,
    path: String,
    format: MemoryFormat,
    filter: MemoryFilter,
) -> Result<MemoryExport, Fault> {
    blocking(shared, move |shared| {
        let head = file::head(format).ok_or_else(|| {
            let fix = "export as jsonl or markdown";
            Fault::bad_input("memories are not written in that format", fix)
        })?;
        let now = shared.now_ms();
        let memories = new_file::write(&path, |file| {
            shared.store.read(|read| {
                let filter = scope::with_reader(read, filter)?;
                let of = memories::count_of(read, &filter, now)?;
                let progress = Progress::of(&shared.events, MemoryWork::Exporting, of);
                file.write_all(head.as_bytes())?;
                Out { read, filter, now, format, file, written: 0, progress }.all()
            })
        })?;
        Ok(MemoryExport { path, format, memories })
    })
    .await
}

struct Out<'a> {
    read: &'a Read<'a>,
    filter: MemoryFilter,
    now: i64,
    format: MemoryFormat,
    file: &'a mut BufWriter<File>,
    written: u32,
    progress: Progress,
}

impl Out<'_> {
    /// All of them, in a list to be read by what they are; gives how many.
    fn all(&mut self) -> Result<u32, Trouble> {
        if self.format == MemoryFormat::Jsonl {
            let filter = self.filter.clone();
            return self.some(&filter, "");
        }
        let mut memories = 0;
        for kind in MemoryKind::ALL {
            let wanted = &self.filter.kinds;
            if wanted.is_empty() || wanted.contains(&kind) {
                let filter = MemoryFilter { kinds: vec![kind], ..self.filter.clone() };
                memories += self.some(&filter, &format!("## {}\n\n", title(kind)))?;
            }
        }
        Ok(memories)
    }

    /// Those that fit, after a heading if there are any. The longest unchanged
    /// come first, so that who reads it again ends with the same one on top.
    fn some(&mut self, filter: &MemoryFilter, heading: &str) -> Result<u32, Trouble> {
        let mut ends = vec![None];
        while let Some(before) = ends.last().copied() {
            let page = memories::page(self.read, filter, self.now, before, READ_AT_ONCE)?;
            match page.last().filter(|_| page.len() == READ_AT_ONCE as usize) {
                Some(last) => ends.push(Some(last.changed as i64)),
                None => break,
            }
        }
        let mut count = 0;
        for before in ends.into_iter().rev() {
            let page = memories::page(self.read, filter, self.now, before, READ_AT_ONCE)?;
            for one in page.iter().rev() {
                if count == 0 {
                    self.file.write_all(heading.as_bytes())?;
                }
                let text = file::written(self.format, &one.memory).map_err(io::Error::from)?;
                self.file.write_all(text.as_bytes())?;
                count += 1;
            }
            self.written += page.len() as u32;
            self.progress.come_to(self.written);
        }
        if count > 0 && !heading.is_empty() {
            self.file.write_all(b"\n")?;
        }
        Ok(count)
    }
}

fn title(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Fact => "Facts",
        MemoryKind::Preference => "Preferences",
        MemoryKind::Skill => "Skills",
        MemoryKind::Relationship => "Relationships",
        MemoryKind::Episode => "Episodes",
        MemoryKind::Summary => "Summaries",
    }
}
