//! Hears a person say what is not to be remembered: of this message, or of what is there.
//!
//! Nobody forgets anything for it here. What is not to be kept is not noticed; whoever wants
//! something forgotten is shown what says it.

use super::whose::own;
use super::{Sentence, in_line, regex};
use crate::attributes::called;
use domain::Statement;
use regex::Regex;
use std::sync::LazyLock;

/// What a person asks an agent to forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToForget {
    /// All that is remembered of them.
    Everything,
    What {
        /// As they would say it: `I like coffee`, `my name`.
        said: String,
        /// Whether they can mean nothing but memories. `Forget about the mill` may be about the
        /// talk.
        is_plain: bool,
    },
}

impl ToForget {
    /// What of the person is to be forgotten, whatever its value: `my name`.
    pub fn is_about(&self, stated: &Statement) -> bool {
        let ToForget::What { said, .. } = self else { return true };
        let said = said.trim();
        let (_, attribute) = QUESTIONS
            .iter()
            .find(|(asked, _)| said.eq_ignore_ascii_case(asked))
            .copied()
            .unwrap_or(("", without_my(said)));
        !attribute.is_empty()
            && called(&stated.attribute).iter().any(|name| {
                called(&attribute.to_lowercase())
                    .iter()
                    .any(|asked| asked.eq_ignore_ascii_case(name))
            })
    }
}

/// What a message says that is to be forgotten, if it says so.
pub fn asks_to_forget(message: &str) -> Option<ToForget> {
    sentences(message).find_map(|sentence| {
        let said = sentence.trim().replace('’', "'");
        if EVERYTHING.is_match(&said) {
            return Some(ToForget::Everything);
        }
        let found = FORGET.captures(&said)?;
        let what = ["that", "about", "my", "zh", "ba"]
            .iter()
            .find_map(|name| found.name(name).map(|what| (*name, what.as_str().trim())));
        let (how, what) = what.filter(|(_, what)| !ONLY_POINTS.is_match(what))?;
        let is_plain = how != "about" && !said.contains("忘了") || how == "ba";
        Some(ToForget::What { said: what.to_owned(), is_plain })
    })
}

/// Whether nothing of a message is to be remembered. `Some(true)`: nor of the one before it, of
/// which it says so and nothing else.
pub fn keeps_off(message: &str) -> Option<bool> {
    let own: Vec<&str> = sentences(message).collect();
    let said = own.iter().position(|sentence| KEEPS_OFF.is_match(sentence.trim()))?;
    Some(own.len() == 1 && said == 0 && ALONE.is_match(own[0].trim()))
}

/// Whether a person wants something remembered that has its place with the keys: a memory is
/// read by every agent.
pub fn asks_to_keep_a_secret(message: &str) -> bool {
    sentences(message).any(|raw| Sentence::of(raw, false).asked().is_some_and(is_secret))
}

/// Whether it says what opens something that is one's own. What lets a guest in is told to many.
pub(super) fn is_secret(said: &str) -> bool {
    SECRET.is_match(said) && !FOR_GUESTS.is_match(said)
}

/// Whether it says what opens anything, also what a guest is told.
pub(crate) fn says_secret(said: &str) -> bool {
    SECRET.is_match(said)
}

/// What opens something, as a text says it.
pub(crate) fn secrets_in(text: &str) -> Vec<&str> {
    let behind = SECRET.find_iter(text).filter_map(|said| {
        let rest = text[said.end()..].trim_start_matches([' ', '"', '“', '\'', '：', ':', '=']);
        let ends = |c: char| c.is_whitespace() || "\"”'，,。；;！!".contains(c);
        let secret = rest.split(ends).next()?.trim_end_matches('.');
        // `My password is wrong` tells nobody a password.
        let is_word = secret.chars().skip(1).all(|c| c.is_alphabetic() && !c.is_uppercase());
        (secret.chars().count() >= 4 && !is_word).then_some(secret)
    });
    behind.collect()
}

fn sentences(message: &str) -> impl Iterator<Item = &str> {
    own(message).lines.into_iter().flat_map(in_line).map(|(sentence, _)| sentence)
}

/// What it is of the person: `my favourite colour`, 我的名字.
fn without_my(said: &str) -> &str {
    let lower = said.to_ascii_lowercase();
    let from = ["my ", "我的"].iter().find(|my| lower.starts_with(**my)).map(|my| my.len());
    from.map_or("", |from| said[from..].trim())
}

/// What of somebody is asked for so.
const QUESTIONS: [(&str, &str); 8] = [
    ("where I live", "lives in"),
    ("where I come from", "comes from"),
    ("where I'm from", "comes from"),
    ("where I work", "works at"),
    ("what I'm called", "name"),
    ("我住在哪里", "住在"),
    ("我住哪儿", "住在"),
    ("我叫什么", "名字"),
];

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    EVERYTHING = concat!(
        r"(?i)^(?:please,? |(?:can|could|would|will) you (?:please )?|now )*(?:forget|erase|delete) ",
        r"(?:everything|all|whatever|anything)(?: that)? (?:(?:you (?:know|remember|have|saved|stored|noticed|learned)|",
        r"you've \w+|i(?:'ve| have)? (?:ever )?(?:told|said to) you)(?: (?:about|of|on) me)?|(?:about|of|on) me)(?:,? please)?$",
        r"|(?i)^(?:please,? )?forget me$",
        r"|^(?:请|麻烦|帮我|你)*(?:忘记|忘掉|忘了|删除|清除)(?:所有|一切|全部)?(?:关于|有关)我的?(?:所有|一切|全部|事|记忆|信息)*(?:吧|了)?$",
        r"|^(?:请|麻烦|帮我|你)*(?:忘记|忘掉)(?:我的?)?(?:所有|一切|全部)(?:吧|了)?$",
    );
    FORGET = concat!(
        r"(?i)^(?:please,? |(?:can|could|would|will) you (?:please )?|now |ok(?:ay)?,? )*forget ",
        r"(?:that (?P<that>(?:i|i'm|i've|my|we|our)\b.{2,200}?)",
        r"|(?P<my>(?:my|where i|what i'm|how i|how old i|who i)\b.{2,100}?|i (?:like|live|am|have|work|hate|love)\b.{2,100}?)",
        r"|(?:about |what i (?:said|told you) about |anything about )(?P<about>.{2,100}?))(?:,? please| again| for good| now)*$",
        r"|^(?:请|麻烦|帮我|你)*(?:忘记|忘掉|忘了)(?:掉|吧)?(?:关于)?(?P<zh>我.{1,60}?)(?:吧|了)?$",
        r"|^(?:请|麻烦|帮我|你)*把(?P<ba>我.{1,60}?)(?:都|给)?(?:忘记|忘掉|忘了)(?:吧|掉|了)*$",
    );
    /// The talk, and nothing that is remembered of anybody.
    ONLY_POINTS = concat!(
        r"(?i)^(?:it|that|this|them|those|these|(?:my|the|our) (?:last|previous|earlier|first|second|other|question|message|",
        r"request|prompt|instructions?|answer|point|comment|idea|mistake)\b.*|i (?:said|asked|mentioned|wrote)\b.*)$",
        r"|^我(?:刚才|刚刚|之前|前面|上面)?(?:说|问|讲|写|提)的?.*$",
    );
    SECRET = concat!(
        r"(?i)\b(?:passwords?|passcode|passphrase|pin(?: code| number)?|(?:card|account|social security) number|cvv|cvc|ssn|",
        r"api key|private key|secret key|access token|recovery code)\b[^,;.]{0,40}?(?:\bis\b|\bare\b|[:=])",
        r"|(?:密码|口令|验证码|卡号|身份证号码?|密钥|令牌)(?:就)?(?:是|为|叫|[：:=])",
    );
    FOR_GUESTS = r"(?i)\b(?:wi-?fi|wlan|router|guests?|gate|door|alarm)\b|路由器|无线|(?i:wi-?fi)|门禁|访客|客人";
    KEEPS_OFF = concat!(
        r"(?i)^(?:please,? |and |but |ok(?:ay)?,? )*(?:(?:don't|don’t|do not|never|no need to|you (?:don't|don’t|needn't|need not)(?: need to| have to)?) ",
        r"(?:(?:remember|memori[sz]e) (?:(?:this|that|it|any of (?:this|that)|the following|what (?:i|follows)\b|",
        r"anything (?:i|from|of)\b)|me saying)",
        r"|(?:save|store|note|record|keep) (?:this|that|it|any of (?:this|that)|the following)(?: down)?(?:,? please)?(?:[:,]|$| (?:in|to|for) (?:your |the )?memor))",
        r"|(?:keep|leave) (?:this|that|it) out of (?:your |the )?memor(?:y|ies)\b|(?:this is )?(?:off the record|not (?:to be remembered|for your memory))\b)",
        r"|^(?:请|麻烦|你)*(?:别|不要|不用|请勿|勿|不必)(?:去|再)?(?:记住|记下来?|记录|保存|记)(?:这|那|下面|以下|它|我(?:下面|以下|接下来|刚才|刚刚)?(?:说|讲)|[，,：:]|$)",
    );
    /// It points at what was said before, and says nothing else.
    ALONE = concat!(
        r"(?i)^(?:please,? |and |but |ok(?:ay)?,? )*[\w'’ ]+ (?:this|that|it|any of (?:this|that)|what i (?:just )?said)(?: out of (?:your |the )?memor(?:y|ies))?(?:,? please)?$",
        r"|^(?:请|麻烦|你)*(?:别|不要|不用|请勿|勿|不必)(?:去|再)?(?:记住|记下来?|记录|保存|记)(?:这个|这些|这件事|这句话|那个|它|我刚[才刚]说的)?$",
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::notice;

    fn what(said: &str, is_plain: bool) -> Option<ToForget> {
        Some(ToForget::What { said: said.to_owned(), is_plain })
    }

    #[test]
    fn what_is_to_be_forgotten_is_heard() {
        for (message, expected) in [
            ("forget that I like coffee", what("I like coffee", true)),
            ("Please forget my name.", what("my name", true)),
            ("Can you forget where I live?", what("where I live", true)),
            ("Forget about Helen", what("Helen", false)),
            ("忘记我的名字", what("我的名字", true)),
            ("请忘掉我喜欢咖啡", what("我喜欢咖啡", true)),
            ("把我的生日忘了吧", what("我的生日", true)),
            ("Forget everything you know about me", Some(ToForget::Everything)),
            ("Forget everything about me, please.", Some(ToForget::Everything)),
            ("忘掉关于我的一切", Some(ToForget::Everything)),
        ] {
            assert_eq!(asks_to_forget(message), expected, "{message}");
        }
        for message in [
            "Forget it",
            "Forget that.",
            "Forget my last question",
            "Don't forget my name",
            "I always forget that I have a key",
            "Never forget where I live",
            "Forget what I said",
            "Did you forget my name?",
            "She wrote: \"forget my name\"",
            "别忘记我的名字",
            "忘了我刚才说的",
            "我忘记我的密码了",
        ] {
            assert_eq!(asks_to_forget(message), None, "{message}");
        }
    }

    #[test]
    fn what_is_asked_for_by_what_it_is_is_known_in_every_language() {
        let of = |attribute: &str| Statement {
            subject: "user".into(),
            attribute: attribute.into(),
            value: "x".into(),
        };
        let about = |message: &str, attribute: &str| {
            asks_to_forget(message).is_some_and(|what| what.is_about(&of(attribute)))
        };
        assert!(about("Forget my name", "名字") && about("忘记我的名字", "name"));
        assert!(about("Forget where I live", "住在"));
        assert!(about("Forget my favourite colour", "favourite colour"));
        assert!(!about("Forget my name", "wife") && !about("Forget that I like tea", "likes tea"));
    }

    #[test]
    fn a_secret_is_never_kept_whoever_asks_for_it() {
        for message in [
            "Remember that my bank password is Tr0ub4dor",
            "Please remember: my PIN is 4711",
            "Remember that the API key is abc",
            "记住我的微信密码是abc123",
        ] {
            assert!(asks_to_keep_a_secret(message), "{message}");
            assert_eq!(notice(message), [], "{message}");
        }
        for message in [
            "Remember that the gate code is 4411",
            "Remember that the wifi password is tiger2020",
            "Remember that passwords have to be changed in May",
            "My password is Hunter2",
        ] {
            assert!(!asks_to_keep_a_secret(message), "{message}");
        }
    }

    #[test]
    fn what_is_not_to_be_kept_is_heard() {
        for message in [
            "Don't remember this: I owe money to Sam",
            "Please don't save this. I live in Leeds.",
            "I live in Leeds. Please don't remember that.",
            "Off the record: I hate my job",
            "别记住这个：我欠小王钱",
            "不要记住，我下周辞职",
        ] {
            assert_eq!(keeps_off(message), Some(false), "{message}");
        }
        for message in ["Don't remember that.", "Please don't save it", "别记住这个", "不用记"]
        {
            assert_eq!(keeps_off(message), Some(true), "{message}");
        }
        for message in [
            "I don't remember that",
            "Don't you remember this?",
            "Remember this: tea",
            "不用记账了",
            "Don't keep me waiting",
            "Don't keep it too long",
            "Don't save it as a PDF",
            "Don't forget that",
        ] {
            assert_eq!(keeps_off(message), None, "{message}");
        }
    }
}
