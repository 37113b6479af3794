//! Finds words whatever their case: whoever thinks of a thing writes it as they like.

/// Other words in their place, where they are not a part of longer ones.
pub(super) fn without(text: &str, words: &str, instead: &str) -> String {
    let wanted: Vec<char> = words.chars().flat_map(char::to_lowercase).collect();
    if wanted.is_empty() {
        return text.to_owned();
    }
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (first, last) = (words.chars().next(), words.chars().next_back());
    let (mut left, mut from, mut at) = (String::with_capacity(text.len()), 0, 0);
    while let Some(here) = text[at..].chars().next() {
        let before = text[..at].chars().next_back();
        let stands = begins_with(&text[at..], &wanted).map(|length| at + length).filter(|end| {
            let after = text[*end..].chars().next();
            !(is_letter(before) && is_letter(first) || is_letter(after) && is_letter(last))
        });
        match stands {
            Some(end) => {
                left.push_str(&text[from..at]);
                left.push_str(instead);
                (from, at) = (end, end);
            }
            None => at += here.len_utf8(),
        }
    }
    left + &text[from..]
}

/// How many bytes of the text's beginning are these small letters, if it begins with them.
fn begins_with(text: &str, wanted: &[char]) -> Option<usize> {
    let mut wanted = wanted.iter();
    for (at, c) in text.char_indices() {
        if wanted.len() == 0 {
            return Some(at);
        }
        if c.to_lowercase().any(|lower| wanted.next() != Some(&lower)) {
            return None;
        }
    }
    (wanted.len() == 0).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_other_letters_and_never_in_longer_ones() {
        let check = |text: &str, left: &str| {
            assert_eq!(without(text, "Owns Éva's cat", "-"), left, "{text}");
        };
        check("OWNS ÉVA'S CAT", "-");
        check("So: owns éva's cat. Owns Éva's CAT!", "So: -. -!");
        check("owns éva's cats", "owns éva's cats");
        check("Disowns Éva's cat", "Disowns Éva's cat");
        check("owns éva's", "owns éva's");
        assert_eq!(without("喜欢猫和狗", "猫", "-"), "喜欢-和狗");
        assert_eq!(without("İ", "i", "-"), "İ", "a letter that becomes two is not one of them");
        assert_eq!(without("as it is", "", "-"), "as it is");
    }
}
