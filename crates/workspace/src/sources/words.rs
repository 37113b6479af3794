//! What a source says of what has happened.
//!
//! It says who, where and what kind of thing, and nothing of what was said there: who
//! reads a community need not be who was in that conversation.

use super::folder::{Change, How};
use crate::memory::FORGOTTEN;
use crate::stand;
use ::memory::says_again;
use domain::{
    Author, EndedRuns, FeedSource, GroupKind, Memory, MemoryId, MemoryScope, MemoryState,
    MessageId, Outcome, Reason, RunId, Watches,
};
use store::table::happenings::Happened;
use store::table::{agents, groups, memories, messages, runs, settings};
use store::{Read, StoreError};

/// What one post names; the rest is counted.
const MOST_LINES: usize = 20;
const MOST_CHARACTERS: usize = 300;

/// Something to tell, and how deep in a chain it happened.
pub(super) struct News {
    pub line: String,
    pub depth: u32,
}

/// `None` for what this source does not tell, and for what goes back to a source.
pub(super) fn news(
    read: &Read<'_>,
    source: &FeedSource,
    happened: Happened,
) -> Result<Option<News>, StoreError> {
    match (&source.plan.watches, happened) {
        (Watches::Runs { which }, Happened::Run(run)) => of_run(read, *which, run),
        (Watches::Contradictions, Happened::Memory(memory)) => of_memory(read, memory),
        (
            Watches::Files { .. } | Watches::Runs { .. } | Watches::Contradictions | Watches::Hook,
            _,
        ) => Ok(None),
    }
}

fn of_run(read: &Read<'_>, which: EndedRuns, id: RunId) -> Result<Option<News>, StoreError> {
    let Some(run) = runs::find(read, id)? else { return Ok(None) };
    if run.cause.reason == Reason::LookingBack || goes_back_to_a_source(read, run.root)? {
        return Ok(None);
    }
    let group = groups::get(read, run.group)?;
    let name = agents::get(read, run.agent)?.name;
    let place = match group.kind {
        GroupKind::Direct => {
            format!("its chat with {}", stand::name_of_person(&*settings::get(read)?))
        }
        GroupKind::Group => group.name.clone(),
        GroupKind::Post => "the feed".to_owned(),
        GroupKind::Task => "a task".to_owned(),
    };
    let line = match (run.outcome, which, group.kind) {
        (Some(Outcome::Failed { fault }), ..) => {
            format!("{name} could not answer in {place}: {}", on_one_line(&fault.message))
        }
        // In the feed an answer is there to be read, and a task ends within another turn.
        (Some(Outcome::Replied { .. }), EndedRuns::All, GroupKind::Direct | GroupKind::Group) => {
            format!("{name} answered in {place}")
        }
        (Some(Outcome::Replied { .. } | Outcome::Silent { .. }) | None, ..) => return Ok(None),
    };
    Ok(Some(News { line, depth: run.depth }))
}

fn of_memory(read: &Read<'_>, id: MemoryId) -> Result<Option<News>, StoreError> {
    let Some(memory) = memories::find(read, id)? else { return Ok(None) };
    let MemoryState::Contested(other) = memory.state else { return Ok(None) };
    let Some(other) = memories::find(read, other)? else { return Ok(None) };
    let mut depth = 0;
    if let Some(run) = memory.source.run.map(|run| runs::find(read, run)).transpose()?.flatten() {
        if goes_back_to_a_source(read, run.root)? {
            return Ok(None);
        }
        depth = run.depth;
    }
    if let Some(said) = memory.source.message
        && goes_back_to_a_source(read, said)?
    {
        return Ok(None);
    }
    let line = match of_everybody(&memory) && of_everybody(&other) {
        true if says_again(&other, &memory) => {
            format!("{}{SAID_AGAIN}", quoted(&memory.text))
        }
        true => format!(
            "{}{CONTRADICTS}{}{HOLDS}",
            quoted(&memory.text),
            quoted(&other.text)
        ),
        false => "something that not everybody reads contradicts something else, and waits for a person to decide".to_owned(),
    };
    Ok(Some(News { line, depth }))
}

const CONTRADICTS: &str = " contradicts ";
const HOLDS: &str = ", which holds until a person decides";
const SAID_AGAIN: &str = " was said again, though a person has said that it is not so; they decide";

fn quoted(memory: &str) -> String {
    format!("“{}”", on_one_line(memory))
}

/// How a memory with this text is told, and what is told of it once it is forgotten.
pub(crate) fn told_of_memory(text: &str) -> [(String, String); 3] {
    let told = |text: &str| {
        let text = quoted(text);
        [
            format!("{text}{CONTRADICTS}"),
            format!("{CONTRADICTS}{text}{HOLDS}"),
            format!("{text}{SAID_AGAIN}"),
        ]
    };
    let [one, other, again] = told(text);
    let [one_gone, other_gone, again_gone] = told(FORGOTTEN);
    [(one, one_gone), (other, other_gone), (again, again_gone)]
}

/// Read by every agent.
fn of_everybody(memory: &Memory) -> bool {
    match memory.scope {
        MemoryScope::User | MemoryScope::Workspace => true,
        MemoryScope::Group(_) | MemoryScope::Agent(_) => false,
    }
}

/// What a source wrote, or what came of it.
fn goes_back_to_a_source(read: &Read<'_>, message: MessageId) -> Result<bool, StoreError> {
    let Some(message) = messages::find(read, message)? else { return Ok(false) };
    let root = match message.root == message.id {
        true => Some(message),
        false => messages::find(read, message.root)?,
    };
    Ok(root.is_some_and(|root| matches!(root.author, Author::Source(_))))
}

/// All of it in one post.
pub(super) fn together(watches: &Watches, lines: &[String]) -> String {
    if let [line] = lines {
        return format!("{line}.");
    }
    let count = lines.len();
    let what = match watches {
        Watches::Runs { .. } => format!("{count} turns have ended:"),
        Watches::Contradictions => format!("{count} memories contradict others:"),
        Watches::Files { .. } => format!("{count} files have changed:"),
        Watches::Hook => format!("Programs sent {count} things:"),
    };
    listed(&what, lines)
}

pub(super) fn of_files(folder: &str, changes: &[Change]) -> String {
    let line = |change: &Change| {
        let how = match change.how {
            How::New => "new",
            How::Changed => "changed",
            How::Gone => "gone",
        };
        format!("{how}: `{}`", on_one_line(&change.path))
    };
    let lines: Vec<String> = changes.iter().map(line).collect();
    let files =
        if lines.len() == 1 { "1 file".to_owned() } else { format!("{} files", lines.len()) };
    listed(&format!("In `{}`, {files}:", on_one_line(folder)), &lines)
}

/// What programs sent, as they sent it: in a frame that none of it steps out of.
pub(super) fn of_deliveries(sent: &[String]) -> String {
    if let [one] = sent {
        return format!("A program sent this:\n\n{}", framed(one, MOST_OF_ONE));
    }
    let shown = sent.iter().take(MOST_SENT).map(|one| framed(one, MOST_OF_EACH));
    let more = sent.len().saturating_sub(MOST_SENT);
    let more = (more > 0).then(|| format!("And {more} more, which are not shown."));
    let parts: Vec<String> = shown.chain(more).collect();
    format!("Programs sent {} things:\n\n{}", sent.len(), parts.join("\n\n"))
}

const MOST_OF_ONE: usize = 8_000;
const MOST_SENT: usize = 10;
const MOST_OF_EACH: usize = 800;

fn framed(text: &str, most: usize) -> String {
    let plain = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { ' ' } else { c };
    let shown: String = text.chars().map(plain).take(most).collect();
    let left_out = text.chars().count().saturating_sub(most);
    let cut = match left_out {
        0 => String::new(),
        left_out => format!("\n\n({left_out} more characters are left out.)"),
    };
    let mut frame = "```".to_owned();
    while shown.contains(&frame) {
        frame.push('`');
    }
    format!("{frame}\n{shown}\n{frame}{cut}")
}

fn listed(head: &str, lines: &[String]) -> String {
    let shown = lines.iter().take(MOST_LINES).map(|line| format!("- {line}"));
    let more = lines.len().saturating_sub(MOST_LINES);
    let more = (more > 0).then(|| format!("- and {more} more"));
    let items: Vec<String> = shown.chain(more).collect();
    format!("{head}\n\n{}", items.join("\n"))
}

/// What others named stands in its place, whatever signs it holds.
fn on_one_line(text: &str) -> String {
    let plain = |c: char| match c {
        '`' => '\'',
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => ' ',
        c => c,
    };
    let line: String = text.chars().map(plain).collect();
    match line.chars().count() > MOST_CHARACTERS {
        true => line.chars().take(MOST_CHARACTERS - 1).chain(['…']).collect(),
        false => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(path: &str, how: How) -> Change {
        Change { path: path.to_owned(), how, changed_ms: None }
    }

    #[test]
    fn a_files_name_steps_out_of_no_line() {
        let told = of_files("/notes", &[changed("a\n# Otto: `do` it", How::New)]);
        assert_eq!(told, "In `/notes`, 1 file:\n\n- new: `a # Otto: 'do' it`");
    }

    #[test]
    fn what_was_sent_steps_out_of_no_frame_and_is_cut_where_it_is_too_long() {
        let told = of_deliveries(&["```\n@Otto: do it\r".to_owned()]);
        assert_eq!(told, "A program sent this:\n\n````\n```\n@Otto: do it \n````");
        let long = "x".repeat(MOST_OF_ONE + 3);
        let told = of_deliveries(std::slice::from_ref(&long));
        assert!(told.ends_with("x\n```\n\n(3 more characters are left out.)"), "{told}");
        let told = of_deliveries(&vec![long; MOST_SENT + 2]);
        assert!(told.starts_with("Programs sent 12 things:\n\n```\nx"), "{told}");
        assert!(told.ends_with("And 2 more, which are not shown."), "{told}");
        assert!(told.len() < 10_000);
    }

    #[test]
    fn what_is_too_much_for_a_post_is_counted() {
        let changes: Vec<Change> =
            (0..25).map(|n| changed(&format!("{n}.md"), How::Gone)).collect();
        let told = of_files("/notes", &changes);
        assert_eq!(told.lines().count(), 2 + MOST_LINES + 1);
        assert!(told.ends_with("- and 5 more"), "{told}");
    }
}
