//! What an import reads: one file, or those of a folder that hold memories, each by its
//! format.

use super::Wanted;
use super::files::{self, Files};
use ::memory::file::{self, Found, Unreadable};
use domain::{Fault, FaultCode, FaultKind, LeftOut, LeftOutWhy, MemoryFileWrong, MemoryFormat};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(super) struct Chosen {
    files: Vec<Readable>,
    /// Of a folder, what is passed over.
    pub left_out: Vec<LeftOut>,
}

struct Readable {
    path: PathBuf,
    /// How it is called where one of several is meant.
    place: Option<String>,
    format: MemoryFormat,
}

impl Chosen {
    /// Fails where nothing can be read. Blocks.
    pub(super) fn of(wanted: &Wanted) -> Result<Chosen, Fault> {
        let path = Path::new(&wanted.path);
        if !path.is_absolute() {
            return Err(wrong(path, MemoryFileWrong::NoWholePath));
        }
        let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if metadata.is_dir() {
            return Chosen::in_folder(path, wanted.format);
        }
        // Who says what it is may still have given a pipe.
        let input = opened(path)?;
        let format = match wanted.format {
            Some(format) => format,
            None => file::detect(&name(path), input).map_err(|why| told(path, why))?,
        };
        let file = Readable { path: path.to_owned(), place: None, format };
        Ok(Chosen { files: vec![file], left_out: Vec::new() })
    }

    fn in_folder(folder: &Path, said: Option<MemoryFormat>) -> Result<Chosen, Fault> {
        let mut found = files::in_folder(folder).map_err(|error| unreadable(folder, &error))?;
        let mut readable = Vec::new();
        for inside in std::mem::take(&mut found.read) {
            let path = folder.join(&inside);
            let format = match said {
                Some(format) => Ok(format),
                None => file::detect(&name(&path), opened(&path)?),
            };
            match format {
                Ok(format) => {
                    let place = Some(inside.display().to_string());
                    readable.push(Readable { path, place, format });
                }
                Err(why) => found.leave_out(&inside, LeftOutWhy::File { wrong: why.wrong }),
            }
        }
        let Files { left_out, .. } = found;
        if readable.is_empty() {
            return Err(wrong(folder, MemoryFileWrong::EmptyFolder));
        }
        Ok(Chosen { files: readable, left_out })
    }

    /// Of the first file.
    pub(super) fn format(&self) -> MemoryFormat {
        self.files.first().map_or(MemoryFormat::MemoryMd, |file| file.format)
    }

    /// Reads all of them to their end, or until `each` has enough. Blocks.
    pub(super) fn each(
        &self,
        each: &mut dyn FnMut(MemoryFormat, Found) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        for Readable { path, place, format } in &self.files {
            let mut has_enough = false;
            let mut one = |found| {
                let flow = each(*format, placed(place.as_deref(), found));
                has_enough = flow.is_break();
                flow
            };
            let read = file::read(*format, &name(path), opened(path)?, &mut one);
            read.map_err(|why| told(path, why))?;
            if has_enough {
                break;
            }
        }
        Ok(())
    }
}

/// In which of several files it stands is told with its place there.
fn placed(file: Option<&str>, mut found: Found) -> Found {
    if let Some(file) = file {
        let place = match &mut found {
            Found::Entry(entry) => &mut entry.place,
            Found::LeftOut(left_out) => &mut left_out.place,
        };
        place.file = Some(file.to_owned());
    }
    found
}

fn opened(path: &Path) -> Result<BufReader<File>, Fault> {
    // What is no file, such as a pipe, could keep a reader waiting for ever.
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !metadata.is_file() {
        return Err(wrong(path, MemoryFileWrong::NoFile));
    }
    File::open(path).map(BufReader::new).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    match error.kind() {
        ErrorKind::NotFound => wrong(path, MemoryFileWrong::Missing),
        _ => wrong(path, MemoryFileWrong::Fails { detail: error.to_string() }),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn told(path: &Path, Unreadable { line, wrong }: Unreadable) -> Fault {
    in_line(path, line, wrong)
}

/// What is wrong with the whole of it.
pub(super) fn wrong(path: &Path, wrong: MemoryFileWrong) -> Fault {
    in_line(path, None, wrong)
}

fn in_line(path: &Path, line: Option<u64>, wrong: MemoryFileWrong) -> Fault {
    let code = match wrong {
        MemoryFileWrong::Missing => FaultCode::NotFound,
        _ => FaultCode::BadInput,
    };
    let path = path.display().to_string();
    let place = line.map(|line| format!(", line {line}")).unwrap_or_default();
    let line = line.map(|line| u32::try_from(line).unwrap_or(u32::MAX));
    Fault::new(code, format!("{path}{place}: {wrong}"), wrong.fix()).of(FaultKind::MemoryFile {
        path,
        line,
        wrong,
    })
}
