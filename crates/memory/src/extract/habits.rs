//! What somebody eats and drinks, and what they do not.
//!
//! `I don't drink coffee` is so for long, `I don't drink coffee after four` only at times. Who
//! drinks it no more likes it no more, as far as anybody is to offer it to them.

use super::leaning::points_out;
use super::{Noticed, SAID, Says, regex, stated, statement};
use domain::MemoryKind;
use regex::Regex;
use std::sync::LazyLock;

pub(super) const FORMS: &[(&str, Says)] = &[
    (
        r"(?i)^(?:i am|i'm) (?:(?:an?|also|now|still|strictly|mostly|a strict|actually) )*(vegetarian|vegan|pescatarian)(?: now| these days| again)*$",
        |p| Some(diet(&p[1].to_lowercase())),
    ),
    (
        r"(?i)^(?:i am|i'm) (?P<not>not |no longer )?(?:(?:also|now|still|actually) )*(lactose[- ]intolerant|gluten[- ]intolerant|coeliac|celiac|diabetic|type [12] diabetic)(?: any ?more| any longer| now)*$",
        |p| Some(intolerance(&p[2].to_lowercase(), p.name("not").is_none())),
    ),
    (
        r"(?i)^i (?:(?:really|also|still|usually|generally) )*(?:(?:don't|do not|never|no longer) )(?:(?:really|ever|actually) )*(eat|drink|smoke) ([a-z][a-z' -]{1,30}?)(?: any ?more| any longer| now| these days| at all)*$",
        |p| habit(&p[1].to_lowercase(), &p[2], false),
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:(?:just|recently|finally|now) )*(?:stopped|quit|given up|gave up) (eating|drinking|smoking) ([a-z][a-z' -]{1,30}?)(?: now| for good)*$",
        |p| habit(verb_of(&p[1].to_lowercase()), &p[2], false),
    ),
    (r"(?i)^i (eat|drink|smoke) ([a-z][a-z' -]{1,30}?) again(?: now)?$", |p| {
        habit(&p[1].to_lowercase(), &p[2], true)
    }),
    (
        r"^我(?:现在|已经|一直|也|都|只|是|从小|开始|又)*(?:吃素|(?:一个)?素食(?:主义)?者?)了?$",
        |_| Some(stated("饮食", "素食", "用户吃素".to_owned())),
    ),
    (
        r"^我(?:现在|已经|早就|以后|目前)+(?:都|也|完全)*不(?:再|怎么)?(吃|喝|抽)(.{1,8}?)了?$",
        |p| habit_in_chinese(&p[1], &p[2], false),
    ),
    (
        r"^我(?:现在|已经|早就|从来|以后|也|都|一直)*(?:不再|再也不|从不|从来不)(吃|喝|抽)(.{1,8}?)了?$",
        |p| habit_in_chinese(&p[1], &p[2], false),
    ),
    (r"^我(?:一直|也|都|平时)*不(吃|喝|抽)(.{1,8})$", |p| {
        (!p[2].ends_with('了')).then(|| habit_in_chinese(&p[1], &p[2], false)).flatten()
    }),
    (
        r"^我(?:现在|已经|最近|目前)*(?:改成?|改为|开始|又开始|又)(吃|喝|抽)(.{1,8}?)了?$",
        |p| habit_in_chinese(&p[1], &p[2], true),
    ),
];

/// What is drunk or eaten no more, as a clause says.
pub(super) fn over(clause: &str) -> Option<Vec<String>> {
    let said = OVER.iter().find_map(|over| over.captures(clause));
    if let Some(said) = said {
        let what = said[1].trim().to_lowercase();
        let ways = ["", "drinking ", "to drink ", "eating ", "to eat ", "smoking ", "to smoke "];
        let likes = ways.iter().map(|way| format!("likes {way}{what}"));
        return is_thing(&what).then(|| likes.collect());
    }
    let said = OVER_IN_CHINESE.captures(clause)?;
    let what = said.iter().skip(1).flatten().next()?.as_str();
    let ways = ["", "喝", "吃", "抽"];
    is_thing_in_chinese(what).then(|| ways.iter().map(|way| format!("喜欢{way}{what}")).collect())
}

/// A diet that somebody keeps no more.
pub(super) fn diet_over(clause: &str) -> Option<&'static str> {
    let said = DIET_OVER.captures(clause)?;
    let what = said.get(1).map_or("素食", |what| what.as_str()).to_lowercase();
    let known = ["vegetarian", "vegan", "pescatarian", "素食"];
    known.into_iter().find(|diet| *diet == what)
}

fn diet(what: &str) -> Noticed {
    stated("diet", what, format!("The user is {what}"))
}

fn intolerance(what: &str, is_so: bool) -> Noticed {
    let (says, holds) = if is_so { ("is", "yes") } else { ("is not", "no") };
    let what = what.replace('-', " ");
    stated(&what, holds, format!("The user {says} {what}"))
}

fn verb_of(doing: &str) -> &str {
    match doing {
        "drinking" => "drink",
        "smoking" => "smoke",
        _ => "eat",
    }
}

fn habit(verb: &str, what: &str, is_so: bool) -> Option<Noticed> {
    let what = what.trim();
    if !is_thing(what) {
        return None;
    }
    let does = if is_so { format!("{verb}s") } else { format!("does not {verb}") };
    let holds = if is_so { "yes" } else { "no" };
    let statement = Some(statement(&format!("{verb}s {}", what.to_lowercase()), holds));
    let text = format!("The user {does} {what}");
    Some(Noticed { kind: MemoryKind::Preference, text, statement, importance: SAID })
}

fn habit_in_chinese(verb: &str, what: &str, is_so: bool) -> Option<Noticed> {
    let what = what.trim();
    if !is_thing_in_chinese(what) {
        return None;
    }
    let (says, holds) = if is_so { ("", "是") } else { ("不", "否") };
    let statement = Some(statement(&format!("{verb}{what}"), holds));
    let text = format!("用户{says}{verb}{what}");
    Some(Noticed { kind: MemoryKind::Preference, text, statement, importance: SAID })
}

/// A thing to eat or drink, and not when, how much, or with whom.
fn is_thing(what: &str) -> bool {
    let lower = what.to_lowercase();
    let mut words = lower.split(' ');
    words.clone().count() <= 3 && !points_out(&lower) && !words.any(|word| NO_THINGS.contains(word))
}

fn is_thing_in_chinese(what: &str) -> bool {
    static NONE: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^(?:[了过着的它他她这那到得起下完多少太亏醉饱药惯]|一[点口下些]|饭$|东西|什么|早饭|午饭|晚饭|今天|掉|早$|醋$|香$)",
            r"|[吗呢吧啊，,我你他她]",
        ))
    });
    !what.is_empty() && !NONE.is_match(what)
}

static NO_THINGS: LazyLock<std::collections::HashSet<&str>> = LazyLock::new(|| {
    let words = "much many enough too so very alone out in at on after before with without when while if unless until \
        because during for from about of or and but like as well today tonight tomorrow yesterday yet here late early often \
        breakfast lunch dinner supper anything something everything nothing what where who my your his her our their up \
        properly slowly fast quickly right then again";
    words.split_whitespace().collect()
});

/// Each says it by its first group. Who gives something up may have been doing it only.
static OVER: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        regex(
            r"(?i)^i no longer (?:really )?(?:eat|drink|smoke) (.{2,30}?)(?: at all| now| these days)*$",
        ),
        regex(
            r"(?i)^i (?:don't|do not|never) (?:really )?(?:eat|drink|smoke) (.{2,30}?)(?: any ?more| any longer| now| these days)+$",
        ),
        regex(
            r"(?i)^i(?:'ve| have)? (?:(?:just|recently|finally|now) )*(?:stopped|quit|given up|gave up|cut out) (?:(?:eating|drinking|smoking) )?(.{2,30}?)(?: now| for good)*$",
        ),
    ]
});

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    OVER_IN_CHINESE = concat!(
        r"^我(?:(?:现在|已经|早就|以后|目前)+(?:都|也|完全)*不(?:再|怎么)?(?:吃|喝|抽)(.{1,8}?)了?",
        r"|(?:现在|已经|早就|以后)*(?:不再|再也不)(?:吃|喝|抽)(.{1,8}?)了?",
        r"|(?:现在|已经|最近|早就|刚刚?)*戒(?:了|掉)?了?([\p{Han}]{1,4}?)了?)$",
    );
    DIET_OVER = concat!(
        r"(?i)^(?:i am|i'm) (?:not|no longer) (?:an? )?(vegetarian|vegan|pescatarian)(?: any ?more| any longer| now)*$",
        r"|^我(?:现在|已经|早就)*不(?:再)?(?:吃素|是素食(?:主义)?者)了?$",
    );
}
