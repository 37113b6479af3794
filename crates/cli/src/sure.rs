//! Asks before something goes for ever. A program has to say that it means it.

use crate::{unseen, visible};
use domain::{Fault, FaultCode};
use std::io::{self, BufRead, Write};

/// Fails where a person does not say yes, or nobody is there to be asked.
pub(crate) fn sure(question: &str) -> Result<(), Fault> {
    let refused = |message: &str, fix: &str| Err(Fault::new(FaultCode::Refused, message, fix));
    if !unseen::somebody_types() {
        return refused(
            "what is forgotten cannot be brought back, and nobody is there to be asked",
            "say that you mean it: --yes",
        );
    }
    // Whoever cannot read the question does not answer it either.
    let _ = write!(io::stderr(), "{} [y/N] ", visible::lines(question));
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => refused("it was not forgotten", "answer y, or say --yes"),
    }
}
