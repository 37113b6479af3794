//! What a message would cost before it is posted: the first answer of each who
//! would be woken by it, at the most.

use crate::served::Served;
use crate::shared::Shared;
use crate::souls::effective;
use crate::window::Window;
use crate::{measured, place, prices, stand, tokens};
use domain::{Agent, AgentId, Fault, Group, Message, Participant, ProviderKind, Settings};
use store::Read;
use store::table::{agents, members, messages, settings};
use tools::Allowed;

/// The newest messages, more than which no brief draws on.
const HISTORY: u32 = 200;

/// Tokens, and millionths of a dollar if every price is known.
pub(crate) fn first_answers(
    read: &Read<'_>,
    shared: &Shared,
    group: &Group,
    speakers: &[AgentId],
    text: &str,
) -> Result<(i64, Option<i64>), Fault> {
    let settings = settings::get(read)?;
    let history = messages::page(read, group.id, 0, None, HISTORY)?;
    let (mut all, mut cost) = (0, Some(0_i64));
    for speaker in speakers {
        let agent = agents::get(read, *speaker)?;
        let answer = Answer { read, shared, settings: &settings, group, agent: &agent };
        let Some(most) = answer.at_most(&history, text)? else { continue };
        all += i64::from(most.input) + i64::from(most.output);
        let price = prices::of(&settings.prices, &most.model);
        let least = price.map(|price| prices::most(&price, most.input, most.output));
        cost = cost.zip(least).map(|(one, two)| one.saturating_add(two));
    }
    Ok((all, cost))
}

struct Answer<'a> {
    read: &'a Read<'a>,
    shared: &'a Shared,
    settings: &'a Settings,
    group: &'a Group,
    agent: &'a Agent,
}

struct Most {
    /// `provider/model`.
    model: String,
    input: u32,
    output: u32,
}

impl Answer<'_> {
    /// Nothing for somebody who cannot be asked at all.
    fn at_most(&self, history: &[Message], text: &str) -> Result<Option<Most>, Fault> {
        let Answer { read, shared, settings, group, agent } = self;
        let Some(soul) = shared.souls.in_force(&agent.soul) else { return Ok(None) };
        let effective = effective(agent.model.as_deref(), &soul.front, settings);
        let Some(model) = effective.model else { return Ok(None) };
        let Ok(served) = Served::find(read, &model) else { return Ok(None) };
        let window = Window::new(served.context_tokens(), measured::per_mille(read, &model)?);
        let output = effective.max_tokens.min(window.tokens / 4).max(1);

        let prompt = stand::system_prompt(read, shared, agent, group)?;
        let member = members::find(read, group.id, Participant::Agent(agent.id))?;
        let joined_after = member.map_or(0, |member| member.joined_after);
        let heard = history.iter().filter(|message| message.seq > joined_after);
        let heard: u32 = heard.map(|message| around(message.text().unwrap_or_default())).sum();
        let said = around(&prompt).saturating_add(heard).saturating_add(around(text));

        let tools = match served.provider.kind {
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
        let input = window.counted(said.saturating_add(tools).min(window.room(output)));
        Ok(Some(Most { model, input, output }))
    }
}

/// With the name in front.
fn around(text: &str) -> u32 {
    tokens::of(text).saturating_add(tokens::AROUND)
}
