//! What a text that somebody wrote down by hand states.
//!
//! A person writes of themselves (`I live in Porto`), as of somebody (`The user lives in
//! Porto`), as in a list (`Lives in Porto`), or what they want (`Answer in German`); an
//! agent writes of the person. Either is read as if the person had said it, so that what
//! contradicts it is seen. Only a text that states one thing and nothing else is a statement:
//! what takes its place takes the place of all of it.

use crate::extract::{Ending, Noticed, all_told, endings, is_order, only_statement, sentences_of};
use domain::Statement;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Who wrote it down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    Person,
    /// Whose `I` is nobody that anything is remembered of.
    Agent,
}

/// What a text states of the person, who has this name; `None` where that cannot be told.
pub fn stated(text: &str, writer: Writer, name: &str) -> Option<Statement> {
    let ways = ways_to_read(text.trim(), writer, name);
    ways.iter().find_map(|way| only_statement(&way.said))
}

/// What a text by the person says is so of them no longer.
pub fn over(text: &str, name: &str) -> Vec<Ending> {
    let ways = ways_to_read(text.trim(), Writer::Person, name).into_iter();
    ways.map(|way| endings(&way.said)).find(|over| !over.is_empty()).unwrap_or_default()
}

/// All that a text by the person states of them, whatever else it says.
pub(crate) fn states(text: &str, name: &str) -> Vec<Statement> {
    let all = sentences_of(text).flat_map(|sentence| told_in(sentence, name).0);
    all.filter_map(|one| one.statement).collect()
}

/// What a sentence by the person says of them, and whether that is all it says.
fn told_in(sentence: &str, name: &str) -> (Vec<Noticed>, bool) {
    let ways = ways_to_read(sentence, Writer::Person, name);
    let mut told: Vec<(Vec<Noticed>, bool)> = ways.iter().map(|way| all_told(&way.said)).collect();
    told.retain(|(noticed, _)| !noticed.is_empty());
    let whole = told.iter().position(|(_, is_all)| *is_all).unwrap_or(0);
    told.into_iter().nth(whole).unwrap_or_default()
}

/// A way to read a text: as if the person had said it.
pub(crate) struct Way<'a> {
    /// In the first person.
    pub said: String,
    written: Written<'a>,
}

/// In which person it is written.
enum Written<'a> {
    /// The first.
    Own,
    /// The third, of whoever is called so.
    Of(&'a str),
    /// The third, of nobody by name.
    Listed,
}

impl Way<'_> {
    /// A clause of it in the person in which it is written.
    pub(crate) fn in_its_person(&self, clause: &str, is_first: bool) -> String {
        let subject = match self.written {
            Written::Own => return clause.to_owned(),
            Written::Of(subject) => subject,
            Written::Listed => "",
        };
        if let Some(rest) = clause.strip_prefix("My ").filter(|_| is_first) {
            return format!("{subject}'s {rest}");
        }
        let han = ["我", "私"].iter().find_map(|me| clause.strip_prefix(me));
        if let Some(rest) = han {
            return format!("{subject}{rest}");
        }
        if subject.is_empty()
            && let Some(what) = clause.strip_prefix("I am allergic to ")
        {
            return format!("Allergic to {what}");
        }
        match clause.strip_prefix("I ").map(third_person) {
            Some(said) => format!("{subject} {said}").trim_start().to_owned(),
            None => clause.to_owned(),
        }
    }
}

/// As it stands, as what is said of somebody, and as what stands in a list.
pub(crate) fn ways_to_read<'a>(text: &'a str, writer: Writer, name: &'a str) -> Vec<Way<'a>> {
    let own = match writer {
        Writer::Person => Some(text.to_owned()),
        Writer::Agent => is_order(text).then(|| text.to_owned()),
    };
    let listed = if writer == Writer::Person { listed(text) } else { None };
    let said_of = said_of(text, name);
    [
        own.map(|said| Way { said, written: Written::Own }),
        said_of.map(|(who, said)| Way { said, written: Written::Of(who) }),
        listed.map(|said| Way { said, written: Written::Listed }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// In the first person what is said of somebody who is `the user`, or has this name; with how
/// they are called there.
fn said_of<'a>(text: &str, name: &'a str) -> Option<(&'a str, String)> {
    let names = ["The user", "the user", "User", "user", name];
    let latin = names.iter().filter(|name| !name.is_empty()).find_map(|name| {
        let rest = text.strip_prefix(name)?;
        let own = rest.strip_prefix("'s ").or_else(|| rest.strip_prefix("’s "));
        let said = match own {
            Some(own) => format!("My {own}"),
            None => first_person(rest.strip_prefix(' ')?)?,
        };
        Some((*name, said))
    });
    let names = ["用户", "用戶", "使用者", "ユーザーさん", "ユーザー", name];
    latin.or_else(|| {
        names.iter().filter(|name| !name.is_empty()).find_map(|name| {
            let rest = text.strip_prefix(name)?;
            let is_japanese = rest.contains(|c: char| matches!(c, '\u{3041}'..='\u{309f}'));
            let said = match rest.strip_prefix("名叫") {
                Some(called) => Some(format!("我叫{called}")),
                None if is_japanese => Some(format!("私{}", rest.replacen("には", "は", 1))),
                None if rest.starts_with(|c: char| c >= '\u{3400}') => Some(format!("我{rest}")),
                None => None,
            };
            Some((*name, said?))
        })
    })
}

/// In the first person what a line of a list says of nobody by name.
fn listed(text: &str) -> Option<String> {
    if text.starts_with("Is ") || text.starts_with("is ") {
        return None;
    }
    if let Some(own) =
        text.strip_prefix("Allergic to ").or_else(|| text.strip_prefix("allergic to "))
    {
        return Some(format!("I am allergic to {own}"));
    }
    let begins = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    if begins(&[
        "住在",
        "来自",
        "來自",
        "喜欢",
        "喜歡",
        "不喜欢",
        "不喜歡",
        "更喜欢",
        "更喜歡",
        "偏好",
        "讨厌",
        "討厭",
        "对",
        "對",
        "在",
        "搬到",
        "名叫",
    ]) {
        return Some(format!("我{}", text.trim_start_matches('名')));
    }
    first_person(text)
}

/// `lives in Porto` as `I live in Porto`; `None` where no verb of somebody begins it.
fn first_person(said: &str) -> Option<String> {
    let mut before = Vec::new();
    let mut words = said.split(' ');
    let verb = loop {
        let word = words.next()?;
        let lower = word.to_lowercase();
        if !BEFORE_VERBS.contains(&&*lower) {
            break lower;
        }
        before.push(lower);
    };
    let rest: Vec<&str> = words.collect();
    let rest = rest.join(" ");
    let of_me = OF_ME.iter().find(|(theirs, _)| *theirs == verb).map(|(_, mine)| *mine);
    let mine = match (verb.as_str(), of_me) {
        (_, Some(mine)) => mine,
        ("no", None) => {
            let (next, rest) = rest.strip_prefix("longer ")?.split_once(' ')?;
            let mine = OF_ME.iter().find(|(theirs, _)| *theirs == next)?.1;
            return Some(format!("I no longer {mine} {rest}"));
        }
        _ => return None,
    };
    before.push(mine.to_owned());
    // What is theirs where somebody tells of them is mine where they say it.
    let rest = rest.strip_prefix("their ").map_or(rest.clone(), |own| format!("my {own}"));
    Some(format!("I {} {}", before.join(" "), and_mine(&rest)))
}

/// `live in Porto` as `lives in Porto`.
fn third_person(said: &str) -> String {
    let mut words: Vec<&str> = said.split(' ').collect();
    let verb = words.iter_mut().find(|word| !BEFORE_VERBS.contains(*word));
    if let Some(verb) = verb {
        let theirs = OF_ME.iter().find(|(_, mine)| mine == verb);
        *verb = theirs.map_or(*verb, |(theirs, _)| theirs);
    }
    words.join(" ")
}

/// What goes on with the same subject: `lives in Porto and works at Fiat`.
fn and_mine(rest: &str) -> String {
    static AND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"((?:,|,? and|,? but) (?:(?:also|now|still|really|just) )?)([\w’']+)\b")
            .expect("the tests read it")
    });
    let of_me = |verb: &str| OF_ME.iter().find(|(theirs, _)| *theirs == verb).map(|one| one.1);
    let mine = |parts: &Captures<'_>| match of_me(&parts[2]) {
        // `don't use salt` would be an order.
        Some(mine @ ("do" | "don't")) => format!("{}I {mine}", &parts[1]),
        Some(mine) => format!("{}{mine}", &parts[1]),
        None => parts[0].to_owned(),
    };
    AND.replace_all(rest, mine).into_owned()
}

const BEFORE_VERBS: [&str; 7] = ["now", "currently", "also", "still", "really", "just", "always"];
const OF_ME: [(&str, &str); 21] = [
    ("lives", "live"),
    ("moved", "moved"),
    ("works", "work"),
    ("comes", "come"),
    ("likes", "like"),
    ("loves", "love"),
    ("enjoys", "enjoy"),
    ("prefers", "prefer"),
    ("dislikes", "dislike"),
    ("hates", "hate"),
    ("wants", "want"),
    ("would", "would"),
    ("needs", "need"),
    ("expects", "expect"),
    ("is", "am"),
    ("does", "do"),
    ("doesn't", "don't"),
    ("doesn’t", "don't"),
    ("cannot", "can't"),
    ("can't", "can't"),
    ("has", "have"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, writer: Writer, expected: Option<(&str, &str)>) {
        let stated = stated(text, writer, "Lin");
        let told = stated.as_ref().map(|one| (one.attribute.as_str(), one.value.as_str()));
        assert_eq!(told, expected, "{text}");
    }

    #[test]
    fn what_a_person_writes_down_is_read_as_if_they_had_said_it() {
        for text in [
            "I live in Porto",
            "The user lives in Porto.",
            "User lives in Porto",
            "Lin lives in Porto",
            "Lives in Porto",
            "Now lives in Porto",
            "Remember that I live in Porto",
        ] {
            check(text, Writer::Person, Some(("lives in", "Porto")));
        }
        for text in ["Prefers tea", "The user likes tea", "Lin really loves tea", "I enjoy tea"] {
            check(text, Writer::Person, Some(("likes tea", "yes")));
        }
        check("The user does not like tea", Writer::Person, Some(("likes tea", "no")));
        check("No longer likes tea", Writer::Person, Some(("likes tea", "no")));
        check("Allergic to nuts", Writer::Person, Some(("allergic to nuts", "yes")));
        check("The user's name is Ana", Writer::Person, Some(("name", "Ana")));
        check("The user prefers dark mode", Writer::Person, Some(("likes dark mode", "yes")));
        check("用户住在上海", Writer::Person, Some(("住在", "上海")));
        check("更喜欢深色模式", Writer::Person, Some(("喜欢深色模式", "是")));
        check("住在上海", Writer::Person, Some(("住在", "上海")));
        check("用户名叫小林", Writer::Person, Some(("名字", "小林")));
        check("用戶對花生過敏", Writer::Person, Some(("对花生过敏", "是")));
        check("ユーザーは東京に住んでいる", Writer::Person, Some(("住まい", "東京")));
    }

    #[test]
    fn who_writes_down_how_long_answers_are_to_be_means_from_now_on() {
        let [short, long] = ["short", "long"].map(|value| Some(("answer length", value)));
        for text in ["Answer briefly", "Be brief", "Keep it short."] {
            check(text, Writer::Person, short);
        }
        for text in ["Answer in detail", "Be thorough"] {
            check(text, Writer::Person, long);
        }
        for (text, value) in [
            ("短く答えて", "短い"),
            ("簡潔に答えてください", "短い"),
            ("長く答えて", "詳しい"),
            ("詳しく答えてください", "詳しい"),
        ] {
            check(text, Writer::Person, Some(("回答の長さ", value)));
        }
        check("以后叫我老王", Writer::Person, Some(("称呼", "老王")));
        check("用户希望被叫作老王", Writer::Agent, Some(("称呼", "老王")));
        let captain = Some(("wants to be called", "Captain"));
        check("The user wants to be called Captain", Writer::Agent, captain);
        check("Call me Captain", Writer::Person, captain);
        let garden = Some(("likes their garden", "yes"));
        check("The user loves their garden", Writer::Person, garden);
        check("I love my garden", Writer::Person, garden);
        check("请简短回答", Writer::Person, Some(("回答篇幅", "简短")));
        check("请详细回答", Writer::Person, Some(("回答篇幅", "详细")));
        check("German", Writer::Person, None);
    }

    #[test]
    fn a_wish_is_one_in_every_form_that_it_is_written_in() {
        for text in [
            "Answer in German",
            "From now on answer in German",
            "The user wants to be answered in German",
            "The user prefers answers in German",
            "The user would like to be answered in German",
            "Lin would prefer answers in German",
        ] {
            check(text, Writer::Person, Some(("answers in", "German")));
            check(text, Writer::Agent, Some(("answers in", "German")));
        }
        check("Wants to be answered in German", Writer::Person, Some(("answers in", "German")));
        check("用户希望用德语回答", Writer::Agent, Some(("回答语言", "德语")));
        check(
            "ユーザーはドイツ語での回答を望んでいる",
            Writer::Agent,
            Some(("回答の言語", "ドイツ語")),
        );
        for text in [
            "Answer in German",
            "请用德语回答",
            "Keep your answers long.",
            "Never use emojis",
            "From now on show your sources",
            "Always cite sources",
            "以后不要用表情符号",
            "Don't suggest meat",
        ] {
            assert!(is_order(text), "{text}");
        }
        for text in
            ["The user wants short answers", "Likes tea", "Write a letter to Bo", "Never mind"]
        {
            assert!(!is_order(text), "{text}");
        }
    }

    #[test]
    fn what_a_person_writes_down_to_be_over_is_read_as_if_they_had_said_it() {
        let oslo =
            Statement { subject: "user".into(), attribute: "住在".into(), value: "Oslo".into() };
        for text in [
            "I no longer live in Oslo",
            "The user no longer lives in Oslo.",
            "Lin doesn't live in Oslo anymore",
            "No longer lives in Oslo",
            "用户不住在Oslo了",
        ] {
            assert!(over(text, "Lin").iter().any(|one| one.ends(&oslo)), "{text}");
        }
        for text in ["I live in Oslo", "Bo no longer lives in Oslo", "I no longer live in Rome"] {
            assert!(!over(text, "Lin").iter().any(|one| one.ends(&oslo)), "{text}");
        }
    }

    #[test]
    fn what_states_more_than_one_thing_or_is_of_others_states_nothing() {
        for text in [
            "Lives in Porto; the door code is 4711",
            "Lives in Porto and has a boat",
            "Bo lives in Porto",
            "Does Lin live in Porto?",
            "Lives by the sea",
            "The user's wife is a doctor",
            "Is tired",
            "The user would like tea",
            "The user would live in Porto if there was work",
            "The user would like this answered in German",
            "Answer in German and briefly",
            "Answer this in German",
            "",
        ] {
            check(text, Writer::Person, None);
        }
        for text in ["I live in Porto", "Lives in Porto", "My name is Ada", "我住在上海"] {
            check(text, Writer::Agent, None);
        }
        check("The user lives in Porto", Writer::Agent, Some(("lives in", "Porto")));
        check("Lin住在上海", Writer::Agent, Some(("住在", "上海")));
    }
}
