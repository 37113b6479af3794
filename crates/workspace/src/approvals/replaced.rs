//! What a use that a person is asked about would take the place of.

use crate::shared::Shared;
use crate::stand;
use domain::{CallId, Fault, FaultCode};
use std::sync::Arc;
use store::table::{agents, approvals};

/// As it stands now: that is what it would replace.
pub(crate) async fn replaced(shared: &Arc<Shared>, call: CallId) -> Result<Option<String>, Fault> {
    let with = shared.clone();
    let looked = tokio::task::spawn_blocking(move || look(&with, call)).await;
    looked.unwrap_or_else(|_| {
        let fix = "look again; if it stays so, tell us";
        Err(Fault::new(FaultCode::Internal, "looking at what is replaced broke off", fix))
    })
}

fn look(shared: &Shared, call: CallId) -> Result<Option<String>, Fault> {
    let found = shared.store.read(|read| -> Result<_, Fault> {
        let Some(asked) = approvals::find(read, call)? else { return Ok(None) };
        let agent = agents::get(read, asked.agent)?;
        let soul = shared.souls.worn(&agent);
        let place = stand::hands_of(read, shared, &agent, &soul)?.place;
        Ok(Some((asked, place)))
    })?;
    let Some((asked, place)) = found else {
        let fix = "look at the list of what waits for you";
        return Err(Fault::not_found("nobody was asked about this use", fix));
    };
    let tools = shared.tools();
    Ok(tools.get(&asked.tool).and_then(|tool| tool.replaces(&asked.arguments, &place)))
}
