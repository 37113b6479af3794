//! What the person says of themselves: the file `profile.md`, part of every
//! prompt.
//!
//! It is read anew whenever a prompt is built, so a change holds from the next
//! turn on. Only the person writes it, after a first start that lays out an
//! empty one.

use crate::Places;
use domain::{Fault, FaultCode, FaultKind};
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};

/// Longer than this no window leaves room for.
const MOST_BYTES: u64 = 256 * 1024;

const EMPTY: &str = "<!--
Who you are and what you prefer, for every agent to know: your work, your
languages, how you like to be answered. Write below this comment; what is
inside it no agent reads. A change holds from the next answer on.
-->
";

/// Lays out an empty profile; one that is there stays as it is.
pub(crate) fn lay_out(places: &Places) -> Result<(), Fault> {
    match File::create_new(places.profile()) {
        Ok(mut file) => {
            file.write_all(EMPTY.as_bytes()).map_err(|error| unwritable(places, &error))
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(unwritable(places, &error)),
    }
}

fn unwritable(places: &Places, error: &std::io::Error) -> Fault {
    let message = format!("write {}: {error}", places.profile().display());
    let path = places.data.display().to_string();
    Fault::new(FaultCode::Storage, message, "make the data directory writable")
        .of(FaultKind::FolderUnusable { path, detail: error.to_string() })
}

/// What is in it, without comments; empty where there is none. The error says
/// why it cannot be read.
pub(crate) fn read(places: &Places) -> Result<String, String> {
    let path = places.profile();
    // Before opening: opening a pipe would wait for its other end.
    match fs::metadata(&path) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err("it is no file".into()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(error.to_string()),
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let cut = bytes.len() as u64 == MOST_BYTES;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // Cut in the middle of a character.
        Err(error) if cut && error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return Err("it is not UTF-8 text".into()),
    };
    Ok(without_comments(text).trim().replace("\r\n", "\n"))
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        // A comment without an end goes on to the end.
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_outside_of_comments_counts() {
        let check = |text: &str, expected: &str| assert_eq!(without_comments(text), expected);
        check("", "");
        check("I live in Kyoto.", "I live in Kyoto.");
        check("\u{feff}a<!-- b -->c<!---->d", "acd");
        check("a<!-- b", "a");
        check("a --> b", "a --> b");
    }

    #[test]
    fn a_new_profile_is_empty_and_a_written_one_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::bare(folder.path().to_owned());
        assert_eq!(read(&places), Ok(String::new()));
        lay_out(&places).unwrap();
        assert_eq!(read(&places), Ok(String::new()));
        fs::write(places.profile(), "I prefer tables.\r\n").unwrap();
        lay_out(&places).unwrap();
        assert_eq!(read(&places), Ok("I prefer tables.".into()));
        fs::write(places.profile(), b"\xff\xfe").unwrap();
        assert_eq!(read(&places), Err("it is not UTF-8 text".into()));
        fs::write(places.profile(), "字".repeat(200_000)).unwrap();
        assert_eq!(read(&places).unwrap().chars().count(), 256 * 1024 / 3);
    }
}
