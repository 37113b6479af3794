//! The program `coterie-keeper`: starts one program, and sees to it that
//! nothing of it is left when it ends or when whoever wanted it is gone.
//!
//! `coterie-keeper [CONFINEMENT…] -- PROGRAM [ARGUMENT…]`, with its stdin,
//! stdout, stderr, environment and folder for the program, and a socket as
//! file 3. `confinement` says how a program is confined.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(unix)]
#[path = "../confinement.rs"]
#[allow(unreachable_pub, reason = "the library gives it away")]
mod confinement;
#[cfg(target_os = "linux")]
mod family;
#[cfg(target_os = "linux")]
mod folder;
#[cfg(target_os = "macos")]
mod held;
#[cfg(unix)]
mod keep;
#[cfg(target_os = "macos")]
#[path = "../seatbelt.rs"]
mod seatbelt;
#[cfg(target_os = "linux")]
#[path = "../share.rs"]
mod share;
#[cfg(unix)]
mod temporary;
#[cfg(target_os = "linux")]
mod view;
#[cfg(target_os = "linux")]
#[path = "../walls.rs"]
mod walls;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(unix)]
#[path = "../words.rs"]
mod words;
#[cfg(target_os = "linux")]
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(unix)]
    if keep::keep().is_ok() {
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}
