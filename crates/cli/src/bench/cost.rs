//! What a process uses, and the machine, as Linux counts it.

use super::broken;
use crate::screen::Failure;
use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

/// Linux counts processor time in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// Memory in use, in bytes.
pub(super) fn memory(pid: u32) -> Result<u64, Failure> {
    counted(pid, "VmRSS:")
}

/// The same without what lies in files, such as code that was run for the first time.
pub(super) fn own_memory(pid: u32) -> Result<u64, Failure> {
    counted(pid, "RssAnon:")
}

fn counted(pid: u32, what: &str) -> Result<u64, Failure> {
    let status = read(&format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.map(|kib| kib * 1024).ok_or_else(|| broken("measure memory", format!("no {what}")))
}

/// Processor time used so far.
pub(super) fn processor(pid: u32) -> Result<Duration, Failure> {
    ticks(&format!("/proc/{pid}/stat"))
}

/// Processor time of this process, without its threads of this name.
pub(super) fn processor_without(thread: &str) -> Result<Duration, Failure> {
    let mut used = processor(std::process::id())?;
    let tasks = fs::read_dir("/proc/self/task").map_err(|error| broken("list threads", error))?;
    for task in tasks.flatten() {
        let folder = task.path();
        let named = fs::read_to_string(folder.join("comm")).is_ok_and(|name| name.trim() == thread);
        if named {
            used = used.saturating_sub(ticks(&folder.join("stat").to_string_lossy())?);
        }
    }
    Ok(used)
}

/// How many tasks ran or wanted to, on average over the last minute.
pub(super) fn machine_load() -> Result<f64, Failure> {
    let load = read("/proc/loadavg")?;
    let load = load.split_whitespace().next().and_then(|first| first.parse().ok());
    load.ok_or_else(|| broken("measure the load", "no number"))
}

/// How long it takes until a page more of a file is on the disk: the median of many.
pub(super) fn disk_sync() -> Result<Duration, Failure> {
    let wrong = |error| broken("measure the disk", error);
    let mut file = tempfile::tempfile().map_err(wrong)?;
    let mut took = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        file.write_all(&[0; 4096]).map_err(wrong)?;
        let begun = Instant::now();
        file.sync_data().map_err(wrong)?;
        took.push(begun.elapsed());
    }
    took.sort();
    Ok(took[SYNCS / 2])
}

const SYNCS: usize = 201;

fn ticks(file: &str) -> Result<Duration, Failure> {
    let stat = read(file)?;
    // The name, in brackets, may hold anything.
    let fields = stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace());
    let mut fields = fields.ok_or_else(|| broken("measure time", "no fields"))?.skip(11);
    let mut next = || fields.next().and_then(|field| field.parse::<u32>().ok());
    let (user, system) = (next(), next());
    let ticks = user.zip(system).map(|(user, system)| user + system);
    ticks.map(|ticks| TICK * ticks).ok_or_else(|| broken("measure time", "no fields"))
}

fn read(file: &str) -> Result<String, Failure> {
    fs::read_to_string(file).map_err(|error| broken(&format!("read {file}"), error))
}
