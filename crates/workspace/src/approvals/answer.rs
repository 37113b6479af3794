//! What the person says to a question, and what they take back.

use super::binding::{self, Use};
use super::close;
use super::holder::Holder;
use crate::shared::Shared;
use domain::{
    Approval, ApprovalState, CallId, Consent, Covers, Fault, FaultCode, FaultKind, Grant, GrantId,
};
use std::sync::Arc;
use store::table::{approvals, grants};
use store::{Durability, Write};
use tools::fits;
use uuid::Uuid;

/// The answer stands on the disk before anything comes of it. One that comes too
/// late changes nothing.
pub(crate) async fn answer(
    shared: &Arc<Shared>,
    call: CallId,
    binding: String,
    consent: Consent,
    covers: Option<Covers>,
) -> Result<Approval, Fault> {
    let now = shared.now_ms();
    let schema = |name: &str| shared.tools().get(name).map(|tool| binding::schema(&**tool));
    let schema = {
        let approval = shared.store.read(|read| approvals::find(read, call))?;
        approval.and_then(|approval| schema(&approval.tool))
    };
    let answered = shared
        .store
        .write(Durability::Power, move |write| {
            let Some(approval) = approvals::find(write, call)? else {
                return Err(Fault::not_found(
                    format!("nobody asks about the use {call}"),
                    "look under Approvals, or with coterie approval list, what is asked",
                ));
            };
            if approval.binding != binding {
                return Err(changed("what is asked has changed since you looked"));
            }
            if approval.state == ApprovalState::Waiting && now >= approval.expires_ms {
                // It has to stand, so it is no error in here.
                close(write, approval, ApprovalState::Expired, now)?;
                return Ok(Err(over(ApprovalState::Expired)));
            }
            // What was allowed and has not begun can still be taken back.
            let takes_back = consent == Consent::Deny && approval.state.is_open();
            if approval.state != ApprovalState::Waiting && !takes_back {
                return Err(over(approval.state));
            }
            if consent == Consent::Once
                && let Some(fault) = is_another(&approval, schema.as_deref())
            {
                // It would not be done. Who asked learns so at once, and asks about it as it
                // is now where that is possible: so this has to stand, too.
                close(write, approval, ApprovalState::Withdrawn, now)?;
                return Ok(Err(fault));
            }
            let always = match consent {
                Consent::Deny | Consent::Once => None,
                Consent::Session => Some(false),
                Consent::Always => Some(true),
            };
            let given = match always {
                Some(always) => Some(give(write, &approval, covers, always, schema, now)?),
                None => None,
            };
            let state = match consent {
                Consent::Deny => ApprovalState::Denied,
                Consent::Once => ApprovalState::Allowed,
                // Whoever takes the permission back before it begins means this use too.
                Consent::Session | Consent::Always => ApprovalState::Covered,
            };
            let answered = Approval { state, answered_ms: Some(now), ..approval };
            close(write, answered.clone(), state, now)?;
            if let Some(grant) = given {
                answer_alike(write, &grant, now)?;
            }
            Ok(Ok(answered))
        })
        .await??;
    fail::fail_point!("approval.answered");
    Ok(answered)
}

fn changed(message: impl Into<String>) -> Fault {
    let fix = "look again, and answer what is asked now";
    Fault::new(FaultCode::Conflict, message, fix).of(FaultKind::ApprovalChanged)
}

fn over(state: ApprovalState) -> Fault {
    let message = match state {
        ApprovalState::Expired => "the answer came too late: nobody answered in time, which is no",
        ApprovalState::Withdrawn => "the answer came too late: the turn that asked has ended",
        ApprovalState::Waiting
        | ApprovalState::Allowed
        | ApprovalState::Covered
        | ApprovalState::Used
        | ApprovalState::Denied => "this has been answered already",
    };
    Fault::new(FaultCode::Refused, message, "ask the agent again if it is still to be done")
        .of(FaultKind::ApprovalOver { how: state })
}

/// Why the tool of this schema, if there is one, is not the one that was asked about.
fn is_another(approval: &Approval, schema: Option<&str>) -> Option<Fault> {
    let Some(schema) = schema else {
        let gone = format!("there is no tool {} any more", approval.tool);
        return Some(Fault::not_found(gone, "ask the agent again once it is there"));
    };
    let is_it = Use::as_asked(approval, schema).is_some();
    (!is_it).then(|| {
        changed(format!("{} is not the tool any more that was asked about", approval.tool))
    })
}

fn give(
    write: &mut Write<'_>,
    approval: &Approval,
    covers: Option<Covers>,
    always: bool,
    schema: Option<String>,
    now: i64,
) -> Result<Grant, Fault> {
    // What holds from now on is for the tool that was shown, and not for what its server
    // has made of it since.
    if let Some(fault) = is_another(approval, schema.as_deref()) {
        return Err(fault);
    }
    let schema = schema.unwrap_or_default();
    let arguments = || Covers::Arguments { arguments: approval.arguments.clone() };
    let covers = match (covers, &approval.target) {
        // Whatever came with the answer: it is for what was asked.
        (None | Some(Covers::Same { .. }), Some(target)) => Covers::Same { target: target.clone() },
        (None | Some(Covers::Same { .. }), None) => arguments(),
        (Some(Covers::Arguments { .. }), _) => arguments(),
        (Some(Covers::Target { pattern }), Some(target)) if pattern == *target => {
            Covers::Same { target: pattern }
        }
        (Some(Covers::AnyUse), _) => Covers::AnyUse,
        (Some(Covers::Target { pattern }), Some(target)) if fits(&pattern, target) => {
            Covers::Target { pattern }
        }
        (Some(Covers::Target { pattern }), _) => {
            return Err(Fault::bad_input(
                format!("{pattern:?} does not fit what is asked"),
                "give a pattern that the target fits; * stands for any signs",
            )
            .of(FaultKind::PatternMisfit { pattern }));
        }
    };
    let Holder { agent, group, soul } = Holder::of(write, approval.agent, approval.group)?;
    let grant = Grant {
        id: GrantId(Uuid::now_v7()),
        agent,
        group,
        soul,
        tool: approval.tool.clone(),
        covers,
        always,
        schema,
        at_ms: now,
        used_ms: None,
        uses: 0,
    };
    grants::put(write, &grant)?;
    Ok(grant)
}

/// What else waits and would not have been asked about, had this been allowed before:
/// nobody is asked twice, as long as the permission stands when each of them begins.
fn answer_alike(write: &mut Write<'_>, grant: &Grant, now: i64) -> Result<(), Fault> {
    for other in super::waiting(write, now)? {
        let is_alike =
            Use::as_asked(&other, &grant.schema).is_some_and(|wanted| wanted.is_covered_by(grant));
        if is_alike && Holder::of(write, other.agent, other.group)?.has(grant) {
            close(write, other, ApprovalState::Covered, now)?;
        }
    }
    Ok(())
}

pub(crate) async fn revoke(shared: &Arc<Shared>, grant: GrantId) -> Result<(), Fault> {
    shared
        .store
        .write(Durability::Power, move |write| Ok::<_, Fault>(grants::remove(write, grant)?))
        .await
}
