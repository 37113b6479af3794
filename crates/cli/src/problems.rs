//! What is wrong with the text of a soul or a skill, each with its place.

use crate::screen::{Failure, Screen};
use crate::visible;
use domain::{Fault, SoulProblem};

pub(crate) fn place(path: &str, kind: &str, problem: &SoulProblem) -> String {
    let SoulProblem { line, column, message, .. } = problem;
    visible::line(&format!("{path}:{line}:{column}: {kind}{message}"))
}

/// All that was found in a file. With errors it is `invalid`: *ada.md is not a valid soul*.
pub(crate) fn tell(
    screen: &Screen,
    file: &str,
    (errors, warnings): (&[SoulProblem], &[SoulProblem]),
    invalid: String,
) -> Result<(), Failure> {
    let plain = || {
        let errors = errors.iter().map(|problem| place(file, "", problem) + "\n");
        let warnings = warnings.iter().map(|problem| place(file, "warning: ", problem) + "\n");
        errors.chain(warnings).collect::<String>()
    };
    let all: Vec<&SoulProblem> = errors.iter().chain(warnings).collect();
    if errors.is_empty() {
        screen.many(&all, |_| plain());
        return Ok(());
    }
    if screen.is_plain() {
        screen.text(&plain());
    }
    let fault = Fault::bad_input(invalid, "correct what is listed and check again");
    Err(Failure::found(fault, &all))
}
