//! What there is to remember: two files to import, and what a person says. Every
//! text is another one, so that it shows what is missing or there twice.

use domain::RequestId;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Lines of the first file, and every how many of them two say the same.
const NOTES: usize = 320;
const TWINS_EVERY: usize = 20;
/// Conversations of the second.
const CONVERSATIONS: usize = 90;
/// What a person adds meanwhile.
pub(crate) const SAID: usize = 12;

pub(crate) const FILES: [&str; 2] = ["notes.jsonl", "conversations.json"];

pub(crate) fn path(folder: &Path, file: usize) -> PathBuf {
    folder.join("files").join(FILES[file])
}

pub(crate) fn write_files(folder: &Path) {
    fs::create_dir_all(folder.join("files")).expect("a folder");
    let notes: Vec<String> = notes().iter().map(Value::to_string).collect();
    fs::write(path(folder, 0), notes.join("\n") + "\n").expect("a file");
    let conversations: Vec<Value> = (0..CONVERSATIONS).map(conversation).collect();
    fs::write(path(folder, 1), Value::from(conversations).to_string()).expect("a file");
}

fn note(n: usize) -> String {
    format!("parcel {n} stands on the shelf near the door")
}

/// The same in another order: other words for who compares them, the same for
/// who understands them.
fn twin(n: usize) -> String {
    format!("parcel {n} stands near the door on the shelf")
}

fn notes() -> Vec<Value> {
    let lives_in = |text: &str, place: &str| {
        let statement = json!({"subject": "user", "attribute": "lives in", "value": place});
        json!({"text": text, "statement": statement})
    };
    let [older, newer] = [1, 2].map(|n| Uuid::from_u128(n).to_string());
    let mut notes = vec![
        // Gave way before it was exported, to one that comes later.
        json!({"id": older, "text": OLDER, "state": {"kind": "superseded", "by": newer}}),
        lives_in(PORTO, "Porto"),
        // Says nothing new, and must not when Porto has given way.
        lives_in("the user lives in PORTO!", "Porto"),
        lives_in(LISBON, "Lisbon"),
    ];
    for n in 0..NOTES {
        notes.push(json!({"text": note(n)}));
        if n.is_multiple_of(TWINS_EVERY) {
            notes.push(json!({"text": twin(n)}));
        }
    }
    notes.push(json!({"id": newer, "text": NEWER}));
    notes
}

const OLDER: &str = "The boiler is repaired by Al";
const NEWER: &str = "The boiler is repaired by Bo";
const PORTO: &str = "The user lives in Porto";
const LISBON: &str = "The user lives in Lisbon";

fn conversation(n: usize) -> Value {
    let said = |role: &str, parent: Option<&str>, text: String| {
        json!({"parent": parent, "message": {"author": {"role": role},
            "create_time": 1_730_000_000 + n, "recipient": "all",
            "content": {"content_type": "text", "parts": [text]}}})
    };
    json!({"title": format!("Boxes {n}"), "conversation_id": format!("c-{n}"), "current_node": "a",
    "mapping": {
        "u": said("user", None, asked(n)),
        "a": said("assistant", Some("u"), format!("I shall look for box {n}.")),
    }})
}

fn asked(n: usize) -> String {
    format!("Remember that {}.", noticed(n))
}

/// What the person says in an episode.
fn noticed(n: usize) -> String {
    format!("box {n} is kept under the stairs")
}

pub(crate) fn said(n: usize) -> String {
    format!("bicycle {n} leans on the fence")
}

pub(crate) fn request(n: usize) -> RequestId {
    RequestId(Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("said {n}").as_bytes()))
}

/// How a memory ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Holds,
    /// It gave way, to the one with these words in the file.
    GaveWay,
    /// One of two that say the same: one of them says it from then on.
    Twin,
}

/// What comes of the memories of a file, once each.
pub(crate) fn of_file(file: usize) -> Vec<(String, End)> {
    if file == 1 {
        let answered = |n| format!("User: {}\n\nChatGPT: I shall look for box {n}.", asked(n));
        return (0..CONVERSATIONS).map(|n| (answered(n), End::Holds)).collect();
    }
    let mut all = vec![
        (OLDER.to_owned(), End::GaveWay),
        (NEWER.to_owned(), End::Holds),
        (PORTO.to_owned(), End::GaveWay),
        (LISBON.to_owned(), End::Holds),
    ];
    for n in 0..NOTES {
        if n.is_multiple_of(TWINS_EVERY) {
            all.extend([(note(n), End::Twin), (twin(n), End::Twin)]);
        } else {
            all.push((note(n), End::Holds));
        }
    }
    all
}

/// Every text that there is at the end, once each.
pub(crate) fn everything() -> Vec<(String, End)> {
    let mut all: Vec<_> = (0..FILES.len()).flat_map(of_file).collect();
    all.extend((0..CONVERSATIONS).map(|n| (noticed(n), End::Holds)));
    all.extend((0..SAID).map(|n| (said(n), End::Holds)));
    all
}
