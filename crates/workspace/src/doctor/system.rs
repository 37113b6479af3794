//! What the system is, and whether it confines what agents run.

use super::found::{degraded, ok};
use crate::shared::Shared;
use domain::{Check, CheckAbout, Finding};
use processes::{Marks, Walls};
use std::sync::Arc;

/// Whoever meets something strange there shall know that nobody was there before.
pub(super) fn untried(system: &str) -> Option<Check> {
    let system = match system {
        "linux" => return None,
        "macos" => "macOS",
        "windows" => "Windows",
        other => other,
    };
    let told = format!("Coterie compiles for {system}, and its makers never ran it there");
    Some(ok(CheckAbout::System, told, Finding::SystemUntried { system: system.to_owned() }))
}

/// Whether agents can run programs: never unconfined.
pub(super) async fn sandbox(shared: &Arc<Shared>) -> Check {
    const ABOUT: CheckAbout = CheckAbout::Sandbox;
    if !shared.places.keeper.is_file() {
        let path = shared.places.keeper.display().to_string();
        let told = format!("{path} is missing: agents cannot run programs");
        let again = "install Coterie again, or run make assets";
        return degraded(ABOUT, told, again, Finding::PartMissing { path });
    }
    match shared.sandbox.stands() {
        Ok(Walls::Landlock) if shared.sandbox.marks().await == Some(Marks::None) => degraded(
            ABOUT,
            "programs of agents are confined, and cannot change the mode or the times of any file: \
             git init, tar x, cp -p and compilers fail"
                .to_owned(),
            "let programs make user namespaces: docs/tools.md says how on Ubuntu",
            Finding::ConfinesWithoutMarks,
        ),
        Ok(Walls::Landlock) => {
            ok(ABOUT, "programs of agents are confined".to_owned(), Finding::Confines)
        }
        Ok(Walls::Seatbelt) => ok(
            ABOUT,
            "programs of agents are confined by sandbox-exec, which held when it was tried at this \
             start; who leaves a program's group is neither limited nor ended with it"
                .to_owned(),
            Finding::ConfinesOnMac,
        ),
        Err(detail) => degraded(
            ABOUT,
            format!("agents cannot run programs, since nothing confines them here: {detail}"),
            "use Linux 6.12 or newer with Landlock, or macOS; until then agents are not offered shell and run_code",
            Finding::Unconfined { detail },
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nobody_ran_it_before_that_is_said() {
        let told = |system: &str| untried(system).map(|check| (check.name, check.detail));
        let never = |system: &str| {
            format!("Coterie compiles for {system}, and its makers never ran it there")
        };
        assert_eq!(told("linux"), None);
        assert_eq!(told("macos"), Some(("system".into(), never("macOS"))));
        assert_eq!(told("windows"), Some(("system".into(), never("Windows"))));
    }
}
