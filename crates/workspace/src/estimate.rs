//! What a message would cost before it is posted: the first answer of each who
//! would be woken by it, at the most, and all answers where the policy hands turns on
//! (`handed_on`); and who is not woken, because what is left may not be enough for them too.
//!
//! Those of the group who were woken before it and have asked nobody yet come first.
//! Nobody is asked whether to go on: a message is always taken, and as many
//! answer it as there is surely room for, in the order in which they would
//! speak. Each of the others stays silent, with the budget on record as its
//! reason; waking them all would stop one after the other for want of money.
//! The first is woken in any case: where there is no room even for it, it says so
//! in the group, once, and how to go on.

mod handed_on;

pub(crate) use handed_on::{hands_on, until_quiet};

use crate::budget::Left;
use crate::served::Served;
use crate::shared::Shared;
use crate::souls::{Effective, SoulInForce, effective};
use crate::turn_policy::Ruling;
use crate::window::Window;
use crate::{day, measured, prices, stand, tokens};
use domain::{
    Agent, AgentId, AgentState, BudgetScope, Fault, Group, Message, MessageId, Participant, Price,
    ProviderKind, Reason, RunId, RunState, Settings, Verdict,
};
use std::sync::Arc;
use store::Read;
use store::table::spend::{self, Amount};
use store::table::wakes::{self, Wake};
use store::table::{agents, members, messages, runs, settings, usage};
use tools::Allowed;

/// The newest messages, more than which no brief draws on.
const HISTORY: u32 = 200;

/// What would come of a message.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    /// Of those who are woken; the cost is `None` when a price is missing.
    pub tokens_at_most: i64,
    pub microusd_at_most: Option<i64>,
    /// Those for whom there may be no room.
    pub beyond: Vec<AgentId>,
    pub over: Option<BudgetScope>,
}

impl Ahead {
    fn add(&mut self, most: &Most) {
        self.tokens_at_most = self.tokens_at_most.saturating_add(most.amount().tokens);
        let both = self.microusd_at_most.zip(most.microusd);
        self.microusd_at_most = both.map(|(one, two)| one.saturating_add(two));
    }
}

/// Adds up the first answers. Those for whom there may be no room are ruled to
/// stay silent.
pub(crate) fn first_answers(
    read: &Read<'_>,
    shared: &Shared,
    group: &Group,
    rulings: &mut [Ruling],
    text: &str,
    mut left: Left,
) -> Result<Ahead, Fault> {
    let before = woken_before(read, group, rulings)?;
    set_aside(read, shared, group, before, None, &mut left)?;
    answers(read, shared, group, rulings, text, left)
}

fn answers(
    read: &Read<'_>,
    shared: &Shared,
    group: &Group,
    rulings: &mut [Ruling],
    text: &str,
    mut left: Left,
) -> Result<Ahead, Fault> {
    let settings = settings::get(read)?;
    let history = messages::page(read, group.id, 0, None, HISTORY)?;
    let mut ahead = Ahead { microusd_at_most: Some(0), ..Ahead::default() };
    let mut answering = rulings.iter_mut().filter(|ruling| ruling.verdict != Verdict::Pass);
    let mut is_first = true;
    for ruling in &mut answering {
        let goes_first = std::mem::take(&mut is_first);
        if ruling.verdict != Verdict::Speak {
            continue;
        }
        let agent = agents::get(read, ruling.agent)?;
        let answer = Answer { read, shared, settings: &settings, group, agent: &agent };
        let Some(call) = answer.call()? else { continue };
        let most = call.with(answer.input_at_most(&call, &history, text)?);
        if let Err(scope) = left.take(most.amount())
            && !goes_first
        {
            stay_silent(ruling, scope);
            ahead.beyond.push(agent.id);
            ahead.over.get_or_insert(scope);
            continue;
        }
        ahead.add(&most);
    }
    Ok(ahead)
}

/// What an agent's first answer in a group may use, which reads this beside what is stored;
/// nothing where it cannot be asked.
pub(crate) fn at_most(
    read: &Read<'_>,
    shared: &Shared,
    group: &Group,
    agent: &Agent,
    unsaid: &str,
) -> Result<Amount, Fault> {
    let settings = settings::get(read)?;
    let answer = Answer { read, shared, settings: &settings, group, agent };
    let Some(call) = answer.call()? else { return Ok(Amount::default()) };
    let history = messages::page(read, group.id, 0, None, HISTORY)?;
    Ok(call.with(answer.input_at_most(&call, &history, unsaid)?).amount())
}

/// Those of an agent's turns in which it has asked nobody yet.
pub(crate) fn yet_to_ask(read: &Read<'_>, agent: AgentId) -> Result<Vec<Wake>, Fault> {
    let mut open = Vec::new();
    for wake in wakes::open_of(read, agent)? {
        let is_to_come = match wake.claimed_by {
            None => true,
            Some(run) => has_asked_nobody(read, run)?,
        };
        if is_to_come {
            open.push(wake);
        }
    }
    Ok(open)
}

/// Rules on a message of the group that those stay silent for whom there may be no
/// room. Costs next to nothing where there is plenty.
pub(crate) fn hold_back(
    read: &Read<'_>,
    shared: &Shared,
    group: &Group,
    message: &Message,
    rulings: &mut [Ruling],
) -> Result<(), Fault> {
    let mut woken: Vec<AgentId> = rulings
        .iter()
        .filter(|ruling| ruling.verdict == Verdict::Speak)
        .map(|ruling| ruling.agent)
        .collect();
    if rulings.iter().filter(|ruling| ruling.verdict != Verdict::Pass).count() < 2 {
        return Ok(());
    }
    let mut left = Left::of(read, group.id, Some(message.root), shared.now_ms())?;
    let before = woken_before(read, group, rulings)?;
    woken.extend(before.iter().map(|wake| wake.agent));
    if is_plenty(read, shared, group, &woken, left.clone())? {
        return Ok(());
    }
    set_aside(read, shared, group, before, Some(message.root), &mut left)?;
    // The message has been stored: it is part of the history.
    answers(read, shared, group, rulings, "", left).map(drop)
}

/// Keeps for those who were woken before what their first answers may use: their
/// turn comes first, and nothing of it is on any account.
fn set_aside(
    read: &Read<'_>,
    shared: &Shared,
    group: &Group,
    before: Vec<Wake>,
    root: Option<MessageId>,
    left: &mut Left,
) -> Result<(), Fault> {
    if before.is_empty() {
        return Ok(());
    }
    let settings = settings::get(read)?;
    let history = messages::page(read, group.id, 0, None, HISTORY)?;
    for wake in before {
        let agent = agents::get(read, wake.agent)?;
        let answer = Answer { read, shared, settings: &settings, group, agent: &agent };
        let Some(call) = answer.call()? else { continue };
        let most = call.with(answer.input_at_most(&call, &history, "")?);
        left.set_aside(most.amount(), Some(wake.root) == root);
    }
    Ok(())
}

/// Those in the group who were woken before and have asked nobody yet, by one wake
/// each. Who speaks now too, and has not begun, answers both at once.
fn woken_before(read: &Read<'_>, group: &Group, rulings: &[Ruling]) -> Result<Vec<Wake>, Fault> {
    let speaks_now = |agent: AgentId| {
        let mut rulings = rulings.iter();
        rulings.any(|ruling| ruling.agent == agent && ruling.verdict != Verdict::Pass)
    };
    let mut before: Vec<Wake> = Vec::new();
    for wake in wakes::open_of_group(read, group.id)? {
        if before.iter().any(|known| known.agent == wake.agent) {
            continue;
        }
        let is_to_come = match wake.claimed_by {
            None => !speaks_now(wake.agent) && is_at_work(&agents::get(read, wake.agent)?),
            Some(run) => has_asked_nobody(read, run)?,
        };
        if is_to_come {
            before.push(wake);
        }
    }
    Ok(before)
}

fn is_at_work(agent: &Agent) -> bool {
    match agent.state {
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => true,
        AgentState::Paused | AgentState::Error | AgentState::Terminated => false,
    }
}

fn has_asked_nobody(read: &Read<'_>, run: RunId) -> Result<bool, Fault> {
    if runs::get(read, run)?.state != RunState::Running {
        return Ok(false);
    }
    let is_promised = spend::open(read)?.iter().any(|promise| promise.run == run);
    Ok(!is_promised && usage::calls_of_run(read, run)?.is_empty())
}

/// Whether all of them could fill their models' windows.
fn is_plenty(
    read: &Read<'_>,
    shared: &Shared,
    group: &Group,
    woken: &[AgentId],
    mut left: Left,
) -> Result<bool, Fault> {
    let settings = settings::get(read)?;
    for agent in woken {
        let agent = agents::get(read, *agent)?;
        let answer = Answer { read, shared, settings: &settings, group, agent: &agent };
        let Some(call) = answer.call()? else { continue };
        let most = call.with(call.window.tokens.saturating_sub(call.output));
        if left.take(most.amount()).is_err() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn stay_silent(ruling: &mut Ruling, scope: BudgetScope) {
    ruling.verdict = Verdict::Pass;
    ruling.reason = Reason::OverBudget { scope };
    ruling.hindrance = None;
}

struct Answer<'a> {
    read: &'a Read<'a>,
    shared: &'a Shared,
    settings: &'a Settings,
    group: &'a Group,
    agent: &'a Agent,
}

/// A call of a model as far as it does not depend on what is said.
struct Call {
    soul: Arc<SoulInForce>,
    kind: ProviderKind,
    window: Window,
    price: Option<Price>,
    output: u32,
}

struct Most {
    input: u32,
    output: u32,
    microusd: Option<i64>,
}

impl Call {
    fn with(&self, input: u32) -> Most {
        let Call { price, output, .. } = self;
        let microusd = price.as_ref().map(|price| prices::most(price, input, *output));
        Most { input, output: *output, microusd }
    }
}

impl Most {
    /// The larger of both in each.
    fn or_more(self, other: Most) -> Most {
        Most {
            input: self.input.max(other.input),
            output: self.output.max(other.output),
            microusd: self.microusd.zip(other.microusd).map(|(one, two)| one.max(two)),
        }
    }

    fn amount(&self) -> Amount {
        let tokens = i64::from(self.input) + i64::from(self.output);
        Amount { tokens, microusd: self.microusd.unwrap_or(0), unpriced: 0 }
    }
}

impl Answer<'_> {
    /// Nothing for somebody who cannot be asked at all.
    fn call(&self) -> Result<Option<Call>, Fault> {
        let Answer { read, shared, settings, agent, .. } = self;
        let Some(soul) = shared.souls.in_force(&agent.soul) else { return Ok(None) };
        let Effective { model, max_tokens, .. } =
            effective(agent.model.as_deref(), &soul.front, settings);
        let Some(model) = model else { return Ok(None) };
        let Ok(served) = Served::find(read, &model) else { return Ok(None) };
        let window = Window::new(served.context_tokens(), measured::per_mille(read, &model)?);
        let price = prices::of(&settings.prices, &model);
        let output = window.answer(max_tokens);
        Ok(Some(Call { soul, kind: served.provider.kind, window, price, output }))
    }

    fn input_at_most(&self, call: &Call, history: &[Message], text: &str) -> Result<u32, Fault> {
        let Answer { read, shared, group, agent, .. } = self;
        let Call { soul, kind, window, output, .. } = call;
        let prompt = stand::system_prompt(read, shared, agent, group, soul)?;
        let member = members::find(read, group.id, Participant::Agent(agent.id))?;
        let joined_after = member.map_or(0, |member| member.joined_after);
        let heard = history.iter().filter(|message| message.seq > joined_after);
        let heard: u32 = heard.map(|message| around(message.text().unwrap_or_default())).sum();
        // The day stands beside the words, at the most once more than was heard.
        let today = around(&day::of(&*shared.clock, shared.now_ms()));
        let said = around(&prompt).saturating_add(heard).saturating_add(around(text));
        let said = said.saturating_add(today);

        let tools = match kind {
            ProviderKind::Local => 0,
            ProviderKind::Openai
            | ProviderKind::Anthropic
            | ProviderKind::Gemini
            | ProviderKind::Ollama
            | ProviderKind::Scripted => {
                let place = stand::place_of(read, shared, &soul.front)?;
                let allowed =
                    soul.front.tools.as_deref().map(Allowed::from_list).unwrap_or_default();
                let offer = stand::offered(&shared.tools(), &place, &allowed, &soul.front);
                tokens::of_tools(&offer.specs())
            }
        };
        // What does not fit beside the answer is left out.
        let room = window.beside(tools).room(*output);
        Ok(window.counted(said.saturating_add(tools).min(room)))
    }
}

/// With the name in front.
fn around(text: &str) -> u32 {
    tokens::of(text).saturating_add(tokens::AROUND)
}
