//! Notices what a person says is so no longer.
//!
//! It names what ends and says nothing new, so that a form may be read widely: only what
//! is remembered with this very value ends by it.

use super::clauses::{clauses, supposes};
use super::wishes::without_name;
use super::{FORMS as SAYING, PERSON, chinese, english, regex, sentences, statement};
use crate::attributes::name_of;
use crate::traditional::Traditional;
use crate::{same_value, values};
use domain::Statement;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What a person says is so of them no longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// What of them: any of these.
    pub attributes: &'static [&'static str],
    /// `None`: whatever it was.
    pub value: Option<String>,
}

impl Ending {
    /// Whether it is this that ends.
    pub fn ends(&self, statement: &Statement) -> bool {
        let attribute = name_of(&statement.attribute);
        statement.subject.eq_ignore_ascii_case(PERSON)
            && self.attributes.iter().any(|one| name_of(one).eq_ignore_ascii_case(attribute))
            && self.value.as_ref().is_none_or(|ended| same_value(ended, &statement.value))
    }
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
const NAME: &[&str] = &["name"];
const SPOUSE: &[&str] = &["wife", "husband", "partner", "spouse", "married to"];
const COUPLE: &[&str] =
    &["wife", "husband", "partner", "spouse", "married to", "girlfriend", "boyfriend"];

/// What a person's message says is so no longer.
pub fn endings(message: &str) -> Vec<Ending> {
    let mut endings: Vec<Ending> = Vec::new();
    for sentence in sentences(message).all {
        let sentence = sentence.replace('’', "'");
        // What ends is compared without regard to the script.
        let said = match Traditional::of(&sentence) {
            Some(script) => clauses(script.simplified()),
            None => clauses(&sentence),
        };
        // `Anna and I are divorced` is one clause, whatever its *and* looks like.
        let is_first = said.all.first().is_some_and(|first| first.said == said.whole);
        let whole = Some(said.whole.as_str()).filter(|_| !is_first);
        let told = Some(without_name(&said.whole)).filter(|told| *told != said.whole);
        let clauses = said.all.iter().map(|clause| clause.said.as_str());
        for clause in whole.into_iter().chain(told).chain(clauses) {
            let found = FORMS.iter().find_map(|(shape, says)| says(&shape.captures(clause)?));
            // 不要再说德语了 supposes nothing: 说 is to speak.
            if supposes(clause) && found.as_ref().is_none_or(|one| one.attributes != ANSWERS) {
                break;
            }
            endings.extend(found.filter(|one| !endings.contains(one)));
        }
    }
    endings
}

type Says = fn(&Captures) -> Option<Ending>;

/// The first that fits counts.
static FORMS: LazyLock<Vec<(Regex, Says)>> = LazyLock::new(|| {
    let forms: [(&str, Says); 19] = [
        (
            r"(?i)^i (?:no longer|do(?:n't| not) (?:really )?) ?live in (.{2,60}?) (?:any ?more|any longer|now)$",
            |p| since(HOME, &p[1]),
        ),
        (r"(?i)^i no longer live in (.{2,60})$", |p| since(HOME, &p[1])),
        (r"(?i)^i do(?:n't| not) live in (.{2,60})$", |p| just(HOME, &p[1])),
        // With when it was, it is told of another time: `I lived in Oslo in 1990`.
        (r"(?i)^i (?:used to live|lived) in (.{2,60})$", |p| just(HOME, &p[1])),
        (r"(?i)^i(?:'ve| have)? (?:just |recently )?moved (?:away from|out of) (.{2,60})$", |p| {
            since(HOME, &p[1])
        }),
        (
            r"(?i)^i (?:no longer|do(?:n't| not) (?:really )?) ?work (?:as|at|for|in|with) (.{2,60}?) (?:any ?more|any longer|now)$",
            |p| since(WORK, &p[1]),
        ),
        (r"(?i)^i no longer work (?:as|at|for|in|with) (.{2,60})$", |p| since(WORK, &p[1])),
        (r"(?i)^i used to work (?:as|at|for|in|with) (.{2,60})$", |p| just(WORK, &p[1])),
        (r"(?i)^i do(?:n't| not) work (?:as|at|for|in|with) (.{2,60})$", |p| just(WORK, &p[1])),
        (
            r"(?i)^(?:i'm|i am) (?:no longer|not) (?:working )?(?:at|for|with) (.{2,60}?)(?: any ?more| any longer)?$",
            |p| just(WORK, &p[1]),
        ),
        (
            r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?(?:quit|left|lost|resigned from) (?:my|the) (?:old )?(?:job|position)(?: (?:at|with|for|as|in) (.{2,60}))?$",
            |p| match p.get(1) {
                Some(at) => since(WORK, at.as_str()),
                None => Some(Ending { attributes: WORK, value: None }),
            },
        ),
        (
            r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?(?:quit|resigned from|stopped working (?:at|for|as|in)|(?:was|got|been|am) (?:fired|laid off) (?:from|by)) (.{2,60})$",
            |p| since(WORK, &p[1]),
        ),
        (
            r"(?i)^(?:i(?:'ve| have)? (?:just |recently |finally )?got(?:ten)? divorced|(?:i'm|i am) (?:now |recently )?divorced|my (?:wife|husband|ex|partner) and i (?:are|got|have) (?:now |just )?(?:divorced|separated))(?: (?:now|last (?:week|month|year)))?$",
            |_| Some(Ending { attributes: SPOUSE, value: None }),
        ),
        (
            r"(?i)^(.{2,40}?) and i (?:are|got|have|were) (?:now |just |recently )?(?:divorced|separated|split up|broken up|no longer (?:together|married|a couple))$",
            |p| just(COUPLE, &p[1]),
        ),
        (r"(?i)^(.{2,40}?) and i (?:broke|split) up$", |p| just(COUPLE, &p[1])),
        (
            r"^我(?:现在|目前|已经|早就|早|也|都)*(?:不再?|没有?)(?:再)?住在?(.{2,30}?)了?$",
            |p| just(HOME, &p[1]),
        ),
        (
            r"^我(?:现在|目前|已经|早就|早|也|都)*(?:不再?|没有?)(?:再)?在(.{2,30}?)(?:工作|上班|干|做)了?$",
            |p| just(WORK, &p[1]),
        ),
        (r"^我(?:现在|目前|已经|早就|早|也|都)*不再?在(.{2,30}?)了$", |p| {
            just(PLACE, &p[1])
        }),
        (
            r"^我(?:刚刚?|已经|最近|上个?月|去年|今年)*(?:从(.{2,20}?))?(?:辞职|离职|失业)了?$",
            |p| Some(Ending { attributes: WORK, value: p.get(1).map(|at| at.as_str().to_owned()) }),
        ),
    ];
    let more: [(&str, Says); 21] = [
        (
            r"(?i)^(?:please )?(?:don't|do not|stop|no longer|never) call(?:ing)? me (.{1,40}?)(?: any ?more| any longer| again)?(?:,? please)?$",
            |p| just(NAME, &p[1]),
        ),
        (
            r"(?i)^(?:my name(?: is not|'s not| isn't)|i am not called|i'm not called) (.{1,40}?)(?:[,;]? (?:but|it's|it is|i'm|i am) .*)?$",
            |p| just(NAME, &p[1]),
        ),
        (
            r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?(?:left|quit) (\p{Lu}.{1,40}?) (?:to (?:work|start|join|go)\b|for \p{Lu}).*$",
            |p| just(WORK, &p[1]),
        ),
        // With the time of life when it was, the place is another: 子供の頃東京に.
        (
            r"^(?:(?:私|わたし|僕|俺)は、?)?(?:以前は?|昔は?|前は|かつて|、)*(.{1,20}?)に住んで(?:いました|いた|おりました)(?:よ|んです)?$",
            |p| just(HOME, &p[1]),
        ),
        (
            r"^(?:(?:私|わたし|僕|俺)は、?)?(?:以前は?|昔は?|前は|かつて|、)*(.{1,20}?)(?:で(?:働いて|勤務して|仕事を?して)|に(?:勤めて|勤務して))(?:いました|いた|おりました)(?:よ|んです)?$",
            |p| just(WORK, &p[1]),
        ),
        (
            r"^我(?:以前|之前|曾经|曾|原来|过去)+(?:是)?住(?:在|过)?(.{2,30}?)$",
            |p| just(HOME, &p[1]),
        ),
        (
            r"^我(?:以前|之前|曾经|曾|原来|过去)+(?:是)?在(.{2,30}?)(?:工作|上班|干|做)过?$",
            |p| just(WORK, &p[1]),
        ),
        (r"(?i)^(?:please )?(?:stop|quit) (?:using|with)(?: the)? (\p{L}+)(?:,? please)?$", |p| {
            answers(&p[1])
        }),
        (
            r"(?i)^i (?:don't|do not|no longer) (?:want|need) (?:any )?(\p{L}+)(?: any ?more| any longer)$",
            |p| answers(&p[1]),
        ),
        (
            r"^([^\s、]{2,10}?)は(?:もう)?(?:やめて|結構です|要らない|いりません)(?:ください|下さい)?$",
            |p| answers(&p[1]),
        ),
        (
            r"(?i)^(?:please )?(?:stop|quit) (?:answering|replying|responding|writing|speaking|talking)(?: to| with)?(?: me| us)?(?: in)? (\p{L}+)(?: (?:to|with) (?:me|us))?(?:,? please)?$",
            |p| answers(&p[1]),
        ),
        (
            r"(?i)^(?:please )?(?:you )?(?:no longer|don't|do not|needn't)(?: have to| need to| ever)? (?:answer|reply|respond|write|speak|talk)(?: to| with)?(?: me| us)?(?: in)? (\p{L}+)(?: (?:to|with) (?:me|us))?(?: any ?more| any longer| again)?(?:,? please)?$",
            |p| answers(&p[1]),
        ),
        (
            r"^(?:以后|现在|请|你)*(?:不用|不必|不要|别)再?(?:使用|用|说|讲)([^\s，,]{2,6}?)(?:来)?(?:回答|回复|说话?|写)?(?:我)?了?$",
            |p| answers(&p[1]),
        ),
        (
            r"^(?:もう|これからは?|今後は?)*([^\s、]{2,10}?)で(?:答え|返事し|回答し|話さ)なくて(?:も)?(?:いい|大丈夫|結構)(?:です)?(?:よ)?$",
            |p| answers(&p[1]),
        ),
        (
            r"^(?:もう|これからは?|今後は?|二度と|絶対に|、)*([^\s、]{2,10}?)では?(?:答え|返事(?:を)?し|回答し|返信し|話さ)ないで(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|ね)*$",
            |p| answers(&p[1]),
        ),
        (
            r"^(?:(?:私|わたし|僕|俺)は、?)?(?:もう|今は|現在は|、)*(.{1,20}?)には?(?:もう)?住んで(?:いません|いない(?:です)?|おりません)(?:よ)?$",
            |p| just(HOME, &p[1]),
        ),
        (
            r"^(?:(?:私|わたし|僕|俺)は、?)?(?:もう|先月|先週|去年|昨年|今年|最近|、)*(.{1,20}?)を(?:辞め(?:た|ました)|退職し(?:た|ました))(?:よ)?$",
            |p| just(WORK, &p[1]),
        ),
        (r"^我(?:刚刚?|已经|最近)*从(.{2,20}?)搬(?:走|出来|出去|离)了?$", |p| {
            just(HOME, &p[1])
        }),
        (
            r"^我(?:刚刚?|已经|最近)*(?:辞掉|辞去)了?(.{2,20}?)的?(?:工作|职位|职务)了?$",
            |p| since(WORK, p[1].trim_start_matches('在')),
        ),
        (r"^我(?:刚刚?|已经|最近)*(?:离婚|离异)了?$", |_| {
            Some(Ending { attributes: SPOUSE, value: None })
        }),
        (
            r"^(?:我(?:和|跟|与)(.{1,10}?)|(.{1,10}?)(?:和|跟|与)我)(?:刚刚?|已经|最近)*(?:离婚|分手|分开)了?$",
            |p| parted_from(p.get(1).or(p.get(2)).map_or("", |who| who.as_str())),
        ),
    ];
    forms.into_iter().chain(more).map(|(shape, says)| (regex(shape), says)).collect()
});

/// The language in which one is not to be answered any more.
fn answers(said: &str) -> Option<Ending> {
    values::language(said).and_then(|name| just(ANSWERS, &name))
}

/// Also with words that say since when: `Rome since May`.
fn since(attributes: &'static [&'static str], said: &str) -> Option<Ending> {
    static IN_PART: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?i)\b(?:full|part)[- ]time\b|\b(?:permanently|temporarily|as much|as often)\b")
    });
    // Who works there no longer full-time works there.
    if IN_PART.is_match(said) {
        return None;
    }
    let (_, value) = english::lasting(said)?;
    just(attributes, &value)
}

/// Nothing else beside it: `I don't work at Globex on Mondays` ends nothing.
fn just(attributes: &'static [&'static str], value: &str) -> Option<Ending> {
    let value = value.trim().to_owned();
    (!value.is_empty()).then_some(Ending { attributes, value: Some(value) })
}

/// By name, or by what they are: `我和老婆离婚了`.
fn parted_from(who: &str) -> Option<Ending> {
    let who = who.trim_start_matches("我的").trim_start_matches('我').trim();
    let what = ["前妻", "前夫"].contains(&who) || chinese::KIN.contains(&who);
    let value = (!what).then(|| who.to_owned());
    (!who.is_empty()).then_some(Ending { attributes: COUPLE, value })
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
        check("我和老婆离婚了", &[(COUPLE, None)]);
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
