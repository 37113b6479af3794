//! Starts the window.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::io::Write;
use std::process::ExitCode;

/// What many short turns free goes back to the system: glibc's arenas keep a
/// quarter of it for good.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match coterie_desktop::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If nobody reads it, there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "coterie-desktop: {error:#}");
            ExitCode::FAILURE
        }
    }
}
