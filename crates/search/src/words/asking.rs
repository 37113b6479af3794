//! How much of a text asks.

/// A name before what somebody says is no longer than this, in characters.
const LONGEST_NAME: usize = 30;

/// The part of it, by its letters, that stands in questions, in hundredths: of a
/// statement with *Any ideas?* behind it little, of *Really? Where?* all.
pub(crate) fn hundredths_that_ask(text: &str) -> u64 {
    let (mut asked, mut said, mut open) = (0, 0, 0);
    for c in without_name(text).chars() {
        match c {
            '?' | '？' => asked += std::mem::take(&mut open),
            '.' | '!' | '。' | '！' | '\n' => said += std::mem::take(&mut open),
            c if c.is_alphanumeric() => open += if c.is_ascii() { 1 } else { 2 },
            _ => {}
        }
    }
    said += open;
    if asked == 0 { 0 } else { asked * 100 / (asked + said) }
}

/// What is said, without `Ann: ` before it.
fn without_name(text: &str) -> &str {
    match text.split_once(": ") {
        Some((name, said)) if name.chars().count() < LONGEST_NAME => said,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_count_by_their_part_of_the_text() {
        let check = |text: &str, hundredths: u64| {
            assert_eq!(hundredths_that_ask(text), hundredths, "{text}");
        };
        check("", 0);
        check("Lives in Porto.", 0);
        check("Ann: Really? Where?", 100);
        check("Where is it", 0);
        check("Abcd. Efgh?", 50);
        check("It is 3.5 km away. Why?", 20);
        check("我住在北京。你呢？", 28);
    }
}
