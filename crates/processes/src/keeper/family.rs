//! All that were started below us and have not been waited for.

use std::collections::HashSet;
use std::fs;

use rustix::process::{
    Pid, PidfdFlags, Signal, getpgrp, kill_process_group, pidfd_open, pidfd_send_signal,
};

/// In no order but that nobody comes before its parent.
pub(crate) fn below(above: Pid) -> Vec<i32> {
    let mut family = children(above.as_raw_pid());
    let mut seen = 0;
    while let Some(pid) = family.get(seen).copied() {
        family.extend(children(pid));
        seen += 1;
    }
    family
}

/// Who is still found after so many rounds is killed without having been
/// stopped.
const MOST_ROUNDS: usize = 100;

/// Stops everybody before anybody is killed, so that nobody is born meanwhile
/// and nobody loses their parent. A group takes a signal as one: whoever is
/// born into it at that moment takes it too.
pub(crate) fn kill_all_below(above: Pid) {
    let mut stopped = HashSet::new();
    for _ in 0..MOST_ROUNDS {
        let family = below(above);
        if family.iter().all(|pid| stopped.contains(pid)) {
            break;
        }
        signal(above, &family, Signal::STOP);
        stopped.extend(family);
    }
    signal(above, &below(above), Signal::KILL);
}

fn signal(above: Pid, family: &[i32], signal: Signal) {
    let known: HashSet<i32> = family.iter().copied().chain([above.as_raw_pid()]).collect();
    // All members of a group are in one session, and ours has nobody but us and
    // those below us in it.
    let mut groups: HashSet<i32> = family.iter().filter_map(|pid| field(*pid, GROUP)).collect();
    groups.remove(&getpgrp().as_raw_pid());
    for group in groups.into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
    for pid in family.iter().filter_map(|pid| Pid::from_raw(*pid)) {
        let Ok(held) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
        // The number may be somebody else's by now, and what is held can no
        // longer become anybody's.
        if parent(pid).is_some_and(|parent| known.contains(&parent)) {
            let _ = pidfd_send_signal(held, signal);
        }
    }
}

/// Each thread has children of its own.
fn children(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists: Vec<_> =
        threads.map(|thread| fs::read_to_string(thread.path().join("children"))).collect();
    // A kernel that was built without that file.
    if !lists.is_empty() && lists.iter().all(Result::is_err) && !has_lists() {
        return children_by_parent(pid);
    }
    lists.iter().flatten().flat_map(|list| numbers(list.split_whitespace())).collect()
}

fn has_lists() -> bool {
    let us = rustix::process::getpid().as_raw_pid();
    fs::exists(format!("/proc/self/task/{us}/children")).unwrap_or(false)
}

fn children_by_parent(above: i32) -> Vec<i32> {
    let folder = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = folder.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    all.filter(|pid| Pid::from_raw(*pid).and_then(parent) == Some(above)).collect()
}

fn parent(pid: Pid) -> Option<i32> {
    field(pid.as_raw_pid(), PARENT)
}

/// Their places in `/proc/PID/stat`, counted behind the name.
const PARENT: usize = 1;
const GROUP: usize = 2;

fn field(pid: i32, place: usize) -> Option<i32> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(place)?.parse().ok()
}

fn numbers<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<i32> {
    texts.filter_map(|text| text.parse().ok()).collect()
}
