//! What servers want a person to enter, or to look at.
//!
//! It is asked like everything else that somebody has to answer (`questions`), in
//! the turn that uses the server, and ends with that use. Nothing of what is said in
//! a conversation goes to a server.

use crate::questions::{self, Heard, New, sounds_secret};
use crate::redacted;
use crate::shared::Shared;
use domain::{
    Asks, CallId, CallState, Fault, Given, Question, QuestionId, QuestionState, RunId, RunState,
    Takes,
};
use mcp::{Elicitation, Elicited};
use serde_json::Map;
use std::sync::Arc;
use store::Read;
use store::table::{runs, tool_calls};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Of what a server says in a question.
const MOST_CHARACTERS: usize = 4_000;

/// An error says why nobody is asked.
pub(super) async fn elicit(
    shared: &Arc<Shared>,
    server: &str,
    asked: Elicitation,
    uses: &[String],
) -> Result<Elicited, String> {
    let (text, asks) = match asked {
        Elicitation::Form { message, schema } => {
            let mut fields = mcp::fields(&schema)?;
            for field in &mut fields {
                let is_text = matches!(field.takes, Takes::Text { .. });
                let title = field.title.as_deref().unwrap_or_default();
                field.sounds_secret = is_text && sounds_secret([&field.name, title, &message]);
            }
            (message, Asks::Form { fields })
        }
        Elicitation::Page { message, url, host } => {
            if shared.safe.redactor().redact_known(&url) != url {
                return Err("one of the person's keys stands in the address of its page".to_owned());
            }
            (message, Asks::Page { url, host })
        }
    };
    let question = put(shared, server, text, asks, uses).await?;
    Ok(match (question.state, question.given) {
        (QuestionState::Answered, Some(Given::Values { values })) => {
            Elicited::Accepted(values.into_iter().collect())
        }
        (QuestionState::Answered, Some(Given::Message { .. }) | None) => {
            Elicited::Accepted(Map::new())
        }
        (QuestionState::Declined, _) => Elicited::Declined,
        (
            QuestionState::Dismissed
            | QuestionState::Expired
            | QuestionState::Withdrawn
            | QuestionState::Waiting,
            _,
        ) => Elicited::Cancelled,
    })
}

/// Asks for a server, and gives the question when nobody waits for it any more.
pub(super) async fn put(
    shared: &Arc<Shared>,
    server: &str,
    text: String,
    asks: Asks,
    uses: &[String],
) -> Result<Question, String> {
    let said = |fault: Fault| fault.to_string();
    let (call, run) = shared.store.read(|read| asked_in(read, uses)).map_err(said)??;
    let redactor = shared.safe.redactor();
    let text: String = redactor.redact(text.trim()).chars().take(MOST_CHARACTERS).collect();
    let asks = redacted::words(redactor, &asks).ok_or("its question cannot be shown")?;
    let id = QuestionId(Uuid::now_v7());
    let new = New { id, call, run, server: Some(server.to_owned()), text, asks };
    questions::ask(shared, new).await.map_err(said)??;
    // The server may go, or want to know no more.
    let mut left = Left { shared: shared.clone(), id: Some(id) };
    match questions::heard(shared, id, &CancellationToken::new()).await.map_err(said)? {
        Heard::Ended(question) => {
            left.id = None;
            Ok(*question)
        }
        Heard::Stopped => Err("nobody waits for it".to_owned()),
    }
}

/// The newest of the uses in progress, and the turn that it is in. A question that
/// may belong to another turn is not asked: it would be shown in the wrong
/// conversation.
pub(super) fn asked_in(
    read: &Read<'_>,
    uses: &[String],
) -> Result<Result<(CallId, RunId), String>, Fault> {
    let mut found: Option<(CallId, RunId)> = None;
    for call in uses.iter().filter_map(|key| key.parse::<CallId>().ok()) {
        let Some(open) = tool_calls::find(read, call)? else { continue };
        if open.state != CallState::Dispatched {
            continue;
        }
        // The turn may have been taken up again since.
        let first = runs::get(read, open.run)?;
        let goes_on = |run: &domain::Run| {
            run.state == RunState::Running && (run.agent, run.group) == (first.agent, first.group)
        };
        let Some(run) = runs::open(read)?.into_iter().find(goes_on) else { continue };
        if found.is_some_and(|(_, other)| other != run.id) {
            let why = "several turns use the server, and it does not say in which it asks";
            return Ok(Err(why.to_owned()));
        }
        found = Some((call, run.id));
    }
    Ok(found.ok_or_else(|| "nobody uses the server at the moment".to_owned()))
}

/// Whoever asked is gone, one way or another.
struct Left {
    shared: Arc<Shared>,
    /// `None` once it is answered.
    id: Option<QuestionId>,
}

impl Drop for Left {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        let shared = self.shared.clone();
        self.shared.tasks.spawn(async move {
            if let Err(fault) = questions::over(&shared, id, QuestionState::Withdrawn).await {
                tracing::warn!(%fault, "a question is shown that nobody waits for");
            }
        });
    }
}
