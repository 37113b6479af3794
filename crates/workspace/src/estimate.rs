//! What a message would cost before it is posted: the first answer of each who
//! would be woken by it, at the most; and who is not woken, because what is left
//! may not be enough for them too.
//!
//! Nobody is asked whether to go on: a message is always taken, and as many
//! answer it as there is surely room for, in the order in which they would
//! speak. Each of the others stays silent, with the budget on record as its
//! reason; waking them all would stop one after the other for want of money.
//! The first is woken in any case: where there is no room even for it, it says so
//! in the group, once, and how to go on.

use crate::budget::Left;
use crate::served::Served;
use crate::shared::Shared;
use crate::souls::{Effective, SoulInForce, effective};
use crate::turn_policy::Ruling;
use crate::window::Window;
use crate::{measured, place, prices, stand, tokens};
use domain::{
    Agent, AgentId, BudgetScope, Fault, Group, Message, Participant, Price, ProviderKind, Reason,
    Settings, Verdict,
};
use std::sync::Arc;
use store::Read;
use store::table::spend::Amount;
use store::table::{agents, members, messages, settings};
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
        ahead.tokens_at_most = ahead.tokens_at_most.saturating_add(most.amount().tokens);
        let both = ahead.microusd_at_most.zip(most.microusd);
        ahead.microusd_at_most = both.map(|(one, two)| one.saturating_add(two));
    }
    Ok(ahead)
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
    let woken: Vec<AgentId> = rulings
        .iter()
        .filter(|ruling| ruling.verdict == Verdict::Speak)
        .map(|ruling| ruling.agent)
        .collect();
    if rulings.iter().filter(|ruling| ruling.verdict != Verdict::Pass).count() < 2 {
        return Ok(());
    }
    let left = Left::of(read, group.id, Some(message.root), shared.now_ms())?;
    if is_plenty(read, shared, group, &woken, left.clone())? {
        return Ok(());
    }
    // The message has been stored: it is part of the history.
    first_answers(read, shared, group, rulings, "", left).map(drop)
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
        let output = max_tokens.min(window.tokens / 4).max(1);
        Ok(Some(Call { soul, kind: served.provider.kind, window, price, output }))
    }

    fn input_at_most(&self, call: &Call, history: &[Message], text: &str) -> Result<u32, Fault> {
        let Answer { read, shared, group, agent, .. } = self;
        let Call { soul, kind, window, output, .. } = call;
        let prompt = stand::system_prompt(read, shared, agent, group)?;
        let member = members::find(read, group.id, Participant::Agent(agent.id))?;
        let joined_after = member.map_or(0, |member| member.joined_after);
        let heard = history.iter().filter(|message| message.seq > joined_after);
        let heard: u32 = heard.map(|message| around(message.text().unwrap_or_default())).sum();
        let said = around(&prompt).saturating_add(heard).saturating_add(around(text));

        let tools = match kind {
            ProviderKind::Local => 0,
            ProviderKind::Openai
            | ProviderKind::Anthropic
            | ProviderKind::Gemini
            | ProviderKind::Ollama
            | ProviderKind::Scripted => {
                let place = place::of(&shared.places.data, &soul.front);
                let allowed =
                    soul.front.tools.as_deref().map(Allowed::from_list).unwrap_or_default();
                tokens::of_tools(&shared.tools.offer(&place, &allowed).specs())
            }
        };
        // What does not fit beside the answer is left out.
        Ok(window.counted(said.saturating_add(tools).min(window.room(*output))))
    }
}

/// With the name in front.
fn around(text: &str) -> u32 {
    tokens::of(text).saturating_add(tokens::AROUND)
}
