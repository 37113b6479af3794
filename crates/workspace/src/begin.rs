//! Beginning a turn: one transaction that claims an agent's wakes, checks its
//! quota, and stores the run with everything it stands on.

use crate::brief::{self, Built, Left, Material, Placed};
use crate::fold::{self, Kept, Relief};
use crate::prompts::{Other, Standing};
use crate::shared::Shared;
use crate::souls::{Effective, SoulInForce, effective};
use crate::window::Window;
use crate::{day, exchange, gate, measured, models, place, profile, states, supervisor, turns};
use agent::Brief;
use domain::{
    Agent, AgentId, AgentState, Author, Cause, Fault, FaultCode, Group, Member, Message, ModelInfo,
    Participant, PlanMode, Provider, ProviderKind, Reason, Run, RunContext, RunId, RunLimits,
    RunState, Settings, StepKind, TransitionCause, Usage, Verdict,
};
use std::collections::HashSet;
use std::sync::Arc;
use store::table::{
    agents, delegations, groups, members, messages, providers, runs, settings, steps, summaries,
    tool_calls, wakes,
};
use store::{Durability, Write};
use tools::{Allowed, Offer, Place};
use uuid::Uuid;

/// What an agent's loop does next.
pub(crate) enum Next {
    Turn(Box<Turn>),
    /// Something was refused and recorded; look again.
    Again,
    /// Nothing to do, or not now.
    Nothing,
}

/// A turn that has begun.
pub(crate) struct Turn {
    pub run: Run,
    /// What to ask and whom, or why nobody can be asked.
    pub asked: Result<(Brief, Provider), Fault>,
    pub reading: Reading,
    pub hands: OwnHands,
}

/// How much the model can read, and what is to be done first where the
/// conversation is longer.
pub(crate) struct Reading {
    pub window: Window,
    pub relief: Option<Relief>,
}

/// The tools that the agent has in this turn, and where.
#[derive(Clone, Default)]
pub(crate) struct OwnHands {
    pub tools: Offer,
    pub place: Place,
}

/// Earlier messages that a brief may draw on, beside all that are unread; how
/// much of it fits is decided later.
const HISTORY: u32 = 2 * fold::MOST_PIECES as u32;
/// More unread messages than this no window holds.
const MOST_UNREAD: u32 = 20_000;
const HOUR_MS: i64 = 60 * 60 * 1000;

pub(crate) fn new_run_id() -> RunId {
    RunId(Uuid::now_v7())
}

/// Begins the turn that has waited longest, with all the wakes of its group.
pub(crate) async fn begin(shared: &Arc<Shared>, agent: AgentId) -> Result<Next, Fault> {
    let with = shared.clone();
    shared.store.write(Durability::Process, move |write| begin_in(write, &with, agent)).await
}

fn begin_in(write: &mut Write<'_>, shared: &Shared, agent: AgentId) -> Result<Next, Fault> {
    let now = shared.now_ms();
    let mut agent = agents::get(write, agent)?;
    if agent.state != AgentState::Idle {
        return Ok(Next::Nothing);
    }
    let batch = turns::answered_together(wakes::next_batch(write, agent.id)?);
    let Some(last) = batch.last().cloned() else { return Ok(Next::Nothing) };
    let group = groups::get(write, last.group)?;
    let Some(member) = members::find(write, group.id, Participant::Agent(agent.id))? else {
        turns::dismiss(write, &batch, &Reason::LeftTheGroup)?;
        return Ok(Next::Again);
    };
    let limit = group.caps.runs_per_hour;
    if runs::begun_since(write, agent.id, now - HOUR_MS)? >= limit {
        turns::dismiss(write, &batch, &Reason::HourlyQuota { limit })?;
        pass_the_floor(write, shared, &group, &last)?;
        return Ok(Next::Again);
    }

    let id = new_run_id();
    let tried = last.tried_by;
    let mut desk = look_around(write, shared, &agent, &group, &member, id, tried)?;
    if let (Reason::Supervising { .. }, Ok((brief, _))) = (&last.reason, &mut desk.asked) {
        supervisor::ask(brief, &turns::seats(write, &group)?);
        desk.hands = OwnHands::default();
        desk.context.tools.clear();
    }
    let going_on: Vec<_> = match &desk.asked {
        Ok((brief, _)) => brief.unanswered.iter().map(|(call, _)| *call).collect(),
        Err(_) => Vec::new(),
    };
    gate::close_what_is_left(write, agent.id, group.id, &going_on, now)?;
    let newest = messages::last(write, group.id)?.map_or(last.message_seq, |message| message.seq);
    let mut run = Run {
        seq: 0,
        id,
        agent: agent.id,
        group: group.id,
        state: RunState::Running,
        cause: Cause { message: last.message, author: last.author, reason: last.reason.clone() },
        root: last.root,
        depth: last.depth,
        model: desk.context.model.clone(),
        soul_version: desk.context.soul_version,
        reads_after: member.cursor,
        reads_to: newest,
        usage: Usage::default(),
        cost_microusd: None,
        outcome: None,
        attempt: batch.iter().map(|wake| wake.attempts).max().unwrap_or(0) + 1,
        resumes: tried,
        started_ms: now,
        first_token_ms: None,
        ended_ms: None,
    };
    run.resumes = take_up(write, &run, now)?.or(run.resumes);
    runs::add(write, &mut run, &desk.context)?;
    wakes::claim(write, &batch, run.id)?;
    states::change(write, &mut agent, AgentState::Running, TransitionCause::Woken, now)?;
    let decided = StepKind::Decided { verdict: Verdict::Speak, reason: last.reason };
    steps::add(write, run.id, &StepKind::Woken { by: last.message }, now)?;
    steps::add(write, run.id, &decided, now)?;
    if let Ok((brief, _)) = &desk.asked {
        let turns = &brief.request.turns;
        let characters = turns.iter().map(|turn| turn.content.chars().count()).sum::<usize>();
        let built =
            StepKind::BriefBuilt { messages: count(turns.len()), characters: count(characters) };
        steps::add(write, run.id, &built, now)?;
    }
    let Desk { asked, reading, hands, .. } = desk;
    Ok(Next::Turn(Box::new(Turn { run, asked, reading, hands })))
}

/// Marks the interrupted runs that this one does again; gives the newest.
///
/// Who reads on in a group also answers what a run there left for a person to
/// decide about, so that nothing is read by two turns.
fn take_up(write: &mut Write<'_>, by: &Run, now: i64) -> Result<Option<RunId>, Fault> {
    let mut newest = None;
    for mut earlier in runs::interrupted(write, by.agent, by.group)? {
        let left = wakes::claimed_by(write, earlier.id)?;
        wakes::claim(write, &left, by.id)?;
        steps::add(write, earlier.id, &StepKind::Resumed { by: by.id }, now)?;
        earlier.state = RunState::Resumed;
        runs::update(write, &earlier)?;
        newest = Some(earlier.id);
    }
    Ok(newest)
}

/// Where the policy hands turns on, one that is refused passes to the next.
fn pass_the_floor(
    write: &mut Write<'_>,
    shared: &Shared,
    group: &Group,
    wake: &wakes::Wake,
) -> Result<(), Fault> {
    let woken = turns::go_on(write, group, wake.root, wake.agent, &wake.reason)?;
    // They look only after this transaction has been committed: their own
    // first step is a transaction behind it.
    shared.wake(&woken);
    Ok(())
}

/// What the agent has before it when its turn begins.
struct Desk {
    context: RunContext,
    asked: Result<(Brief, Provider), Fault>,
    reading: Reading,
    hands: OwnHands,
}

fn look_around(
    write: &Write<'_>,
    shared: &Shared,
    agent: &Agent,
    group: &Group,
    member: &Member,
    run: RunId,
    tried: Option<RunId>,
) -> Result<Desk, Fault> {
    let Some(soul) = shared.souls.in_force(&agent.soul) else {
        return Ok(Desk {
            context: empty_context(agent, group),
            asked: Err(no_soul(agent)),
            reading: Reading { window: Window::new(None, None), relief: None },
            hands: OwnHands::default(),
        });
    };
    let own = stand(write, shared, agent, group, &soul)?;
    let Own { you, effective, model, served, others, window, hands, system_prompt } = own;
    let tools = hands.tools.specs();
    let context = RunContext {
        user: you.clone(),
        tools: tools.clone(),
        roots: roots(&hands),
        ..context(agent, &soul, group, &model, &effective, &system_prompt)
    };

    let kept = Kept::of(summaries::newest(write, agent.id, group.id)?);
    let Past { history, quoted, left } = history(write, member, agent.id, tried, &kept)?;
    let names = |author: Author| match author {
        Author::User => you.clone(),
        Author::Agent(id) => agents::get(write, id).map(|agent| agent.name).unwrap_or_default(),
        Author::System => String::new(),
    };
    let other_names: Vec<String> = others.into_iter().map(|other| other.name).collect();
    let Built { brief, relief } = brief::build(&Material {
        run,
        agent,
        group,
        system_prompt: &system_prompt,
        history: &history,
        quoted: &quoted,
        kept: &kept,
        opening: brief::opening(&shared.prompts, &kept),
        left,
        tools: if is_local(&served) { Vec::new() } else { tools },
        names: &names,
        others: &other_names,
        effective: &effective,
        model: &model,
        model_info: served.as_ref().ok().and_then(|(_, info)| info.as_ref()),
        window,
        today: day::of(&*shared.clock, shared.now_ms()),
        day: &|at_ms| day::of(&*shared.clock, at_ms),
        turns_since_asked: summaries::turns_since_asked(write, agent.id, group.id)?,
    });
    let asked = match served {
        Ok((provider, _)) => Ok((brief, provider)),
        Err(fault) if model.is_empty() && !shared.places.starter_model().exists() => Err(Fault {
            message: "no model is chosen, and the starter model's file is missing".into(),
            fix: format!("{}; make assets, or installing Coterie again, brings it back", fault.fix),
            ..fault
        }),
        Err(fault) => Err(fault),
    };
    Ok(Desk { context, asked, reading: Reading { window, relief }, hands })
}

/// What an agent is in a group before anything is said there.
struct Own {
    /// What it calls the person.
    you: String,
    effective: Effective,
    model: String,
    served: Served,
    others: Vec<Other>,
    window: Window,
    hands: OwnHands,
    system_prompt: String,
}

fn stand(
    read: &store::Read<'_>,
    shared: &Shared,
    agent: &Agent,
    group: &Group,
    soul: &SoulInForce,
) -> Result<Own, Fault> {
    let settings = settings::get(read)?;
    let effective = effective(agent.model.as_deref(), &soul.front, &settings);
    let model = effective.model.clone().unwrap_or_default();
    let served = served(read, &model);
    let info = served.as_ref().ok().and_then(|(_, info)| info.as_ref());
    let tokens = info.and_then(|info| info.context_tokens);
    let window = Window::new(tokens, measured::per_mille(read, &model)?);
    let you = name_of_person(&settings).to_owned();
    let others = others(read, group, agent.id, &you)?;
    let hands = hands(read, shared, agent.id, soul, &served, effective.limits.plan)?;
    let roots = roots(&hands);
    let system_prompt = shared.prompts.system(&Standing {
        name: &agent.name,
        soul,
        group,
        others: &others,
        user: &you,
        // Why it cannot be read, the doctor says.
        profile: &profile::read(&shared.places).unwrap_or_default(),
        roots: (!hands.tools.specs().is_empty()).then_some(&roots[..]),
        window_tokens: window.tokens,
        for_demo_model: info.is_some_and(|info| info.demo),
    })?;
    Ok(Own { you, effective, model, served, others, window, hands, system_prompt })
}

/// The system prompt that the agent would be asked with in the group.
pub(crate) fn system_prompt(
    read: &store::Read<'_>,
    shared: &Shared,
    agent: &Agent,
    group: &Group,
) -> Result<String, Fault> {
    let soul = shared.souls.in_force(&agent.soul).ok_or_else(|| no_soul(agent))?;
    Ok(stand(read, shared, agent, group, &soul)?.system_prompt)
}

fn roots(hands: &OwnHands) -> Vec<String> {
    hands.place.roots.iter().map(|root| root.display().to_string()).collect()
}

/// The tools that the soul allows. The engine's models are not told about
/// tools, but they can write plans with them.
fn hands(
    read: &store::Read<'_>,
    shared: &Shared,
    agent: AgentId,
    soul: &SoulInForce,
    served: &Served,
    plan: PlanMode,
) -> Result<OwnHands, store::StoreError> {
    let demo = is_demo(served);
    let of_use = match (served, plan) {
        (Err(_), _) => false,
        (Ok(_), _) if !is_local(served) => true,
        (Ok(_), PlanMode::Always) => true,
        // A demo model plans only when its soul insists.
        (Ok(_), PlanMode::Auto) => !demo,
        (Ok(_), PlanMode::Never) => false,
    };
    if !of_use {
        return Ok(OwnHands::default());
    }
    let place = place::of(&shared.places.data, &soul.front);
    let mut allowed = soul.front.tools.as_deref().map(Allowed::from_list).unwrap_or_default();
    // A child has no more than its parent gave it.
    let task = delegations::of_child(read, agent)?;
    if let Some(given) = task.and_then(|task| task.tools) {
        let own = shared.tools.offer(&place, &allowed).specs().into_iter().map(|spec| spec.name);
        allowed = Allowed::Listed(own.filter(|tool| given.contains(tool)).collect());
    }
    Ok(OwnHands { tools: shared.tools.offer(&place, &allowed), place })
}

type Served = Result<(Provider, Option<ModelInfo>), Fault>;

fn is_local(served: &Served) -> bool {
    served.as_ref().is_ok_and(|(provider, _)| provider.kind == ProviderKind::Local)
}

fn is_demo(served: &Served) -> bool {
    served.as_ref().is_ok_and(|(_, info)| info.as_ref().is_some_and(|info| info.demo))
}

/// What a member has lived through in its group.
struct Past {
    history: Vec<Placed>,
    /// Earlier messages that are quoted in it.
    quoted: Vec<Message>,
    left: Left,
}

/// What the member may see, everything unread and what came before it that no
/// summary stands for, with what it did in earlier runs; and what the last try
/// of this turn left open.
fn history(
    read: &store::Read<'_>,
    member: &Member,
    agent: AgentId,
    tried: Option<RunId>,
    kept: &Kept,
) -> Result<Past, store::StoreError> {
    let after = member.joined_after.max(kept.told);
    let mut history = messages::page(read, member.group, after, None, HISTORY)?;
    let reaches_back_to_cursor = history.first().is_none_or(|oldest| oldest.seq <= member.cursor);
    if !reaches_back_to_cursor && history.len() == HISTORY as usize {
        let after = member.cursor.max(after);
        history = messages::page(read, member.group, after, None, MOST_UNREAD)?;
    }
    let before = history.first().map_or(after, |oldest| oldest.seq - 1);
    let read_before = messages::read_before(read, member.group, agent, before)?;
    let newest = history.last().map_or(0, |newest| newest.seq);
    let (mut done, mut left, mut steered) = (Vec::new(), Left::default(), HashSet::new());
    for (run, reads_to) in tool_calls::runs_that_used_tools(read, agent, member.group, before)? {
        let steps = steps::of_run(read, run)?;
        steered.extend(exchange::steered(&steps));
        // What is the last thing that happened is gone on with.
        if Some(run) == tried && reads_to >= newest {
            let open = exchange::read(&steps);
            left = Left { rounds: open.rounds, unanswered: open.unanswered };
            done.push((reads_to, open.turns));
        } else {
            done.push((reads_to, exchange::done(&steps)));
        }
    }
    history.retain(|message| !steered.contains(&message.id));
    let quoted = quoted(read, member, &history)?;
    let mut history = brief::as_lived(history, &read_before, done);
    history.retain(|piece| piece.place > kept.told);
    Ok(Past { history, quoted, left })
}

/// What is quoted and lies further back, as far as the member may see it.
fn quoted(
    read: &store::Read<'_>,
    member: &Member,
    history: &[Message],
) -> Result<Vec<Message>, store::StoreError> {
    let known: HashSet<_> = history.iter().map(|message| message.id).collect();
    let parents = history.iter().filter_map(|message| message.parent);
    let mut quoted = Vec::new();
    for parent in parents.filter(|parent| !known.contains(parent)) {
        let parent = messages::find(read, parent)?;
        quoted.extend(parent.filter(|parent| parent.seq > member.joined_after));
    }
    Ok(quoted)
}

/// What agents call the person.
pub(crate) fn name_of_person(settings: &Settings) -> &str {
    if settings.your_name.is_empty() { "User" } else { &settings.your_name }
}

/// Everybody else in the group, the person included, in their order.
pub(crate) fn others(
    read: &store::Read<'_>,
    group: &Group,
    but: AgentId,
    you: &str,
) -> Result<Vec<Other>, store::StoreError> {
    let mut others = Vec::new();
    for member in members::of_group(read, group.id)? {
        match member.who {
            Participant::User => others.push(Other { name: you.to_owned(), role: "person".into() }),
            Participant::Agent(id) if id != but => {
                let agent = agents::get(read, id)?;
                others.push(Other { name: agent.name, role: agent.role });
            }
            Participant::Agent(_) => {}
        }
    }
    Ok(others)
}

/// The provider named in `provider/model`, and what it says of the model.
pub(crate) fn served(
    read: &store::Read<'_>,
    model: &str,
) -> Result<(Provider, Option<ModelInfo>), Fault> {
    let connect = "choose a model in Settings, or with coterie model use default PROVIDER/MODEL";
    let Some((name, model_name)) = model.split_once('/') else {
        return Err(Fault::new(FaultCode::NoModel, "no model is chosen", connect));
    };
    let provider = providers::get(read, name)?;
    let Some(provider) = provider.or_else(|| (name == models::LOCAL).then(models::local_provider))
    else {
        return Err(Fault::new(
            FaultCode::NoModel,
            format!("there is no provider called {name}"),
            connect,
        ));
    };
    let info = provider.models.iter().find(|info| info.name == model_name).cloned();
    Ok((provider, info))
}

fn context(
    agent: &Agent,
    soul: &SoulInForce,
    group: &Group,
    model: &str,
    effective: &Effective,
    system_prompt: &str,
) -> RunContext {
    RunContext {
        user: String::new(),
        agent_name: agent.name.clone(),
        parent: agent.parent,
        soul: soul.stem.clone(),
        soul_version: soul.version,
        soul_hash: soul.hash.clone(),
        group_name: group.name.clone(),
        policy: group.policy,
        model: model.to_owned(),
        temperature: effective.temperature,
        max_tokens: effective.max_tokens,
        limits: effective.limits,
        tools: Vec::new(),
        roots: Vec::new(),
        system_prompt: system_prompt.to_owned(),
    }
}

fn empty_context(agent: &Agent, group: &Group) -> RunContext {
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
        temperature: 0.0,
        max_tokens: 0,
        limits: RunLimits::default(),
        tools: Vec::new(),
        roots: Vec::new(),
        system_prompt: String::new(),
    }
}

fn no_soul(agent: &Agent) -> Fault {
    Fault::not_found(
        format!(
            "{} has no valid soul: souls/{}.md is missing or was never valid",
            agent.name, agent.soul
        ),
        format!("write souls/{}.md and resume the agent", agent.soul),
    )
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
