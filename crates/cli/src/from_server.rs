//! What MCP servers have for a message: something to show with it, and texts to say.

use crate::screen::Failure;
use crate::session::{Session, answered};
use domain::{Attachment, Command, Fault};
use std::collections::BTreeMap;

/// Has the workspace keep what servers have, given as their names and addresses in turn.
pub(crate) async fn shown(
    session: &Session,
    resources: &[String],
) -> Result<Vec<Attachment>, Failure> {
    let mut kept = Vec::new();
    for one in resources.chunks_exact(2) {
        let (server, uri) = (one[0].clone(), one[1].clone());
        let attach = Command::AttachResource { server, uri };
        kept.push(answered!(session.order(attach).await?, Attachment)?);
    }
    Ok(kept)
}

/// The text with a server's prompt before it, and what goes along with that.
pub(crate) async fn said(
    session: &Session,
    text: String,
    wanted: &[String],
) -> Result<(String, Vec<Attachment>), Failure> {
    let Some((prompt, given)) = wanted.split_first() else { return Ok((text, Vec::new())) };
    let (server, prompt) = prompt.split_once('/').ok_or_else(|| {
        let what = format!("{prompt:?} names no prompt of a server");
        Fault::bad_input(what, "give it as SERVER/PROMPT; coterie mcp prompts SERVER lists them")
    })?;
    let mut arguments = BTreeMap::new();
    for one in given {
        let (name, value) = one.split_once('=').ok_or_else(|| {
            let what = format!("{one:?} is no argument of a prompt");
            Fault::bad_input(what, "give each as NAME=VALUE")
        })?;
        arguments.insert(name.to_owned(), value.to_owned());
    }
    let (server, prompt) = (server.to_owned(), prompt.to_owned());
    let order = Command::FillPrompt { server, prompt, arguments };
    let filled = answered!(session.order(order).await?, FilledPrompt)?;
    let said = [filled.text, text];
    let said: Vec<String> = said.into_iter().filter(|words| !words.is_empty()).collect();
    Ok((said.join("\n\n"), filled.attachments))
}
