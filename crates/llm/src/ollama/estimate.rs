//! Fewer tokens than this no tokenizer makes of a conversation.

use crate::Turn;

/// Runs of blanks and rules count once, a Han character half, and of the rest
/// five characters a token.
pub(super) fn least_tokens(turns: &[Turn]) -> u32 {
    turns.iter().map(|turn| least(&turn.content)).fold(0, u32::saturating_add)
}

fn least(text: &str) -> u32 {
    let (mut wide, mut narrow, mut last) = (0_u32, 0_u32, None);
    for c in text.chars() {
        let repeats = last == Some(c) && !c.is_alphanumeric();
        match (repeats, c as u32 >= 0x2E80) {
            (true, _) => {}
            (false, true) => wide += 1,
            (false, false) => narrow += 1,
        }
        last = Some(c);
    }
    wide / 2 + narrow / 5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    #[test]
    fn a_count_stays_below_what_any_tokenizer_makes() {
        let check = |text: &str, expected: u32| {
            assert_eq!(least_tokens(&[Turn::new(Role::User, text)]), expected, "{text}");
        };
        check("", 0);
        check("hello world", 2);
        check("北京北京", 2);
        check(&"-".repeat(1000), 0);
        check(&"ab ".repeat(100), 60);
    }
}
