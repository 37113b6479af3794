//! Whether a use may begin now: decided in the transaction that begins it.

use super::holder::Holder;
use super::{At, Use, close, end, is_blocked};
use crate::waits;
use domain::{Approval, ApprovalState, CallId, CallState, Fault, Grant, Run, StepKind};
use store::table::{approvals, grants, settings, steps};
use store::{Read, StoreError, Write};

pub(crate) enum Permit {
    Yes,
    /// It is not made; the model reads this.
    No(CallState, &'static str),
    /// The person is asked, and has until then.
    Wait {
        until_ms: i64,
    },
}

/// What a person has said so far about a use.
enum Said {
    /// It is not risky.
    Unneeded,
    Blocked,
    Allowed(Approval),
    Granted(Grant),
    Denied,
    Expired,
    /// Nothing yet, to this question.
    Waits(Approval),
    Nothing,
}

fn said(read: &Read<'_>, run: &Run, call: CallId, wanted: &Use) -> Result<Said, StoreError> {
    if is_blocked(read, At::of(run), wanted)? {
        return Ok(Said::Blocked);
    }
    if !wanted.is_risky() {
        return Ok(Said::Unneeded);
    }
    let binding = wanted.binding();
    if let Some(earlier) = approvals::find(read, call)?.filter(|one| one.binding == binding) {
        match earlier.state {
            ApprovalState::Waiting => return Ok(Said::Waits(earlier)),
            ApprovalState::Allowed | ApprovalState::Used => return Ok(Said::Allowed(earlier)),
            ApprovalState::Denied => return Ok(Said::Denied),
            ApprovalState::Expired => return Ok(Said::Expired),
            // Its turn went on without it and wants it again now; or a permission was to
            // answer it, if that still stands.
            ApprovalState::Withdrawn | ApprovalState::Covered => {}
        }
    }
    let own = Holder::of(read, run.agent, run.group)?.grants(read, &wanted.tool)?;
    let grant = own.into_iter().find(|grant| wanted.is_covered_by(grant));
    Ok(grant.map_or(Said::Nothing, Said::Granted))
}

/// Whether it may begin without another word.
pub(crate) fn is_permitted(
    read: &Read<'_>,
    run: &Run,
    call: CallId,
    wanted: &Use,
) -> Result<bool, StoreError> {
    let said = said(read, run, call, wanted)?;
    Ok(matches!(said, Said::Unneeded | Said::Allowed(_) | Said::Granted(_)))
}

/// `asked` says whether this try of the turn has said before that it waits.
pub(crate) fn permit(
    write: &mut Write<'_>,
    run: &Run,
    call: CallId,
    wanted: &Use,
    asked: bool,
    now: i64,
) -> Result<Permit, Fault> {
    match said(write, run, call, wanted)? {
        Said::Unneeded => Ok(Permit::Yes),
        Said::Blocked => blocked(write, call, now),
        Said::Allowed(approval) => {
            end(write, approval, ApprovalState::Used, now)?;
            Ok(Permit::Yes)
        }
        Said::Granted(grant) => {
            let used = Grant { used_ms: Some(now), uses: grant.uses.saturating_add(1), ..grant };
            grants::put(write, &used)?;
            let covered = |asked: &Approval| asked.state == ApprovalState::Covered;
            if let Some(asked) = approvals::find(write, call)?.filter(covered) {
                end(write, asked, ApprovalState::Used, now)?;
            }
            steps::add(write, run.id, &StepKind::Granted { call, grant: used.id }, now)?;
            Ok(Permit::Yes)
        }
        Said::Denied => Ok(Permit::No(CallState::Denied, DENIED)),
        Said::Expired => Ok(Permit::No(CallState::Expired, EXPIRED)),
        Said::Waits(question) if now < question.expires_ms => {
            // A later try of the turn asks now.
            let question = Approval { run: run.id, ..question };
            if !asked {
                approvals::put(write, &question)?;
            }
            wait(write, run, &question, asked, now)
        }
        Said::Waits(question) => {
            close(write, question, ApprovalState::Expired, now)?;
            Ok(Permit::No(CallState::Expired, EXPIRED))
        }
        Said::Nothing => ask(write, run, call, wanted, now),
    }
}

fn ask(
    write: &mut Write<'_>,
    run: &Run,
    call: CallId,
    wanted: &Use,
    now: i64,
) -> Result<Permit, Fault> {
    // Each a moment after the one before it: they are read in the order in which they are done.
    let before = approvals::open_of(write, run.agent, Some(run.group))?;
    let before = before.iter().filter(|one| one.run == run.id).map(|one| one.asked_ms + 1).max();
    let waits_ms = match wanted.timeout {
        Some(seconds) => i64::from(seconds) * SECOND_MS,
        None => i64::from(settings::get(write)?.approvals.minutes) * 60 * SECOND_MS,
    };
    let question = Approval {
        call,
        run: run.id,
        agent: run.agent,
        group: run.group,
        tool: wanted.tool.clone(),
        arguments: wanted.arguments.clone(),
        target: wanted.stakes.target.clone(),
        like: wanted.stakes.like.clone(),
        binding: wanted.binding(),
        state: ApprovalState::Waiting,
        asked_ms: before.map_or(now, |before| before.max(now)),
        expires_ms: now + waits_ms,
        answered_ms: None,
    };
    approvals::put(write, &question)?;
    wait(write, run, &question, false, now)
}

const SECOND_MS: i64 = 1_000;

/// What a model reads about what never happens.
const BLOCKED: &str =
    "blocked: the person has put this on the list of what no agent does; do not try it another way";
const DENIED: &str = "the person said no: this was not done; do not try it another way";
const EXPIRED: &str = "nobody answered in time whether this may be done, so it was not done";

fn wait(
    write: &mut Write<'_>,
    run: &Run,
    question: &Approval,
    asked: bool,
    now: i64,
) -> Result<Permit, Fault> {
    let Approval { call, expires_ms, .. } = *question;
    if !asked {
        steps::add(write, run.id, &StepKind::ApprovalAsked { call, expires_ms }, now)?;
    }
    waits::begin(write, run.agent, now)?;
    Ok(Permit::Wait { until_ms: expires_ms })
}

/// A question about it that was asked before has its answer by that.
fn blocked(write: &mut Write<'_>, call: CallId, now: i64) -> Result<Permit, Fault> {
    if let Some(asked) = approvals::find(write, call)?.filter(|asked| asked.state.is_open()) {
        close(write, asked, ApprovalState::Denied, now)?;
    }
    Ok(Permit::No(CallState::Blocked, BLOCKED))
}
