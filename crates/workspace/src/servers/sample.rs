//! What servers want a model to answer.
//!
//! Only those may ask that a person has allowed it, and each time a person sees first
//! what the model is to be told and what that may cost. It is the agent's fast model, it
//! has no tools, and the turn that uses the server pays.

use super::elicit::{asked_in, put};
use crate::calls::{Candidates, Lines};
use crate::heard::{Heard, hear};
use crate::roles::Task;
use crate::shared::Shared;
use crate::stand::Stand;
use crate::unwritten::Unwritten;
use crate::window::Window;
use crate::{measured, prices, redacted, tokens};
use domain::{AskedLine, Asks, Fault, QuestionState, Run, RunId, Usage};
use llm::{ModelRequest, Role, Turn};
use mcp::{Part, Sampled, Sampling, Spoken};
use std::sync::Arc;
use store::Read;
use store::table::{agents, groups, mcp_servers, runs, settings};

/// Of one answer, whatever the server wants.
const MOST_TOKENS: u32 = 4_096;
const MOST_STOPS: usize = 4;
const USUAL_TEMPERATURE: f32 = 0.7;

/// Whether the server may ask at all.
pub(super) fn is_allowed(shared: &Shared, server: &str) -> bool {
    let found = shared.store.read(|read| mcp_servers::find(read, server));
    found.ok().flatten().is_some_and(|server| server.setup.may_sample)
}

/// An error says why there is no answer.
pub(super) async fn sample(
    shared: &Arc<Shared>,
    server: &str,
    asked: Sampling,
    uses: &[String],
) -> Result<Sampled, String> {
    if !is_allowed(shared, server) {
        return Err("the person has not allowed this server to have a model asked".to_owned());
    }
    let said = |fault: Fault| fault.to_string();
    let (_, run) = shared.store.read(|read| asked_in(read, uses)).map_err(said)??;
    let call = shared.store.read(|read| prepare(read, shared, run, asked)).map_err(said)??;
    let question = put(shared, server, String::new(), call.shown.clone(), uses).await?;
    match question.state {
        QuestionState::Answered => answer(shared, call).await,
        QuestionState::Declined => Err("the person said no".to_owned()),
        QuestionState::Dismissed
        | QuestionState::Expired
        | QuestionState::Withdrawn
        | QuestionState::Waiting => Err("nobody allowed it in time".to_owned()),
    }
}

/// A call of a model that nobody has allowed yet.
struct Call {
    run: Run,
    candidates: Candidates,
    request: ModelRequest,
    /// What the person sees of it.
    shown: Asks,
}

/// The model is told exactly what the person is shown.
fn prepare(
    read: &Read<'_>,
    shared: &Shared,
    run: RunId,
    asked: Sampling,
) -> Result<Result<Call, String>, Fault> {
    let run = runs::get(read, run)?;
    let (agent, group) = (agents::get(read, run.agent)?, groups::get(read, run.group)?);
    let soul = shared.souls.worn(&agent);
    let candidates = Stand::look(read, shared, &agent, &group, &soul, Task::Answer)?.candidates;
    let Some(first) = candidates.notes.first() else {
        return Ok(Err("there is no model to be asked".to_owned()));
    };
    first.provider.as_ref().map_err(Fault::clone)?;
    let (model, window) = (first.name.clone(), first.window);
    let Sampling { messages, system_prompt, max_tokens, temperature, stop_sequences } = asked;
    let lines: Result<Vec<AskedLine>, String> = messages.into_iter().map(line).collect();
    let lines = match lines {
        Ok(lines) if !lines.is_empty() => lines,
        Ok(_) => return Ok(Err("it says nothing that could be answered".to_owned())),
        Err(why) => return Ok(Err(why)),
    };
    let redactor = shared.safe.redactor();
    let Some((system, messages)) = redacted::words(redactor, &(system_prompt, lines)) else {
        return Ok(Err("its messages cannot be shown".to_owned()));
    };
    let tokens = max_tokens.clamp(1, MOST_TOKENS).min(window.tokens / 4);
    let request = ModelRequest {
        model: model.split_once('/').map_or("", |(_, name)| name).to_owned(),
        turns: turns(system.as_deref(), &messages),
        temperature: temperature.unwrap_or(USUAL_TEMPERATURE).clamp(0.0, 2.0),
        max_tokens: tokens,
        stop: stop_sequences.into_iter().filter(|stop| !stop.is_empty()).take(MOST_STOPS).collect(),
        seed: None,
        grammar: None,
        tools: domain::ToolSpecs::default(),
    };
    let counted = Window::new(None, measured::per_mille(read, &model)?);
    let input = counted.counted(tokens::of_request(&request));
    if input.saturating_add(tokens) > window.tokens {
        return Ok(Err("its messages are too long for the model".to_owned()));
    }
    let price = prices::of(&settings::get(read)?.prices, &model);
    let microusd = price.map(|price| prices::most(&price, input, tokens));
    let shown = Asks::Words { model, system, messages, tokens, microusd };
    Ok(Ok(Call { run, candidates, request, shown }))
}

fn line(spoken: Spoken) -> Result<AskedLine, String> {
    let text = |part: Part| match part {
        Part::Text(text) => Ok(text),
        Part::Image { .. }
        | Part::Audio { .. }
        | Part::Resource(_)
        | Part::Link(_)
        | Part::Unknown(_) => Err("only texts can be passed on to a model".to_owned()),
    };
    let texts: Result<Vec<String>, String> = spoken.parts.into_iter().map(text).collect();
    Ok(AskedLine { by_model: spoken.role == mcp::Role::Assistant, text: texts?.join("\n") })
}

fn turns(system: Option<&str>, messages: &[AskedLine]) -> Vec<Turn> {
    let system = system.map(|system| Turn::new(Role::System, system));
    let said = messages.iter().map(|line| {
        let role = if line.by_model { Role::Assistant } else { Role::User };
        Turn::new(role, line.text.as_str())
    });
    system.into_iter().chain(said).collect()
}

async fn answer(shared: &Arc<Shared>, call: Call) -> Result<Sampled, String> {
    let Call { run, candidates, request, .. } = call;
    let going = shared.going_on.of(run.id).ok_or("the turn has ended")?;
    let model = candidates.notes.first().map_or(String::new(), |first| first.name.clone());
    let stop = going.stop.child_token();
    // Whoever asked may leave; what was used is paid all the same.
    let _leaves = stop.clone().drop_guard();
    let beside = shared.clone();
    let asking = shared.tasks.spawn(async move {
        let unwritten = Unwritten::default();
        let lines = Lines::new(&beside, candidates, &run, &unwritten);
        let heard = hear(&lines.notes, request, &stop, &mut Usage::default()).await;
        unwritten.write(&beside, &run).await;
        heard
    });
    match asking.await {
        Ok(Some(Heard { text, whole })) => Ok(Sampled { text, model, whole }),
        Ok(None) | Err(_) => Err("the model gave no answer; coterie run show says more".to_owned()),
    }
}
