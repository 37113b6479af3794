//! Groups that a person can begin with: who sits in them, how they take turns, and how
//! far they may go.
//!
//! Each is a file: those that ship, and a person's own in `templates/groups/`, read when
//! they are asked for. One of the same name takes the place of ours. The members wear
//! souls. Whoever has such an agent already brings that one; a soul that ships and was
//! deleted is written again, and the agent is made.

mod file;

use super::names;
use crate::shared::Shared;
use crate::souls::is_stem;
use crate::{first_start, groups, keeper, lifecycle};
use domain::{
    Agent, AgentId, AgentState, Fault, FaultKind, GroupPatch, GroupTemplates, GroupView, RequestId,
    SoulSource, TemplateMember, TemplateView,
};
use file::{Template, parse};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};
use store::table::agents;
use uuid::Uuid;

/// Those that ship, in the order that they are shown.
const SHIPPED: [(&str, &str); 4] = [
    ("pair_review", include_str!("templates/pair_review.yaml")),
    ("debate", include_str!("templates/debate.yaml")),
    ("writers_room", include_str!("templates/writers_room.yaml")),
    ("research_team", include_str!("templates/research_team.yaml")),
];
/// Many times what one needs.
const LARGEST: u64 = 64 * 1024;

/// What each comes to here, and which files cannot be used.
pub(crate) async fn templates(shared: &Arc<Shared>) -> Result<GroupTemplates, Fault> {
    let own = own(shared).await?;
    let living = shared.store.read(agents::living)?;
    let shipped = SHIPPED.into_iter().filter(|(name, _)| !own.contains_key(*name));
    let shipped = shipped.map(|(name, text)| (name.to_owned(), parse(text), false));
    let (mut templates, mut wrong) = (Vec::new(), Vec::new());
    let owns = own.iter().map(|(name, template)| (name.clone(), template.clone(), true));
    for (name, template, is_own) in shipped.chain(owns) {
        match template.and_then(|template| fitting(shared, template)) {
            Ok(template) => templates.push(view(&living, name, template, is_own)),
            Err(why) => wrong.push(unusable(&name, &why)),
        }
    }
    Ok(GroupTemplates { templates, wrong })
}

fn view(living: &[Agent], name: String, template: Template, is_own: bool) -> TemplateView {
    let member = |soul: &String| {
        let agent = wearing(living, soul);
        let name = agent.map(|agent| agent.name.clone());
        let name = name.unwrap_or_else(|| first_start::name_of(soul).to_owned());
        TemplateMember { soul: soul.clone(), name, agent: agent.map(|agent| agent.id) }
    };
    TemplateView {
        members: template.members.iter().map(member).collect(),
        caps: template.caps(),
        policy: template.policy,
        template: name,
        title: template.title,
        about: template.about,
        is_own,
        supervisor: template.supervisor,
    }
}

/// Makes such a group. It takes the request's id, and its new members ids out of that, so
/// that doing it twice is doing it once. Without a name it is called as the template is.
pub(crate) async fn create_from(
    shared: &Arc<Shared>,
    request: RequestId,
    name: &str,
    called: Option<String>,
) -> Result<GroupView, Fault> {
    let template = named(shared, name).await?;
    let mut members: Vec<(&str, AgentId)> = Vec::new();
    for soul in &template.members {
        members.push((soul, member(shared, request, soul).await?));
    }
    let ids = members.iter().map(|(_, agent)| *agent).collect();
    let called = match called.filter(|called| !called.trim().is_empty()) {
        Some(called) => called,
        None => shared.store.read(|read| names::free_like(read, &template.title))?,
    };
    let made = groups::create(shared, request, Some(called), ids, Some(template.policy)).await?;
    let supervisor = template.supervisor.as_deref();
    let supervisor = members.iter().find(|(soul, _)| Some(*soul) == supervisor);
    let patch = GroupPatch {
        caps: Some(template.caps()),
        supervisor: supervisor.map(|(_, agent)| *agent),
        ..GroupPatch::default()
    };
    groups::edit(shared, made.group.id, patch).await
}

/// The person's own before the one that ships.
async fn named(shared: &Arc<Shared>, name: &str) -> Result<Template, Fault> {
    let mut own = own(shared).await?;
    let shipped = SHIPPED.iter().find(|(shipped, _)| *shipped == name);
    let template = own.remove(name).or_else(|| shipped.map(|(_, text)| parse(text)));
    let template = template.ok_or_else(|| {
        let own = own.into_keys().filter(|own| !SHIPPED.iter().any(|(name, _)| name == own));
        unknown(name, SHIPPED.iter().map(|(name, _)| (*name).to_owned()).chain(own))
    })?;
    template.and_then(|template| fitting(shared, template)).map_err(|why| unusable(name, &why))
}

/// It, if somebody can wear each of its souls.
fn fitting(shared: &Shared, template: Template) -> Result<Template, String> {
    let is_there = |soul: &&String| {
        shared.souls.in_force(soul).is_some() || first_start::bundled(soul).is_some()
    };
    match template.members.iter().find(|soul| !is_there(soul)) {
        Some(soul) => Err(format!("there is no soul {soul}: write souls/{soul}.md")),
        None => Ok(template),
    }
}

/// What lies in the person's folder, by the names of the files.
async fn own(shared: &Shared) -> Result<BTreeMap<String, Result<Template, String>>, Fault> {
    let folder = shared.places.group_templates();
    let shown = folder.display().to_string();
    let read = tokio::task::spawn_blocking(move || look(&folder)).await;
    read.unwrap_or_else(|error| Err(io::Error::other(error))).map_err(|error| {
        Fault::bad_input(format!("read {shown}: {error}"), "see that the folder can be read")
    })
}

fn look(folder: &Path) -> io::Result<BTreeMap<String, Result<Template, String>>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    };
    let mut found = BTreeMap::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        // What editors put beside a file has another ending, or begins with a dot.
        if path.extension().is_none_or(|ending| ending != "yaml") || name.starts_with('.') {
            continue;
        }
        let template = match is_stem(name) {
            true => text(&path).and_then(|text| parse(&text)),
            false => Err("call it as a soul's file is called, such as debate.yaml".to_owned()),
        };
        found.insert(name.to_owned(), template);
    }
    Ok(found)
}

fn text(path: &Path) -> Result<String, String> {
    let known = fs::metadata(path).map_err(|error| error.to_string())?;
    if !known.is_file() {
        return Err("it is no file".to_owned());
    }
    if known.len() > LARGEST {
        return Err(format!("it has more than {} KiB", LARGEST / 1024));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}

/// The agent that wears this soul, or else a new one.
async fn member(shared: &Arc<Shared>, request: RequestId, soul: &str) -> Result<AgentId, Fault> {
    let living = shared.store.read(agents::living)?;
    if let Some(agent) = wearing(&living, soul) {
        return Ok(agent.id);
    }
    if shared.souls.in_force(soul).is_none()
        && let Some(text) = first_start::bundled(soul)
    {
        let source = SoulSource::Bundled;
        keeper::save(shared, soul.to_owned(), text.to_owned(), None, source).await?;
    }
    let id = RequestId(Uuid::new_v5(&request.0, soul.as_bytes()));
    Ok(lifecycle::create(shared, id, soul.to_owned(), None, None, None).await?.id)
}

/// One that works comes before one that rests.
fn wearing<'a>(living: &'a [Agent], soul: &str) -> Option<&'a Agent> {
    let rests = |agent: &&Agent| matches!(agent.state, AgentState::Paused | AgentState::Error);
    living
        .iter()
        .filter(|agent| agent.soul == soul && agent.parent.is_none())
        .min_by_key(|agent| rests(agent))
}

fn unknown(name: &str, known: impl Iterator<Item = String>) -> Fault {
    let known = known.collect::<Vec<_>>().join(", ");
    Fault::not_found(format!("there is no group template {name}"), format!("say one of {known}"))
        .of(FaultKind::GroupTemplateUnknown { name: name.to_owned() })
}

/// `why` begins with the line and the column, if the mistake has a place.
fn unusable(name: &str, why: &str) -> Fault {
    let path = format!("templates/groups/{name}.yaml");
    let space = if why.starts_with(|first: char| first.is_ascii_digit()) { "" } else { " " };
    Fault::bad_input(
        format!("group template {path}:{space}{why}"),
        "correct the file; it is read anew each time",
    )
    .of(FaultKind::GroupTemplateWrong { path, detail: why.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_that_ships_can_be_read_and_has_souls_that_ship() {
        for (name, text) in SHIPPED {
            let template = parse(text).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(template.members.iter().all(|soul| first_start::bundled(soul).is_some()));
        }
    }
}
