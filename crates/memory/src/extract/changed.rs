//! What somebody says has changed, and what it is now: `My number changed, it's 555 9999`.

use super::english::possession;
use super::names::named;
use super::{Noticed, Says, chinese, regex};
use regex::Regex;
use std::sync::LazyLock;

/// What is changed so, and has a value that can be told: a number, an address, a name.
const THING: &str = r"(?:(?:phone|mobile|cell|home|work|e-?mail|postal|office|last|first|family|mobile phone|cell phone) )?(?:number|address|e-?mail|name|surname)";
const NOW: &str = r"(?:,? (?:and |so )?(?:it's|it is|that's|now it's|the new one is|the new one's)(?: now)?| to|[:,]) (?:now )?(.{1,60}?)(?: now)?$";

pub(super) fn forms() -> [(String, Says); 4] {
    [
        (format!(r"(?i)^my ({THING}) (?:has |just |recently )*(?:been )?changed{NOW}"), |p| {
            now(&p[0], &p[1], &p[2])
        }),
        (
            format!(
                r"(?i)^i(?:'ve| have)? (?:just |recently )*(?:changed|switched) my ({THING}){NOW}"
            ),
            |p| now(&p[0], &p[1], &p[2]),
        ),
        (
            format!(
                r"(?i)^i(?:'ve| have)? (?:just |recently )*(?:got|have|gotten) a new ({THING}){NOW}"
            ),
            |p| now(&p[0], &p[1], &p[2]),
        ),
        (
            format!(
                r"^我的?({THING_ZH})(?:现在|已经|刚刚?|最近|也)*(?:换|改|变)(?:成|为|到)了?(.{{2,40}}?)了?$"
            ),
            |p| chinese::possession(number_in_chinese(&p[1]), &p[2], false),
        ),
    ]
}

/// Which of somebody's things a clause says has changed, whatever it is now.
pub(super) fn what_changed(clause: &str) -> Option<Vec<String>> {
    let only = clause.split([',', ':']).next().unwrap_or_default();
    let only = only.split(" to ").next().unwrap_or_default();
    let said = CHANGED.captures(only).or_else(|| CHANGED_ZH.captures(only))?;
    let thing = said.iter().skip(1).flatten().next()?.as_str().to_lowercase();
    if ["number", "号码", "号"].contains(&thing.as_str()) {
        return Some(NUMBERS.iter().map(|one| (*one).to_owned()).collect());
    }
    Some(vec![thing])
}

/// A clause that says that something changed, and the next, which says what it is now, in one.
pub(super) fn joined_in_chinese(before: &str, piece: &str) -> Option<String> {
    let said = CHANGED_ZH.captures(before)?;
    let thing = said.iter().skip(1).flatten().next()?.as_str();
    let value = IS_NOW_ZH.captures(piece)?;
    Some(format!("我的{}是{}", number_in_chinese(thing), &value[1]))
}

/// The same of two sentences: `My number changed. It's 555 9999.`
pub(super) fn joined(before: &str, sentence: &str) -> Option<String> {
    let is_now = IS_NOW.is_match(sentence) && CHANGED.is_match(before);
    if is_now {
        return Some(format!("{before}, {sentence}"));
    }
    joined_in_chinese(before, sentence)
}

/// Whether a clause says only that something changed, so that what follows says what it is.
pub(super) fn says_only_that(clause: &str) -> bool {
    CHANGED.is_match(clause) || WRITTEN_WRONG.is_match(clause)
}

fn now(clause: &str, thing: &str, value: &str) -> Option<Noticed> {
    let thing = thing.to_lowercase();
    if thing == "name" { named(clause, value) } else { possession(&thing, value, false) }
}

fn number_in_chinese(thing: &str) -> &str {
    if ["号码", "号"].contains(&thing) { "手机号" } else { thing }
}

/// At which somebody is called: whoever has one says `my number`.
const NUMBERS: [&str; 8] = [
    "phone number",
    "number",
    "mobile number",
    "mobile phone number",
    "cell phone number",
    "手机号",
    "手机号码",
    "电话号码",
];
const THING_ZH: &str = "手机号码?|电话号码?|电话|号码|邮箱(?:地址)?|微信号?|地址|住址|名字";

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| regex(&$pattern));)*
    };
}

patterns! {
    CHANGED = format!(concat!(
        r"(?i)^(?:(?:my|the) ({0}) (?:has |just |recently )*(?:been )?changed(?: again| recently| (?:last|this) (?:week|month|year))?",
        r"|i(?:'ve| have)? (?:just |recently )*(?:changed|switched) my ({0})|i(?:'ve| have)? (?:just |recently )*(?:got|have|gotten) a new ({0}))$",
    ), THING);
    WRITTEN_WRONG = r"(?i)^you(?:'ve| have)? (?:got|spelled|spelt|misspelled|misspelt|wrote|written) my name(?: wrong)?$";
    IS_NOW = r"(?i)^(?:it's|it is|the new one is|now it's) \S";
    CHANGED_ZH = format!(
        r"^(?:我的?({THING_ZH})(?:现在|已经|刚刚?|最近|也|都)*(?:换|改|变)(?:掉|号)?了|我(?:现在|已经|刚刚?|最近|也)*(?:换|改)了?(?:一?个)?(?:新的?)?({THING_ZH}|号)了?)$"
    );
    IS_NOW_ZH = r"^(?:现在|目前)?(?:新的?|新(?:手机)?号码?|新地址|新邮箱|号码)?(?:现在)?(?:是|改成|换成|变成|为|[：:])了?(.{2,40}?)了?$";
}
