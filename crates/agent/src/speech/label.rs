//! Whose speech a line begins as.
//!
//! A label is a name and a colon. In front of the name may stand a bullet or a
//! number, and marks: emphasis, quotes, brackets, `@`, `>`, `#`, anything that
//! is neither a letter nor a digit. Between the name and the colon may stand
//! what closes these, a few words in brackets, and little pictures.

use super::above::Above;

/// Whoever the speaker can be taken for, in lower case.
#[derive(Debug, Clone)]
pub(super) struct Names {
    own: String,
    others: Vec<String>,
}

/// What models call the person, whatever the person is called.
const THE_PERSON: [&str; 7] = ["you", "user", "human", "用户", "你", "您", "人类"];

impl Names {
    pub(super) fn new(own: &str, others: &[String]) -> Self {
        let own = comparable(own);
        let others = others.iter().map(|name| comparable(name));
        let person = THE_PERSON.into_iter().map(str::to_owned);
        let others = others.chain(person).filter(|name| !name.is_empty() && *name != own).collect();
        Names { own, others }
    }
}

/// Without the marks around it, which may stand around any name.
fn comparable(name: &str) -> String {
    let bare = name.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() { name.trim() } else { bare }.to_lowercase()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// Somebody else's.
    Other,
    /// The speaker's, of so many bytes; so many marks of emphasis are still
    /// open behind it.
    Own {
        length: usize,
        emphasis: usize,
    },
    /// The line is too short to tell.
    Maybe,
    None,
}

/// More marks than this in front of a name are a picture, or a rule.
const MOST_MARKS: usize = 24;
/// More characters than this in brackets behind a name are a sentence.
const MOST_IN_BRACKETS: usize = 48;

/// What the first line of `text` begins with; it may not be all there.
pub(super) fn of_line(text: &str, names: &Names, above: &Above) -> Label {
    if above.is_code() {
        return Label::None;
    }
    let end = text.find('\n');
    let line = &text[..end.unwrap_or(text.len())];
    let found = find(line, names, above);
    // There is no more to come of a line that has ended.
    if found == Label::Maybe && end.is_some() { Label::None } else { found }
}

fn find(line: &str, names: &Names, above: &Above) -> Label {
    let item = after_bullet(line);
    let start = item.unwrap_or(line);
    let marks = start.len() - start.trim_start_matches(is_mark).len();
    let name = &start[marks..];
    if item.is_some() && above.has_begun_list() {
        return Label::None;
    }
    if start[..marks].chars().count() > MOST_MARKS {
        return Label::None;
    }
    if name.is_empty() || item.is_none() && may_become_bullet(line) {
        return Label::Maybe;
    }
    if above.has_begun_data() && start[..marks].ends_with(['"', '\'']) {
        return Label::None;
    }
    let mut found = Label::None;
    for other in &names.others {
        match named(start, name, other) {
            Named::Yes { .. } => return Label::Other,
            Named::Maybe => found = Label::Maybe,
            Named::No => {}
        }
    }
    match named(start, name, &names.own) {
        Named::Yes { between, rest } if found == Label::None => {
            let emphasis = |text: &str| text.chars().filter(|c| is_emphasis(*c)).count();
            let open = emphasis(&start[..marks]).saturating_sub(emphasis(between));
            Label::Own { length: line.len() - rest.len(), emphasis: open }
        }
        Named::Yes { .. } | Named::Maybe => Label::Maybe,
        Named::No => found,
    }
}

enum Named<'a> {
    /// With what stands between the name and the colon, and what follows that.
    Yes {
        between: &'a str,
        rest: &'a str,
    },
    Maybe,
    No,
}

/// Whether the name stands at the start of `bare`, or of `whole` where it is
/// made of marks itself.
fn named<'a>(whole: &'a str, bare: &'a str, name: &str) -> Named<'a> {
    if name.is_empty() {
        return Named::No;
    }
    let is_of_marks = !name.chars().any(char::is_alphanumeric);
    let text = if is_of_marks { whole.trim_start() } else { bare };
    match after_name(text, name) {
        Some(rest) => colon(rest),
        None if begins(name, text) => Named::Maybe,
        None => Named::No,
    }
}

/// What follows the name, whatever its letters' case.
fn after_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut expected = name.chars().peekable();
    for (at, letter) in text.char_indices() {
        if expected.peek().is_none() {
            return Some(&text[at..]);
        }
        for lower in letter.to_lowercase() {
            if expected.next() != Some(lower) {
                return None;
            }
        }
    }
    expected.peek().is_none().then_some("")
}

/// Whether the whole of a text is the beginning of the name.
fn begins(name: &str, text: &str) -> bool {
    name.starts_with(&text.to_lowercase())
}

/// Looks for the colon that makes a name a label.
fn colon(after_name: &str) -> Named<'_> {
    let rest = after_name.trim_start_matches(closes);
    let rest = match bracketed(rest) {
        Bracketed::None => rest,
        Bracketed::Open => return Named::Maybe,
        Bracketed::Closed(rest) => rest.trim_start_matches(closes),
    };
    let between = &after_name[..after_name.len() - rest.len()];
    let mut rest = rest.chars();
    match rest.next() {
        None => Named::Maybe,
        Some(':' | '：' | '﹕' | '︰') => Named::Yes { between, rest: rest.as_str() },
        Some(_) => Named::No,
    }
}

enum Bracketed<'a> {
    None,
    /// Its end is still to come.
    Open,
    Closed(&'a str),
}

fn bracketed(text: &str) -> Bracketed<'_> {
    let close = match text.chars().next() {
        Some('(' | '（') => [')', '）'],
        Some('[' | '【') => [']', '】'],
        Some('<' | '《') => ['>', '》'],
        _ => return Bracketed::None,
    };
    match text.find(close) {
        Some(at) if text[..at].chars().count() <= MOST_IN_BRACKETS => {
            let close = text[at..].chars().next().map_or(0, char::len_utf8);
            Bracketed::Closed(&text[at + close..])
        }
        None if text.chars().count() <= MOST_IN_BRACKETS => Bracketed::Open,
        Some(_) | None => Bracketed::None,
    }
}

/// What an item holds, where the line is an item of a list.
pub(super) fn after_bullet(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match line.len() - digits.len() {
        0 => line.strip_prefix(['-', '*', '+', '•', '‣', '·', '–', '—'])?,
        1..=3 => match digits.strip_prefix('、') {
            // Nobody puts a space behind this one.
            Some(rest) => return Some(rest),
            None => digits.strip_prefix(['.', ')', '．', '）'])?,
        },
        _ => return None,
    };
    rest.starts_with([' ', '\t', '\u{3000}']).then_some(rest)
}

/// Whether the line may yet become an item of a list.
fn may_become_bullet(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (1..=3).contains(&(line.len() - digits.len()));
    is_number && matches!(digits, "" | "." | ")" | "．" | "）")
}

/// Neither part of a name nor of a table.
fn is_mark(c: char) -> bool {
    !c.is_alphanumeric() && c != '|'
}

pub(super) fn is_emphasis(c: char) -> bool {
    matches!(c, '*' | '_' | '~')
}

/// What may stand between a name and what makes it a label.
fn closes(c: char) -> bool {
    is_emphasis(c)
        || c.is_whitespace()
        || matches!(c, '`' | '"' | '\'' | '”' | '’' | '」' | '』' | '》' | '】' | ')' | '）' | ']' | '>')
        // Pictures, and what joins them.
        || matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FE0F}' | '\u{FEFF}')
        || matches!(c, '\u{2600}'..='\u{27BF}' | '\u{1F000}'..='\u{1FAFF}')
}
