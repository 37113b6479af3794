//! Where programs of agents run: confined to the agent's folders, without the
//! network, with so much memory and time, and gone with all that they started.
//!
//! Where that cannot be, nothing runs at all.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::{Need, NeedOf};
use processes::{
    Captured, Confinement, Ended, Finished, Keeper, Limits, Marks, Most, Network, Process, Program,
    Walls,
};

use crate::{CallContext, Place, Returned};

/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox {
    keeper: PathBuf,
    temporary: PathBuf,
    confines: Result<Walls, String>,
}

/// What is run in it.
pub(crate) struct Run {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) stdin: String,
    pub(crate) seconds: u32,
    pub(crate) network: Network,
}

pub(crate) const USUAL_SECONDS: u32 = 60;
pub(crate) const MOST_SECONDS: u32 = 600;

const MIB: u64 = 1 << 20;
const MOST: Most = Most {
    memory_bytes: 1024 * MIB,
    cpu: Duration::from_secs(MOST_SECONDS as u64),
    tasks: 200,
    file_bytes: 1024 * MIB,
    written_bytes: 4096 * MIB,
};
/// Of stdout and stderr each. A model reads less of it.
const OUTPUT_BYTES: usize = 1 << 20;

/// What an agent could not know, and would look for in its own commands.
const UNMARKED: &str = "; it could not change the mode, owner or times of any file by its path, \
    since this machine lets nobody have mounts of their own: chmod and touch are refused, and so \
    git init, tar x, cp -p, venv and what a compiler makes of its output fail";

impl Sandbox {
    /// `keeper` is the program `coterie-keeper`; in `temporary` each use has a
    /// folder for as long as it runs.
    pub fn new(keeper: PathBuf, temporary: PathBuf) -> Self {
        let confines = processes::confines().map_err(|why| why.to_string());
        Sandbox { keeper, temporary, confines }
    }

    /// What confines the programs that are run, or why none is.
    pub fn stands(&self) -> Result<Walls, String> {
        let walls = self.confines.clone()?;
        match self.keeper.is_file() {
            true => Ok(walls),
            false => Err(format!("{} is missing", self.keeper.display())),
        }
    }

    /// Whether programs can change the modes, owners and times of their own files;
    /// `None` where no program can be run to see that.
    pub async fn marks(&self) -> Option<Marks> {
        static LOOKED: AtomicU64 = AtomicU64::new(0);
        self.stands().ok()?;
        let nth = LOOKED.fetch_add(1, Ordering::Relaxed);
        let temporary = self.temporary.join(format!("looked-{nth}"));
        let program = Program {
            program: processes::system_program("true")?.into(),
            arguments: Vec::new(),
            environment: environment(&temporary),
            folder: PathBuf::from("/"),
        };
        let confinement = Confinement {
            machine: processes::system_files(),
            reads: Vec::new(),
            writes: Vec::new(),
            temporary,
            network: Network::None,
            most: MOST,
        };
        let keeper = Keeper(self.keeper.clone());
        let process = Process::confined(&keeper, &program, &confinement).await.ok()?;
        let marks = process.marks();
        process.kill().await;
        Some(marks)
    }

    /// Removes what a process before this one left there. Nobody may run yet.
    pub fn sweep(&self) {
        // What cannot be removed is in nobody's way.
        let _ = std::fs::remove_dir_all(&self.temporary);
    }

    /// What whoever runs something in it needs.
    pub(crate) fn needs(&self, place: &Place) -> Vec<Need> {
        let detail = self.stands().err().unwrap_or_default();
        let met = detail.is_empty();
        vec![place.folder(), Need::new(NeedOf::Sandbox { detail }, met)]
    }

    /// Runs it to its end, and gives what it said and how it went. When the turn is
    /// stopped, everything of it is killed.
    pub(crate) async fn run(&self, run: Run, with: &CallContext) -> Returned {
        if with.stop.is_cancelled() {
            return Returned::stopped();
        }
        tokio::select! {
            biased;
            () = with.stop.cancelled() => Returned::cut_off(),
            ran = self.run_to_the_end(run, with) => ran,
        }
    }

    async fn run_to_the_end(&self, run: Run, with: &CallContext) -> Returned {
        let walls = match self.stands() {
            Ok(walls) => walls,
            Err(why) => return Returned::failed(format!("nothing was run: {why}")),
        };
        let Some(folder) = with.place.roots.first() else {
            return Returned::failed("nothing was run: you have no folder to run it in");
        };
        let temporary = self.temporary.join(with.key.0.simple().to_string());
        let (own, others) = reach(&with.place);
        let confinement = Confinement {
            machine: processes::system_files(),
            reads: others.clone(),
            writes: own,
            temporary: temporary.clone(),
            network: run.network,
            most: MOST,
        };
        let Run { program, arguments, stdin, seconds, network } = run;
        let environment = environment(&temporary);
        let program =
            Program { program: program.into(), arguments, environment, folder: folder.clone() };
        let keeper = Keeper(self.keeper.clone());
        let process = match Process::confined(&keeper, &program, &confinement).await {
            Ok(process) => process,
            Err(error) => return Returned::failed(format!("nothing was run: {error}")),
        };
        let confined = confined(walls, network, process.marks());
        let time = Duration::from_secs(u64::from(seconds));
        let finished =
            process.finish(stdin.as_bytes(), Limits { time, output_bytes: OUTPUT_BYTES }).await;
        told(&finished, time, &others, &confined)
    }
}

/// The folders that a program may change, and those that it may only read: what an
/// agent never changes may lie there, and skills are nobody's to change.
fn reach(place: &Place) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (own, mut others): (Vec<_>, Vec<_>) =
        place.roots.iter().cloned().partition(|root| place.may_change_all_of(root));
    others.extend(place.skills.iter().cloned());
    (own, others)
}

fn environment(temporary: &Path) -> Vec<(OsString, OsString)> {
    let path = std::env::join_paths(processes::program_folders()).unwrap_or_default();
    let temporary = temporary.as_os_str();
    [
        ("PATH", path.as_os_str()),
        ("HOME", temporary),
        ("TMPDIR", temporary),
        ("LANG", "C.UTF-8".as_ref()),
        ("TERM", "dumb".as_ref()),
    ]
    .map(|(name, value)| (name.into(), value.to_owned()))
    .into()
}

/// What it could reach and do.
fn confined(walls: Walls, network: Network, marks: Marks) -> String {
    let network = match network {
        Network::None => "no network",
        Network::Whole => "the network",
    };
    let left = match walls {
        Walls::Landlock => "nothing left in the background",
        Walls::Seatbelt => "nothing of its process group left in the background",
    };
    let marks = match marks {
        Marks::Own => "",
        Marks::None => UNMARKED,
    };
    format!(
        "it ran confined: your folders and a temporary one that is gone now, the programs of the \
         machine, {network}, {left}{marks}"
    )
}

fn told(finished: &Finished, time: Duration, only_read: &[PathBuf], confined: &str) -> Returned {
    let Finished { ended, stdout, stderr } = finished;
    let how = match ended {
        None => format!("killed: it took longer than {} s", time.as_secs()),
        Some(ended) => ended.to_string(),
    };
    let mut text = format!("{how}\n");
    for (name, output) in [("stdout", stdout), ("stderr", stderr)] {
        text.push_str(&section(name, output));
    }
    text.push_str(&format!("[{confined}]"));
    if !only_read.is_empty() {
        let folders: Vec<_> = only_read.iter().map(|path| path.display().to_string()).collect();
        text.push_str(&format!("\n[it could read and not change: {}]", folders.join(", ")));
    }
    let returned = match ended.is_some_and(Ended::well) {
        true => Returned::ok(text),
        false => Returned::failed(text),
    };
    returned.foreign()
}

fn section(name: &str, output: &Captured) -> String {
    let text = output.text();
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    match text.is_empty() {
        true => format!("[no {name}]\n"),
        false => format!("[{name}]\n{text}{end}"),
    }
}
