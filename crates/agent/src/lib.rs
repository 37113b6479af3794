//! One run of one agent: ask the model, use tools, and say what came of it.
//!
//! Knows no database, no group and no screen. What it is to think about
//! arrives as a [`Brief`]; what happens on the way goes to a [`Journal`]; each
//! tool call passes a [`Gate`]; what came of it all is a [`Said`]. Waiting and
//! deciding are apart: `run`, `planner`, `listen` and `act` wait; `speech`
//! decides what of a model's words is the agent's own, `spoken` keeps what it says
//! beside calls, `several` decides whether a request is worth a plan, and `plan` what
//! a plan is and in which order it is carried out.

mod act;
mod brief;
mod capability;
mod fallback;
mod listen;
mod plan;
mod planner;
mod run;
mod several;
mod speech;
mod spoken;

#[cfg(test)]
mod tests;

pub use brief::{
    Brief, Gate, Hands, Journal, Line, Minds, Open, Permission, PlanNext, Planned, Proposed,
    Unanswered,
};
pub use listen::Ended;
pub use plan::loose_json;
pub use planner::HOW_TO_PLAN;
pub use run::{Said, run};
pub use speech::{Speech, behind_pass, beside_pass, in_anothers_name, in_own_name, passes};
pub use spoken::{BETWEEN, Spoken};
