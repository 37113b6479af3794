//! `delegate`: gives a task to a child agent and waits for what comes of it.
//!
//! The child is an agent like any other, with a group that holds its task and
//! its answer and nothing else. Child and group have ids made from the call,
//! so a call that is made again after a crash finds them and goes on waiting.
//! The child ends with its call (`children`). No model permit is held meanwhile.

use super::children::{self, Full, MadeBy};
use super::{Ground, child_of};
use crate::shared::Shared;
use crate::souls::SoulInForce;
use crate::{desk, groups, keeper, letters, lifecycle, post, states, turns};
use async_trait::async_trait;
use domain::{
    Agent, AgentId, AgentState, Author, Body, Budget, BudgetScope, Caps, Effects, Event, Fault,
    FromOwner, Group, GroupId, GroupKind, Message, MessageId, Need, NeedOf, Outcome, Participant,
    Reason, Record, Risk, Run, RunFilter, RunState, ToolSpec, TurnPolicy, Update,
};
use futures::StreamExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use store::table::delegations::{self, Delegation};
use store::table::{agents, budgets, groups as group_table, messages, runs, settings, wakes};
use store::{Durability, Read, Write};
use tools::{CallContext, Place, Returned, Tool};
use uuid::Uuid;

/// Tasks that one message of a person may lead to, however deep.
const TASKS: u32 = 20;
/// Of a task that has no answer, where something was begun that counts.
const MAY_HAVE_HAPPENED: &str =
    "what it had begun may or may not have happened; check before you repeat it";
/// What a child may use when nobody says how much.
const TOKENS: i64 = 50_000;

/// Gives a part of the work to one of your delegates and waits for the result. Use it for a part
/// that stands alone: whoever gets it knows nothing of this conversation.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The name of the delegate.
    to: String,
    /// The whole task, with everything that is needed to do it.
    task: String,
    /// The only tools it may use; all that you have when left out.
    tools: Option<Vec<String>>,
    /// The most tokens it may use.
    max_tokens: Option<u32>,
}

pub(crate) struct Delegate {
    spec: ToolSpec,
    ground: Ground,
}

impl Delegate {
    pub(crate) fn new(ground: Ground) -> Self {
        // With the same key it finds the child that it made before.
        let spec = tools::describe::<Input>("delegate", Effects::Repeatable, Risk::Low);
        Delegate { spec, ground }
    }
}

#[async_trait]
impl Tool for Delegate {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Several work at once on what they were given.
    fn stands_alone(&self) -> bool {
        true
    }

    fn needs(&self, place: &Place) -> Vec<Need> {
        vec![Need::new(NeedOf::Delegate, !place.delegates.is_empty())]
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let input: Input = match tools::input(arguments) {
            Ok(input) => input,
            Err(returned) => return returned,
        };
        let shared = match self.ground.shared() {
            Ok(shared) => shared,
            Err(returned) => return returned,
        };
        match give(&shared, input, with).await {
            Ok(Ok(task)) => wait(&shared, task, with).await,
            Ok(Err(refusal)) => Returned::failed(refusal),
            Err(fault) => Returned::failed(fault.to_string()),
        }
    }
}

/// A task that somebody has.
#[derive(Clone, Copy)]
struct Task {
    child: AgentId,
    group: GroupId,
}

/// Makes the child and its task, unless the call has done so before. The inner
/// error is for the model to read.
async fn give(
    shared: &Arc<Shared>,
    input: Input,
    with: &CallContext,
) -> Result<Result<Task, String>, Fault> {
    let task =
        Task { child: child_of(with.key), group: GroupId(Uuid::new_v5(&with.key.0, b"task")) };
    let soul = match soul_of(shared, &input.to, &with.place.delegates) {
        Ok(soul) => soul,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let (with, by, now) = (with.clone(), shared.clone(), shared.now_ms());
    let given = shared
        .store
        .write(Durability::Process, move |write| {
            if agents::find(write, task.child)?.is_some() {
                return Ok(Ok(false));
            }
            if let Some(refusal) = limit_reached(write, &by, &with)? {
                return Ok(Err(refusal));
            }
            lay_out(write, task, &soul, input, &with, now)?;
            Ok::<_, Fault>(Ok(true))
        })
        .await?;
    fail::fail_point!("task.given");
    if given == Ok(true) {
        desk::open(shared, task.child, true);
    }
    Ok(given.map(|_| task))
}

/// By its file or by its name, in the soul that lists it and where it is asked for.
fn soul_of(shared: &Shared, to: &str, delegates: &[String]) -> Result<Arc<SoulInForce>, String> {
    let souls: Vec<Arc<SoulInForce>> =
        delegates.iter().filter_map(|named| shared.souls.called(named)).collect();
    let to = to.trim();
    let is_meant = |soul: &&Arc<SoulInForce>| {
        letters::same(&soul.stem, to) || letters::same(&soul.front.name, to)
    };
    souls.iter().find(is_meant).cloned().ok_or_else(|| {
        let names: Vec<&str> = souls.iter().map(|soul| soul.front.name.as_str()).collect();
        let there_are = match names.is_empty() {
            true => "none of those that your soul names is there".to_owned(),
            false => format!("yours are: {}", names.join(", ")),
        };
        format!("you have no delegate {to}; {there_are}")
    })
}

/// Limits are charged to the first agent and to the person's message, so that
/// a child does not begin with a full purse.
fn limit_reached(
    read: &Read<'_>,
    shared: &Shared,
    with: &CallContext,
) -> Result<Option<String>, Fault> {
    match children::full(read, &shared.souls, with.agent, MadeBy::Task)? {
        Some(full @ Full::Deep(..)) => return Ok(Some(format!("not given: {full}"))),
        Some(full @ Full::Wide(_)) => return Ok(Some(format!("not given: {full}; wait"))),
        None => {}
    }
    let root = runs::get(read, with.run)?.root;
    if delegations::count_for(read, root)? >= TASKS {
        return Ok(Some(format!("not given: {TASKS} tasks for one message are the limit")));
    }
    Ok(None)
}

fn lay_out(
    write: &mut Write<'_>,
    task: Task,
    soul: &SoulInForce,
    input: Input,
    with: &CallContext,
    now: i64,
) -> Result<(), Fault> {
    post::check_text(&input.task, settings::get(write)?.limits.message_characters)?;
    let run = runs::get(write, with.run)?;
    let child = child(write, task.child, soul, with.agent, now)?;
    states::begin(write, &child, now)?;
    let group = group(task.group, &child, now);
    group_table::put(write, &group)?;
    groups::seat(write, group.id, Participant::Agent(with.agent), 1, 0)?;
    groups::seat(write, group.id, Participant::Agent(child.id), 2, 0)?;
    delegations::add(
        write,
        &Delegation {
            child: child.id,
            call: with.key,
            run: run.id,
            root: run.root,
            group: group.id,
            tools: Some(tools_for(write, &run, input.tools)?),
        },
    )?;
    let tokens = input.max_tokens.map_or(TOKENS, i64::from);
    let slice =
        Budget { scope: BudgetScope::Agent(child.id), tokens: Some(tokens), microusd: None };
    budgets::put(write, &slice)?;
    let message = say(write, &group, &run, with.agent, input.task, now)?;
    Ok(turns::give_to(write, &group, &message, child.id, Reason::Delegated { by: with.agent })?)
}

/// What the parent has in this run, or the part of it that it named.
fn tools_for(read: &Read<'_>, run: &Run, named: Option<Vec<String>>) -> Result<Vec<String>, Fault> {
    let own = runs::context(read, run.id)?.tools;
    let own = own.iter().map(|spec| spec.name.clone());
    Ok(own.filter(|tool| named.as_ref().is_none_or(|named| named.contains(tool))).collect())
}

fn child(
    read: &Read<'_>,
    id: AgentId,
    soul: &SoulInForce,
    parent: AgentId,
    now: i64,
) -> Result<Agent, Fault> {
    let name = lifecycle::free_name(read, &soul.front.name)?;
    let child = Agent::new(id, name, soul.stem.clone(), now);
    let mut child = Agent { soul_version: soul.version, parent: Some(parent), ..child };
    keeper::dress(&mut child, soul);
    Ok(child)
}

fn group(id: GroupId, child: &Agent, now: i64) -> Group {
    Group {
        id,
        name: format!("{}: task", child.name),
        kind: GroupKind::Task,
        policy: TurnPolicy::Manual,
        default_agent: Some(child.id),
        supervisor: None,
        caps: Caps::default(),
        archived: false,
        created_ms: now,
        problem: None,
    }
}

fn say(
    write: &mut Write<'_>,
    group: &Group,
    run: &Run,
    parent: AgentId,
    text: String,
    now: i64,
) -> Result<Message, Fault> {
    let new = messages::New {
        id: MessageId(Uuid::now_v7()),
        group: group.id,
        parent: None,
        author: Author::Agent(parent),
        body: Body::Text { text, cut_short: false },
        attachments: Vec::new(),
        chain_depth: run.depth,
        root: run.root,
        run: Some(run.id),
        at_ms: now,
    };
    Ok(messages::add(write, new)?)
}

/// Waits until the child owes nothing more. Its last words are looked up again
/// for as long as nobody has them on record.
async fn wait(shared: &Arc<Shared>, task: Task, with: &CallContext) -> Returned {
    let mut events = Box::pin(shared.events.subscribe(None));
    loop {
        match result(shared, task) {
            Ok(Some(returned)) => return returned,
            Ok(None) => {}
            Err(fault) => return Returned::failed(fault.to_string()),
        }
        tokio::select! {
            () = changed(&mut events) => {}
            () = with.stop.cancelled() => return stopped(shared, task),
        }
    }
}

/// The answer of a task that nobody waits for any more.
fn stopped(shared: &Shared, task: Task) -> Returned {
    match shared.store.read(|read| children::may_have_acted(read, task.child)) {
        Ok(false) => Returned::stopped(),
        Ok(true) | Err(_) => Returned::cut_off(),
    }
}

/// Comes when something happened that may have ended a task.
async fn changed(events: &mut (impl futures::Stream<Item = FromOwner> + Unpin)) {
    loop {
        match events.next().await {
            Some(FromOwner::Event(Event {
                update:
                    Update::Saved { record: Record::Run(_) | Record::Agent(_) | Record::Group(_) },
                ..
            }))
            | Some(FromOwner::Resync { .. })
            | None => return,
            Some(_) => {}
        }
    }
}

/// What came of the task, once nothing more will.
fn result(shared: &Shared, task: Task) -> Result<Option<Returned>, Fault> {
    shared.store.read(|read| {
        let child = agents::get(read, task.child)?;
        // One that rests goes on with it when it is resumed.
        let works = match child.state {
            AgentState::Idle
            | AgentState::Running
            | AgentState::WaitingApproval
            | AgentState::Paused => true,
            AgentState::Error | AgentState::Terminated => false,
        };
        if works && !wakes::open_of_group(read, task.group)?.is_empty() {
            return Ok(None);
        }
        let filter = RunFilter { group: Some(task.group), ..RunFilter::default() };
        let Some(run) = runs::page(read, &filter, None, 1)?.pop() else {
            return Ok(Some(Returned::failed(format!("{} never began", child.name))));
        };
        if run.state == RunState::Running {
            return Ok(None);
        }
        let why = match run.outcome {
            Some(Outcome::Replied { message, gave_up }) => {
                let message = messages::find(read, message)?;
                let text = message.as_ref().and_then(Message::text).unwrap_or_default();
                match (run.state, gave_up) {
                    (RunState::Stopped, _) => {
                        let name = &child.name;
                        format!("{name} was stopped before it was done; it had said: {text}")
                    }
                    (_, true) => format!("{} gave up: {text}", child.name),
                    (_, false) => return Ok(Some(Returned::ok(text))),
                }
            }
            Some(Outcome::Failed { fault }) => fault.to_string(),
            Some(Outcome::Silent { .. }) | None => {
                format!("{} ended without an answer", child.name)
            }
        };
        // Nobody else says so: who gave the task is about to give it again.
        let acted = children::may_have_acted(read, child.id)?;
        let acted = if acted { format!("; {MAY_HAVE_HAPPENED}") } else { String::new() };
        Ok(Some(Returned::failed(why + &acted)))
    })
}
