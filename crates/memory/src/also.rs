//! Whether words add to what is so: `I also work at Statoil` takes no work's place.

use regex::Regex;
use std::sync::LazyLock;

/// Whether a text says that what it says is so beside something else. What begins with *also*
/// only goes on to say something.
pub(crate) fn says_also(text: &str) -> bool {
    static ALSO: LazyLock<Regex> = LazyLock::new(|| {
        // 也门 is a country. Who moved there too has left another place, as others did.
        let pattern = r"(?i)\S\s+also\b|也(?:住|定居|在|来自|來自|是|叫)";
        Regex::new(pattern).expect("the tests read it")
    });
    static MOVES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\bmoved (?:back )?(?:from .+ )?to\b").expect("the tests read it")
    });
    (without_too(text) != text || ALSO.is_match(text)) && !MOVES.is_match(text)
}

/// A text without its *too* at the end.
pub(crate) fn without_too(text: &str) -> &str {
    static TOO: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i),? (?:too|as well)[.!]*\s*$").expect("the tests read it")
    });
    TOO.find(text).map_or(text, |too| &text[..too.start()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_adds_to_what_is_so_is_told_from_what_only_goes_on() {
        for text in [
            "I also live in Oslo",
            "I live in Oslo, too.",
            "I work there as well",
            "我也在腾讯工作",
        ] {
            assert!(says_also(text), "{text}");
        }
        for text in [
            "Also, I live in Oslo",
            "I live in Oslo",
            "我住在也门",
            "I sing as well as Bo",
            "I moved to Bergen too",
            "I also moved to Bergen",
        ] {
            assert!(!says_also(text), "{text}");
        }
    }
}
