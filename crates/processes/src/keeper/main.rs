//! The program `coterie-keeper`: starts one program, and sees to it that
//! nothing of it is left when it ends or when whoever wanted it is gone.
//!
//! `coterie-keeper PROGRAM [ARGUMENT…]`, with its stdin, stdout, stderr,
//! environment and folder for the program, and a socket as file 3.

#[cfg(unix)]
mod keep;
#[cfg(unix)]
#[path = "../words.rs"]
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(unix)]
    if keep::keep().is_ok() {
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}
