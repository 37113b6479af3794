//! Where somebody stands who waits for a model.

use crate::names::Names;
use crate::words;
use domain::{AgentId, Waiting};

/// Up to here every change of a place is told, so that it is exact.
const EXACT: u32 = 20;

/// To follow a name or a colon.
pub(crate) fn told(waiting: &Waiting, names: &Names) -> String {
    let place = place(waiting.position);
    match waiting.budget {
        None => format!("waiting for a model, {place}"),
        Some(scope) => {
            let budget = words::budget(scope, |agent| names.agent_name(agent));
            format!("waiting until calls in progress give back some of {budget}, {place}")
        }
    }
}

/// Where the agent waits, if it does.
pub(crate) fn of_agent(agent: AgentId, names: &Names) -> Option<String> {
    let overview = &names.overview;
    let run = overview.open_runs.iter().filter(|run| run.agent == agent);
    let mut waiting = run.flat_map(|run| overview.waiting.iter().filter(|one| one.run == run.id));
    waiting.next().map(|waiting| told(waiting, names))
}

fn place(position: u32) -> String {
    let ending = match (position % 100, position % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    match position {
        0 | 1 => "next in line".to_owned(),
        2..=EXACT => format!("{position}{ending} in line"),
        _ => format!("about {position}{ending} in line"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_line_is_said_as_people_say_it() {
        let said = [1, 2, 3, 4, 11, 12, 13, 20, 21, 112, 122].map(place);
        let expected = [
            "next in line",
            "2nd in line",
            "3rd in line",
            "4th in line",
            "11th in line",
            "12th in line",
            "13th in line",
            "20th in line",
            "about 21st in line",
            "about 112th in line",
            "about 122nd in line",
        ];
        assert_eq!(said, expected);
    }
}
