//! `soul_propose`: says how a section of the agent's own soul should read. A person
//! decides; the agent writes no soul.

use super::{Act, Ground};
use crate::proposals::{self, Wish};
use crate::shared::Shared;
use domain::{Effects, Fault, ProposalId};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use tools::{CallContext, Returned, Tool};
use uuid::Uuid;

/// Proposes another text for one section of your soul, which says who you are. The person
/// reads it beside the text that stands there, and approves or declines it; until then
/// nothing changes. Propose what should hold from now on, when they want you otherwise.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The words of the section's heading; empty for what your soul begins with. Another
    /// name makes a new section.
    section: String,
    /// All that is to stand in the section, without its heading and without others.
    text: String,
    /// Why, in one sentence for the person.
    why: String,
}

pub(crate) fn tool(ground: Ground) -> impl Tool {
    // With the same key it is the same proposal.
    Act::new("soul_propose", Effects::Repeatable, ground, |shared, input, with| {
        propose(shared, input, with).boxed()
    })
}

async fn propose(shared: Arc<Shared>, input: Input, with: CallContext) -> Result<Returned, Fault> {
    let Input { section, text, why } = input;
    let id = ProposalId(Uuid::new_v5(&with.key.0, b"proposal"));
    let wish = Wish { id, run: with.run, section, text, why };
    Ok(match proposals::propose(&shared, wish).await? {
        Ok(()) => Returned::ok("proposed; your soul is as it was until the person says yes"),
        Err(refusal) => Returned::failed(refusal),
    })
}
