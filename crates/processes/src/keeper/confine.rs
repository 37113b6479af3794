//! Confining the program: what its process does to itself before it becomes
//! the program. None of it can be undone.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use landlock::{
    AccessFs, BitFlags, PathBeneath, RulesetCreated, RulesetCreatedAttr, RulesetError,
    make_bitflags, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, getuid, nice, setrlimit};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use seccompiler::BpfProgram;

use crate::calls;
use crate::confinement::{Confinement, Marks, Most};
use crate::view::View;
use crate::{folder, walls, watch};

/// Everything that confines, ready to be put on.
pub(crate) struct Confined {
    walls: RulesetCreated,
    view: Option<View>,
    calls: Vec<BpfProgram>,
    most: Most,
    /// How many tasks the user may have, this program's among them.
    tasks: u64,
}

/// Devices that hold nothing of anybody's.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];

/// How much a confined program steps back behind everybody else.
const NICE: i32 = 10;
/// What others of the same user may begin meanwhile without taking it away from
/// this one. Root is not counted at all.
const SPARE_TASKS: u64 = 200;
/// Open files of one process.
const FILES: u64 = 4096;

impl Confined {
    pub(crate) fn new(confinement: &Confinement) -> io::Result<Self> {
        let walls = with_doors(confinement).map_err(io::Error::other)?;
        let view = View::of(confinement);
        let calls = calls::filters(confinement.network, marks(view.as_ref()));
        let calls = calls.map_err(io::Error::other)?;
        let most = confinement.most;
        let tasks = watch::tasks_of(getuid()) + most.tasks + SPARE_TASKS;
        Ok(Confined { walls, view, calls, most, tasks })
    }

    pub(crate) fn marks(&self) -> Marks {
        marks(self.view.as_ref())
    }

    /// For the new process, which has one thread.
    pub(crate) fn put_on(&self) -> io::Result<()> {
        // When memory runs out, this goes first.
        fs::write("/proc/self/oom_score_adj", "1000")?;
        let _ = nice(NICE);
        for (resource, most) in self.limits() {
            let most = Some(most);
            setrlimit(resource, Rlimit { current: most, maximum: most })?;
        }
        if let Some(view) = &self.view {
            view.put_on()?;
        }
        if getuid().is_root() {
            // Its programs are no more than those of anybody else.
            for one in CapabilitySet::all().iter() {
                let _ = remove_capability_from_bounding_set(one);
            }
        }
        let walls = self.walls.try_clone()?;
        walls.restrict_self().map_err(io::Error::other)?;
        for filter in &self.calls {
            seccompiler::apply_filter(filter).map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Most of these hold for each process by itself; what all of them take
    /// together is watched.
    fn limits(&self) -> [(Resource, u64); 6] {
        let Most { cpu, file_bytes, memory_bytes, .. } = self.most;
        [
            (Resource::Core, 0),
            (Resource::Cpu, cpu.as_secs() + 1),
            // Programs ask for more than they come to use.
            (Resource::Data, memory_bytes.saturating_mul(2)),
            (Resource::Fsize, file_bytes),
            (Resource::Nofile, FILES),
            (Resource::Nproc, self.tasks),
        ]
    }
}

/// Only in a view of its own is a program held to the files that it may change.
fn marks(view: Option<&View>) -> Marks {
    match view {
        Some(_) => Marks::Own,
        None => Marks::None,
    }
}

fn with_doors(confinement: &Confinement) -> Result<RulesetCreated, RulesetError> {
    let Confinement { machine, reads, writes, temporary, network, .. } = confinement;
    let reads = reads.iter().filter_map(|folder| folder::opened(folder));
    let writes = writes.iter().filter_map(|folder| folder::opened(folder));
    let ways = make_bitflags!(AccessFs::{ReadFile | WriteFile});
    walls::closed(*network)?
        .add_rules(path_beneath_rules(machine, walls::read()))?
        .add_rules(path_beneath_rules(DEVICES, ways))?
        .add_rules(path_beneath_rules([temporary], walls::write()))?
        .add_rules(reads.map(|folder| beneath(folder, walls::read())))?
        .add_rules(writes.map(|folder| beneath(folder, walls::write())))
}

fn beneath(
    folder: OwnedFd,
    ways: BitFlags<AccessFs>,
) -> Result<PathBeneath<OwnedFd>, RulesetError> {
    Ok(PathBeneath::new(folder, ways))
}
