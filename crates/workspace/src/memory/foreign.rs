//! Tells whether what an agent wants remembered may be a tool's word.
//!
//! What a file, a page or a program says is no agent's word, whoever repeats it: the
//! agent itself a turn later, or another one that has read its message. So everything
//! is looked through that the conversation shows, files that a person put into it as
//! well, and the conversations that its messages came from. It need not be in the same
//! words while it is fresh. Words that a person has said themselves are theirs.

use super::filled::Known;
use crate::{outside, sources};
use domain::{Author, CallState, GroupId, GroupKind, Run, RunFilter, RunId, ToolCall};
use search::words;
use std::collections::{HashMap, HashSet, VecDeque};
use store::table::{groups, messages, runs, tool_calls};
use store::{Read, StoreError};

/// What these return, nobody else wrote, but for memories that nobody has confirmed.
const OWN_WORDS: [&str; 7] = [
    "ask_user",
    "calculator",
    "memory_save",
    "memory_search",
    "message_agent",
    "soul_propose",
    "time",
];
const FINDS: &str = "memory_search";
/// How a search marks what nobody has confirmed.
pub(crate) const NOT_CONFIRMED: &str = "not confirmed";

/// How far back a conversation is looked through: no turn reads further.
const MESSAGES: u32 = 1_000;
const RUNS: u32 = 1_000;
/// So many messages later it is hardly still a file's word, or a tool's.
const SHOWN_FOR: usize = 100;
const TOLD_FOR: usize = 20;
/// How many conversations words are followed through.
const CONVERSATIONS: usize = 16;
/// Words that say of whom something is, and nothing else.
const OF_WHOM: &str = "user person people agent they";
const OF_WHOM_DENSE: &str = "用户";

/// The words of a memory that say what is so, and not of whom.
pub(super) fn words_of_matter(text: &str) -> HashSet<String> {
    let of_whom: HashSet<String> = words::of_text(OF_WHOM).counted.into_iter().collect();
    let mut own: HashSet<String> =
        words::of_query(&text.replace(OF_WHOM_DENSE, " ")).into_iter().collect();
    own.retain(|word| !of_whom.contains(word));
    own
}

/// A tool that has shown the turn something, in whichever of its tries, a program
/// from outside that has said something to it, a file that came with what it reads, or a
/// server with something in the conversation.
pub(crate) fn shown_in(read: &Read<'_>, run: RunId) -> Result<Option<String>, StoreError> {
    if let Some(program) = outside::heard_in(read, run)? {
        return Ok(Some(program));
    }
    if let Some(server) = put_in_by_a_server(read, run)? {
        return Ok(Some(server));
    }
    let mut next = Some(run);
    while let Some(run) = next {
        let mut calls = tool_calls::of_run(read, run)?.into_iter();
        if let Some(call) = calls.find(|call| is_foreign(call) && has_ended(call)) {
            return Ok(Some(call.tool));
        }
        let run = runs::get(read, run)?;
        if let Some(file) = attached_to(read, &run)? {
            return Ok(Some(file));
        }
        next = run.resumes;
    }
    Ok(None)
}

/// A file that came with the messages that a run answers, or a server that wrote one.
fn attached_to(read: &Read<'_>, run: &Run) -> Result<Option<String>, StoreError> {
    let woke = messages::find(read, run.cause.message)?;
    let before = Some(run.reads_to.saturating_add(1));
    let new = messages::page(read, run.group, run.reads_after, before, MESSAGES)?;
    let filled = Known::look(read)?;
    Ok(woke.into_iter().chain(new).find_map(|message| {
        let server = filled.server_of(&message).map(str::to_owned);
        message.attachments.into_iter().next().map(|file| file.name).or(server)
    }))
}

/// A server whose words the person has put into the conversation: they stand there from
/// then on.
fn put_in_by_a_server(read: &Read<'_>, run: RunId) -> Result<Option<String>, StoreError> {
    let run = runs::get(read, run)?;
    let shown = messages::attached_in(read, run.group, run.reads_to)?;
    Ok(shown.into_iter().find_map(|attachment| attachment.from).map(|from| from.server))
}

/// A tool whose words are in a text, of all that this conversation shows up to a
/// message.
pub(crate) fn repeated_in(
    read: &Read<'_>,
    text: &str,
    group: GroupId,
    upto: i64,
) -> Result<Option<String>, StoreError> {
    let own = words_of_matter(text);
    let mut seen = Seen { own, repeats: Vec::new(), said: HashMap::new() };
    let mut looked_in = HashSet::new();
    let mut to_look = VecDeque::from([(group, upto)]);
    while let Some((group, upto)) = to_look.pop_front() {
        if looked_in.len() < CONVERSATIONS && looked_in.insert((group, upto)) {
            to_look.extend(seen.look_in(read, group, upto)?);
        }
    }
    let Seen { own, repeats, .. } = seen;
    Ok(repeats.into_iter().find(|(_, word)| own.contains(word)).map(|(tool, _)| tool))
}

fn is_foreign(call: &ToolCall) -> bool {
    !OWN_WORDS.contains(&call.tool.as_str())
}

fn has_ended(call: &ToolCall) -> bool {
    matches!(call.state, CallState::Succeeded | CallState::Failed)
}

/// What of a text was seen where.
struct Seen {
    /// Its words, without those that a person has said.
    own: HashSet<String>,
    /// Those that a tool brought, or who used one said.
    repeats: Vec<(String, String)>,
    /// The tool that a run used; `None` for one that used none.
    said: HashMap<RunId, Option<String>>,
}

impl Seen {
    /// Gives the conversations that messages of this one came from.
    fn look_in(
        &mut self,
        read: &Read<'_>,
        group: GroupId,
        upto: i64,
    ) -> Result<Vec<(GroupId, i64)>, StoreError> {
        let said = messages::page(read, group, 0, Some(upto.saturating_add(1)), MESSAGES)?;
        let newest = |count: usize| said.len().saturating_sub(count);
        let (shown, told) = (newest(SHOWN_FOR), newest(TOLD_FOR));
        let told_from = said.get(told).map_or(0, |message| message.seq);
        let filter = RunFilter { group: Some(group), ..RunFilter::default() };
        for run in runs::page(read, &filter, None, RUNS)? {
            if run.reads_to <= upto
                && let Some(tool) = self.used_in(read, &run)?
                && run.reads_to >= told_from
            {
                self.may_be_of(&tool);
            }
        }
        let filled = Known::look(read)?;
        let mut from = Vec::new();
        // What stands for a person in a task's conversation is an agent.
        let has_person = groups::get(read, group)?.kind != GroupKind::Task;
        for (at, message) in said.into_iter().enumerate() {
            for file in message.attachments.iter().filter(|_| at >= shown) {
                self.may_be_of(&file.name);
            }
            let server = filled.server_of(&message);
            let Some(text) = message.text() else { continue };
            match (message.author, message.run) {
                (Author::User, _) if has_person => match server {
                    Some(server) => self.brought(server, text),
                    None => self.a_person_said(text),
                },
                (Author::Outside(pass), _) => self.brought(&outside::called(read, pass)?, text),
                (Author::Source(source), _) => {
                    self.brought(&sources::called(read, source)?, text);
                }
                (_, Some(run)) => {
                    let run = runs::get(read, run)?;
                    if let Some(tool) = self.used_in(read, &run)? {
                        self.brought(&tool, text);
                    }
                    if run.group != group {
                        from.push((run.group, run.reads_to));
                    }
                }
                (_, None) => {}
            }
        }
        Ok(from)
    }

    /// The tool that a run was shown something by, whose words are noted.
    fn used_in(&mut self, read: &Read<'_>, run: &Run) -> Result<Option<String>, StoreError> {
        if let Some(known) = self.said.get(&run.id) {
            return Ok(known.clone());
        }
        for call in tool_calls::of_run(read, run.id)? {
            let result = call.result.as_deref().unwrap_or_default();
            if is_foreign(&call) {
                self.brought(&call.tool, result);
            } else if call.tool == FINDS {
                for line in result.lines().filter(|line| line.contains(NOT_CONFIRMED)) {
                    self.brought(FINDS, line);
                }
            }
        }
        let tool = shown_in(read, run.id)?;
        self.said.insert(run.id, tool.clone());
        Ok(tool)
    }

    /// What a file or a tool says can be said in other words, and a picture has none to
    /// compare: all that the person has not said themselves may be of it.
    fn may_be_of(&mut self, what: &str) {
        self.repeats.extend(self.own.iter().map(|word| (what.to_owned(), word.clone())));
    }

    fn brought(&mut self, tool: &str, text: &str) {
        let words = words::of_text(text).counted.into_iter();
        let again = words.filter(|word| self.own.contains(word));
        self.repeats.extend(again.map(|word| (tool.to_owned(), word)));
    }

    fn a_person_said(&mut self, text: &str) {
        for word in words::of_text(text).counted {
            self.own.remove(&word);
        }
    }
}
