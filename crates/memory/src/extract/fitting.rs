//! Whether what is said of a thing that somebody has is a value of it, or only a remark about it.
//!
//! `My birthday is next week` names no birthday, and `my address is wrong on the invoice` no
//! address. A value of a thing that is known looks like one: a birthday is a date, a phone number
//! has digits. A remark takes nobody's place, and is nothing to remember.

use super::regex;
use crate::values::is_language;
use regex::Regex;
use std::sync::LazyLock;

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

/// What is said of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fits {
    /// A value of it, in whose place another may come.
    Value,
    /// Something lasting that is no value of it: `my dog is a beagle` says no name.
    Beside,
    /// How it is now, or what somebody thinks of it.
    Remark,
}

/// Of a thing that somebody says in English that they have.
pub(super) fn in_english(thing: &str, value: &str) -> Fits {
    let is_title = value.starts_with(char::is_uppercase);
    // `Hard rock` is what somebody likes best, `hard to find` is not.
    let is_best = thing.starts_with("favo") && value.contains(' ') && !STATE_OF.is_match(value);
    let is_state = !is_best && is_among(STATES, &first_word(value));
    let last = thing.rsplit(' ').next().unwrap_or_default();
    let is_measured = ["age", "height", "weight", "budget", "size"].contains(&last);
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let is_measure = is_measured && (has_digit || MEASURE.is_match(value));
    if !is_title && !is_measure && !DATE.is_match(value) && (REMARK.is_match(value) || is_state) {
        return Fits::Remark;
    }
    let is_of = |ends: &[&str]| ends.iter().any(|end| thing.ends_with(end));
    let fits = if is_of(&["birthday", "birthdate", "birth date", "date of birth", "anniversary"]) {
        DATE.is_match(value)
    } else if is_of(&["email", "e-mail", "mail address"]) {
        MAIL.is_match(value)
    } else if is_of(&["phone", "phone number", "mobile number", "cell number", "fax number"])
        && !is_of(&["favourite phone", "favorite phone"])
        && (thing.ends_with("number") || has_digit)
    {
        CALLED_AT.is_match(value)
    } else if is_of(&["number"]) && !is_of(&["favourite number", "favorite number"]) {
        has_digit && value.split(' ').count() <= 5
    } else if is_of(&["ip address", "web address"]) {
        value.contains(['.', ':']) && !value.contains(' ')
    } else if is_of(&["address"]) {
        ADDRESS.is_match(value)
    } else if is_of(&["pronouns"]) {
        PRONOUNS.is_match(value)
    } else if is_measured {
        is_measure
    } else if ["language", "tongue"].contains(&last) {
        is_title || value.split([',', ' ']).any(is_language)
    } else if ["nationality", "religion", "city", "country", "timezone"].contains(&last)
        || is_of(&["time zone", "home town", "hometown"])
    {
        is_title || has_digit
    } else if ["colour", "color"].contains(&last) {
        !value.contains(' ') || is_title || COLOUR.is_match(value)
    } else if is_among(ANIMALS, last) && WITH_ARTICLE.is_match(value) {
        return Fits::Beside;
    } else {
        true
    };
    if fits { Fits::Value } else { Fits::Remark }
}

/// Who somebody's family is for longer than a day: a trade, an age, a faith.
pub(super) fn is_lasting_of_kin(value: &str) -> bool {
    LASTING_OF_KIN.is_match(value) && !INSULT.is_match(value) && !REMARK.is_match(value)
}

/// The same of what is said in Chinese.
pub(super) fn in_chinese(thing: &str, value: &str) -> Fits {
    if REMARK_ZH.is_match(value) {
        return Fits::Remark;
    }
    let is_of = |ends: &[&str]| ends.iter().any(|end| thing.ends_with(end));
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let fits = if is_of(&["生日", "纪念日"]) {
        DATE_ZH.is_match(value)
    } else if is_of(&["手机", "手机号", "手机号码", "电话", "电话号码", "座机"]) {
        digits >= 3 || NUMBER_ZH.is_match(value) && thing.ends_with(['号', '码', '话'])
    } else if is_of(&["邮箱", "邮箱地址", "电子邮箱", "邮件地址", "邮件"]) {
        MAIL.is_match(value)
    } else if is_of(&["微信号", "微信", "QQ", "QQ号"]) {
        digits > 0 || value.is_ascii()
    } else if is_of(&["地址", "住址"]) {
        digits > 0 || PLACE_ZH.is_match(value)
    } else if is_of(&["年龄", "身高", "体重", "预算", "尺码", "鞋码"]) {
        digits > 0 || MEASURE_ZH.is_match(value)
    } else if is_of(&["母语", "语言"]) {
        is_language(value) || value.ends_with(['语', '文', '话'])
    } else if is_of(&["颜色"]) {
        COLOUR_ZH.is_match(value)
    } else {
        true
    };
    if fits { Fits::Value } else { Fits::Remark }
}

/// The same of somebody's family, in Chinese: how they are today, or what somebody thinks of them.
pub(super) fn is_remark_of_kin(value: &str) -> bool {
    REMARK_ZH.is_match(value) || INSULT_ZH.is_match(value)
}

/// Whether it is an animal that somebody has: what it is takes nothing from what it is called.
pub(super) fn is_animal(thing: &str) -> bool {
    ["狗", "猫", "狗狗", "猫咪", "宠物", "兔子", "仓鼠", "鹦鹉", "乌龟", "马"].contains(&thing)
}

fn first_word(value: &str) -> String {
    value.split([' ', ',']).next().unwrap_or_default().to_lowercase()
}

fn is_among(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|one| one == word)
}

patterns! {
    /// Where, when and how, and never what.
    REMARK = concat!(
        r"^(?:on|in|at|to|from|with|without|under|over|near|by|of|off|for|about|into|out|up|down|next|last|",
        r"this|that|these|coming|the (?:same|best|worst|only|reason|problem|one)|same|still|also|just|even|",
        r"yet|already|not|never|no|none|now|very|too|so|such|quite|really|pretty|rather|somewhat|slightly|",
        r"far|much|more|less|(?:a )?(?:bit|little)|a lot|kind of|sort of|as|like|today|tomorrow|tonight|yesterday|",
        r"soon|later|always|often|sometimes|usually|currently|again|getting|being|going|supposed|about to|",
        r"what|whatever|where|why|how|because|here|there|killing|driving)\b",
    );
    STATE_OF = r"^[\w'-]+ (?:to|for|of|on|in|at|with|by|as|from|about|because|since|and)\b";
    DATE = concat!(
        r"(?i)^(?:(?:on|the) )*(?:",
        r"(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? )?(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|",
        r"aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?",
        r"(?: (?:the )?\d{1,2}(?:st|nd|rd|th)?)?(?:,? (?:\d{4}|'\d\d))?",
        r"|\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?\.?",
        r"|(?:christmas|new year's|valentine's|boxing)(?: day| eve)?|halloween)$",
    );
    MAIL = r"^\S+@\S+\.\S+$";
    CALLED_AT = r"^[+(]?\d[\d \u{a0}().,/+-]{1,28}(?:,? ?(?i:ext\.?|x|extension) ?\d{1,6})?$";
    ADDRESS = concat!(
        r"\S+@\S+\.\S+|^\d|^\p{Lu}[^,]*(?:,|\d)",
        r"|^\p{Lu}.* (?i:street|st|road|rd|lane|avenue|ave|drive|way|close|court|square|place|terrace|hill|",
        r"boulevard|straße|strasse|house|cottage|park)\b",
    );
    PRONOUNS = r"(?i)^(?:he|she|they|it|xe|ze|any)\b";
    MEASURE = concat!(
        r"(?i)^(?:x{0,3}s|x{0,3}l|m|(?:extra )?(?:small|medium|large)",
        r"|(?:(?:about|around|over|under|almost) )?(?:a |an )?(?:one|two|three|four|five|six|seven|eight|nine|ten|",
        r"eleven|twelve|\w+teen|\w+ty(?:-\w+)?|hundred|thousand|million)\b.*)$",
    );
    COLOUR = concat!(
        r"(?i)\b(?:red|orange|yellow|green|blue|indigo|violet|purple|pink|brown|black|white|gr[ae]y|silver|gold|",
        r"teal|turquoise|cyan|magenta|beige|ivory|crimson|maroon|navy|lilac|lavender|mint|olive|peach)\b",
    );
    WITH_ARTICLE = r"(?i)^(?:an?|the|my) ";
    LASTING_OF_KIN = concat!(
        r"^(?:(?:an?|the|my|our) \p{L}.*|\d.*|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|",
        r"\w+teen|\w+ty(?:-\w+)?)(?: years old)?|(?:allergic to|married to|born (?:in|on)) .*",
        r"|(?:deaf|blind|autistic|diabetic|epileptic|dyslexic|asthmatic|vegan|vegetarian|coeliac|celiac|",
        r"lactose[- ]intolerant|left-handed|colou?r-?blind|retired|divorced|widowed|gay|lesbian|bisexual|trans)",
        r"|\p{Lu}\p{Ll}*(?:ish|ese|ian|ican|ench|utch|man|eek|iss|ist|ic|im|du))$",
    );
    INSULT = concat!(
        r"(?i)^(?:a|an|the|such an?) (?:\w+ )?(?:idiot|jerk|moron|fool|pain|mess|joke|disaster|nightmare|genius|angel|",
        r"saint|monster|asshole|arsehole|bastard|bitch|dick|liar|star|hero|legend|sweetheart|darling|delight|",
        r"handful|menace|bully|tyrant|problem|best|worst|one|reason|same)\b|^(?:a|the) (?:bit|little|lot)\b",
    );
    REMARK_ZH = concat!(
        r"^(?:下|上(?:周|个|次)|这|那|在|很|太|有点|非常|特别|比较|相当|最近|已经|没|错|空|假|一样|跟|和|同|还|也|",
        r"不|什么|哪|谁|几|多少|怎么|今天|明天|后天|昨天|保密|秘密|公开|老样子|以前|原来)",
        r"|(?:一样|错|不对|难|难学|保密|公开|无聊|烦|好听|难听|好看|难看|重要|随便)的?$|了$",
    );
    INSULT_ZH = r"傻|笨|蠢|混蛋|白痴|坏人|骗子|神经病|最好的|最棒的|天使|麻烦";
    DATE_ZH = concat!(
        r"^(?:农历|阴历|阳历|公历|新历|旧历)?(?:[\d一二三四五六七八九〇零十]{2,4}年)?",
        r"(?:(?:[\d一二三四五六七八九十]{1,2}|正|腊|冬)月(?:初?[\d一二三四五六七八九十廿]{1,3}[日号]?|底|初|中旬)?",
        r"|\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?|元旦|除夕|大年初一|端午节?|中秋节?|国庆节?|圣诞节?|情人节|平安夜)$",
    );
    NUMBER_ZH = r"[一二三四五六七八九零〇幺]{3,}";
    PLACE_ZH = r"[省市区县镇乡村路街道巷弄楼栋室苑园城湾里号]";
    MEASURE_ZH = r"[一二三四五六七八九十百千万两]|^(?i:X{0,3}[SL]|M)码?$|^[大中小]码$";
    COLOUR_ZH = r"[色红橙黄绿青蓝紫黑白灰粉棕金银]";
}

/// How a thing is, or what somebody thinks of it, where the first word says so.
const STATES: &str = "wrong right correct incorrect private public secret confidential blocked unlisted unknown hidden \
    missing lost broken dead gone late early busy full empty open closed taken free available unavailable outdated old new \
    changed different similar identical unique boring nice great good bad fine ok okay awful terrible horrible amazing awesome \
    beautiful ugly lovely cute funny weird strange odd hard easy difficult simple complicated tricky tough long short big small \
    huge tiny important unimportant irrelevant embarrassing annoying confusing visible invisible valid invalid misspelled \
    misspelt ready due done finished over cancelled canceled postponed expensive cheap tight limited unlimited flexible none \
    sick ill tired hungry angry sad happy mad upset asleep awake pregnant crazy rude mean kind sweet strict hopeless useless";

/// What is called by a name, and is of a breed.
const ANIMALS: &str = "dog dogs puppy cat kitten pet horse pony parrot bird budgie hamster rabbit bunny tortoise turtle \
    snake lizard goldfish fish ferret rat mouse cow goat hen";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_looks_like_what_it_is_of() {
        for (thing, value) in [
            ("birthday", "4 July"),
            ("birthday", "July 4th, 1990"),
            ("birthday", "the 4th of July"),
            ("birthday", "on the 4th of July"),
            ("birthday", "1990-07-04"),
            ("birthday", "Christmas Eve"),
            ("phone number", "07700 900123"),
            ("mobile number", "+44 (0)7700 900-123 ext 4"),
            ("licence plate number", "AB12 CDE"),
            ("favourite number", "seven"),
            ("address", "5 High Street, Leeds"),
            ("address", "Rose Cottage, Mill Lane"),
            ("home address", "Hauptstraße 5"),
            ("email address", "ana@example.com"),
            ("email", "ana@example.com"),
            ("age", "thirty-four"),
            ("shoe size", "42"),
            ("shirt size", "XL"),
            ("budget", "about a thousand euros"),
            ("native language", "polish"),
            ("mother tongue", "Swiss German"),
            ("favourite colour", "blue"),
            ("favourite colour", "dark blue"),
            ("favourite colour", "taupe"),
            ("favourite book", "Of Mice and Men"),
            ("dog", "Rex"),
            ("pronouns", "they/them"),
        ] {
            assert_eq!(in_english(thing, value), Fits::Value, "{thing} {value}");
        }
        for (thing, value) in [
            ("生日", "8月15日"),
            ("生日", "农历八月十五"),
            ("生日", "五月一日"),
            ("手机号", "13800138000"),
            ("邮箱", "lin@example.com"),
            ("地址", "朝阳区建国路88号"),
            ("母语", "粤语"),
            ("年龄", "三十二"),
            ("最喜欢的颜色", "绿"),
            ("预算", "1,000元"),
        ] {
            assert_eq!(in_chinese(thing, value), Fits::Value, "{thing} {value}");
        }
    }

    #[test]
    fn a_remark_is_no_value() {
        for (thing, value) in [
            ("birthday", "next week"),
            ("birthday", "on a Saturday this year"),
            ("birthday", "Saturday"),
            ("birthday", "a disaster"),
            ("address", "wrong on the invoice"),
            ("address", "the same as before"),
            ("address", "Wrong"),
            ("phone number", "on the website"),
            ("phone number", "private"),
            ("phone number", "blocked"),
            ("phone number", "one digit short"),
            ("favourite colour", "a bit boring"),
            ("favourite colour", "boring"),
            ("native language", "hard to learn"),
            ("native language", "slowly dying out"),
            ("budget", "tight"),
            ("shoe size", "hard to find"),
        ] {
            assert_eq!(in_english(thing, value), Fits::Remark, "{thing} {value}");
        }
        for (thing, value) in [
            ("生日", "下周六"),
            ("生日", "星期天"),
            ("手机号", "空号"),
            ("手机号", "保密的"),
            ("地址", "错的"),
            ("地址", "原来的"),
            ("母语", "很难学的"),
            ("最喜欢的颜色", "有点无聊"),
        ] {
            assert_eq!(in_chinese(thing, value), Fits::Remark, "{thing} {value}");
        }
        assert_eq!(in_english("dog", "a beagle"), Fits::Beside);
    }

    #[test]
    fn what_somebody_is_today_does_not_last() {
        for value in ["a doctor", "5 years old", "allergic to nuts", "vegan", "German", "the mayor"]
        {
            assert!(is_lasting_of_kin(value), "{value}");
        }
        for value in [
            "crying",
            "at school",
            "on holiday until Monday",
            "an idiot",
            "angry with me",
            "a bit tired",
            "a real pain",
            "Furious",
            "sick",
        ] {
            assert!(!is_lasting_of_kin(value), "{value}");
        }
    }
}
