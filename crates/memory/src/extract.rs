//! Notices what a person says about themselves, without asking a model.
//!
//! A few plain forms of English and Chinese, taken only where the whole sentence
//! has the form: what is missed a model may notice, what is noticed wrongly
//! stands in somebody's memory. Questions, quotations, code and suppositions are
//! passed over.

use domain::{MemoryKind, Statement};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Something worth remembering about the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    pub kind: MemoryKind,
    pub text: String,
    pub statement: Option<Statement>,
    /// 0 to 100.
    pub importance: u8,
}

/// Whose words are read: `I` is this.
pub const PERSON: &str = "user";

/// A person's own word, and one they asked to be kept.
const SAID: u8 = 60;
const ASKED: u8 = 80;

/// What a person's message says about them.
pub fn notice(message: &str) -> Vec<Noticed> {
    let mut noticed: Vec<Noticed> = Vec::new();
    for sentence in sentences(message) {
        let found = FORMS.iter().find_map(|form| form.read(&sentence));
        noticed.extend(found.filter(|one| !noticed.contains(one)));
    }
    noticed
}

type Says = fn(&Captures) -> Option<Noticed>;

/// A form a sentence can have, and what it says then.
struct Form {
    shape: Regex,
    says: Says,
}

impl Form {
    fn read(&self, sentence: &str) -> Option<Noticed> {
        self.shape.captures(sentence).and_then(|parts| (self.says)(&parts))
    }
}

/// The first that fits counts. A sentence comes without its full stop.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let forms: [(&str, Says); 20] = [
        // English
        (r"(?i)^(?:please,? )?(?:remember|note|don't forget)(?: that|:)? (.{4,300})$", |p| {
            Some(asked(&p[1]))
        }),
        (
            r"(?i)^(?:from now on|in (?:the )?future|please always|always|please never|never)\b,? .{4,200}$",
            |p| Some(wish(&p[0])),
        ),
        (
            r"(?i)^(?:hi|hello|hey)?,? ?(?:my name is|i am called|i'm called|(?:please )?call me) (\p{L}[\p{L}\p{N} '.-]{0,40})$",
            |p| Some(fact("name", &p[1], format!("The user's name is {}", p[1].trim()))),
        ),
        (r"(?i)^i (?:now )?live in (.{2,60})$", |p| {
            Some(fact("lives in", &p[1], format!("The user lives in {}", &p[1])))
        }),
        (r"(?i)^i(?:'ve| have)? (?:just |recently )?moved to (.{2,60})$", |p| {
            Some(fact("lives in", &p[1], format!("The user lives in {}", &p[1])))
        }),
        (r"(?i)^(?:i am|i'm) from (.{2,60})$", |p| {
            Some(fact("comes from", &p[1], format!("The user comes from {}", &p[1])))
        }),
        (r"(?i)^i work (as|at|for|in) (.{2,80})$", |p| {
            let attribute = format!("works {}", p[1].to_lowercase());
            Some(fact(&attribute, &p[2], format!("The user {attribute} {}", &p[2])))
        }),
        (r"(?i)^(?:i am|i'm) allergic to (.{2,80})$", |p| {
            Some(fact(
                &format!("allergic to {}", p[1].to_lowercase()),
                "yes",
                format!("The user is allergic to {}", &p[1]),
            ))
        }),
        (r"(?i)^i (?:(?:really|also|just) )*(like|love|enjoy|prefer) (.{2,100})$", |p| {
            liking(&p[2], &p[1].to_lowercase(), true)
        }),
        (
            r"(?i)^i (?:(?:really|also|just) )*(dislike|hate|can't stand|don't like|do not like|no longer like) (.{2,100})$",
            |p| liking(&p[2], &p[1].to_lowercase(), false),
        ),
        (r"(?i)^my ([a-z]+(?: [a-z]+){0,2})(?:'s name)? is (?:called )?(.{1,100})$", |p| {
            possession(&p[1], &p[2])
        }),
        // Chinese
        (r"^(?:请|你要|帮我)?(?:记住|记得|别忘了)[：:，, ]?(.{3,200})$", |p| {
            Some(asked(&p[1]))
        }),
        (
            r"^(?:以后|今后|从现在起|从今以后|请总是|请一直|请不要|请别|永远不要)[，, ]?.{2,120}$",
            |p| Some(wish(&p[0])),
        ),
        (
            r"^(?:你好，?)?(?:我叫|我的名字(?:是|叫)|叫我)([\p{Han}A-Za-z· ]{1,20})$",
            |p| Some(fact("名字", &p[1], format!("用户名叫{}", p[1].trim()))),
        ),
        (r"^我(?:现在)?(?:住在|搬到了?)(.{2,30}?)了?$", |p| {
            Some(fact("住在", &p[1], format!("用户住在{}", &p[1])))
        }),
        (r"^我(?:是|来自)(.{2,20})人$", |p| {
            Some(fact("来自", &p[1], format!("用户来自{}", &p[1])))
        }),
        (r"^我在(.{2,30})(?:工作|上班)$", |p| {
            Some(fact("工作单位", &p[1], format!("用户在{}工作", &p[1])))
        }),
        (r"^我对(.{1,20})过敏$", |p| {
            Some(fact(&format!("对{}过敏", &p[1]), "是", format!("用户对{}过敏", &p[1])))
        }),
        (
            r"^我(?:很|最|特别|非常|比较|真的|也)*(不喜欢|讨厌|不爱|喜欢|爱|偏好)(.{1,40})$",
            |p| chinese_liking(&p[1], &p[2]),
        ),
        (r"^我的?([\p{Han}]{1,6})(?:是|叫)(.{1,40})$", |p| chinese_possession(&p[1], &p[2])),
    ];
    let form = |(shape, says)| Form { shape: Regex::new(shape).expect("checked by a test"), says };
    forms.into_iter().map(form).collect()
});

/// The sentences that state something in the person's own words.
fn sentences(message: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut code = false;
    for line in message.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
            continue;
        }
        if code || line.starts_with(['>', '\t']) || line.starts_with("    ") {
            continue;
        }
        let mut sentence = String::new();
        let mut characters = line.chars().peekable();
        while let Some(c) = characters.next() {
            let after = characters.peek();
            // A full stop inside a number or after a title ends nothing.
            let ends = matches!(c, '。' | '！' | '？' | '!' | '?' | ';' | '；')
                || c == '.'
                    && after.is_none_or(|after| after.is_whitespace())
                    && !ends_in_title(&sentence);
            if !ends {
                sentence.push(c);
                continue;
            }
            if !matches!(c, '?' | '？') {
                sentences.push(std::mem::take(&mut sentence));
            }
            sentence.clear();
        }
        sentences.push(sentence);
    }
    let tidy = sentences.into_iter().map(|sentence| sentence.trim().replace('’', "'"));
    tidy.filter(|sentence| !sentence.is_empty() && !sentence.contains(['"', '“', '「', '`']))
        .collect()
}

fn ends_in_title(sentence: &str) -> bool {
    let last = sentence.rsplit(' ').next().unwrap_or_default();
    let initial = last.chars().count() == 1 && last.chars().all(char::is_uppercase) && last != "I";
    initial || ["St", "Dr", "Mr", "Mrs", "Ms", "Prof"].contains(&last)
}

fn fact(attribute: &str, value: &str, text: String) -> Noticed {
    Noticed {
        kind: MemoryKind::Fact,
        statement: Some(statement(attribute, value)),
        text,
        importance: SAID,
    }
}

fn asked(what: &str) -> Noticed {
    // It may itself have one of the forms.
    let inner = FORMS.iter().skip(2).find_map(|form| form.read(what.trim()));
    let kept = Noticed {
        kind: MemoryKind::Fact,
        text: what.trim().to_owned(),
        statement: None,
        importance: ASKED,
    };
    Noticed { importance: ASKED, ..inner.unwrap_or(kept) }
}

fn wish(what: &str) -> Noticed {
    Noticed {
        kind: MemoryKind::Preference,
        text: what.trim().to_owned(),
        statement: None,
        importance: ASKED,
    }
}

/// Whether one likes a thing is one matter, so that a change of mind supersedes.
fn liking(thing: &str, verb: &str, likes: bool) -> Option<Noticed> {
    let thing = thing.trim();
    let first = thing.split(' ').next().unwrap_or_default().to_lowercase();
    // "I like how you put it" says nothing that lasts.
    if ["how", "that", "this", "it", "your", "you", "what", "the"].contains(&first.as_str()) {
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

fn chinese_liking(verb: &str, thing: &str) -> Option<Noticed> {
    let thing = thing.trim().trim_end_matches('了');
    if thing.starts_with(['你', '这', '那']) {
        return None;
    }
    let likes = matches!(verb, "喜欢" | "爱" | "偏好");
    Some(Noticed {
        kind: MemoryKind::Preference,
        text: format!("用户{verb}{thing}"),
        statement: Some(statement(&format!("喜欢{thing}"), if likes { "是" } else { "否" })),
        importance: SAID,
    })
}

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

fn possession(thing: &str, value: &str) -> Option<Noticed> {
    let thing = thing.to_lowercase();
    // "My question is …", "my guess is …": about the talk, not about the person.
    let of_the_talk = [
        "question", "point", "guess", "idea", "concern", "problem", "opinion", "feeling", "plan",
        "goal", "task",
    ];
    if of_the_talk.iter().any(|word| thing.ends_with(word)) || value.starts_with("not ") {
        return None;
    }
    let kind =
        if KIN.contains(&thing.as_str()) { MemoryKind::Relationship } else { MemoryKind::Fact };
    let text = format!("The user's {thing} is {}", value.trim());
    Some(Noticed { kind, text, statement: Some(statement(&thing, value)), importance: SAID })
}

const CHINESE_KIN: [&str; 18] = [
    "妻子",
    "老婆",
    "丈夫",
    "老公",
    "妈妈",
    "母亲",
    "爸爸",
    "父亲",
    "姐姐",
    "妹妹",
    "哥哥",
    "弟弟",
    "儿子",
    "女儿",
    "朋友",
    "老板",
    "同事",
    "女朋友",
];

fn chinese_possession(thing: &str, value: &str) -> Option<Noticed> {
    let of_the_talk = ["问题", "意思", "想法", "看法", "建议", "观点", "感觉"];
    if of_the_talk.contains(&thing) || value.starts_with('不') {
        return None;
    }
    let kind =
        if CHINESE_KIN.contains(&thing) { MemoryKind::Relationship } else { MemoryKind::Fact };
    let text = format!("用户的{thing}是{}", value.trim());
    Some(Noticed { kind, text, statement: Some(statement(thing, value)), importance: SAID })
}

fn statement(attribute: &str, value: &str) -> Statement {
    Statement {
        subject: PERSON.into(),
        attribute: attribute.trim().into(),
        value: value.trim().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kind, text, and attribute with value.
    type Expected<'a> = (MemoryKind, &'a str, Option<(&'a str, &'a str)>);

    fn check(message: &str, expected: &[Expected<'_>]) {
        let noticed = notice(message);
        let told: Vec<_> = noticed
            .iter()
            .map(|one| {
                let statement = one.statement.as_ref();
                (
                    one.kind,
                    one.text.as_str(),
                    statement.map(|s| (s.attribute.as_str(), s.value.as_str())),
                )
            })
            .collect();
        assert_eq!(told, expected, "{message}");
    }

    use MemoryKind::{Fact, Preference, Relationship};

    #[test]
    fn what_a_person_says_about_themselves_is_noticed() {
        check(
            "Hi, my name is Ana Lima. I live in Porto!",
            &[
                (Fact, "The user's name is Ana Lima", Some(("name", "Ana Lima"))),
                (Fact, "The user lives in Porto", Some(("lives in", "Porto"))),
            ],
        );
        check(
            "I’ve just moved to St. Gallen",
            &[(Fact, "The user lives in St. Gallen", Some(("lives in", "St. Gallen")))],
        );
        check(
            "I work as a nurse. I'm allergic to peanuts.",
            &[
                (Fact, "The user works as a nurse", Some(("works as", "a nurse"))),
                (Fact, "The user is allergic to peanuts", Some(("allergic to peanuts", "yes"))),
            ],
        );
        check(
            "My wife's name is Clara.",
            &[(Relationship, "The user's wife is Clara", Some(("wife", "Clara")))],
        );
        check(
            "My favourite colour is green",
            &[(Fact, "The user's favourite colour is green", Some(("favourite colour", "green")))],
        );
    }

    #[test]
    fn a_change_of_mind_is_about_the_same_thing() {
        check(
            "I really love strong coffee.",
            &[(Preference, "The user loves strong coffee", Some(("likes strong coffee", "yes")))],
        );
        check(
            "I don't like strong coffee anymore.",
            &[(
                Preference,
                "The user does not like strong coffee",
                Some(("likes strong coffee", "no")),
            )],
        );
        check("我特别喜欢乌龙茶。", &[(Preference, "用户喜欢乌龙茶", Some(("喜欢乌龙茶", "是")))]);
        check("我讨厌乌龙茶。", &[(Preference, "用户讨厌乌龙茶", Some(("喜欢乌龙茶", "否")))]);
    }

    #[test]
    fn chinese_is_noticed_too() {
        check(
            "你好，我叫林夏。我住在杭州！我对花生过敏。",
            &[
                (Fact, "用户名叫林夏", Some(("名字", "林夏"))),
                (Fact, "用户住在杭州", Some(("住在", "杭州"))),
                (Fact, "用户对花生过敏", Some(("对花生过敏", "是"))),
            ],
        );
        check("我的女儿叫小雨", &[(Relationship, "用户的女儿是小雨", Some(("女儿", "小雨")))]);
        check("请记住：周五要交报告", &[(Fact, "周五要交报告", None)]);
        check("以后请用英文回答我", &[(Preference, "以后请用英文回答我", None)]);
    }

    #[test]
    fn what_they_ask_to_be_kept_is_kept_in_its_best_form() {
        check(
            "Remember that the deploy needs two approvals.",
            &[(Fact, "the deploy needs two approvals", None)],
        );
        check(
            "Please remember: I live in Porto",
            &[(Fact, "The user lives in Porto", Some(("lives in", "Porto")))],
        );
        check(
            "From now on, answer in German.",
            &[(Preference, "From now on, answer in German", None)],
        );
        assert_eq!(notice("Please remember: I live in Porto")[0].importance, ASKED);
    }

    #[test]
    fn questions_quotations_code_and_talk_about_the_talk_are_passed_over() {
        for message in [
            "Do you know where I live?",
            "Is it true that I live in Porto?",
            "She said \"I live in Porto\".",
            "> I live in Porto",
            "```\nI live in Porto.\n```",
            "I like how you wrote that.",
            "I would like a refund.",
            "My question is whether it rains",
            "If I live in Porto, I pay less",
            "我的意思是明天再说",
            "我喜欢你的写法",
            "我住在哪里？",
            "",
            "?!。",
        ] {
            assert_eq!(notice(message), [], "{message}");
        }
    }

    #[test]
    fn the_same_thing_said_twice_is_noticed_once() {
        assert_eq!(notice("I live in Porto. I live in Porto.").len(), 1);
    }
}
