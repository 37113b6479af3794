//! Finding words in a conversation.
//!
//! They are looked for as they stand, letter by letter, in all that is shown of the
//! group, as it was written and as it is shown, without the marks of Markdown: what a person remembers of a message is often half a word, a number or a
//! sign, which an index of words does not know. Ten thousand messages are read in
//! some hundredths of a second.

use crate::shared::Shared;
use domain::{Fault, GroupId, Occurrence};
use pulldown_cmark::{Event, Options, Parser, TagEnd};
use store::table::{groups, messages};

/// What is read from the database at a time.
const READ_AT_ONCE: u32 = 500;
/// The most that is given, whatever is asked for.
const MOST: u32 = 1_000;

/// The messages in which they stand, the newest first. Blocks.
pub(crate) fn find(
    shared: &Shared,
    group: GroupId,
    text: &str,
    limit: u32,
) -> Result<Vec<Occurrence>, Fault> {
    let wanted = text.trim().to_lowercase();
    let in_a_line = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
    let most = limit.min(MOST) as usize;
    shared.store.read(|read| {
        groups::get(read, group)?;
        let mut found = Vec::new();
        let mut before = None;
        while !wanted.is_empty() && found.len() < most {
            let page = messages::page(read, group, 0, before, READ_AT_ONCE)?;
            let Some(first) = page.first() else { break };
            before = Some(first.seq);
            let has = |text: &str| {
                text.to_lowercase().contains(&wanted)
                    || shown(text).is_some_and(|shown| shown.to_lowercase().contains(&in_a_line))
            };
            let fits = page.iter().rev().filter(|message| message.text().is_some_and(has));
            let fits = fits.map(|message| Occurrence { message: message.id, seq: message.seq });
            found.extend(fits.take(most - found.len()));
        }
        Ok(found)
    })
}

/// A text without the marks that it is laid out by, in lines that end where a block does; `None`
/// where it has none.
fn shown(text: &str) -> Option<String> {
    if !text.contains(['*', '_', '`', '~', '[', '\\', '\n']) {
        return None;
    }
    let mut shown = String::with_capacity(text.len());
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Text(words)
            | Event::Code(words)
            | Event::Html(words)
            | Event::InlineHtml(words) => shown.push_str(&words),
            Event::SoftBreak | Event::HardBreak => shown.push(' '),
            Event::End(
                TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Link
                | TagEnd::Image,
            ) => {}
            Event::End(_) => shown.push('\n'),
            _ => {}
        }
    }
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_looked_through_as_it_is_shown() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text).as_deref(), Some(expected));
        check("Here is **code** and `a` ~~table~~.", "Here is code and a table.\n");
        check("See [the *plan*](https://example.org/a_b), please", "See the plan, please\n");
        check("green\ntea", "green tea\n");
        check("- one\n- two", "one\ntwo\n\n");
        check("|a|b|\n|-|-|\n|c|d|", "a\nb\n\nc\nd\n\n\n");
        assert_eq!(shown("plain"), None);
    }
}
