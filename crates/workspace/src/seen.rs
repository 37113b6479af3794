//! Whether a text shows anything at all, and what of it can be seen on one line.
//!
//! Pure. Unicode has characters that take no room and draw nothing; a message
//! or a name of nothing else is empty, however long it is.

/// Whether nothing of it can be seen. Invisible characters between visible
/// ones, as in many emoji, belong to these.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control() || draws_nothing(c))
}

/// One line of it, without what draws nothing or turns what stands beside it around.
pub(crate) fn line(text: &str) -> String {
    let seen = text.chars().filter(|c| c.is_whitespace() || !(c.is_control() || draws_nothing(*c)));
    let seen: String = seen.collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Unicode's Default_Ignorable_Code_Point, the marks of interlinear notes, and
/// the pattern of Braille without a dot.
fn draws_nothing(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}'
            | '\u{034F}'
            | '\u{061C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_can_see_is_blank() {
        for blank in [
            "",
            " \t\r\n",
            "\u{200B}",
            "\u{FEFF}",
            "\u{00A0}",
            "\u{3000}",
            "\u{3164}\u{115F}\u{1160}\u{FFA0}",
            "\u{200D}\u{FE0F}",
            "\u{2028} \u{2060}\u{00AD}",
            "\u{202E}\u{202C}\u{2066}\u{2069}",
            "\u{E0020}\u{2800}\u{180E}",
            "\0\u{7}",
        ] {
            assert!(is_blank(blank), "{blank:?}");
        }
    }

    #[test]
    fn what_holds_anything_visible_is_not() {
        for seen in
            ["x", ".", "好", "👩\u{200D}👩\u{200D}👧\u{200D}👦", "❤\u{FE0F}", "\u{200B}x", "ᅡ", "⠁"]
        {
            assert!(!is_blank(seen), "{seen:?}");
        }
    }
}
