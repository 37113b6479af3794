//! What an English clause says about the one who says it.

use super::{Noticed, SAID, Says, regex, stated, statement};
use domain::MemoryKind;
use regex::Regex;
use std::sync::LazyLock;

pub(super) const FORMS: &[(&str, Says)] = &[
    (
        r"(?i)^(?:my name is|my name's|i am called|i'm called|(?:please |you can |people |everyone )?calls? me) (\p{L}[\p{L}\p{N} '.-]{0,40})$",
        |p| name(&p[1]),
    ),
    (r"(?i)^i (?:(?:now|currently|still|also) )?live in (.{2,60})$", |p| {
        fact("lives in", &p[1], |place| format!("The user lives in {place}"))
    }),
    (r"(?i)^i(?:'ve| have)? (?:just |recently )?moved to (.{2,60})$", |p| {
        fact("lives in", &p[1], |place| format!("The user lives in {place}"))
    }),
    (r"(?i)^i(?: am|'m| come) from (.{2,60})$", |p| {
        fact("comes from", &p[1], |place| format!("The user comes from {place}"))
    }),
    (r"(?i)^i (?:(?:now|currently|still|also) )?work (as|at|for|in) (.{2,80})$", |p| {
        let attribute = format!("works {}", p[1].to_lowercase());
        fact(&attribute, &p[2], |what| format!("The user {attribute} {what}"))
    }),
    (r"(?i)^(?:i am|i'm) allergic to (.{2,80})$", |p| {
        let attribute = format!("allergic to {}", p[1].to_lowercase());
        Some(stated(&attribute, "yes", format!("The user is allergic to {}", &p[1])))
    }),
    (r"(?i)^i (?:(?:really|also|just) )*(like|love|enjoy|prefer) (.{2,100})$", |p| {
        liking(&p[2], &p[1].to_lowercase(), true)
    }),
    (
        r"(?i)^i (?:(?:really|also|just) )*(dislike|hate|can't stand|don't like|do not like|no longer like) (.{2,100})$",
        |p| liking(&p[2], &p[1].to_lowercase(), false),
    ),
    (r"(?i)^my ([a-z]+(?: [a-z]+){0,2})('s name)? is (called )?(.{1,100})$", |p| {
        let is_name = p.get(2).or(p.get(3)).is_some();
        possession(&p[1], &p[4], is_name)
    }),
];

/// Only who greets, or goes on to say more, says their name so: `I'm Batman`.
static INTRODUCING: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(?i:i am|i'm|this is) (\p{Lu}\p{Ll}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]+)?)$")
});

/// Their name, where they say it without calling it so.
pub(super) fn introduction(clause: &str) -> Option<Noticed> {
    let who = INTRODUCING.captures(clause)?;
    let last = who[1].rsplit(' ').next().unwrap_or_default();
    let is_people = NO_NAMES.contains(&last)
        || ["ese", "ish", "ist", "ican", "sian", "dian", "rean"]
            .iter()
            .any(|end| last.ends_with(end));
    if is_people { None } else { name(&who[1]) }
}

fn name(who: &str) -> Option<Noticed> {
    let who = who.trim().trim_end_matches(" by the way").trim_end_matches(" btw");
    let first = who.split([' ', '\'']).next().unwrap_or_default().to_lowercase();
    // "Call me later", "my name is not important": no name.
    if NO_FIRST_NAMES.contains(&first.as_str()) || who.split(' ').count() > 5 {
        return None;
    }
    Some(stated("name", who, format!("The user's name is {who}")))
}

/// A fact of a kind that may change. What hangs on a condition is none; what is
/// only said about the value does not make it another one.
fn fact(attribute: &str, said: &str, text: impl Fn(&str) -> String) -> Option<Noticed> {
    static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?i)\b(?:if|unless|when|whenever|until|once)\b|^(?:not|no|a lot)\b")
    });
    static TRAILING: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)(?:,? (?:now|too|as well|though|btw|by the way|currently|at the moment|these days|nowadays))+$",
        )
    });
    static BESIDE: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?i),? (?:because|since|which|who|where|with|near|for now)\b.*$"));
    if CONDITION.is_match(said) {
        return None;
    }
    let said = TRAILING.replace(said.trim(), "");
    let value = BESIDE.replace(&said, "");
    Some(stated(attribute, &value, text(&said)))
}

/// Whether one likes a thing is one matter, so that a change of mind supersedes.
fn liking(thing: &str, verb: &str, likes: bool) -> Option<Noticed> {
    let thing = thing.trim();
    let first = thing.split(' ').next().unwrap_or_default().to_lowercase();
    // "I like how you put it" says nothing that lasts.
    if ["how", "that", "this", "it", "your", "you", "what", "the", "him", "her", "them"]
        .contains(&first.as_str())
    {
        return None;
    }
    let lasting = thing.trim_end_matches(" anymore").trim_end_matches(" any more");
    let verb = match verb {
        "don't like" | "do not like" | "no longer like" => "does not like".to_owned(),
        "can't stand" => "cannot stand".to_owned(),
        verb => format!("{verb}s"),
    };
    Some(Noticed {
        kind: MemoryKind::Preference,
        text: format!("The user {verb} {lasting}"),
        statement: Some(statement(
            &format!("likes {}", lasting.to_lowercase()),
            if likes { "yes" } else { "no" },
        )),
        importance: SAID,
    })
}

fn possession(thing: &str, value: &str, is_name: bool) -> Option<Noticed> {
    let (thing, value) = (thing.to_lowercase(), value.trim());
    // "My question is …", "my guess is …": about the talk, not about the person.
    let of_the_talk = [
        "question", "point", "guess", "idea", "concern", "problem", "opinion", "feeling", "plan",
        "goal", "task",
    ];
    if of_the_talk.iter().any(|word| thing.ends_with(word)) || value.starts_with("not ") {
        return None;
    }
    let text = format!("The user's {thing} is {value}");
    let stated = statement(&thing, value);
    if !KIN.contains(&thing.as_str()) {
        let statement = Some(stated);
        return Some(Noticed { kind: MemoryKind::Fact, text, statement, importance: SAID });
    }
    // That my wife is a doctor does not say that she is Clara no longer.
    let says_who = is_name || value.starts_with(char::is_uppercase);
    let statement = says_who.then_some(stated);
    Some(Noticed { kind: MemoryKind::Relationship, text, statement, importance: SAID })
}

/// What `I'm …` may be followed by, with a capital, that is no name.
const NO_NAMES: [&str; 46] = [
    "French",
    "Dutch",
    "Greek",
    "Swiss",
    "Thai",
    "Czech",
    "Arab",
    "Iraqi",
    "Israeli",
    "Pakistani",
    "German",
    "Roman",
    "Norwegian",
    "Egyptian",
    "Italian",
    "Belgian",
    "Brazilian",
    "Ukrainian",
    "Hungarian",
    "Iranian",
    "Australian",
    "Moroccan",
    "Cuban",
    "Chilean",
    "Afghan",
    "Slovak",
    "Welsh",
    "Jewish",
    "Hindu",
    "Muslim",
    "Sikh",
    "Catholic",
    "Back",
    "Here",
    "Sorry",
    "Done",
    "Ready",
    "Fine",
    "Good",
    "Happy",
    "Glad",
    "New",
    "Sick",
    "Busy",
    "Late",
    "Lost",
];

/// What `my name is …` and `call me …` may be followed by that is no name.
const NO_FIRST_NAMES: [&str; 38] = [
    "a",
    "an",
    "the",
    "not",
    "on",
    "in",
    "at",
    "when",
    "whenever",
    "if",
    "once",
    "after",
    "before",
    "as",
    "back",
    "later",
    "soon",
    "now",
    "again",
    "today",
    "tomorrow",
    "tonight",
    "anytime",
    "asap",
    "maybe",
    "crazy",
    "old",
    "what",
    "whatever",
    "hard",
    "difficult",
    "too",
    "very",
    "so",
    "spelled",
    "pronounced",
    "for",
    "your",
];

const KIN: [&str; 22] = [
    "wife",
    "husband",
    "partner",
    "girlfriend",
    "boyfriend",
    "mother",
    "father",
    "mum",
    "mom",
    "dad",
    "sister",
    "brother",
    "son",
    "daughter",
    "friend",
    "best friend",
    "boss",
    "manager",
    "colleague",
    "cousin",
    "aunt",
    "uncle",
];
