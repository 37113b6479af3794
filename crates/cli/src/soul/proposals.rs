//! `coterie soul proposals`, `approve` and `decline`: what agents would have otherwise in
//! their souls.

use super::painted;
use crate::ids;
use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::words;
use domain::{Command as Order, Fault, SoulProposal};
use similar::TextDiff;

pub(super) async fn list(session: &Session, name: Option<&str>) -> Result<(), Failure> {
    let names = session.names().await?;
    let soul = name.map(|name| names.soul(name)).transpose()?;
    let mut all = session.overview().await?.proposals;
    all.retain(|proposal| soul.as_ref().is_none_or(|soul| *soul == proposal.soul));
    session.screen.many(&all, |paint| {
        if all.is_empty() {
            return "nothing is proposed".to_owned();
        }
        let short = ids::shorter(all.iter().map(|proposal| proposal.id));
        let shown = all.iter().map(|one| shown(one, &short(one.id), &names, paint));
        shown.collect::<Vec<_>>().join("\n")
    });
    Ok(())
}

fn shown(proposal: &SoulProposal, id: &str, names: &Names, paint: Paint) -> String {
    let SoulProposal { soul, before, text, why, after_tool, .. } = proposal;
    let head = format!(
        "{id}  {}, {}, in {}, run {}: {why}\n",
        names.agent_name(proposal.agent),
        words::ago(proposal.at_ms),
        names.group_name_of(proposal.group),
        ids::end_of(proposal.run)
    );
    let tool = after_tool.as_ref().map(|tool| {
        format!("it had been shown something by {tool} before: see whose wish this is\n")
    });
    let where_it_is = what(proposal);
    let diff = TextDiff::from_lines(before.as_deref().unwrap_or_default(), text)
        .unified_diff()
        .missing_newline_hint(false)
        .header(&format!("{soul}: {where_it_is}"), "proposed")
        .to_string();
    let told = crate::visible::lines(&(head + &tool.unwrap_or_default()));
    format!("{told}\n{}", painted(&diff, paint))
}

fn what(proposal: &SoulProposal) -> String {
    match (proposal.section.as_str(), &proposal.before) {
        ("", _) => "its beginning".to_owned(),
        (section, Some(_)) => section.to_owned(),
        (section, None) => format!("{section} (a new section)"),
    }
}

pub(super) async fn approve(session: &Session, id: &str) -> Result<(), Failure> {
    let proposal = find(session, id).await?.id;
    let order = Order::ApproveProposal { proposal };
    let soul = answered!(session.order(order).await?, Soul)?;
    session
        .screen
        .one(&soul, |_| format!("{} is as proposed, in version {}", soul.name, soul.version));
    Ok(())
}

pub(super) async fn decline(session: &Session, id: &str) -> Result<(), Failure> {
    let proposal = find(session, id).await?;
    session.order(Order::DeclineProposal { proposal: proposal.id }).await?;
    session.screen.one(&proposal, |_| format!("{} stays as it is", proposal.soul));
    Ok(())
}

async fn find(session: &Session, wanted: &str) -> Result<SoulProposal, Fault> {
    let all = session.overview().await?.proposals;
    let told = |one: &SoulProposal| format!("{}: {}", one.soul, what(one));
    ids::one_of("proposal", all, wanted, "coterie soul proposals", |one| one.id, told)
}
