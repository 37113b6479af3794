//! `coterie agent tools`: the capability graph of an agent.

use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use domain::{
    AgentId, Capabilities, Capability, CapabilityKind, NeedOf, Query, Risk, RootLeftOut,
    RootTrouble,
};

pub(super) async fn show(session: &Session, agent: AgentId) -> Result<(), Failure> {
    let query = Query::Capabilities { agent };
    let capabilities = answered!(session.ask(query).await?, Capabilities)?;
    session.screen.one(&*capabilities, |paint| shown(&capabilities, paint));
    Ok(())
}

fn shown(capabilities: &Capabilities, paint: Paint) -> String {
    let row = |one: &Capability| {
        let asks = if one.risk == Risk::High { "asks first" } else { "" };
        [one.name.clone(), kind(one.kind).to_owned(), standing(one), asks.to_owned()]
    };
    let (there, missing): (Vec<&Capability>, Vec<&Capability>) =
        capabilities.all.iter().partition(|one| one.there);
    let rows = there.into_iter().chain(missing).map(row).collect();
    let mut text = table(paint, ["", "what it is", "", ""], rows);
    for root in &capabilities.roots {
        text += &format!("folder {}\n", crate::visible::line(root));
    }
    for RootLeftOut { root, why } in &capabilities.left_out {
        let why = match why {
            RootTrouble::Missing => "no such folder is there",
            RootTrouble::Link => {
                "a link that lies where agents may write leads there; name the folder it leads to"
            }
        };
        text += &format!("folder {} left out: {why}\n", crate::visible::line(root));
    }
    text
}

fn kind(kind: CapabilityKind) -> &'static str {
    match kind {
        CapabilityKind::Tool => "tool",
        CapabilityKind::ServerTool => "tool of a server",
        CapabilityKind::Skill => "skill",
        CapabilityKind::Delegate => "delegate",
    }
}

/// Whether it is there; else all that is missing.
fn standing(one: &Capability) -> String {
    let unmet = one.needs.iter().filter(|need| !need.met);
    let missing = unmet.map(|need| missing(&need.what)).collect::<Vec<_>>().join("; ");
    match (one.there, missing.is_empty()) {
        (true, true) => "there".to_owned(),
        (true, false) => format!("there; {missing}"),
        (false, _) => format!("not there: {missing}"),
    }
}

fn missing(what: &NeedOf) -> String {
    let because = |what: String, detail: &str| match detail {
        "" => what,
        detail => format!("{what}: {detail}"),
    };
    match what {
        NeedOf::Known => "nothing is called that".to_owned(),
        NeedOf::Allowed => "its soul does not name it".to_owned(),
        NeedOf::Given => "whoever gave it its task kept it back".to_owned(),
        NeedOf::Model => "its model is not told of tools".to_owned(),
        NeedOf::Folder => "it has no folder (roots in its soul)".to_owned(),
        NeedOf::Sandbox { detail } => because("programs cannot be confined".to_owned(), detail),
        NeedOf::Program { name } => format!("{name} is not installed for everybody"),
        NeedOf::Delegate => {
            "its soul names no delegates, or its policy lets it give no tasks".to_owned()
        }
        NeedOf::Resources => "none of its servers has anything to be read".to_owned(),
        NeedOf::Skill => "its soul names no skill that is there".to_owned(),
        NeedOf::Server { name, detail } => because(format!("server {name} is not there"), detail),
        NeedOf::Unblocked { group } if group.is_empty() => {
            "you said that no agent uses it".to_owned()
        }
        NeedOf::Unblocked { group } => format!("you said that no agent uses it in {group}"),
        NeedOf::SwitchedOn { server } => format!("it is switched off at server {server}"),
        NeedOf::Room { server } => format!(
            "what server {server} brings does not fit beside the rest; coterie mcp tools {server} \
             --off TOOL makes room"
        ),
        NeedOf::Valid { path, detail } => because(format!("{path} is not right"), detail),
        NeedOf::Tool { name } => format!("without {name}"),
    }
}
