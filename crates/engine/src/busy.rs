//! How busy the rest of the machine is, from the kernel's own counters.
//!
//! Only Linux says so in a file; elsewhere there is no reading, and the thread
//! rule does without.

use std::fs;

/// The counters at one moment, in clock ticks summed over all cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    total: u64,
    idle: u64,
    /// Our own share of what was not idle.
    own: u64,
    cores: u64,
}

impl Reading {
    pub(crate) fn now() -> Option<Self> {
        let machine = fs::read_to_string("/proc/stat").ok()?;
        let own = fs::read_to_string("/proc/self/stat").ok()?;
        Self::parse(&machine, &own)
    }

    fn parse(machine: &str, own: &str) -> Option<Self> {
        let ticks: Vec<u64> = machine
            .lines()
            .next()?
            .strip_prefix("cpu ")?
            .split_whitespace()
            .map_while(|n| n.parse().ok())
            .collect();
        // user nice system idle iowait irq softirq steal; what follows is counted in user already.
        let (idle, iowait) = (*ticks.get(3)?, *ticks.get(4)?);
        let total = ticks.iter().take(8).sum();
        let cores =
            machine.lines().skip(1).take_while(|line| line.starts_with("cpu")).count() as u64;
        // The program's name stands in brackets and may hold anything, brackets too.
        let mut fields = own.rsplit_once(')')?.1.split_whitespace().skip(11);
        let own = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
        (cores > 0).then_some(Self { total, idle: idle + iowait, own, cores })
    }

    /// How many cores other processes kept busy from `earlier` until now;
    /// `None` when too little time passed to tell.
    pub(crate) fn others_since(&self, earlier: &Self) -> Option<f32> {
        const ENOUGH_TICKS_PER_CORE: u64 = 8;
        let total = self.total.saturating_sub(earlier.total);
        if total < ENOUGH_TICKS_PER_CORE * self.cores {
            return None;
        }
        let busy = total.saturating_sub(self.idle.saturating_sub(earlier.idle));
        let others = busy.saturating_sub(self.own.saturating_sub(earlier.own));
        Some(others as f32 * self.cores as f32 / total as f32)
    }
}

/// Physical cores that this process may use: two hardware threads of one core
/// gain nothing here, and a container may be given fewer than there are.
pub(crate) fn cores() -> u32 {
    let allowed = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let physical = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| physical_cores(&text));
    physical.map_or(allowed, |physical| physical.min(allowed))
}

fn physical_cores(cpuinfo: &str) -> Option<u32> {
    let mut seen = std::collections::HashSet::new();
    let mut package = "";
    for line in cpuinfo.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        match name.trim() {
            "physical id" => package = value.trim(),
            "core id" => {
                seen.insert((package, value.trim()));
            }
            _ => {}
        }
    }
    (!seen.is_empty()).then_some(seen.len() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: &str =
        "cpu  100 0 20 800 80 0 0 0 0 0\ncpu0 50 0 10 400 40\ncpu1 50 0 10 400 40\nintr 1\n";
    const OWN: &str = "7 (a ) b) R 1 7 7 0 -1 4194304 100 0 0 0 30 10 0 0 20 0 3 0 1 2 3";

    fn reading(total: u64, idle: u64, own: u64) -> Reading {
        Reading { total, idle, own, cores: 4 }
    }

    #[test]
    fn the_kernels_counters_are_read() {
        assert_eq!(
            Reading::parse(MACHINE, OWN),
            Some(Reading { total: 1000, idle: 880, own: 40, cores: 2 })
        );
        assert_eq!(Reading::parse("nonsense", OWN), None);
        assert_eq!(Reading::parse(MACHINE, "7 (x"), None);
    }

    #[test]
    fn what_we_use_ourselves_is_not_others() {
        let start = reading(1000, 500, 100);
        for (now, expected) in [
            (reading(1400, 900, 100), Some(0.0)),
            (reading(1400, 700, 300), Some(0.0)),
            (reading(1400, 600, 300), Some(1.0)),
            (reading(1400, 500, 100), Some(4.0)),
            (reading(1010, 505, 100), None),
        ] {
            assert_eq!(now.others_since(&start), expected, "{now:?}");
        }
    }

    #[test]
    fn two_threads_of_one_core_count_once() {
        let core = |package, core| {
            format!("processor\t: 0\nphysical id\t: {package}\ncore id\t\t: {core}\n\n")
        };
        assert_eq!(
            physical_cores(&[core(0, 0), core(0, 1), core(0, 0), core(1, 0)].concat()),
            Some(3)
        );
        assert_eq!(physical_cores("processor : 0\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_can_be_read() {
        assert!(Reading::now().is_some());
        assert!(cores() >= 1);
    }
}
