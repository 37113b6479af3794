//! What is over of what goes by a word of the person's own: a favourite, an animal that died.

use super::super::{changed, regex};
use super::Ending;
use super::forms::parted_from;
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn said_over(clause: &str) -> Option<Ending> {
    let found =
        favourite_no_more(clause).or_else(|| died(clause)).or_else(|| called_no_more(clause));
    found.or_else(|| changed::what_changed(clause).map(|things| Ending::named(things, None)))
}

/// How somebody of the person's is not called: `My sister is called Eve, not Eva`.
fn called_no_more(clause: &str) -> Option<Ending> {
    let said = NOT_ANOTHER.captures(clause).or_else(|| NOT_CALLED.captures(clause));
    if let Some(said) = said {
        return Some(Ending::named(vec![said[1].to_lowercase()], Some(said[2].trim().to_owned())));
    }
    let said = CHINESE_NOT_CALLED.captures(clause)?;
    Some(Ending::named(vec![said[1].to_owned()], Some(said[2].to_owned())))
}

/// What is denied to be liked best of a sort: `Blue is not my favourite colour`.
fn favourite_no_more(clause: &str) -> Option<Ending> {
    let english =
        FAVOURITE_IS_NOT.captures(clause).map(|said| (said[1].to_owned(), said[2].to_owned()));
    let english = english.or_else(|| {
        let said = IS_NO_FAVOURITE.captures(clause)?;
        Some((said[2].to_owned(), said[1].to_owned()))
    });
    if let Some((thing, value)) = english {
        return Some(Ending::named(spelled(&thing.to_lowercase()), Some(value)));
    }
    let said = CHINESE_FAVOURITE_IS_NOT
        .captures(clause)
        .map(|said| (said[1].to_owned(), said[2].to_owned()));
    let said = said.or_else(|| {
        let said = CHINESE_IS_NO_FAVOURITE.captures(clause)?;
        Some((said[2].to_owned(), said[1].to_owned()))
    });
    said.map(|(thing, value)| Ending::named(vec![format!("最喜欢的{thing}")], Some(value)))
}

/// Here and across the sea.
fn spelled(thing: &str) -> Vec<String> {
    let british = thing.replace("favorite", "favourite").replace("color", "colour");
    let american = thing.replace("favourite", "favorite").replace("colour", "color");
    vec![thing.to_owned(), british, american]
}

/// Whom the person has no more. That a parent or a child has died takes nothing of who they are.
fn died(clause: &str) -> Option<Ending> {
    if let Some(said) = PARTNER_DIED.captures(clause) {
        return parted_from(said.get(1).or(said.get(2))?.as_str());
    }
    if let Some(said) = PET_DIED.captures(clause) {
        let name = said.get(2).map(|name| name.as_str().to_owned());
        return Some(Ending::named(vec![said[1].to_lowercase()], name));
    }
    if let Some(said) = CHINESE_PET_DIED.captures(clause) {
        let name = Some(said[2].to_owned()).filter(|name| !name.is_empty());
        return Some(Ending::named(vec![said[1].to_owned()], name));
    }
    let said = NAMED_DIED.captures(clause)?;
    let pets = PETS.split('|').map(str::to_owned).collect();
    Some(Ending::named(pets, Some(said[1].to_owned())))
}

const PETS: &str = "dog|puppy|cat|kitten|rabbit|bunny|hamster|guinea pig|parrot|bird|budgie|canary|horse|pony|\
    goldfish|fish|turtle|tortoise|snake|lizard|gerbil|rat|mouse|ferret|pet|狗|狗狗|猫|猫咪|兔子|仓鼠|鹦鹉|鸟|金鱼|乌龟|马";
const DIED: &str = concat!(
    r"(?:(?:has |have |just |recently |sadly |had to be |was |were )*(?:died|passed away|put down|put to sleep)",
    r"|is (?:dead|no longer alive|no longer with us))",
);
const WHEN: &str = concat!(
    r"(?:,? (?:now|yesterday|today|recently|(?:last|this) (?:night|week|month|year|spring|summer|autumn|fall|winter|",
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:a|two|three|a few|some) (?:days?|weeks?|months?|",
    r"years?) ago|in (?:\d{4}|january|february|march|april|may|june|july|august|september|october|november|december)|",
    r"of (?:old age|cancer|\p{L}+ failure)))*",
);

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex(&$pattern));)*
    };
}

patterns! {
    /// With what it is instead, which is read by itself.
    FAVOURITE_IS_NOT = concat!(
        r"(?i)^my (favou?rite \p{L}+(?: \p{L}+){0,2}?) (?:is not|isn't|is no longer) (.{1,40}?)",
        r"(?: any ?more| any longer| now)?(?:[,;]? (?:but|it's|it is) .*)?$",
    );
    IS_NO_FAVOURITE = concat!(
        r"(?i)^(.{1,40}?) (?:is not|isn't|is no longer) my (favou?rite \p{L}+(?: \p{L}+){0,2}?)",
        r"(?: any ?more| any longer| now)?(?:[,;] .*)?$",
    );
    CHINESE_FAVOURITE_IS_NOT = concat!(
        r"^我(?:现在|目前|已经)*最(?:喜欢|喜爱|爱)(?:吃|喝|看|听|玩|读|去)?的(\p{Han}{1,8}?)",
        r"(?:现在|已经|早就|其实|都)*(?:不是|不再是|不叫)(.{1,20}?)了?$",
    );
    CHINESE_IS_NO_FAVOURITE = concat!(
        r"^(.{1,20}?)(?:现在|已经|早就|其实)*(?:不是|不再是)我(?:现在|目前)*最(?:喜欢|喜爱|爱)",
        r"(?:吃|喝|看|听|玩|读|去)?的(\p{Han}{1,8}?)了?$",
    );
    NOT_ANOTHER = r"(?i)^my ([a-z]+(?: [a-z]+){0,2}?)(?:'s name)? is (?:called |named |spelled |spelt )?[^,;]{1,40}?,? (?:and )?not (?:called |named )?([^,;]{1,40})$";
    NOT_CALLED = concat!(
        r"(?i)^my ([a-z]+(?: [a-z]+){0,2}?)(?:'s name)? (?:is not|isn't|is no longer) (?:called |named )?",
        r"((?-i:\p{Lu})[^,;]{0,40}?)(?:[,;]? (?:but|it's|it is|she's|he's) .*)?$",
    );
    CHINESE_NOT_CALLED = r"^我的?(\p{Han}{1,6}?)(?:现在|已经|其实)*不叫(.{1,20}?)了?$";
    PARTNER_DIED = format!(
        r"(?i)^(my (?:wife|husband|partner|girlfriend|boyfriend))(?: (?-i:\p{{Lu}})[\w'-]*)? {DIED}{WHEN}$|^我的?(老婆|妻子|太太|丈夫|老公|先生|女朋友|男朋友)(?:已经|去年|今年|上个?月|最近|刚)*(?:去世|过世|离世|死)了?$"
    );
    PET_DIED = format!(
        r"(?i)^(?:sadly,? |unfortunately,? )?(?:my|our) (?:(?:old|poor|dear|beloved) )?({PETS})(?:,? ((?-i:\p{{Lu}})[\w'-]*),?)? {DIED}{WHEN}$"
    );
    /// Of whom it is said is told by that name alone.
    NAMED_DIED = format!(r"^(?i:sadly,? |unfortunately,? )?(\p{{Lu}}[\w'-]*) (?i:{DIED}{WHEN})$");
    CHINESE_PET_DIED = concat!(
        r"^我们?(?:家)?的?(狗狗|狗|猫咪|猫|兔子|仓鼠|鹦鹉|鸟|金鱼|乌龟|马)([\p{Han}A-Za-z]{0,6}?)",
        r"(?:已经|昨天|今天|前天|上周|上个?月|去年|今年|最近|刚刚?|不久前)*(?:死|去世|离世|过世|病死)了$",
    );
}
