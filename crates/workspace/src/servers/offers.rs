//! What servers have for a person: something to show with a message, and texts to say.
//!
//! It is read when it is put into a message, and kept as it was then, so that the person
//! sees what agents will, and posting waits for no server. All of it is
//! somebody else's words, and is marked as theirs until agents read it.

use super::set_up;
use super::told::one;
use crate::shared::Shared;
use crate::{attachments, memory};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::{
    Attachment, Fault, FaultCode, FaultKind, FilledPrompt, McpArgument, McpOffers, McpPrompt,
    McpResource, McpState, McpTemplate, REDACTED, ReadFrom,
};
use mcp::{Ask, Contents, Data, Offers, Part, PromptText, Role};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{Durability, Write};

/// Of an address that is shown.
const MOST_OF_AN_ADDRESS: usize = 500;

pub(crate) async fn offers(shared: &Arc<Shared>, server: &str) -> Result<McpOffers, Fault> {
    wake(shared, server).await?;
    let stop = shared.closing.child_token();
    let offers = shared.servers.running.offers(server, &stop).await;
    Ok(told(shared, offers.map_err(|fault| refused(shared, server, &fault))?))
}

/// Keeps what a server has at an address as it is now.
pub(crate) async fn attach(
    shared: &Arc<Shared>,
    server: &str,
    uri: &str,
) -> Result<Attachment, Fault> {
    wake(shared, server).await?;
    let uri = &meant(shared, server, uri).await;
    let read = shared.servers.running.read(server, uri, &asked(shared)).await;
    let contents = read.map_err(|fault| refused(shared, server, &fault))?;
    if contents.is_empty() {
        return Err(failed(shared, server, &format!("there is nothing at {uri}")));
    }
    keep(shared, server, uri, &contents).await
}

/// The address that a server listed, where a key was taken out of it before it was
/// shown.
async fn meant(shared: &Arc<Shared>, server: &str, shown: &str) -> String {
    if !shown.contains(REDACTED) {
        return shown.to_owned();
    }
    let listed = shared.servers.running.resources(server, &shared.closing.child_token()).await;
    let redactor = shared.safe.redactor();
    let listed = listed.unwrap_or_default().into_iter().map(|one| one.uri);
    let mut same = listed.filter(|uri| redactor.redact(uri) == shown);
    same.next().unwrap_or_else(|| shown.to_owned())
}

/// Has a server write one of its prompts.
pub(crate) async fn fill(
    shared: &Arc<Shared>,
    server: &str,
    prompt: &str,
    arguments: BTreeMap<String, String>,
) -> Result<FilledPrompt, Fault> {
    wake(shared, server).await?;
    let arguments = arguments.into_iter().map(|(name, value)| (name, Value::String(value)));
    let written =
        shared.servers.running.prompt(server, prompt, arguments.collect(), &asked(shared)).await;
    let written = written.map_err(|fault| refused(shared, server, &fault))?;
    let mut attachments = Vec::new();
    for part in written.messages.iter().flat_map(|message| &message.parts) {
        if let Some((uri, contents)) = beside(part) {
            attachments.push(keep(shared, server, &uri, &[contents]).await?);
        }
    }
    let text = shared.safe.redactor().redact(&words(&written)).into_owned();
    let (by, said) = (server.to_owned(), text.clone());
    // Said by the person, it is still no word of theirs about themselves.
    let note = move |write: &mut Write<'_>| memory::note_filled(write, &by, &said);
    shared.store.write(Durability::Process, note).await?;
    Ok(FilledPrompt { text, attachments })
}

/// The texts of it, each after who is to say it where it is not the person alone.
fn words(written: &PromptText) -> String {
    let is_dialog = written.messages.iter().any(|message| message.role == Role::Assistant);
    let said = written.messages.iter().flat_map(|message| {
        let who = match (is_dialog, message.role) {
            (false, _) => "",
            (true, Role::User) => "User: ",
            (true, Role::Assistant) => "Assistant: ",
        };
        let texts = message.parts.iter().filter(|part| beside(part).is_none());
        texts.map(move |part| format!("{who}{}", part.shown()))
    });
    said.collect::<Vec<_>>().join("\n\n")
}

/// What goes along with a prompt's words rather than among them.
fn beside(part: &Part) -> Option<(String, Contents)> {
    match part {
        Part::Resource(contents) => Some((contents.uri.clone(), contents.clone())),
        Part::Image { mime_type, base64 } => {
            let name = mime_type.replace("image/", "picture.");
            let data = Data::Base64(base64.clone());
            let mime_type = Some(mime_type.clone());
            Some((name.clone(), Contents { uri: name, mime_type, data }))
        }
        Part::Text(_) | Part::Audio { .. } | Part::Link(_) | Part::Unknown(_) => None,
    }
}

async fn keep(
    shared: &Arc<Shared>,
    server: &str,
    uri: &str,
    contents: &[Contents],
) -> Result<Attachment, Fault> {
    let base64 = match contents {
        [Contents { data: Data::Base64(base64), .. }] => base64.clone(),
        several => BASE64_STANDARD.encode(mcp::words(several)),
    };
    let kept = attachments::keep(shared, name_in(uri), base64).await?;
    let uri = shared.safe.redactor().redact(&in_a_line(uri)).into_owned();
    Ok(Attachment { from: Some(ReadFrom { server: server.to_owned(), uri }), ..kept })
}

/// The last part of an address that says something.
fn name_in(uri: &str) -> String {
    let plain = uri.split(['?', '#']).next().unwrap_or(uri);
    let last = plain.rsplit('/').find(|part| !part.is_empty()).unwrap_or(uri);
    in_a_line(last)
}

fn in_a_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MOST_OF_AN_ADDRESS).collect()
}

/// A process that does not stay starts none until somebody wants something of it.
async fn wake(shared: &Arc<Shared>, server: &str) -> Result<(), Fault> {
    match one(shared, server)?.state {
        McpState::Asleep => set_up::reload(shared, server.to_owned(), false).await.map(drop),
        McpState::Off => Err(Fault::new(
            FaultCode::Refused,
            format!("the MCP server {server} is switched off"),
            format!("switch it on first: coterie mcp on {server}"),
        )
        .of(FaultKind::ServerSwitchedOff { name: server.to_owned() })),
        McpState::Starting
        | McpState::Ready { .. }
        | McpState::Resting { .. }
        | McpState::SignIn { .. }
        | McpState::Failed { .. } => Ok(()),
    }
}

fn asked(shared: &Shared) -> Ask {
    Ask { stop: shared.closing.child_token(), ..Ask::default() }
}

fn refused(shared: &Shared, server: &str, fault: &mcp::Fault) -> Fault {
    let failed = failed(shared, server, fault);
    match fault {
        mcp::Fault::SignIn { .. } => Fault {
            fix: format!(
                "sign in with it in Settings under MCP, or with coterie mcp reload {server} --sign-in"
            ),
            ..failed
        },
        _ => failed,
    }
}

fn failed(shared: &Shared, server: &str, why: &dyn ToString) -> Fault {
    let detail = shared.safe.redactor().redact(&why.to_string()).into_owned();
    Fault::new(
        FaultCode::Provider,
        format!("the MCP server {server} did not do it: {detail}"),
        format!("see how it is with coterie mcp list, or try it again; coterie mcp log {server} says more"),
    )
    .of(FaultKind::ServerFailed { name: server.to_owned(), detail })
}

fn told(shared: &Shared, offers: Offers) -> McpOffers {
    let clean = |text: String| shared.safe.redactor().redact(&text).into_owned();
    let maybe = |text: Option<String>| text.map(clean);
    let resource = |one: mcp::Resource| McpResource {
        uri: clean(one.uri),
        name: clean(one.name),
        title: maybe(one.title),
        description: maybe(one.description),
        mime_type: maybe(one.mime_type),
        bytes: one.bytes,
    };
    let template = |one: mcp::ResourceTemplate| McpTemplate {
        uri_template: clean(one.uri_template),
        name: clean(one.name),
        description: maybe(one.description),
    };
    let argument = |one: mcp::Argument| McpArgument {
        name: one.name,
        description: maybe(one.description),
        required: one.required,
    };
    let prompt = |one: mcp::Prompt| McpPrompt {
        name: one.name,
        title: maybe(one.title),
        description: maybe(one.description),
        arguments: one.arguments.into_iter().map(argument).collect(),
    };
    McpOffers {
        resources: offers.resources.into_iter().map(resource).collect(),
        templates: offers.templates.into_iter().map(template).collect(),
        prompts: offers.prompts.into_iter().map(prompt).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp::Spoken;

    #[test]
    fn what_is_read_is_called_after_the_end_of_its_address() {
        let check = |uri: &str, name: &str| assert_eq!(name_in(uri), name, "{uri}");
        check("demo://resource/static/document/features.md", "features.md");
        check("file:///srv/notes/", "notes");
        check("https://example.org/a/b.txt?page=2#top", "b.txt");
        check("plain", "plain");
        check("x://a/b\n[forged]", "b[forged]");
        check("x://", "x:");
    }

    #[test]
    fn a_prompt_for_one_is_its_words_and_one_for_two_says_who_speaks() {
        let text = |text: &str| Part::Text(text.into());
        let spoken = |role, parts| Spoken { role, parts };
        let check = |messages: Vec<Spoken>, expected: &str| {
            assert_eq!(words(&PromptText { description: None, messages }), expected);
        };
        check(vec![spoken(Role::User, vec![text("one")])], "one");
        let picture = Part::Image { mime_type: "image/png".into(), base64: "AAAA".into() };
        check(vec![spoken(Role::User, vec![text("look"), picture])], "look");
        let dialog = vec![
            spoken(Role::User, vec![text("one?")]),
            spoken(Role::Assistant, vec![text("two.")]),
        ];
        check(dialog, "User: one?\n\nAssistant: two.");
    }
}
