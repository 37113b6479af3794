//! What the lines of an answer so far make of the next one: code, a list, an outline
//! or a table that its author has begun, a quotation that was announced, data.

use super::label::after_bullet;

#[derive(Debug, Clone, Default)]
pub(super) struct Above {
    /// The line that is being written.
    line: String,
    fence: Option<Fence>,
    last: Last,
    /// Headings below this level belong to an outline of the author's.
    outline: Option<usize>,
    /// Nothing stands between that line and the next.
    is_next: bool,
}

/// The last line with something on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    #[default]
    None,
    Words,
    /// A line that ends with a colon, or is set off as a heading is.
    Announcement,
    Heading,
    /// In a list of the author's own.
    Item,
    /// In a quotation that the author has announced.
    Quote,
    /// In a table.
    Row,
    /// A few words, a colon, and what they are.
    Pair,
    /// Ends as lines of JSON do.
    Data,
}

impl Above {
    /// Takes what was released, at most to the end of its line.
    pub(super) fn hear(&mut self, piece: &str) {
        self.line.push_str(piece);
        if self.line.ends_with(super::ends_line) {
            let line = std::mem::take(&mut self.line);
            self.end(&line);
        }
    }

    /// The next line stands in a code block.
    pub(super) fn is_code(&self) -> bool {
        self.fence.is_some()
    }

    /// An item on the next line belongs to a list of the author's.
    pub(super) fn has_begun_list(&self) -> bool {
        matches!(self.last, Last::Announcement | Last::Heading | Last::Item)
    }

    /// A heading of this level on the next line belongs to an outline of the author's.
    pub(super) fn has_begun_outline(&self, level: usize) -> bool {
        self.last == Last::Announcement || self.outline.is_some_and(|above| level > above)
    }

    /// A quotation on the next line has been announced.
    pub(super) fn has_begun_quote(&self) -> bool {
        matches!(self.last, Last::Announcement | Last::Heading | Last::Quote)
    }

    /// Bars on the next line belong to a table.
    pub(super) fn has_begun_table(&self) -> bool {
        self.last == Last::Row
    }

    /// A word and a colon on the next line belong to others like them.
    pub(super) fn has_begun_pairs(&self) -> bool {
        matches!(self.last, Last::Announcement | Last::Heading | Last::Item | Last::Pair)
    }

    /// The same where the word is what models call the person. They like to carry on a
    /// conversation in a paragraph of its own: below an empty line only an announcement
    /// tells a form from that.
    pub(super) fn has_begun_form(&self) -> bool {
        matches!(self.last, Last::Announcement | Last::Heading)
            || (self.last == Last::Pair && self.is_next)
    }

    /// A quoted key on the next line belongs to data.
    pub(super) fn has_begun_data(&self) -> bool {
        self.last == Last::Data
    }

    fn end(&mut self, line: &str) {
        let text = line.trim();
        if let Some(fence) = self.fence {
            if fence.is_closed_by(text) {
                self.fence = None;
            }
            return;
        }
        let inside = after_bullet(line);
        self.fence = Fence::opened_by(inside.unwrap_or(line).trim());
        let goes_on = self.last == Last::Item && line.starts_with([' ', '\t']);
        self.is_next = !text.is_empty();
        // An empty line between two items, or below a heading, changes nothing else.
        if text.is_empty() {
            return;
        }
        if self.fence.is_some() && self.last == Last::Item {
            // Code between two items.
            return;
        }
        if let Some(level) = heading(text) {
            let above = level - usize::from(self.last == Last::Announcement);
            self.outline = Some(self.outline.map_or(above, |known| known.min(above)));
        }
        self.last = if inside.is_some() || goes_on {
            Last::Item
        } else if text.starts_with('>') && self.has_begun_quote() {
            Last::Quote
        } else if text.starts_with('|') && text[1..].contains('|') {
            Last::Row
        } else if heading(text).is_some() {
            Last::Heading
        } else if announces(text) {
            Last::Announcement
        } else if text.ends_with(['{', '[', ',']) {
            Last::Data
        } else if is_pair(text) {
            Last::Pair
        } else {
            Last::Words
        };
    }
}

fn announces(text: &str) -> bool {
    let bare = text.trim_end_matches(['*', '_', ' ']);
    let is_strong = |mark| text.len() > 4 && text.starts_with(mark) && text.ends_with(mark);
    bare.ends_with([':', '：']) || text.starts_with('#') || is_strong("**") || is_strong("__")
}

/// How deep a heading is.
pub(super) fn heading(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let level = text.len() - text.trim_start_matches('#').len();
    ((1..=6).contains(&level) && text[level..].starts_with(' ')).then_some(level)
}

fn is_pair(text: &str) -> bool {
    const MOST_WORDS: usize = 3;
    let Some((key, _)) = text.split_once([':', '：']) else { return false };
    let is_word = |word: &str| word.chars().any(char::is_alphanumeric);
    (1..=MOST_WORDS).contains(&key.split_whitespace().filter(|word| is_word(word)).count())
}

/// The marks around a code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn opened_by(text: &str) -> Option<Fence> {
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = text.chars().take_while(|c| *c == mark).count();
        // Backticks that close again on their line are code within a line.
        let is_fence = length >= 3 && (mark == '~' || !text[length..].contains(mark));
        is_fence.then_some(Fence { mark, length })
    }

    fn is_closed_by(self, text: &str) -> bool {
        text.chars().all(|c| c == self.mark) && text.chars().count() >= self.length
    }
}
