//! What nobody may see: typed without echo, or taken from standard input; never
//! from the command line, which everybody on the machine can read.

use crate::screen::Failure;
use domain::{Fault, Secret};
use std::io::{self, BufRead, IsTerminal, Read};

/// Whether there is a person to be asked.
pub(crate) fn somebody_types() -> bool {
    io::stdin().is_terminal()
}

/// One line.
pub(crate) fn line(prompt: &str) -> Result<Secret, Failure> {
    if somebody_types() {
        return typed(prompt);
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| unread(&error))?;
    given(line.trim_end_matches(['\r', '\n']))
}

/// A line of a person, or everything there is: a key may have several lines.
pub(crate) fn all(prompt: &str) -> Result<Secret, Failure> {
    if somebody_types() {
        return typed(prompt);
    }
    let mut all = String::new();
    io::stdin().lock().read_to_string(&mut all).map_err(|error| unread(&error))?;
    given(all.trim())
}

/// A person types it twice.
pub(crate) fn new_passphrase() -> Result<Secret, Failure> {
    let passphrase = line("New passphrase, at least eight characters: ")?;
    if somebody_types() && line("The same again: ")? != passphrase {
        let fault = Fault::bad_input("the two passphrases differ", "type the same one twice");
        return Err(fault.into());
    }
    Ok(passphrase)
}

fn typed(prompt: &str) -> Result<Secret, Failure> {
    let typed = rpassword::prompt_password(prompt).map_err(|error| unread(&error))?;
    given(&typed)
}

fn given(text: &str) -> Result<Secret, Failure> {
    if text.is_empty() {
        let fix = "type it when you are asked, or pass it on standard input";
        return Err(Fault::bad_input("nothing was entered", fix).into());
    }
    Ok(Secret::new(text))
}

fn unread(error: &io::Error) -> Failure {
    Failure::from(Fault::bad_input(
        format!("read what was entered: {error}"),
        "type it when you are asked, or pass it on standard input as text",
    ))
}
