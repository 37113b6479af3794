//! What somebody prefers to something else: `I prefer tea over coffee`.
//!
//! It is a statement of what is liked less, whose value is what is liked more. Who prefers coffee
//! later takes it back, whatever it was that they preferred before.

use super::leaning::is_named_elsewhere;
use super::{Noticed, SAID, regex, statement};
use domain::MemoryKind;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What a clause says is preferred to what.
pub(super) fn stated(clause: &str) -> Option<Noticed> {
    let english = ENGLISH.captures(clause).or_else(|| MORE.captures(clause));
    let (attribute, text, more) = match english {
        Some(said) => {
            let (more, less) = both(&said)?;
            let text = format!("The user prefers {more} over {less}");
            (over(less)[0].clone(), text, more.to_owned())
        }
        None => {
            let said = CHINESE.captures(clause)?;
            let (more, less) = both(&said)?;
            let text = format!("用户更喜欢{more}而不是{less}");
            (over(less)[1].clone(), text, more.to_owned())
        }
    };
    let statement = Some(statement(&attribute, &more));
    Some(Noticed { kind: MemoryKind::Preference, text, statement, importance: SAID })
}

/// What a clause says is preferred, and to what if it says so.
pub(super) fn preferred(clause: &str) -> Option<(String, Option<String>)> {
    let said = ENGLISH.captures(clause).or_else(|| MORE.captures(clause));
    if let Some(said) = said.or_else(|| CHINESE.captures(clause)) {
        let (more, less) = both(&said)?;
        return Some((more.to_owned(), Some(less.to_owned())));
    }
    let said = ALONE.captures(clause).or_else(|| ALONE_IN_CHINESE.captures(clause))?;
    let more = said[1].trim();
    (!is_named_elsewhere(more)).then(|| (more.to_owned(), None))
}

/// Which of the things just noticed is preferred no more by whoever says this: `Actually, I prefer
/// coffee`. Who prefers something else only beside it says no such word.
pub(super) fn taken_back(was: &[Noticed], sentence: &str, now: &[Noticed]) -> Option<usize> {
    let [now] = now else { return None };
    let (before, after) = (was.iter().rposition(is_preference)?, preference(now)?);
    let is_other = preference(&was[before]).is_some_and(|before| before != after);
    (INSTEAD.is_match(sentence) && is_other).then_some(before)
}

/// Whether a message may take back what the person said that they prefer.
pub(super) fn may_take_back(sentence: &str) -> bool {
    INSTEAD.is_match(sentence) && PREFERS.is_match(sentence)
}

fn is_preference(noticed: &Noticed) -> bool {
    preference(noticed).is_some()
}

/// What is said to be preferred, and not to what.
fn preference(noticed: &Noticed) -> Option<&str> {
    let is_one = PREFERS.is_match(&noticed.text);
    let stated = noticed.statement.as_ref().filter(|_| is_one)?;
    let is_liked = stated.attribute.starts_with("likes ") || stated.attribute.starts_with("喜欢");
    is_liked.then_some(stated.attribute.as_str())
}

/// What it is called that something is preferred to this.
pub(super) fn over(less: &str) -> [String; 2] {
    let less = less.to_lowercase();
    [format!("prefers over {less}"), format!("比{less}更喜欢")]
}

/// What is liked no more by whoever prefers this: of a dark look and a light one people have one.
pub(super) fn opposites(more: &str) -> Vec<String> {
    let look = |looks: &Regex| looks.is_match(more);
    let (begins, in_chinese): (&[&str], &[&str]) = match (look(&DARK), look(&LIGHT)) {
        (true, _) => (&["light"], &["浅色", "亮色"]),
        (_, true) => (&["dark"], &["深色", "暗色"]),
        _ => return Vec::new(),
    };
    let mut opposites = Vec::new();
    for begin in begins {
        opposites.extend(["mode", "theme", "themes"].map(|end| format!("likes {begin} {end}")));
    }
    for begin in in_chinese {
        let ends = ["", "模式", "主题", "界面", "背景"];
        opposites.extend(ends.map(|end| format!("喜欢{begin}{end}")));
    }
    opposites
}

fn both<'a>(said: &'a Captures<'_>) -> Option<(&'a str, &'a str)> {
    let (more, less) = (said.get(1)?.as_str().trim(), said.get(2)?.as_str().trim());
    // `the second option over the first` is about what was just shown.
    let is_shown = |what: &str| SHOWN.is_match(what) || is_named_elsewhere(what);
    (!is_shown(more) && !is_shown(less)).then_some((more, less))
}

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    ENGLISH = concat!(
        r"(?i)^i (?:(?:really|also|just|now|actually|generally|usually|still|much) )*prefer (.{2,60}?) ",
        r"(?:over|rather than|instead of|more than) (.{2,60}?)(?: now| these days)?$",
    );
    MORE = r"(?i)^i (?:(?:really|also|just|now|actually|still) )*(?:like|love|enjoy) (.{2,60}?) (?:more|better) than (.{2,60}?)(?: now)?$";
    ALONE = r"(?i)^i (?:(?:really|also|just|now|actually|generally|usually|still|much) )*prefer (.{2,60}?)(?: now| these days)?$";
    CHINESE = concat!(
        r"^我(?:现在|目前|也|还|其实|一直|更|比较)*(?:喜欢|爱|偏好|偏爱)(.{1,20}?)",
        r"(?:而不是|而非|胜过|多过|多于|甚于)(.{1,20}?)了?$",
    );
    ALONE_IN_CHINESE = r"^我(?:现在|目前|也|还|其实|一直|比较)*更(?:喜欢|爱|偏好|偏爱)(.{1,20}?)了?$";
    PREFERS = r"(?i)\bprefers?\b|更(?:喜欢|爱|偏好|偏爱)";
    /// Who says otherwise now than before.
    INSTEAD = concat!(
        r"(?i)^(?:well,? |hm+,? )*(?:actually|no|nope|wait|sorry|oops|correction|scratch that|on second thoughts?|",
        r"come to think of it|i(?:'ve| have)? changed my mind|now|these days|nowadays)\b",
        r"|\b(?:now|these days|nowadays|instead|after all)[.!]*$|\bnow prefer\b",
        r"|^(?:其实|不对|不|说错了|我?改主意了|想了想|现在)|^我(?:现在|其实)",
    );
    DARK = r"(?i)^dark (?:mode|themes?)$|^(?:深色|暗色)(?:模式|主题|界面|背景)?$";
    LIGHT = r"(?i)^light (?:mode|themes?)$|^(?:浅色|亮色)(?:模式|主题|界面|背景)?$";
    SHOWN = r"(?i)^(?:how|your|you|what|the|not|to|this|that)\b|^(?:你|的|这|那|第)";
}
