//! What a turn stands on when it begins: the context that is stored with its
//! run, and what is to be asked of whom.

use super::Turner;
use super::past::{self, Past};
use crate::brief::{self, Built, Material};
use crate::calls::Candidates;
use crate::day;
use crate::fold::{Kept, Relief};
use crate::roles::Task;
use crate::shared::Shared;
use crate::souls::SoulInForce;
use crate::stand::{OwnHands, Stand, no_soul};
use agent::Brief;
use domain::{Agent, Author, Fault, Group, RunContext, RunId, RunLimits};
use store::Read;
use store::table::{agents, summaries};

pub(super) struct Prepared {
    pub context: RunContext,
    /// What to ask and whom, or why nobody can be asked.
    pub asked: Result<(Brief, Candidates), Fault>,
    pub relief: Option<Relief>,
    pub hands: OwnHands,
}

/// For a run, which does again what the run `tried` did not finish.
pub(super) fn prepare(
    read: &Read<'_>,
    shared: &Shared,
    turner: Turner<'_>,
    run: RunId,
    tried: Option<RunId>,
    task: Task,
) -> Result<Prepared, Fault> {
    let Turner { agent, group, member } = turner;
    let Some(soul) = shared.souls.in_force(&agent.soul) else {
        return Ok(Prepared {
            context: without_soul(agent, group),
            asked: Err(no_soul(agent)),
            relief: None,
            hands: OwnHands::default(),
        });
    };
    let stand = Stand::look(read, shared, agent, group, &soul, task)?;
    let context = context(agent, group, &soul, &stand);
    let kept = Kept::of(summaries::newest(read, agent.id, group.id)?);
    let Past { history, quoted, left } = past::look(read, member, agent.id, tried, &kept)?;
    let names = |author: Author| match author {
        Author::User => stand.you.clone(),
        Author::Agent(id) => agents::get(read, id).map(|agent| agent.name).unwrap_or_default(),
        Author::System => String::new(),
    };
    let served = stand.served.as_ref().ok();
    let Built { brief, relief } = brief::build(&Material {
        run,
        agent,
        group,
        system_prompt: &stand.system_prompt,
        history: &history,
        quoted: &quoted,
        kept: &kept,
        opening: brief::opening(&shared.prompts, &kept),
        left,
        tools: match served {
            Some(served) if served.is_local() => Vec::new(),
            Some(_) | None => context.tools.clone(),
        },
        names: &names,
        others: &stand.others,
        effective: &stand.effective,
        model: &stand.model,
        plans_with: plans_with(&stand),
        model_info: served.and_then(|served| served.info.as_ref()),
        window: stand.window,
        today: day::of(&*shared.clock, shared.now_ms()),
        day: &|at_ms| day::of(&*shared.clock, at_ms),
        turns_since_asked: summaries::turns_since_asked(read, agent.id, group.id)?,
    });
    let Stand { model, served, candidates, hands, .. } = stand;
    let asked = match served {
        Ok(_) => Ok((brief, candidates)),
        Err(fault) if model.is_empty() && !shared.places.starter_model().exists() => {
            Err(without_starter(fault))
        }
        Err(fault) => Err(fault),
    };
    Ok(Prepared { context, asked, relief, hands })
}

fn plans_with(stand: &Stand) -> &str {
    stand.candidates.plans.first().map_or(&stand.model, |first| &first.name)
}

fn without_starter(fault: Fault) -> Fault {
    Fault {
        message: "no model is chosen, and the starter model's file is missing".into(),
        fix: format!("{}; make assets, or installing Coterie again, brings it back", fault.fix),
        ..fault
    }
}

fn context(agent: &Agent, group: &Group, soul: &SoulInForce, stand: &Stand) -> RunContext {
    RunContext {
        user: stand.you.clone(),
        soul: soul.stem.clone(),
        soul_version: soul.version,
        soul_hash: soul.hash.clone(),
        model: stand.model.clone(),
        plans_with: Some(plans_with(stand)).filter(|name| *name != stand.model).map(Into::into),
        fallback: stand.candidates.answers[1..].last().map(|last| last.name.clone()),
        temperature: stand.effective.temperature,
        max_tokens: stand.effective.max_tokens,
        limits: stand.effective.limits,
        tools: stand.hands.tools.specs(),
        roots: stand.hands.roots(),
        system_prompt: stand.system_prompt.clone(),
        ..without_soul(agent, group)
    }
}

fn without_soul(agent: &Agent, group: &Group) -> RunContext {
    RunContext {
        user: String::new(),
        agent_name: agent.name.clone(),
        parent: agent.parent,
        soul: agent.soul.clone(),
        soul_version: agent.soul_version,
        soul_hash: String::new(),
        group_name: group.name.clone(),
        policy: group.policy,
        model: String::new(),
        plans_with: None,
        fallback: None,
        temperature: 0.0,
        max_tokens: 0,
        limits: RunLimits::default(),
        tools: Vec::new(),
        roots: Vec::new(),
        system_prompt: String::new(),
    }
}
