//! Who belongs to whom among the processes, as `/proc` says.

use std::collections::HashMap;
use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use crate::share;

/// One process that has not ended.
struct Entry {
    pid: i32,
    parent: i32,
    session: i32,
}

/// Kills all in a session but its first, until nobody is found: who is not yet
/// killed may have started another meanwhile.
pub(crate) fn kill_session(first: u32) {
    let first = first.cast_signed();
    for _ in 0..MOST_ROUNDS {
        let members = all().filter(|entry| entry.session == first && entry.pid != first);
        let members: Vec<Pid> = members.filter_map(|entry| Pid::from_raw(entry.pid)).collect();
        if members.is_empty() {
            return;
        }
        for pid in members {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Who must not be killed is found again and again.
const MOST_ROUNDS: usize = 1000;

/// What all below a process take, each page shared between some of them
/// counted once.
pub(crate) fn memory_bytes(above: u32) -> Option<u64> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in all() {
        children.entry(entry.parent).or_default().push(entry.pid);
    }
    let mut unseen = children.remove(&above.cast_signed())?;
    let mut bytes = 0;
    while let Some(pid) = unseen.pop() {
        bytes += share::proportional(pid).unwrap_or(0);
        unseen.extend(children.remove(&pid).unwrap_or_default());
    }
    Some(bytes)
}

fn all() -> impl Iterator<Item = Entry> {
    let folder = fs::read_dir("/proc").into_iter().flatten().flatten();
    folder.filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?))
}

fn read(pid: i32) -> Option<Entry> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name, which may contain anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    Some(Entry { pid, parent, session })
}
