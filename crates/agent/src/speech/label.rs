//! Whose speech a line begins as.
//!
//! A label is a name and a colon. In front of the name may stand whatever is no
//! word: a bullet, marks (emphasis, quotes, brackets, `@`, `>`, `#`, `|`), a
//! message's number, the time, anything in brackets, tags. Between the name and
//! the colon may stand what closes these, more in brackets, tags, and little
//! pictures. A member's name alone in a tag, `<Bo>`, or in a heading, `### Bo`, is a label
//! without a colon. `@Bo:` with nothing else in front is none: so Bo is spoken to.
//!
//! Names are compared by their letters (see `letters`), so that neither case nor
//! width nor what is invisible makes another name of one.

use super::above::{Above, heading};
use super::letters::{Begins, Letters};

/// Whoever the speaker can be taken for.
#[derive(Debug, Clone)]
pub(super) struct Names {
    own: Letters,
    /// The members, and what models call the person.
    others: Vec<Other>,
    /// What models call themselves, and whoever instructs them.
    roles: Vec<Role>,
}

#[derive(Debug, Clone)]
struct Other {
    letters: Letters,
    is_member: bool,
}

#[derive(Debug, Clone)]
struct Role {
    letters: Letters,
    is_itself: bool,
}

/// What models call the person, whatever the person is called.
pub(super) const THE_PERSON: [&str; 7] = ["you", "user", "human", "用户", "你", "您", "人类"];
/// What models call themselves in a transcript of their making.
const ITSELF: [&str; 2] = ["assistant", "助手"];
const INSTRUCTIONS: [&str; 2] = ["system", "系统"];

impl Names {
    pub(super) fn new(own: &str, others: &[String]) -> Self {
        let own = Letters::of(own);
        let is_other = |letters: &Letters| !letters.is_empty() && *letters != own;
        // Who has given no name of their own is called by such a word, also as a member.
        let is_a_name = |name: &String| !THE_PERSON.contains(&name.to_lowercase().as_str());
        let members = others.iter().map(|name| (Letters::of(name), is_a_name(name)));
        let person = THE_PERSON.iter().map(|name| (Letters::of(name), false));
        let others: Vec<Other> = members
            .chain(person)
            .filter(|(letters, _)| is_other(letters))
            .map(|(letters, is_member)| Other { letters, is_member })
            .collect();
        let roles = ITSELF.iter().map(|word| (word, true));
        let roles = roles.chain(INSTRUCTIONS.iter().map(|word| (word, false)));
        let roles = roles
            .map(|(word, is_itself)| Role { letters: Letters::of(word), is_itself })
            .filter(|role| is_other(&role.letters))
            .collect();
        Names { own, others, roles }
    }

    /// Whether nothing else stands there than one that is a member's own.
    fn is_of_member(&self, text: &str) -> bool {
        let is_alone = |other: &Other| match other.letters.begin(text) {
            Begins::With(behind) => matches!(colon(&format!("{behind}:")), Named::Yes { .. }),
            Begins::Perhaps | Begins::Not => false,
        };
        self.others.iter().filter(|other| other.is_member).any(is_alone)
    }
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

/// How much of a line is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    SoFar,
    Whole,
}

/// What surrounds a line.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub above: &'a Above,
    /// Nothing has been said before it.
    pub is_first: bool,
}

/// A name that begins further in than this is in the middle of something.
const MOST_IN_FRONT: usize = 80;
/// More marks than this in front of a name are a picture, or a rule.
const MOST_MARKS: usize = 24;
/// More characters than this in brackets are a sentence.
const MOST_IN_BRACKETS: usize = 48;

/// What a line begins with.
pub(super) fn of_line(line: &str, extent: Extent, names: &Names, around: Around<'_>) -> Label {
    if around.above.is_code() {
        return Label::None;
    }
    let found = find(line, extent, names, around);
    // There is no more to come of a line that has ended.
    if found == Label::Maybe && extent == Extent::Whole { Label::None } else { found }
}

fn find(line: &str, extent: Extent, names: &Names, around: Around<'_>) -> Label {
    let above = around.above;
    let item = after_bullet(line);
    if item.is_some() && above.has_begun_list() {
        return Label::None;
    }
    let trimmed = line.trim_start();
    if trimmed.starts_with('>') && above.has_begun_quote()
        || trimmed.starts_with('|') && above.has_begun_table()
    {
        return Label::None;
    }
    if item.is_none() && may_become_bullet(line) {
        return Label::Maybe;
    }
    let start = item.unwrap_or(line);
    let mut fronts = Fronts::default();
    fronts.walk(start, 0, 0);
    let heads_a_speech = heading(line).is_some_and(|level| !above.has_begun_outline(level));
    if heads_a_speech
        && extent == Extent::Whole
        && fronts.names.iter().any(|at| names.is_of_member(&start[*at..]))
    {
        return Label::Other;
    }
    let mut found = if fronts.is_open { Label::Maybe } else { Label::None };
    for at in fronts.names {
        match at_name(start, extent, at, names, around) {
            Label::None => {}
            Label::Maybe => found = Label::Maybe,
            Label::Other => {
                found = Label::Other;
                break;
            }
            Label::Own { length, emphasis } if found == Label::None => {
                let length = line.len() - start.len() + length;
                found = Label::Own { length, emphasis };
            }
            Label::Own { .. } => {}
        }
    }
    match found {
        // A row of a table has its bars further on too.
        Label::Other | Label::Own { .. } if trimmed.starts_with('|') => {
            match (trimmed[1..].contains('|'), extent) {
                (true, _) => Label::None,
                (false, Extent::SoFar) => Label::Maybe,
                (false, Extent::Whole) => found,
            }
        }
        found => found,
    }
}

/// What the name that begins at this place makes of the line.
fn at_name(line: &str, extent: Extent, at: usize, names: &Names, around: Around<'_>) -> Label {
    if around.above.has_begun_data() && line[..at].ends_with(['"', '\'']) {
        return Label::None;
    }
    let mut found = Label::None;
    // `@Bo: could you look?` is said to Bo: so agents are told to call each other.
    let is_called = line[..at].trim_matches(|c: char| is_emphasis(c) || c.is_whitespace()) == "@";
    // `User: admin` below `Host: example.org` is what somebody types.
    let is_form = around.above.has_begun_form();
    let others = names.others.iter().filter(|_| !is_called);
    for other in others.filter(|other| other.is_member || !is_form) {
        match named(line, extent, at, &other.letters, other.is_member) {
            Named::Yes { .. } => return Label::Other,
            Named::Maybe => found = Label::Maybe,
            Named::No => {}
        }
    }
    let mut own = match named(line, extent, at, &names.own, true) {
        Named::No => None,
        named => Some(named),
    };
    // `System: Linux` among other pairs of a word and what it is says what
    // somebody's system is.
    if !around.above.has_begun_pairs() {
        for role in &names.roles {
            match named(line, extent, at, &role.letters, false) {
                Named::Yes { .. } if !(role.is_itself && around.is_first) => return Label::Other,
                Named::No => {}
                // What stands in front of the whole answer is its author.
                named => own = own.or(Some(named)),
            }
        }
    }
    match own {
        Some(Named::Yes { between, rest }) if found == Label::None => {
            let emphasis = |text: &str| text.chars().filter(|c| is_emphasis(*c)).count();
            let open = emphasis(&line[..at]).saturating_sub(emphasis(between));
            Label::Own { length: line.len() - rest.len(), emphasis: open }
        }
        Some(Named::Yes { .. } | Named::Maybe) => Label::Maybe,
        Some(Named::No) | None => found,
    }
}

/// Where in a line the name of a label may begin.
#[derive(Default)]
struct Fronts {
    names: Vec<usize>,
    /// What stands in front may go on behind the end of the text.
    is_open: bool,
}

impl Fronts {
    /// Goes over what is no word, from this place on.
    fn walk(&mut self, line: &str, mut at: usize, mut marks: usize) {
        loop {
            let rest = &line[at..];
            if at > MOST_IN_FRONT || marks > MOST_MARKS || self.names.contains(&at) {
                return;
            }
            let Some(c) = rest.chars().next() else {
                self.is_open = true;
                return;
            };
            if c.is_numeric() {
                // A name may begin with a digit, and so may a time.
                self.names.push(at);
                let (behind, may_go_on) = after_number(rest);
                self.is_open |= may_go_on;
                match behind {
                    Some(behind) => at = line.len() - behind.len(),
                    None => return,
                }
                continue;
            }
            // A name made of marks begins with one.
            self.names.push(at);
            if c.is_alphanumeric() {
                return;
            }
            match bracketed(rest) {
                Bracketed::None => {}
                Bracketed::Open => self.is_open = true,
                Bracketed::Closed(behind) => {
                    self.walk(line, line.len() - behind.len(), marks + 2);
                }
            }
            at += c.len_utf8();
            marks += 1;
        }
    }
}

/// What follows a number, a date or the time of day, and whether it may go on
/// behind the end of the text; `None` where it is the beginning of a word.
fn after_number(text: &str) -> (Option<&str>, bool) {
    let is_part = |c: char| c.is_numeric() || matches!(c, ':' | '：' | '.' | '/' | '-' | ',' | '+');
    let mut rest = text.trim_start_matches(is_part);
    // 2026-11-22T10:42Z
    if let Some(time) = rest.strip_prefix(['T', 't'])
        && time.starts_with(char::is_numeric)
    {
        rest = time.trim_start_matches(is_part);
    }
    let word = rest.trim_start_matches(' ');
    let letters = word.len() - word.trim_start_matches(char::is_alphabetic).len();
    let may_go_on = word.len() == letters;
    if matches!(word[..letters].to_lowercase().as_str(), "am" | "pm" | "z" | "h" | "utc") {
        return (Some(&word[letters..]), may_go_on);
    }
    ((!rest.starts_with(char::is_alphabetic)).then_some(rest), may_go_on)
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

/// Whether this name stands at this place as a label.
fn named<'a>(
    line: &'a str,
    extent: Extent,
    at: usize,
    name: &Letters,
    is_member: bool,
) -> Named<'a> {
    let behind = match name.begin(&line[at..]) {
        Begins::With(behind) => behind,
        Begins::Perhaps => return Named::Maybe,
        Begins::Not => return Named::No,
    };
    let is_tag = is_member && line[..at].ends_with('<');
    match (colon(behind), extent) {
        (Named::No, _) | (Named::Maybe, Extent::Whole) if is_tag => closed_tag(behind),
        (named, _) => named,
    }
}

/// Looks for the colon that makes a name a label.
fn colon(behind_name: &str) -> Named<'_> {
    let mut rest = behind_name.trim_start_matches(closes);
    loop {
        match bracketed(rest) {
            Bracketed::None => break,
            Bracketed::Open => return Named::Maybe,
            Bracketed::Closed(behind) => rest = behind.trim_start_matches(closes),
        }
    }
    let between = &behind_name[..behind_name.len() - rest.len()];
    let mut rest = rest.chars();
    match rest.next() {
        None => Named::Maybe,
        Some(':' | '：' | '﹕' | '︰' | '∶' | '꞉' | 'ː') => {
            Named::Yes { between, rest: rest.as_str() }
        }
        Some(_) => Named::No,
    }
}

/// Looks for the end of the tag that a name stands in.
fn closed_tag(behind_name: &str) -> Named<'_> {
    let is_name_alone = behind_name.is_empty() || behind_name.starts_with(['>', ' ']);
    let end = behind_name.find('>');
    let inside = &behind_name[..end.unwrap_or(behind_name.len())];
    if !is_name_alone || inside.chars().count() > MOST_IN_BRACKETS {
        return Named::No;
    }
    end.map_or(Named::Maybe, |end| {
        let (between, rest) = behind_name.split_at(end + 1);
        Named::Yes { between, rest }
    })
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

pub(super) fn is_emphasis(c: char) -> bool {
    matches!(c, '*' | '_' | '~')
}

/// What may stand between a name and what makes it a label.
fn closes(c: char) -> bool {
    is_emphasis(c)
        || c.is_whitespace()
        || super::letters::is_unseen(c)
        || matches!(c, '`' | '"' | '\'' | '”' | '’' | '」' | '』' | '》' | '】' | ')' | '）' | ']' | '>')
        // Pictures.
        || matches!(c, '\u{2600}'..='\u{27BF}' | '\u{1F000}'..='\u{1FAFF}')
}
