//! What a confined program and all that it started take together.
//!
//! Who has ended counts with whoever waited for it, and at last with us.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::Uid;

use crate::confinement::{Most, Resource};
use crate::{family, share};

/// How often it is looked at.
pub(crate) const LOOKS_AGAIN: Duration = Duration::from_millis(20);

#[derive(Default)]
struct Taken {
    ticks: u64,
    tasks: u64,
    pages: u64,
    written_bytes: u64,
}

/// What they take too much of by now, if anything.
pub(crate) fn too_much(most: &Most) -> Option<Resource> {
    let us = rustix::process::getpid();
    let family = family::below(us);
    let mut all = ended(us.as_raw_pid());
    for pid in &family {
        let Some(one) = taken(*pid) else { continue };
        all.ticks += one.ticks;
        all.tasks += one.tasks;
        all.pages += one.pages;
        all.written_bytes += one.written_bytes;
    }
    let memory_bytes = all.pages * page_size() as u64;
    if all.tasks > most.tasks {
        return Some(Resource::Tasks);
    }
    // What they share was counted for each; the exact number takes longer.
    if memory_bytes > most.memory_bytes
        && family.iter().filter_map(|pid| share::proportional(*pid)).sum::<u64>()
            > most.memory_bytes
    {
        return Some(Resource::Memory);
    }
    if all.ticks / clock_ticks_per_second() >= most.cpu.as_secs() {
        return Some(Resource::Cpu);
    }
    (all.written_bytes > most.written_bytes).then_some(Resource::Disk)
}

/// The processes and threads of a user, whoever started them.
pub(crate) fn tasks_of(user: Uid) -> u64 {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let theirs =
        all.filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == user.as_raw()));
    let pids = theirs.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(stat).map(|fields| fields.get(TASKS)).sum()
}

/// What those took who have ended and whom we waited for.
fn ended(us: i32) -> Taken {
    let ticks = stat(us).map_or(0, |fields| fields.of_children());
    Taken { ticks, written_bytes: written(us), ..Taken::default() }
}

fn taken(pid: i32) -> Option<Taken> {
    let fields = stat(pid)?;
    Some(Taken {
        ticks: fields.own() + fields.of_children(),
        tasks: fields.get(TASKS),
        pages: fields.get(PAGES),
        written_bytes: written(pid),
    })
}

/// Their places in `/proc/PID/stat`, counted behind the name.
const TASKS: usize = 17;
const PAGES: usize = 21;

/// The numbers there.
struct Fields(Vec<u64>);

fn stat(pid: i32) -> Option<Fields> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may contain anything; its state is no number.
    let fields = text.rsplit_once(')')?.1.split_whitespace();
    Some(Fields(fields.map(|field| field.parse().unwrap_or(0)).collect()))
}

impl Fields {
    fn get(&self, place: usize) -> u64 {
        self.0.get(place).copied().unwrap_or(0)
    }

    fn own(&self) -> u64 {
        self.get(11) + self.get(12)
    }

    fn of_children(&self) -> u64 {
        self.get(13) + self.get(14)
    }
}

fn written(pid: i32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|number| number.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    number("write_bytes:").saturating_sub(number("cancelled_write_bytes:"))
}
