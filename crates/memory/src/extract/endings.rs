//! Notices what a person says is so no longer.
//!
//! It names what ends and says nothing new, so that a form may be read widely: only what
//! is remembered with this very value ends by it.

mod forms;
mod once;
mod own;

use super::clauses::{clauses, supposes};
use super::preferred;
use super::wishes::without_name;
use super::{FORMS as SAYING, PERSON, is_yes, sentences, statement};
use crate::attributes::{called, name_of};
use crate::traditional::Traditional;
use crate::{same_value, values};
use domain::Statement;
use forms::said_over;
use once::{goes_on, liked_once};

/// What a person says is so of them no longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// What of them: any of these.
    pub attributes: &'static [&'static str],
    /// `None`: whatever it was.
    pub value: Option<String>,
    /// The same, of what has a name of the person's own: `favourite tea`, `dog`.
    named: Vec<String>,
    /// What the person likes no more: by that it is called, too.
    likes: Vec<String>,
    /// What the person prefers now: to that they preferred what ends.
    prefers: Option<[String; 2]>,
    /// Where it was is only pointed at, `I no longer work there`, by what the same message names
    /// before, if it names anything.
    there: Option<String>,
}

impl Ending {
    fn of(attributes: &'static [&'static str], value: Option<String>) -> Ending {
        Ending {
            attributes,
            value,
            named: Vec::new(),
            likes: Vec::new(),
            prefers: None,
            there: None,
        }
    }

    fn named(named: Vec<String>, value: Option<String>) -> Ending {
        Ending { named, ..Ending::of(&[], value) }
    }

    fn liking(likes: Vec<String>) -> Ending {
        Ending { likes, ..Ending::of(&[], None) }
    }

    fn there(attributes: &'static [&'static str]) -> Ending {
        Ending { there: Some(String::new()), ..Ending::of(attributes, None) }
    }

    /// What was said of the person a moment before, and is taken back.
    pub(super) fn taken_back(was: &Statement) -> Ending {
        match is_yes(&was.value) {
            true => Ending::liking(vec![was.attribute.clone()]),
            false => Ending::named(vec![was.attribute.clone()], Some(was.value.clone())),
        }
    }

    fn preferring(more: &str, less: Option<String>) -> Ending {
        let (likes, prefers) = (preferred::opposites(more), Some(preferred::over(more)));
        Ending { likes, prefers, ..Ending::of(&[], less) }
    }

    /// Whether it ends by that something else is preferred now, and not because it is over.
    pub fn is_of_preference(&self) -> bool {
        self.prefers.is_some()
    }

    /// What it may be of, whatever that is called.
    pub fn is_about(&self) -> Vec<&str> {
        let likes = self.likes.iter().map(String::as_str);
        self.is_of().chain(likes).flat_map(called).collect()
    }

    /// Whether it is this that ends.
    pub fn ends(&self, statement: &Statement) -> bool {
        let is_value = |ended: &String| same_value(ended, &statement.value);
        let is_of = is_among(self.is_of(), &statement.attribute)
            && self.value.as_ref().is_none_or(is_value)
            && self.there.as_ref().is_none_or(|named| may_be_there(named, statement));
        let is_liked = is_among(self.likes.iter().map(String::as_str), &statement.attribute)
            && is_yes(&statement.value);
        statement.subject.eq_ignore_ascii_case(PERSON) && (is_of || is_liked)
    }

    /// What it may be of that has a value.
    fn is_of(&self) -> impl Iterator<Item = &str> {
        let named = self.named.iter().chain(self.prefers.iter().flatten());
        self.attributes.iter().copied().chain(named.map(String::as_str))
    }
}

/// Whether it is where somebody points: what a message names is that, and a trade without a place is
/// nowhere.
fn may_be_there(named: &str, statement: &Statement) -> bool {
    let (named, value) = (named.to_lowercase(), statement.value.to_lowercase());
    let place = [" at ", " for ", " in ", " with "].iter().find_map(|at| value.split_once(at));
    let is_trade = name_of(&statement.attribute) == "works as";
    match (is_trade, place) {
        (true, None) => false,
        (true, Some((_, place))) => named.is_empty() || named.contains(place),
        (false, _) => named.is_empty() || named.contains(&value),
    }
}

fn is_among<'a>(mut attributes: impl Iterator<Item = &'a str>, attribute: &str) -> bool {
    let attribute = name_of(attribute);
    attributes.any(|one| name_of(one).eq_ignore_ascii_case(attribute))
}

/// What somebody says with it who was never heard to say that it was so; `None` where that could
/// not have been said.
pub fn says_of_none(ending: &Ending) -> Option<Statement> {
    let value = ending.value.as_deref()?;
    let said = match ending.attributes {
        HOME => ["I live in {}", "我住在{}", "私は{}に住んでいます"],
        WORK => ["I work at {}", "我在{}工作", "私は{}で働いています"],
        ANSWERS => return Some(no_longer(&statement("answers in", value))),
        _ => return None,
    };
    let stated = said.iter().find_map(|so| {
        let so = so.replace("{}", value);
        SAYING.iter().find_map(|form| form.read(&so))?.statement
    });
    stated.filter(|stated| same_value(&stated.value, value)).map(|stated| no_longer(&stated))
}

/// What words that end a statement state in its place.
pub fn no_longer(ended: &Statement) -> Statement {
    Statement { value: values::no_longer(&ended.value), ..ended.clone() }
}

pub fn is_no_longer(statement: &Statement) -> bool {
    values::is_no_longer(&statement.value)
}

const HOME: &[&str] = &["lives in"];
const WORK: &[&str] = &["works at", "works for", "works as", "works in"];
/// Whoever is there no more has left either.
const PLACE: &[&str] = &["lives in", "works at", "works for", "works in"];
const ANSWERS: &[&str] = &["answers in"];
const NAME: &[&str] = &["name", "wants to be called"];
const DIET: &[&str] = &["diet"];
const SPOUSE: &[&str] = &["wife", "husband", "partner", "spouse", "married to"];
const COUPLE: &[&str] =
    &["wife", "husband", "partner", "spouse", "married to", "girlfriend", "boyfriend"];

/// What a person's message says is so no longer.
pub fn endings(message: &str) -> Vec<Ending> {
    let mut endings: Vec<Ending> = Vec::new();
    let mut before = String::new();
    for sentence in sentences(message).all {
        let sentence = sentence.replace('’', "'");
        // What ends is compared without regard to the script.
        let said = match Traditional::of(&sentence) {
            Some(script) => clauses(script.simplified()),
            None => clauses(&sentence),
        };
        endings.extend(liked_once(&said.whole).filter(|one| !endings.contains(one)));
        if goes_on(&said.whole) {
            continue;
        }
        // `Anna and I are divorced` is one clause, whatever its *and* looks like.
        let is_first = said.all.first().is_some_and(|first| first.said == said.whole);
        let whole = Some(said.whole.as_str()).filter(|_| !is_first);
        let told = Some(without_name(&said.whole)).filter(|told| *told != said.whole);
        let clauses = said.all.iter().map(|clause| clause.said.as_str());
        for clause in whole.into_iter().chain(told).chain(clauses) {
            let found = said_over(clause);
            // 不要再说德语了 supposes nothing: 说 is to speak.
            if supposes(clause) && found.as_ref().is_none_or(|one| one.attributes != ANSWERS) {
                break;
            }
            let found = found.map(|one| pointing_at(one, &before));
            endings.extend(found.filter(|one| !endings.contains(one)));
            before.push_str(clause);
            before.push('\n');
        }
    }
    endings
}

fn pointing_at(ending: Ending, before: &str) -> Ending {
    let there = ending.there.as_ref().map(|_| before.to_owned());
    Ending { there, ..ending }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, expected: &[(&'static [&'static str], Option<&str>)]) {
        let told = endings(message);
        let told: Vec<_> = told.iter().map(|one| (one.attributes, one.value.as_deref())).collect();
        assert_eq!(told, expected, "{message}");
        assert_eq!(super::super::notice(message), [], "it says nothing new: {message}");
    }

    #[test]
    fn what_is_so_no_longer_is_noticed_in_english() {
        for message in [
            "I no longer live in Rome.",
            "I don't live in Rome anymore",
            "Well, I do not live in Rome any more.",
            "I don’t live in Rome.",
            "I used to live in Rome",
            "I lived in Rome",
            "I've just moved away from Rome",
            "I no longer live in Rome since May",
        ] {
            check(message, &[(HOME, Some("Rome"))]);
        }
        for message in [
            "I don't work at Globex anymore.",
            "I no longer work for Globex",
            "I quit my job at Globex",
            "I've finally quit my job at Globex",
            "I'm no longer working at Globex",
            "I got fired from Globex last week",
            "I stopped working for Globex",
        ] {
            check(message, &[(WORK, Some("Globex"))]);
        }
        check("I quit my job.", &[(WORK, None)]);
        check("Anna and I are divorced", &[(COUPLE, Some("Anna"))]);
        check("Anna and I broke up.", &[(COUPLE, Some("Anna"))]);
        check("I got divorced last year", &[(SPOUSE, None)]);
        check("My wife and I are divorced.", &[(SPOUSE, None)]);
        check("My boyfriend and I broke up.", &[(&["boyfriend"], None)]);
        check("I was laid off last month", &[(WORK, None)]);
        check("I'm unemployed now", &[(WORK, None)]);
        assert_eq!(endings("My colleagues and I split up"), []);
    }

    #[test]
    fn what_is_so_no_longer_is_noticed_in_chinese() {
        for message in ["我不住在杭州了", "我已经不住杭州了。", "我不再住在杭州", "我从杭州搬走了"]
        {
            check(message, &[(HOME, Some("杭州"))]);
        }
        for message in [
            "我不在阿里巴巴工作了",
            "我已经不在阿里巴巴上班了",
            "我从阿里巴巴辞职了",
            "我辞掉了阿里巴巴的工作",
        ] {
            check(message, &[(WORK, Some("阿里巴巴"))]);
        }
        check("我辞职了", &[(WORK, None)]);
        check("我离婚了。", &[(SPOUSE, None)]);
        check("我和王芳离婚了", &[(COUPLE, Some("王芳"))]);
        check("我和老婆离婚了", &[(&["wife", "spouse", "married to"], None)]);
        for message in ["我和同事分开了", "我和朋友分手了，各回各家", "我和妈妈分开了"]
        {
            assert_eq!(endings(message), [], "{message}");
        }
    }

    #[test]
    fn what_was_so_once_or_goes_on_in_part_ends_nothing_that_is_so() {
        let oslo = statement("lives in", "Oslo");
        let statoil = statement("works at", "Statoil");
        for message in [
            "I lived in Oslo in 1990",
            "I used to live in Oslo in the nineties",
            "I stopped working at Statoil full-time",
            "I no longer work at Statoil part-time",
            "子供の頃Osloに住んでいました",
            "我上学时住在Oslo",
        ] {
            let ends = |one: &Ending| one.ends(&oslo) || one.ends(&statoil);
            assert!(!endings(message).iter().any(ends), "{message}");
        }
    }

    #[test]
    fn what_is_so_no_longer_is_noticed_beside_what_is_so() {
        let lives = |place: &str| statement("lives in", place);
        for (message, was) in [
            ("I live in Bergen and no longer work at Statoil", statement("works at", "Statoil")),
            ("I moved to Bergen and quit my job at Statoil", statement("works at", "Statoil")),
            ("I have two cats and no longer live in Oslo", lives("Oslo")),
            ("我现在在腾讯工作，不在阿里巴巴了", statement("工作单位", "阿里巴巴")),
            ("もう東京に住んでいません", statement("住まい", "東京")),
            ("ソニーを辞めました", statement("勤務先", "ソニー")),
            ("Please don't call me Bob any more", statement("name", "Bob")),
            ("My name is not Kim, it's Kit", statement("name", "Kim")),
            ("I left Equinor to work at Nokia", statement("works at", "Equinor")),
            ("I left Equinor for Nokia", statement("works at", "Equinor")),
            ("以前東京に住んでいました", statement("住まい", "東京")),
            ("私はソニーで働いていました", statement("勤務先", "ソニー")),
            ("我以前住在杭州", lives("杭州")),
            ("我曾经在阿里巴巴工作过", statement("工作单位", "阿里巴巴")),
        ] {
            assert!(endings(message).iter().any(|one| one.ends(&was)), "{message}");
        }
        let told = |message: &str| {
            let told = super::super::notice(message).into_iter();
            told.map(|one| one.text).collect::<Vec<_>>()
        };
        for message in [
            "I no longer live in Oslo but in Bergen",
            "I live in Bergen now, not in Oslo anymore",
            "I live in Bergen and no longer work at Statoil",
            "I moved from Oslo to Bergen",
            "Correction: I live in Bergen",
        ] {
            assert_eq!(told(message), ["The user lives in Bergen"], "{message}");
        }
        assert_eq!(told("我从杭州搬到了上海"), ["用户住在上海"]);
        assert_eq!(told("My name is not Kim, it's Kit"), ["The user's name is Kit"]);
        assert_eq!(told("My name is Kit, not Kim"), ["The user's name is Kit"]);
        assert_eq!(told("My name is not important"), [""; 0]);
        assert_eq!(told("My name isn't Kim but Kit"), ["The user's name is Kit"]);
        assert_eq!(told("I left Equinor to work at Nokia"), ["The user works at Nokia"]);
        assert_eq!(told("My name is not Kim"), [""; 0]);
        assert_eq!(told("Don't call me Bob"), [""; 0]);
        assert_eq!(
            told("I like coffee and no longer like tea"),
            ["The user likes coffee", "The user does not like tea"]
        );
    }

    #[test]
    fn what_is_over_is_so_no_longer_though_nobody_has_said_that_it_was() {
        let told = |message: &str| {
            let stated = endings(message).iter().find_map(says_of_none);
            stated.map(|one| (one.attribute, one.value)).unwrap_or_default()
        };
        let of = |attribute: &str, value: &str| (attribute.to_owned(), value.to_owned());
        assert_eq!(told("I no longer live in Oslo"), of("lives in", "no longer Oslo"));
        assert_eq!(told("I quit my job at Statoil"), of("works at", "no longer Statoil"));
        assert_eq!(told("我不住在杭州了"), of("住在", "no longer 杭州"));
        assert_eq!(told("Stop answering in German"), of("answers in", "no longer German"));
        for message in ["I lived in Oslo in 1990", "I quit my job", "Anna and I broke up"] {
            assert_eq!(told(message), of("", ""), "{message}");
        }
    }

    #[test]
    fn a_language_that_is_not_wanted_any_more_is_noticed() {
        for message in [
            "Stop answering in German",
            "Please stop speaking German.",
            "Stop speaking German to me, please",
            "Don't answer in German any more",
            "Ada, stop answering in German",
            "You don't have to answer me in German anymore",
            "不用再用德语回答了",
            "别再用德语了",
            "Please stop using German",
            "I don't want German anymore",
            "ドイツ語はもうやめて",
            "不要用德语了",
            "不要再说德语了",
            "ドイツ語では答えないで",
            "不用再用德語回答了",
            "もうドイツ語で答えなくていいです",
            "もうドイツ語で答えないで",
            "二度とドイツ語で答えないでください",
        ] {
            check(message, &[(ANSWERS, Some("German"))]);
        }
    }

    #[test]
    fn what_is_not_wanted_at_times_or_by_others_ends_no_wish() {
        for message in [
            "Stop answering in riddles",
            "Never answer in riddles",
            "Never answer in German when Bob asks",
            "Never answer in German, unless I ask for it",
            "Don't answer in German if Bob asks",
            "Don't answer this in German",
            "She never answers in German",
            "I never answer in German",
            "You never answered in German",
            "Bob says never answer in German",
            "He told me: \"Never answer in German\"",
            "> Never answer in German",
            "Why do you never answer in German?",
            "Never say never in German",
            "ボブにはドイツ語で答えないで",
            "これをドイツ語で答えないで",
        ] {
            assert_eq!(endings(message), [], "{message}");
        }
    }

    #[test]
    fn what_is_only_supposed_or_asked_ends_nothing() {
        for message in [
            "If I quit my job, I have no money",
            "I think I don't work at Globex anymore",
            "Do I no longer live in Rome?",
            "She said \"I no longer live in Rome\"",
            "She no longer lives in Rome",
            "I quit smoking if it helps",
            "要是我不住在杭州了，就没有房子",
            "我住在杭州",
            "I live in Rome",
        ] {
            assert_eq!(endings(message), [], "{message}");
        }
        let other = endings("I don't work at Globex on Mondays");
        assert_eq!(other[0].value.as_deref(), Some("Globex on Mondays"), "which is nobody's");
    }
}
