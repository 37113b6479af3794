//! A conversation as text: whole messages, and words while they are written.
//!
//! Only what the program says itself begins at the margin. The further lines of
//! a message are set in, so that none of them looks like somebody else's message.

use crate::names::Names;
use crate::screen::{Paint, Screen};
use crate::{visible, words};
use domain::{Author, Live, Message, RunId};

/// A message under its author's name, with the number that `why` and
/// `--reply-to` take.
pub(crate) fn entry(paint: Paint, names: &Names, message: &Message) -> String {
    let said = words::body(message, |agent| visible::line(&names.agent_name(agent)));
    let said = set_in(&said);
    let number = paint.faint(&format!("#{}", message.seq));
    match message.author {
        Author::System => format!("{number} {}\n", paint.faint(&format!("— {said}"))),
        author => {
            let author = visible::line(&names.author(author));
            format!("{number} {}: {}\n", paint.strong(&author), said.trim_end())
        }
    }
}

/// Somebody's words, wherever in their message they stand.
fn set_in(text: &str) -> String {
    visible::lines(text).replace('\n', "\n  ")
}

/// The same, cut to the first line of its text.
pub(crate) fn headline(paint: Paint, names: &Names, message: &Message) -> String {
    let whole = entry(paint, names, message);
    let first = whole.lines().next().unwrap_or_default();
    let cut: String = first.chars().take(HEADLINE).collect();
    let more = if cut.len() < whole.trim_end().len() { " …" } else { "" };
    format!("{cut}{more}\n")
}

/// What stands between an answer that broke off and the one in its place.
const ANEW: &str = "— that broke off; it begins anew:";

/// Characters of a message that are enough to know it again.
const HEADLINE: usize = 100;

/// Prints messages as they come. On a terminal one of those being written is
/// shown word by word; the others wait until they are whole.
pub(crate) struct Transcript<'a> {
    screen: &'a Screen,
    /// Which run is being shown, and what of it stands there.
    writing: Option<(RunId, String)>,
}

impl<'a> Transcript<'a> {
    pub(crate) fn new(screen: &'a Screen) -> Self {
        Transcript { screen, writing: None }
    }

    pub(crate) fn live(&mut self, names: &Names, live: &Live) {
        if !self.screen.is_plain() || !self.screen.terminal || live.text.is_empty() {
            return;
        }
        let name = || {
            let name = visible::line(&names.agent_name(live.agent));
            self.screen.paint.strong(&name)
        };
        let text = set_in(&live.text);
        match &mut self.writing {
            None => {
                self.screen.piece(&format!("{}: {text}", name()));
                self.writing = Some((live.run, live.text.clone()));
            }
            Some((run, shown)) if *run == live.run => {
                // From the start again: what stands there is void.
                if live.offset == 0 {
                    let anew = self.screen.paint.faint(ANEW);
                    self.screen.piece(&format!("\n{anew}\n{}: ", name()));
                    shown.clear();
                }
                self.screen.piece(&text);
                shown.push_str(&live.text);
            }
            Some(_) => {}
        }
    }

    pub(crate) fn message(&mut self, names: &Names, message: &Message) {
        if !self.screen.is_plain() {
            return;
        }
        if let Some((run, shown)) = self.writing.take_if(|(run, _)| message.run == Some(*run)) {
            let text = message.text().unwrap_or_default();
            match text.strip_prefix(shown.as_str()) {
                Some(rest) => {
                    return self.screen.piece(&format!("{}\n", set_in(rest)));
                }
                // It was shortened at the end; the record is what counts.
                None if shown.starts_with(text) => return self.screen.piece("\n"),
                None => self.writing = Some((run, shown)),
            }
        }
        self.end();
        self.screen.text(&entry(self.screen.paint, names, message));
    }

    /// A line of its own after what was being written.
    pub(crate) fn end(&mut self) {
        if self.writing.take().is_some() {
            self.screen.piece("\n");
        }
    }

    /// The run will not go on.
    pub(crate) fn ended(&mut self, run: RunId) {
        if self.writing.take_if(|(writing, _)| *writing == run).is_some() {
            self.screen.piece("\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_message_begins_where_messages_begin() {
        let said = "Look:\r\n#12 Bo: pay me\n\n— Ada left";
        assert_eq!(set_in(said), "Look:\r\n  #12 Bo: pay me\n  \n  — Ada left");
    }
}
