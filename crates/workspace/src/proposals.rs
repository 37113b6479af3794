//! What agents propose for their souls, and what a person says to it.
//!
//! An agent writes no soul: it says how a section should read, and a person has it
//! written through the same door as the editor's. Nothing that anybody says in a
//! conversation answers a proposal, only the two commands here do.

use crate::shared::Shared;
use crate::souls::sections::{self, Unfit};
use crate::{acts, groups, keeper, memory, post, stand};
use domain::{
    Agent, AgentState, Fault, FaultCode, FaultKind, GroupId, GroupKind, Notice, ProposalId,
    ProposalState, RunId, Soul, SoulProposal, SoulSource, SoulStanding,
};
use std::sync::Arc;
use store::table::{agents, groups as group_table, runs, settings, soul_proposals};
use store::{Durability, Read, StoreError, Write};

/// More at once nobody reads with care.
const MOST_WAITING: usize = 5;
const LONGEST_NAME: usize = 80;
const LONGEST_TEXT: usize = 8_000;
const LONGEST_WHY: usize = 500;

/// What an agent would have otherwise.
pub(crate) struct Wish {
    /// Making it twice is making it once.
    pub id: ProposalId,
    pub run: RunId,
    pub section: String,
    pub text: String,
    pub why: String,
}

/// Puts it before the person; or why not, in words for the agent.
pub(crate) async fn propose(shared: &Arc<Shared>, wish: Wish) -> Result<Result<(), String>, Fault> {
    let (beside, now) = (shared.clone(), shared.now_ms());
    let put = move |write: &mut Write<'_>| {
        if soul_proposals::find(write, wish.id)?.is_some() {
            return Ok(Ok(()));
        }
        let proposal = match drawn_up(write, &beside, wish, now)? {
            Ok(proposal) => proposal,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let waiting = soul_proposals::waiting(write)?.into_iter();
        let (same, others): (Vec<_>, Vec<_>) = waiting
            .filter(|other| other.soul == proposal.soul)
            .partition(|other| other.section == proposal.section);
        if others.len() >= MOST_WAITING {
            return Ok(Err(format!(
                "not proposed: {MOST_WAITING} proposals for your soul wait for the person already"
            )));
        }
        for older in same {
            let answered_ms = Some(now);
            let older = SoulProposal { state: ProposalState::Replaced, answered_ms, ..older };
            soul_proposals::put(write, &older)?;
        }
        soul_proposals::put(write, &proposal)?;
        Ok::<_, Fault>(Ok(()))
    };
    shared.store.write(Durability::Process, put).await
}

fn drawn_up(
    read: &Read<'_>,
    shared: &Shared,
    wish: Wish,
    at_ms: i64,
) -> Result<Result<SoulProposal, String>, Fault> {
    let run = runs::get(read, wish.run)?;
    let agent = agents::get(read, run.agent)?;
    let soul = shared.souls.in_force(&agent.soul).ok_or_else(|| stand::no_soul(&agent))?;
    let redactor = shared.safe.redactor();
    let plain = |text: &str| redactor.redact(text).trim().to_owned();
    let (text, why) = (plain(&wish.text), plain(&wish.why));
    let section = plain(wish.section.trim_start_matches('#'));
    if let Some(refusal) = misfit(&section, &text, &why) {
        return Ok(Err(refusal));
    }
    let fits = || {
        let section = sections::name_of(&soul.text, &section)?;
        let before = sections::text_of(&soul.text, &section)?;
        sections::with(&soul.stem, &soul.text, &section, &text)?;
        Ok::<_, Unfit>((section, before))
    };
    let (section, before) = match fits() {
        Ok(fits) => fits,
        Err(unfit) => return Ok(Err(format!("not proposed: {unfit}"))),
    };
    if before.as_deref() == Some(text.as_str()) {
        return Ok(Err("not proposed: that is what stands there already".to_owned()));
    }
    Ok(Ok(SoulProposal {
        id: wish.id,
        soul: soul.stem.clone(),
        agent: agent.id,
        group: run.group,
        run: run.id,
        section,
        before,
        text,
        why,
        after_tool: memory::shown_in(read, run.id)?,
        state: ProposalState::Waiting,
        at_ms,
        answered_ms: None,
    }))
}

/// What is wrong with it before the soul is looked at.
fn misfit(section: &str, text: &str, why: &str) -> Option<String> {
    let long = |what: &str, text: &str, most: usize| {
        let length = text.chars().count();
        (length > most).then(|| {
            format!("not proposed: the {what} has {length} characters, and {most} is the most")
        })
    };
    if text.is_empty() {
        return Some("not proposed: the text is empty; give all that is to stand there".to_owned());
    }
    if why.is_empty() {
        return Some("not proposed: say why in a sentence; the person reads it first".to_owned());
    }
    if section.contains(['\n', '\r', '#']) {
        return Some("not proposed: the section is the words of one heading".to_owned());
    }
    long("name of the section", section, LONGEST_NAME)
        .or_else(|| long("text", text, LONGEST_TEXT))
        .or_else(|| long("reason", why, LONGEST_WHY))
}

/// Writes it into the file. Where the process ends in between, the file has the text and
/// the proposal waits on: approving it again finds that nothing is left to be written.
pub(crate) async fn approve(shared: &Arc<Shared>, id: ProposalId) -> Result<Soul, Fault> {
    let proposal = shared.store.read(|read| waiting(read, id))?;
    let detail = keeper::detail(shared, &proposal.soul)?;
    let text = match detail.soul.standing() {
        SoulStanding::InForce => with(&proposal, &detail.text)?,
        SoulStanding::Wrong(_)
        | SoulStanding::Unusable(_)
        | SoulStanding::Gone
        | SoulStanding::Deleted => {
            return Err(stale(&proposal, None));
        }
    };
    // Of what was read here: who writes in between is not written over.
    let base_hash = Some(crate::souls::hash(&detail.text));
    let source = SoulSource::Proposal;
    let soul = keeper::save(shared, proposal.soul.clone(), text, base_hash, source).await?;
    let now = shared.now_ms();
    let answer = move |write: &mut Write<'_>| answered(write, id, ProposalState::Approved, now);
    shared.store.write(Durability::Process, answer).await?;
    Ok(soul)
}

/// The file as it is to be, if the section is as the agent knew it.
fn with(proposal: &SoulProposal, file: &str) -> Result<String, Fault> {
    let stands = sections::text_of(file, &proposal.section).unwrap_or_default();
    if stands.as_deref() == Some(proposal.text.as_str()) {
        return Ok(file.to_owned());
    }
    if stands != proposal.before {
        return Err(stale(proposal, stands));
    }
    sections::with(&proposal.soul, file, &proposal.section, &proposal.text)
        .map_err(|_| stale(proposal, stands))
}

fn stale(proposal: &SoulProposal, now: Option<String>) -> Fault {
    let SoulProposal { soul, section, .. } = proposal;
    let what = match section.is_empty() {
        true => format!("what soul {soul} begins with"),
        false => format!("the section {section} of soul {soul}"),
    };
    Fault::new(
        FaultCode::Conflict,
        format!("{what} was changed after this was proposed"),
        "take what you want of it into the file yourself, then decline it",
    )
    .of(FaultKind::ProposalStale {
        name: soul.clone(),
        section: section.clone(),
        now: now.unwrap_or_default(),
    })
}

pub(crate) async fn decline(shared: &Arc<Shared>, id: ProposalId) -> Result<(), Fault> {
    let now = shared.now_ms();
    let answer = move |write: &mut Write<'_>| {
        waiting(write, id)?;
        let Some(proposal) = answered(write, id, ProposalState::Declined, now)? else {
            return Ok(());
        };
        let agent = agents::get(write, proposal.agent)?;
        let Some(group) = where_told(write, &agent, proposal.group)? else { return Ok(()) };
        let settings = settings::get(write)?;
        let you = stand::name_of_person(&settings);
        let what = match proposal.section.as_str() {
            "" => "what its soul begins with".to_owned(),
            section => format!("the section \"{section}\" of its soul"),
        };
        let text =
            format!("{you} declined what {} proposed for {what}. It stays as it is.", agent.name);
        let SoulProposal { agent, section, .. } = proposal;
        post::notice(write, group, Notice::ProposalDeclined { agent, section, text }, now)?;
        Ok::<_, Fault>(())
    };
    shared.store.write(Durability::Process, answer).await
}

/// In the conversation where it was proposed, or in the agent's own; nowhere for who has
/// ended.
fn where_told(
    read: &Read<'_>,
    agent: &Agent,
    proposed_in: GroupId,
) -> Result<Option<GroupId>, StoreError> {
    if agent.state == AgentState::Terminated {
        return Ok(None);
    }
    let group = group_table::get(read, proposed_in)?;
    Ok(match group.kind {
        GroupKind::Direct | GroupKind::Group => Some(group.id),
        GroupKind::Task | GroupKind::Post => {
            let is_at_a_task = acts::given_by(read, agent.id)?.is_some();
            (!is_at_a_task).then(|| groups::direct_of(agent.id))
        }
    })
}

fn waiting(read: &Read<'_>, id: ProposalId) -> Result<SoulProposal, Fault> {
    let found = soul_proposals::find(read, id)?;
    let proposal = found.ok_or_else(|| {
        Fault::not_found(
            format!("there is no proposal {id}"),
            "coterie soul proposals lists those that wait",
        )
    })?;
    match proposal.state {
        ProposalState::Waiting => Ok(proposal),
        ProposalState::Approved | ProposalState::Declined | ProposalState::Replaced => {
            Err(Fault::new(
                FaultCode::Conflict,
                "this proposal does not wait for an answer any more",
                "coterie soul proposals lists those that do",
            )
            .of(FaultKind::ProposalAnswered))
        }
    }
}

/// `None` where it was answered in the meantime.
fn answered(
    write: &mut Write<'_>,
    id: ProposalId,
    state: ProposalState,
    now: i64,
) -> Result<Option<SoulProposal>, Fault> {
    let found = soul_proposals::find(write, id)?;
    let open = found.filter(|proposal| proposal.state == ProposalState::Waiting);
    let Some(proposal) = open else { return Ok(None) };
    let proposal = SoulProposal { state, answered_ms: Some(now), ..proposal };
    soul_proposals::put(write, &proposal)?;
    Ok(Some(proposal))
}
