//! What a soul's `policy` says of its agent's runs: how far one goes, whom it gives tasks
//! to, and what it asks about first.
//!
//! A policy makes an agent more careful than the workspace is, never less: a soul may come
//! from anywhere, and what asks the person first is not for it to say otherwise.

use super::front::{Findings, list, map, truth, whole, wrong};
use super::nearest::distance;
use super::yaml::{Field, Value};
use domain::{SoulForm, SoulMistake};
use serde_json::{Map, Value as Json};
use tools::fits;

pub(crate) const HIGH_RISK_TOOLS: &str = "high_risk_tools";
const ASKS: &str = "require_approval_for_high_risk";
pub(super) const KEYS: [&str; 9] = [
    "max_iterations",
    "max_replan_attempts",
    "parallel_tools",
    "delegation",
    "max_depth",
    "max_children",
    HIGH_RISK_TOOLS,
    ASKS,
    "approval_timeout",
];
/// More than a person reads of one turn.
const MOST_ITERATIONS: u32 = 1_000;
const MOST_REPLANS: u32 = 100;
const MOST_DEPTH: u32 = 10;
const MOST_CHILDREN: u32 = 50;
/// A day, in seconds.
const LONGEST_WAIT: u32 = 24 * 60 * 60;

/// `None` where it says nothing, and the default or the workspace's setting holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    pub max_iterations: Option<u32>,
    pub max_replan_attempts: Option<u32>,
    pub parallel_tools: Option<bool>,
    /// Whether it gives tasks to others at all.
    pub delegation: Option<bool>,
    /// Generations of children below it.
    pub max_depth: Option<u32>,
    /// Children at a time.
    pub max_children: Option<u32>,
    pub asks: Asks,
}

/// When an agent asks the person beyond what everybody asks about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asks {
    /// Before each use of these; `*` in a name stands for any signs.
    about: Vec<String>,
    /// Seconds until no answer is no.
    pub timeout: Option<u32>,
}

impl Asks {
    pub(crate) fn about(&self, tool: &str) -> bool {
        self.about.iter().any(|pattern| fits(pattern, tool))
    }
}

impl Policy {
    /// Of a soul that was found to be right.
    pub(crate) fn of(said: Option<&Map<String, Json>>) -> Policy {
        let Some(said) = said else { return Policy::default() };
        let number = |key| said.get(key)?.as_u64().and_then(|number| u32::try_from(number).ok());
        let truth = |key: &str| said.get(key)?.as_bool();
        let names = said.get(HIGH_RISK_TOOLS).and_then(Json::as_array);
        let names = names.into_iter().flatten().filter_map(Json::as_str);
        Policy {
            max_iterations: number("max_iterations"),
            max_replan_attempts: number("max_replan_attempts"),
            parallel_tools: truth("parallel_tools"),
            delegation: truth("delegation"),
            max_depth: number("max_depth"),
            max_children: number("max_children"),
            asks: Asks {
                about: names.map(|name| name.trim().to_owned()).collect(),
                timeout: number("approval_timeout"),
            },
        }
    }
}

/// Reads it as it is written. A limit that cannot be read must not pass for one that is not
/// there.
pub(super) fn read(field: &Field, findings: &mut Findings) -> Option<Map<String, Json>> {
    let Value::Map(said) = &field.node.value else {
        findings.errors.push(wrong(field, SoulForm::Block));
        return None;
    };
    for one in said.iter().filter(|one| !matches!(one.node.value, Value::Nothing)) {
        check(one, findings);
    }
    map(field).ok()
}

fn check(one: &Field, findings: &mut Findings) {
    let number = |from, to| whole(one, from, to).map(drop);
    let checked = match one.key.as_str() {
        "max_iterations" => number(1, MOST_ITERATIONS),
        "max_replan_attempts" => number(0, MOST_REPLANS),
        "max_depth" => number(0, MOST_DEPTH),
        "max_children" => number(0, MOST_CHILDREN),
        "approval_timeout" => number(1, LONGEST_WAIT),
        "parallel_tools" | "delegation" => truth(one).map(drop),
        HIGH_RISK_TOOLS => list(one).map(drop),
        ASKS => truth(one).map(|asks| {
            if !asks {
                findings.warnings.push(one.place.problem(SoulMistake::PolicyAsksAnyway));
            }
        }),
        // Fields of their own.
        "temperature" | "max_tokens" | "plan" => {
            let mistake = SoulMistake::PolicyIdle { field: one.key.clone() };
            findings.warnings.push(one.place.problem(mistake));
            Ok(())
        }
        _ => {
            findings.warnings.push(one.place.problem(unknown(&one.key)));
            Ok(())
        }
    };
    findings.errors.extend(checked.err());
}

fn unknown(key: &str) -> SoulMistake {
    let near = KEYS.iter().find(|known| distance(known, key) <= 2);
    let known = near.map_or_else(|| KEYS.join(", "), |near| (*near).to_owned());
    SoulMistake::PolicyUnknown { field: key.to_owned(), known }
}
