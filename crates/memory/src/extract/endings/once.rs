//! What a whole sentence says was so once, beside what is so now.
//!
//! `I used to like coffee, now I like it more` ends nothing: a liking ends only by what is said
//! of the present, or where nothing else is said.

use super::super::leaning::points_out;
use super::super::regex;
use super::Ending;
use regex::Regex;
use std::sync::LazyLock;

/// Whether it says that what was so is so still.
pub(super) fn goes_on(sentence: &str) -> bool {
    static STILL: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?i)\bused to\b.*\bstill (?:do|am|is|are|live|work|like|love)\b",
            r"|(?:以前|之前|曾经|过去|从前).*(?:现在|目前|如今)(?:也|还|仍|依然|依旧|照样|同样|一样)",
            r"|(?:以前|昔|かつて).*(?:今|現在)も",
        ))
    });
    STILL.is_match(sentence)
}

/// What the person liked once, and says that they like something else now.
pub(super) fn liked_once(sentence: &str) -> Option<Ending> {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?i)^i used to (?:really )?(?:like|love|enjoy|prefer) ([\w' -]{2,40}?)",
            r"(?:,? (?:but|and) (?:now i|i now|these days i|nowadays i) (?:prefer|like|love|enjoy) (.{2,60})",
            r"|,? but (?:not|i don't|i do not)(?: (?:like|love|enjoy) (?:it|them))? ?(?:any ?more|any longer))?$",
        ))
    });
    static CHINESE: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^我(?:以前|之前|曾经|过去|从前|原来)(?:很|最|特别|非常|比较|一直|都)*(?:喜欢|爱)([^，,]{1,20}?)",
            r"[，,](?:但是?|不过|可是|而|然而)?我?现在(?:不(?:太|怎么|再)?(?:喜欢|爱)了?|(?:最|更|只)?(?:喜欢|爱)([^，,了]{1,20}))$",
        ))
    });
    let now_of = |now: Option<regex::Match<'_>>, was: &str| {
        now.is_none_or(|now| !points_out(now.as_str()) && !now.as_str().contains(was))
    };
    if let Some(said) = ENGLISH.captures(sentence) {
        let was = said[1].trim();
        let is_one = !points_out(was) && !JOINED.is_match(was) && now_of(said.get(2), was);
        return is_one.then(|| Ending::liking(vec![format!("likes {}", was.to_lowercase())]));
    }
    let said = CHINESE.captures(sentence)?;
    let was = said[1].trim();
    let is_one = !points_out(was) && now_of(said.get(2), was);
    is_one.then(|| Ending::liking(vec![format!("喜欢{was}")]))
}

/// What joins more to it: `coffee and live in Oslo`.
static JOINED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)\b(?:and|but|or|when|while|until|before|because|now|that)\b"));
