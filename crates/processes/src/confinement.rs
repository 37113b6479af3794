//! What a program may touch and use up, and how its keeper is told.
//!
//! What is not allowed here is refused: every other file, the network, other
//! processes. It holds for all that the program starts, and nobody gets out of
//! it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// Files and folders of the machine that it may read, and run programs from.
    pub machine: Vec<PathBuf>,
    /// Folders of somebody's for which that holds too.
    pub reads: Vec<PathBuf>,
    /// Those in which it may do as it likes. Of these and of `reads` is left out what is
    /// not there by its own path: no link is followed, since somebody else's program may
    /// have put it there.
    pub writes: Vec<PathBuf>,
    /// A folder of its own: made before it starts, and removed with all that is
    /// in it when nobody is left.
    pub temporary: PathBuf,
    pub network: Network,
    pub most: Most,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    None,
    /// All that this machine reaches, itself too.
    Whole,
}

/// How much the program may take, together with all that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    pub memory_bytes: u64,
    /// The time of all processors.
    pub cpu: Duration,
    /// Processes and their threads at the same time.
    pub tasks: u64,
    /// In one file.
    pub file_bytes: u64,
    /// To disks, in whichever files.
    pub written_bytes: u64,
}

/// What somebody took more of than they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    Memory,
    Cpu,
    Tasks,
    Disk,
}

/// Of which files a confined program may change the mode, the owner, the times and
/// the attributes by their path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// Of those in the folders in which it may do as it likes.
    Own,
    /// Of none, because nothing on this machine would keep it to its own.
    None,
}

/// Begins the program among a keeper's arguments.
pub(crate) const PROGRAM: &str = "--";

impl Confinement {
    /// Before [`PROGRAM`], for the keeper.
    #[allow(dead_code, reason = "only the owner says it")]
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let Most { memory_bytes, cpu, tasks, file_bytes, written_bytes } = self.most;
        let pair = |name: &str, value: OsString| [OsString::from(name), value];
        let number = |name: &str, value: u64| pair(name, value.to_string().into());
        let machine = self.machine.iter().map(|path| pair("machine", path.into()));
        let reads = self.reads.iter().map(|path| pair("read", path.into()));
        let writes = self.writes.iter().map(|path| pair("write", path.into()));
        let whole = (self.network == Network::Whole).then(|| pair("network", "whole".into()));
        let rest = [
            pair("temporary", self.temporary.clone().into()),
            number("memory", memory_bytes),
            number("cpu-s", cpu.as_secs()),
            number("tasks", tasks),
            number("file", file_bytes),
            number("written", written_bytes),
        ];
        machine.chain(reads).chain(writes).chain(whole).chain(rest).flatten().collect()
    }

    /// What the keeper was told before [`PROGRAM`]: nothing at all where the
    /// program is not confined. `None` where that makes no sense.
    #[allow(dead_code, reason = "only the keeper reads it")]
    pub(crate) fn read(arguments: &mut impl Iterator<Item = OsString>) -> Option<Option<Self>> {
        let nothing = Most {
            memory_bytes: 0,
            cpu: Duration::ZERO,
            tasks: 0,
            file_bytes: 0,
            written_bytes: 0,
        };
        let mut read = Confinement {
            machine: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            temporary: PathBuf::new(),
            network: Network::None,
            most: nothing,
        };
        let mut is_confined = false;
        loop {
            let name = arguments.next()?;
            if name == PROGRAM {
                return Some(is_confined.then_some(read));
            }
            is_confined = true;
            let value = arguments.next()?;
            let number = || value.to_str()?.parse::<u64>().ok();
            match name.to_str()? {
                "machine" => read.machine.push(value.into()),
                "read" => read.reads.push(value.into()),
                "write" => read.writes.push(value.into()),
                "temporary" => read.temporary = value.into(),
                "network" if value == "whole" => read.network = Network::Whole,
                "memory" => read.most.memory_bytes = number()?,
                "cpu-s" => read.most.cpu = Duration::from_secs(number()?),
                "tasks" => read.most.tasks = number()?,
                "file" => read.most.file_bytes = number()?,
                "written" => read.most.written_bytes = number()?,
                _ => return None,
            }
        }
    }
}
