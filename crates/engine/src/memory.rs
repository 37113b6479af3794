//! Is there enough memory? Asked before llama.cpp is, because Linux promises
//! memory it does not have and then kills whoever uses it.

use std::fs;

use domain::engine::Fault;

use crate::fault::{Result, failure};

/// Fails when `bytes` more are surely too much; where the system does not say
/// how much is left, everything passes.
pub(crate) fn check(bytes: u64, what: &str) -> Result<()> {
    match available() {
        Some(available) if available < bytes => Err(failure(
            Fault::OutOfMemory,
            format!("{what}: needs {} MB of memory, {} MB are free", bytes >> 20, available >> 20),
        )),
        _ => Ok(()),
    }
}

/// Free memory and what the system would give back, in bytes.
fn available() -> Option<u64> {
    parse(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// What this process has of its own, in bytes, as `RLIMIT_DATA` counts it.
#[cfg(target_os = "linux")]
pub(crate) fn held() -> Option<u64> {
    parse(&fs::read_to_string("/proc/self/status").ok()?, "VmData:")
}

fn parse(figures: &str, name: &str) -> Option<u64> {
    let line = figures.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_words_are_read() {
        assert_eq!(parse("MemTotal: 8 kB\nMemAvailable:    3 kB\n", "MemAvailable:"), Some(3072));
        assert_eq!(parse("MemTotal: 8 kB\n", "MemAvailable:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn more_than_any_machine_has_is_refused() {
        let failure = check(1 << 60, "hold the world").unwrap_err();
        assert_eq!(failure.fault, Fault::OutOfMemory);
        assert_eq!(check(1, "hold a byte"), Ok(()));
    }
}
