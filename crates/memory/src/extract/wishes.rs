//! How a person wants to be answered: in which language, how long, or as they put it.
//!
//! What holds from now on is a wish that lasts, and so is what somebody asks for who asks
//! for nothing else with it. `Answer this in German`, and `Answer in German` behind a
//! question, are for once. Two wishes about one matter have one statement between them, so
//! that the later takes the place of the earlier, in whatever language each is said.

mod chinese;
mod english;
mod japanese;

use super::{ASKED, Noticed, regex, statement};
use crate::values::{language, unwanted};
use domain::{MemoryKind, Statement};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Which wishes are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// Those that say that they last.
    Lasting,
    /// Also those that only do not say that they are for once.
    Any,
    /// Of whoever writes down what is to hold.
    Noted,
}

/// What a sentence or a clause wishes, each thing by itself, with the words that say it;
/// nothing where it is no wish.
pub(super) fn read(said: &str, which: Which) -> Vec<(String, Noticed)> {
    if let Some(one) = stated(said, which) {
        return vec![(said.to_owned(), one)];
    }
    if let Some(both) = english::both(said).or_else(|| english::both(without_name(said))) {
        let taken = both.into_iter().filter(|(_, wish)| wish.is_taken(which));
        return taken.map(|(said, wish)| (said, english::noticed(&wish.about))).collect();
    }
    if let Some(unwanted) = unwanted_in(said).or_else(|| unwanted_in(without_name(said))) {
        let (wish, noticed) = unwanted;
        let taken = Some(noticed).filter(|_| wish.is_taken(which));
        return taken.map(|noticed| (said.to_owned(), noticed)).into_iter().collect();
    }
    let lasts = is_lasting(said)
        || which == Which::Noted && is_addressed(said)
        || which != Which::Lasting && is_of_every_answer(said);
    let parts = parts(said);
    if !lasts && (which == Which::Lasting || parts.len() == 1) {
        return Vec::new();
    }
    let known = |part: &String| {
        let unwanted = || unwanted_in(part).map(|(_, noticed)| noticed);
        stated(part, Which::Any).or_else(unwanted)
    };
    let each: Vec<Option<Noticed>> = parts.iter().map(known).collect();
    if each.iter().all(Option::is_none) {
        let whole = Some((said.to_owned(), as_said(said))).filter(|_| lasts);
        return whole.into_iter().collect();
    }
    // What stands beside a wish is one where it says that it lasts, and where it is an order
    // of whoever writes down what is to hold.
    let is_wish = |part: &String| match which {
        Which::Lasting => false,
        Which::Any => is_lasting(part),
        Which::Noted => is_lasting(part) || ORDERS.is_match(part),
    };
    let are_all = || parts.iter().zip(&each).all(|(part, known)| known.is_some() || is_wish(part));
    if !lasts && !are_all() {
        return Vec::new();
    }
    let said = |(part, known): (String, Option<Noticed>)| {
        let noticed = known.unwrap_or_else(|| as_said(&part));
        (part, noticed)
    };
    parts.into_iter().zip(each).map(said).collect()
}

/// Whether a text tells everybody how to answer, so that it is to be in every prompt, and does
/// not tell of somebody who wants it.
pub fn is_order(said: &str) -> bool {
    static OF_SOMEBODY: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)^(?:i|my)\b|^(?:我|私は)"));
    let said = said.trim().trim_end_matches(['.', '。', '!', '！']);
    !OF_SOMEBODY.is_match(said) && !read(said, Which::Noted).is_empty()
}

/// Whether a wish says what is never to be done: what is done against it cannot be taken back.
pub fn is_prohibition(said: &str) -> bool {
    static NEVER: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?i)^(?:from now on,? |in (?:the )?future,? |please,? )*(?:never|don't|don’t|do not|no|stop|avoid|refrain)\b",
            r"|(?i)\bwants?\b.{0,60}\b(?:never|not|no|without|avoided)\b",
            r"|^(?:以后|今后|从现在起|从今以后|请你?|用户(?:希望|要求|想要))*[，,]?(?:永远|绝对|千万|再也)*(?:不要|不能|不许|不准|别|勿|请勿|禁止|避免)",
            r"|(?:ないで|しないこと|やめて|禁止)",
        ))
    });
    NEVER.is_match(said.trim())
}

/// A wish about something that has one value at a time.
struct Wish {
    about: About,
    lasts: bool,
}

impl Wish {
    fn is_taken(&self, which: Which) -> bool {
        self.lasts || which != Which::Lasting
    }
}

enum About {
    /// As the one who wishes calls it.
    Language(String),
    Length(Length),
}

impl About {
    /// The same, never wanted; `None` of several at once.
    fn unwanted(&self) -> Option<Statement> {
        let (attribute, value) = match self {
            About::Language(name) => ("answers in", language(name)?),
            About::Length(Length::Short) => ("answer length", "short".to_owned()),
            About::Length(Length::Long) => ("answer length", "long".to_owned()),
        };
        Some(statement(attribute, &unwanted(&value)))
    }
}

#[derive(Clone, Copy)]
enum Length {
    Short,
    Long,
}

/// How a language says a wish, and what is remembered of it there.
type Tongue = (fn(&str) -> Option<Wish>, fn(&About) -> Noticed);

/// What has one value at a time.
pub(super) fn stated(said: &str, which: Which) -> Option<Noticed> {
    let tongues: [Tongue; 3] = [
        (english::read, english::noticed),
        (chinese::read, chinese::noticed),
        (japanese::read, japanese::noticed),
    ];
    let read =
        |said: &str| tongues.iter().find_map(|(read, noticed)| Some((read(said)?, *noticed)));
    let bare = without_name(said);
    // Whoever notes how long answers are to be means from now on.
    let noted = || {
        let marks = ["from now on ", "以后", "これから"].iter().filter(|_| which == Which::Noted);
        let read = marks.filter_map(|mark| read(&format!("{mark}{bare}")));
        read.into_iter().find(|(wish, _)| matches!(wish.about, About::Length(_)))
    };
    let (wish, noticed) =
        read(said).or_else(|| read(Some(bare).filter(|bare| *bare != said)?)).or_else(noted)?;
    wish.is_taken(which).then(|| noticed(&wish.about))
}

/// Whether a question asks for an answer of a kind, and not whether there could be one:
/// `Could you answer in German?` is polite, `Can you answer in German?` may be curious.
pub(super) fn is_polite(question: &str) -> bool {
    static POLITE: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?i)^(?:(?:please|pls),? )?(?:(?:could|would) you\b",
            r"|(?:can|will) you\b.*\b(?:please|pls|kindly|again|back|from now on)\b)",
        ))
    });
    let asked = without_name(question);
    POLITE.is_match(asked) && !read(asked, Which::Any).is_empty()
}

/// What is said to somebody by name, without the name: `Ada, answer in German`.
pub(super) fn without_name(said: &str) -> &str {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^(?:(?P<latin>\p{Lu}[\p{L}\p{M}'-]*)(?: \p{Lu}[\p{L}\p{M}'-]*)?,\s+",
            r"|(?P<han>\p{Han}{2,4})[，,]\s*)",
        ))
    });
    let Some(named) = NAMED.captures(said) else { return said };
    let is_name = match (named.name("latin"), named.name("han")) {
        (Some(first), _) => !NO_NAMES.contains(&&*first.as_str().to_lowercase()),
        (None, Some(name)) => !NO_NAME.is_match(name.as_str()),
        (None, None) => false,
    };
    if is_name { &said[named[0].len()..] } else { said }
}

/// What may stand before a comma with a capital, and names nobody: with it, what follows
/// is for once, of somebody else, or to be written.
const NO_NAMES: [&str; 40] = [
    "i",
    "dear",
    "translate",
    "translation",
    "quote",
    "example",
    "exercise",
    "homework",
    "task",
    "question",
    "note",
    "write",
    "say",
    "repeat",
    "read",
    "otherwise",
    "sometimes",
    "usually",
    "maybe",
    "perhaps",
    "first",
    "second",
    "next",
    "then",
    "finally",
    "lastly",
    "once",
    "here",
    "meanwhile",
    "today",
    "tonight",
    "tomorrow",
    "yesterday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// The same in Chinese: 翻译, 老师说, 今天, 比如.
static NO_NAME: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        "[说问道讲写译读答题天次后时候果段如句先着外有试业习晚早了的上下]$",
        "|[我你您他她它们这那哪谁请不没是每]|^(?:作文|课文|原文)$",
    ))
});

/// How a form says that it lasts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lasts {
    /// By itself: `I prefer answers in German`.
    Always,
    /// Where nothing else is asked for: `Answer in German`.
    Alone,
    /// Only with words that say so: `From now on be brief`.
    Marked,
}

/// A form of a wish.
struct Form {
    shape: Regex,
    lasts: Lasts,
}

impl Form {
    /// What the form says here; `now` finds what says that it holds from now on.
    fn read(
        &self,
        said: &str,
        now: &Regex,
        about: fn(&Captures<'_>) -> Option<About>,
    ) -> Option<Wish> {
        let parts = self.shape.captures(said)?;
        let around = ["before", "lead", "tail", "more"].into_iter();
        let mut around = around.filter_map(|name| parts.name(name));
        let is_marked = around.any(|part| now.is_match(part.as_str()));
        if self.lasts == Lasts::Marked && !is_marked {
            return None;
        }
        let lasts = is_marked || self.lasts == Lasts::Always;
        Some(Wish { about: about(&parts)?, lasts })
    }
}

/// What somebody wants from now on, or never.
static WISHING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?P<lead>(?:from now on|in (?:the )?future|please always|always|please never|never)\b,? ).{4,200}$",
        r"|^(?P<zh>(?:以后|今后|从现在起|从今以后)[，,]?|请总是|请一直|请不要|请别|永远不要)[，,]?.{2,120}$",
        r"|^(?P<ja>(?:これから|今後|以後|今から|次回?から)(?:は|も)?、?|(?:いつも|常に|必ず|絶対に?)、?)",
        r".{2,120}(?:て|で|ください|下さい|お願いします|ほしい(?:です)?|欲しい(?:です)?)ね?$",
    ))
});

/// What is only said so, or says a name: `Never mind that`, `Always a pleasure`, 以后叫我老王.
static SAYING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^never\b,? (?:mind|been|had|heard|seen|thought|knew|a dull)\b",
        r"|(?i)^never again(?:$|,? (?:will|shall|did|have|has)\b)",
        r"|(?i)^always (?:been|had|was|were|wanted|happy|glad|nice|good|great|fun)\b",
        r"|(?i)^always (?:a|an|the) (?:\p{L}+ )?(?:pleasure|joy|delight|treat|honou?r|fun|charmer)\b",
        r"|(?i)^from now on,? (?:please |just )?call me\b|^(?:以后|今后)(?:请|就)*叫我",
    ))
});

fn is_lasting(said: &str) -> bool {
    WISHING.is_match(said) && !SAYING.is_match(said)
}

/// Whether it says in which language or how long answers are to be, or not to be.
pub(super) fn is_about_answers(said: &str) -> bool {
    stated(said, Which::Any).is_some() || unwanted_in(said).is_some()
}

/// Whether it tells whoever answers what to do always, or never: `don't suggest meat`. Nobody
/// says so of themselves.
pub(super) fn is_addressed(said: &str) -> bool {
    static ADDRESSED: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?i)^(?:please )?(?:never|always|don't|do not|only)(?: ever)? (?:",
            r"(?:suggest|recommend|propose|cite|translate|format|apologi[sz]e)\b",
            r"|use (?:any |many )?(?:emojis?|emoticons?|markdown|bullet|tables|headings|jargon|slang|abbreviations|",
            r"exclamation)\b",
            r"|(?:give|send|show|tell|ask|call|remind|offer|write|explain)(?: (?:it|that|things|everything))?",
            r"(?: to)? me\b",
            r"|.*\byour\b)",
        ))
    });
    ADDRESSED.is_match(said)
}

/// Whether it says what no answer is to have: `Don't use emojis`. Whoever says no more than that
/// means more than the next one.
fn is_of_every_answer(said: &str) -> bool {
    static UNWANTED: LazyLock<Regex> = LazyLock::new(|| {
        let thing = concat!(
            r"(?:emojis?|emoticons?|smileys?|markdown|bullet(?:ed)?(?: points?| lists?)?|headings|jargon|slang|",
            r"abbreviations|exclamation (?:marks?|points?)|em[- ]dashes|hashtags|all caps)",
        );
        regex(&format!(
            concat!(
                r"(?i)^(?:please,? |and )?(?:don't|do not|never|no|no more|stop|avoid|skip|leave out|drop|cut)",
                r"(?: (?:ever|using|use|adding|add|putting|put|the|any|so|many))* {0}(?:,? (?:or|and) {0})*",
                r"(?:,? (?:please|any ?more|any longer|at all|ever|again|thanks|(?:in|with) (?:your|the|any) ",
                r"(?:answers?|replies|messages|responses?)|when you (?:answer|write|reply)(?: me)?))*$",
                r"|^(?:请|以后|今后|你|麻烦)*(?:别|不要|不用|不准|请勿)再?(?:使?用|发|加|带)(?:任何|这么多|那么多|太多)?",
                r"(?:表情(?:符号|包)?|emoji|颜文字|markdown|列表|感叹号|缩写|术语)(?:了|吧|啦)?$",
                r"|^(?:もう)?絵文字(?:は|を)(?:使わないで|やめて|なしで)(?:ください|下さい)?$",
            ),
            thing
        ))
    });
    UNWANTED.is_match(said)
}

/// Whether a clause begins as an order does.
pub(super) fn begins_order(said: &str) -> bool {
    ORDERS.is_match(said)
}

/// What begins an order.
static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:(?:always|never|please|don't|do not|only) )?(?:answer|reply|respond|speak|talk|write|use|keep|",
        r"make|be|cite|give|send|show|explain|call|avoid|ask|add|put|start|begin|end|leave|include|mention|format|",
        r"prefer|skip|stop|stick|translate|do|don't|never|always)\b",
        r"|^(?:请|要|不要|别|用|使用|回答|回复|尽量|保持|说|叫|多|少)",
    ))
});

/// Each thing that is wished for, with the words that say that it lasts.
fn parts(said: &str) -> Vec<String> {
    static AND: LazyLock<Regex> = LazyLock::new(|| {
        regex(r",? and (?:please )?|; |, (?:please |but )?|[，,；、](?:并且|而且|同时|并)?")
    });
    let lead = WISHING.captures(said).and_then(|parts| parts.name("lead").or(parts.name("zh")));
    let lead = lead.map_or("", |lead| lead.as_str());
    let (mut parts, mut from) = (Vec::new(), 0);
    for and in AND.find_iter(said).filter(|and| and.start() >= lead.len()) {
        if ORDERS.is_match(&said[and.end()..]) {
            parts.push(&said[from..and.start()]);
            from = and.end();
        }
    }
    parts.push(&said[from..]);
    let all = parts.iter().enumerate();
    all.map(|(nth, part)| if nth == 0 { (*part).to_owned() } else { format!("{lead}{part}") })
        .collect()
}

/// How one is not to be answered. It takes the place of a wish for just that.
fn unwanted_in(said: &str) -> Option<(Wish, Noticed)> {
    let lasting = |wish: Wish| Wish { lasts: true, ..wish };
    let wish = english::denied(said)
        .or_else(|| chinese::denied(said).and_then(|wish| chinese::read(&wish)).map(lasting))
        .or_else(|| japanese::denied(said).and_then(|wish| japanese::read(&wish)).map(lasting))?;
    let statement = wish.about.unwanted()?;
    Some((wish, Noticed { statement: Some(statement), ..as_said(said) }))
}

/// In the person's own words.
fn as_said(said: &str) -> Noticed {
    Noticed {
        kind: MemoryKind::Preference,
        text: said.trim().to_owned(),
        statement: None,
        importance: ASKED,
    }
}

fn stating(attribute: &str, value: &str, text: String) -> Noticed {
    let statement = Some(statement(attribute, value));
    Noticed { kind: MemoryKind::Preference, text, statement, importance: ASKED }
}
