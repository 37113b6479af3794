//! What a turn stands on when it begins: the context that is stored with its
//! run, and what is to be asked of whom.

use super::Turner;
use super::past::{self, Past};
use super::unfinished::Unfinished;
use crate::brief::{self, Built, Content, Material, Sight};
use crate::calls::Candidates;
use crate::context;
use crate::day;
use crate::fold::{Kept, Relief};
use crate::outside;
use crate::roles::Task;
use crate::shared::Shared;
use crate::sources;
use crate::stand::{OwnHands, Stand};
use agent::Brief;
use domain::{
    Attachment, Author, Fault, FaultKind, ModelFileWrong, PlanMode, RunContext, RunId, ToolSpecs,
};
use std::path::Path;
use store::Read;
use store::table::{agents, reactions, summaries};

pub(super) struct Prepared {
    pub context: RunContext,
    /// What to ask and whom, or why nobody can be asked.
    pub asked: Result<(Brief, Candidates), Fault>,
    pub relief: Option<Relief>,
    /// What is read again, where more can be read than before.
    pub widened: Option<Kept>,
    pub hands: OwnHands,
}

/// How far the turn reads, and what it goes on with.
#[derive(Clone, Copy)]
pub(super) struct Standing<'a> {
    pub unfinished: Option<&'a Unfinished>,
    /// To the end of the conversation where none is set.
    pub reads_to: Option<i64>,
}

/// For a run, which may go on with what earlier tries did not finish.
pub(super) fn prepare(
    read: &Read<'_>,
    shared: &Shared,
    turner: Turner<'_>,
    run: RunId,
    standing: Standing<'_>,
    task: Task,
) -> Result<Prepared, Fault> {
    let Turner { agent, group, member } = turner;
    let soul = shared.souls.worn(agent);
    let stand = Stand::look(read, shared, agent, group, &soul, task)?;
    let context = context::of(shared, agent, group, &soul, &stand);
    let kept = Kept::of(summaries::newest(read, agent.id, group.id)?);
    let Past { history, quoted, left } = past::look(read, member, agent.id, standing, &kept)?;
    let kept = kept.counting(brief::places_of_messages(&history));
    let names = |author: Author| match author {
        Author::User => stand.you.clone(),
        Author::Agent(id) => agents::get(read, id).map(|agent| agent.name).unwrap_or_default(),
        Author::Outside(pass) => outside::called(read, pass).unwrap_or_default(),
        Author::Source(source) => sources::called(read, source).unwrap_or_default(),
        Author::System => String::new(),
    };
    let shown = |attachment: &Attachment| {
        let shelf = &shared.attachments;
        if attachment.kind.is_picture() {
            shelf.picture(&attachment.hash).map(Content::Picture)
        } else {
            shelf.text(&attachment.hash).map(Content::Text)
        }
    };
    let served = stand.served.as_ref().ok();
    let sight = match served {
        Some(served) if served.is_local() => Sight::Blind,
        Some(_) | None => shared.blind.sight_of(&stand.model),
    };
    let opening = |kept: &Kept| brief::opening(&shared.prompts, kept);
    let how_to_plan = match stand.effective.limits.plan {
        PlanMode::Never => String::new(),
        PlanMode::Auto | PlanMode::Always => shared.prompts.plan()?,
    };
    let material = Material {
        run,
        agent,
        group,
        system_prompt: &stand.system_prompt,
        history: &history,
        quoted: &quoted,
        reactions: &reactions::of_group(read, group.id)?,
        kept: &kept,
        opening: opening(&kept),
        left,
        tools: match served {
            Some(served) if served.is_demo() => ToolSpecs::default(),
            Some(_) | None => context.tools.clone(),
        },
        names: &names,
        shown: &shown,
        sight,
        others: &stand.others,
        before: &stand.before,
        as_listed: &stand.as_listed,
        effective: &stand.effective,
        model: &stand.model,
        plans_with: stand.plans_with(),
        how_to_plan: &how_to_plan,
        model_info: served.and_then(|served| served.info.as_ref()),
        window: stand.window,
        today: day::of(&*shared.clock, shared.now_ms()),
        day: &|at_ms| day::of(&*shared.clock, at_ms),
        turns_since_asked: summaries::turns_since_asked(read, agent.id, group.id)?,
    };
    let built = brief::build(&material);
    let widened = brief::widened(&material, &built, opening);
    let Built { brief, relief } = match &widened {
        Some(kept) => brief::build(&Material { kept, opening: opening(kept), ..material }),
        None => built,
    };
    let Stand { model, served, candidates, hands, .. } = stand;
    let asked = match served {
        Ok(_) => Ok((brief, candidates)),
        Err(fault) if model.is_empty() && !shared.places.starter_model().exists() => {
            Err(without_starter(fault, &shared.places.starter_model()))
        }
        Err(fault) => Err(fault),
    };
    Ok(Prepared { context, asked, relief, widened, hands })
}

fn without_starter(fault: Fault, file: &Path) -> Fault {
    let path = file.display().to_string();
    Fault {
        message: format!("no model is chosen, and the starter model's file {path} is missing"),
        fix: format!("{}; make assets, or installing Coterie again, brings it back", fault.fix),
        ..fault
    }
    .of(FaultKind::ModelFile { path, wrong: ModelFileWrong::Missing })
}
