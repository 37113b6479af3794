//! Tells what can be understood by itself from what leans on something said around it.
//!
//! `I'm allergic to them` says nothing without what it names so, and `I think` is no word of
//! its own but takes weight from another. What leans is never remembered without that.

use super::regex;
use regex::Regex;
use std::sync::LazyLock;

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

/// Whether a clause or a sentence needs what stands before it.
pub(super) fn leans(said: &str) -> bool {
    tells_on(said) || CUT_SHORT.is_match(said) || points_out(said) || hedges(said)
}

/// Whether it says more of somebody or something that was named before it: `she is a doctor`.
pub(super) fn tells_on(said: &str) -> bool {
    LEANING.is_match(said) || OF_ANOTHER.is_match(said)
}

/// Whether a clause goes on with somebody else who was named before it.
pub(super) fn is_of_another(said: &str) -> bool {
    OF_ANOTHER.is_match(said)
}

/// Whether a word in it stands for something that is named elsewhere: `I'm allergic to them`.
pub(super) fn points_out(said: &str) -> bool {
    POINTING.captures_iter(said).any(|found| found.name("not").is_none())
}

/// Whether what somebody has or likes is only a word for what is named elsewhere.
pub(super) fn is_named_elsewhere(value: &str) -> bool {
    POINTING.captures(value).is_some_and(|found| {
        found.name("not").is_none() && found.get(0).is_some_and(|word| word.start() == 0)
    })
}

/// Whether it says only how much of what is said beside it is so: `I think`, `I am joking`.
pub(super) fn hedges(said: &str) -> bool {
    HEDGING.is_match(said)
}

patterns! {
    /// What is named before it: `it is cold there`.
    LEANING = concat!(
        r"(?i)^(?:he|she|they|it|its|his|her|their|he's|she's|it's|they're|there|there's|this|that|that's|",
        r"these|those|then|so|such|which|who|where|otherwise|instead|both|neither)\b",
        r"|^(?:这|那|它|他|她|其|所以|因此)|^(?:これ|それ|あれ|そこ|ここ|あそこ|彼|その|この)",
    );
    /// Verbs of somebody else: `my wife is Clara and works at Acme`.
    OF_ANOTHER = concat!(
        r"^(?:also )?(?:is|was|has|lives|works|likes|loves|hates|speaks|plays|studies|teaches|runs|owns|wants|",
        r"does|doesn't|isn't)\b",
    );
    /// `Anna does not`, and what somebody knows or tells without saying what.
    CUT_SHORT = concat!(
        r"(?i)\b(?:(?:do|does|did|is|are|was|were|has|have|can|will|would)(?:n't| not| too)",
        r"|(?:know|tell|mention|share|say|ask|agree|mind|care)",
        r"(?: (?:me|anyone|anybody|everyone|everybody|people|others|strangers))?)$",
        r"|^(?:不要|别|請?勿|请不要|请别)?(?:告诉|跟|和|对)(?:任何|别|其他)?人说?$",
    );
    /// What looks alike and points nowhere comes first.
    POINTING = concat!(
        r"(?i)(?P<not>\b(?:this|that|these|those) (?:days?|weeks?|weekends?|months?|years?|time|morning|afternoon|",
        r"evening|spring|summer|autumn|fall|winter)\b",
        r"|其他|其它|其实|尤其|其中|吉他|维他|那么|这么|这样|这(?:几|两|些|段)?(?:年|天|个?月|周|时间)",
        r"|これから|この(?:先|頃|ごろ|数?年)|それぞれ|その他)",
        r"|\b(?:them|it|him|her|hers|his|he|she|they|their|theirs|its|there|that|those|these|this|ones|former|latter)\b",
        r"|[它他她其那这彼]|(?:これ|それ|あれ|その|あの|この|そこ|あそこ|そんな|こんな)|ここ[にはでをがも]",
    );
    HEDGING = concat!(
        r"(?i)\b(?:joking|kidding|lying|not (?:so |really |quite |entirely )?(?:sure|certain))\b",
        r"|^(?:but |or so )?(?:i|we) (?:(?:do|would|only|just|really) )?(?:think|guess|believe|suppose|assume|reckon|hope)(?: so)?$",
        r"|^(?:我想|我猜|我觉得|大概吧?|应该吧|开玩笑的?|我(?:是|在)?开玩笑的?)$",
        r"|^(?:たぶん|多分|冗談(?:です|だ)?(?:よ|けど)?)$",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_stands_for_something_named_elsewhere_is_seen() {
        for said in [
            "I'm allergic to them",
            "I hate it with milk",
            "I have worked there since May",
            "I am allergic to him",
            "我对它们过敏",
            "我不喜欢那里",
            "私はそれにアレルギーがあります",
        ] {
            assert!(points_out(said), "{said}");
        }
        for said in [
            "I work at Fiat these days",
            "I like thematic maps",
            "I moved this year",
            "我喜欢弹吉他",
            "我其实住在杭州",
            "我这几年住在杭州",
            "これからはドイツ語で答えて",
        ] {
            assert!(!points_out(said), "{said}");
        }
    }

    #[test]
    fn what_only_weighs_what_is_said_beside_it_leans() {
        for said in ["I think", "I guess so", "I am joking", "I don't want anyone to know"] {
            assert!(leans(said), "{said}");
        }
        for said in ["I know Norwegian", "I think of Rome every day", "I speak Norwegian"] {
            assert!(!leans(said), "{said}");
        }
    }
}
