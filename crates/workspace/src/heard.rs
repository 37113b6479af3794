//! The whole of a model's answer, where nobody watches it come.

use domain::Usage;
use futures::StreamExt;
use llm::{Delta, Finish, Model, ModelRequest};
use tokio_util::sync::CancellationToken;

/// What a model answered, and whether that is all of it.
pub(crate) struct Heard {
    pub text: String,
    pub whole: bool,
}

/// `None` where it failed, said nothing, or somebody ended it. What it took is
/// added to the usage.
pub(crate) async fn hear(
    model: &dyn Model,
    request: ModelRequest,
    stop: &CancellationToken,
    taken: &mut Usage,
) -> Option<Heard> {
    let mut stream = model.ask(request);
    let mut text = String::new();
    loop {
        let delta = tokio::select! {
            biased;
            () = stop.cancelled() => return None,
            delta = stream.next() => delta?,
        };
        match delta {
            Delta::Text(piece) => text.push_str(&piece),
            Delta::Reasoning(_)
            | Delta::ToolCall(_)
            | Delta::Unshown(_)
            | Delta::Counted(_)
            | Delta::Kept(_) => {}
            Delta::Anew => text.clear(),
            Delta::Failed { fault, usage } => {
                *taken = taken.plus(usage);
                tracing::warn!(%fault.message, "no answer came");
                return None;
            }
            Delta::Done { finish, usage } => {
                *taken = taken.plus(usage);
                let text = text.trim().to_owned();
                return match finish {
                    Finish::Stop | Finish::Length if !text.is_empty() => {
                        Some(Heard { text, whole: finish == Finish::Stop })
                    }
                    Finish::Stop | Finish::Length | Finish::ToolCalls | Finish::Filtered => None,
                };
            }
        }
    }
}
