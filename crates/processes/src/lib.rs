//! Child processes that never outlive us, with everything that they start.
//!
//! A program is not started by us but by `coterie-keeper`, a tiny process of
//! its own. The keeper is the parent of the program, takes in whatever the
//! program's own children leave behind, and holds one end of a socket whose
//! other end is ours. When the program ends, when we ask, or when the socket
//! closes because we are gone, however that came about, the keeper kills until
//! nobody is left and then ends too.
//!
//! On Linux that reaches also those who began a session of their own. Elsewhere
//! on Unix it reaches the process group, and on Windows a job object does all
//! of this without a keeper. The one was never run by us, the other under Wine.
//!
//! A program may also be confined: to some files, without the network, with
//! so much memory and time. On Linux that is done by Landlock, seccomp and, where
//! the machine lets it, mounts of its own; the keeper puts them on before the program
//! begins, and watches what all that it started take together. On macOS the walls are Apple's, and limits hold for
//! those who stay in the program's group; on Windows nothing confines.

mod capture;
mod confinement;
mod ended;
mod log;
mod process;
mod program;
#[cfg(any(target_os = "macos", all(test, unix)))]
mod seatbelt;
#[cfg(target_os = "linux")]
mod share;
mod system;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "macos")]
mod tried;
#[cfg(target_os = "linux")]
mod walls;
#[cfg(unix)]
mod words;

pub use capture::{Captured, Finished, Limits};
pub use confinement::{Confinement, Marks, Most, Network, Resource};
pub use ended::Ended;
pub use log::Log;
pub use process::{Meter, Patience, Process};
pub use program::{INHERITED, Keeper, Program, StartError, Unconfined, Walls, confines, inherited};
pub use system::{program_folders, system_files, system_program};
