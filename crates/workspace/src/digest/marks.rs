//! Links in the place of the numbers that an agent writes behind what it tells.
//!
//! Pure. A number that stands for something becomes the link to it; any other stays as
//! it was written. An agent has no links of its own here: one to something in the
//! workspace that the record did not name loses its address and keeps its words.

use crate::mentions::end_of_code;

/// How links to something in the workspace begin.
const OURS: &str = "coterie:";

/// The text with `[3]` led to the third of these links. What stands in code stays.
pub(crate) fn linked(text: &str, links: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let code = end_of_code(text, at) - at;
        at += if code > 0 {
            out.push_str(&rest[..code]);
            code
        } else if let Some((links, length)) = of_numbers(rest, links) {
            out.push_str(&links);
            length
        } else if let Some((kept, length)) = without_invented_address(rest, links) {
            out.push_str(kept);
            length
        } else {
            // What follows a backslash is meant as it stands.
            let more = if first == '\\' { rest[1..].chars().next() } else { None };
            let length = first.len_utf8() + more.map_or(0, char::len_utf8);
            out.push_str(&rest[..length]);
            length
        };
    }
    out
}

/// The links for numbers in brackets that the text begins with, and how much of it they
/// take, with an address that the agent has put behind them.
fn of_numbers(text: &str, links: &[String]) -> Option<(String, usize)> {
    let (open, close) = match text.chars().next()? {
        '[' => ('[', ']'),
        // As Chinese has them.
        '\u{3010}' => ('\u{3010}', '\u{3011}'),
        _ => return None,
    };
    let inside = &text[open.len_utf8()..];
    let words = &inside[..inside.find(close)?];
    let numbers = numbers(words)?;
    if !numbers.iter().any(|number| link_of(*number, links).is_some()) {
        return None;
    }
    let each = numbers.into_iter().map(|number| match link_of(number, links) {
        Some(link) => format!("[[{number}]]({link})"),
        None => format!("[{number}]"),
    });
    let length = open.len_utf8() + words.len() + close.len_utf8();
    // Words in parentheses are no address.
    let is_address =
        |address: &&str| !address.contains(char::is_whitespace) || is_invented(address, links);
    let address = address_at_the_beginning(&text[length..]).filter(is_address);
    let behind = address.map_or(0, |address| address.len() + 2);
    Some((each.collect::<Vec<_>>().join(" "), length + behind))
}

/// `3`, or `3, 5`.
fn numbers(words: &str) -> Option<Vec<usize>> {
    let number = |word: &str| {
        let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        is_number.then(|| word.parse().ok()).flatten()
    };
    words.split([',', '\u{ff0c}', '\u{3001}']).map(|word| number(word.trim())).collect()
}

fn link_of(number: usize, links: &[String]) -> Option<&String> {
    links.get(number.checked_sub(1)?)
}

/// What stands in parentheses right here.
fn address_at_the_beginning(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('(')?;
    Some(&inside[..inside.find(')')?])
}

/// The end of a link, or a whole one between angle brackets, that leads to something the
/// record did not name: what stays of it, and how much of the text that was.
fn without_invented_address<'t>(text: &'t str, links: &[String]) -> Option<(&'t str, usize)> {
    if let Some(behind) = text.strip_prefix(']') {
        if let Some(address) = address_at_the_beginning(behind) {
            return is_invented(address, links).then_some(("]", address.len() + 3));
        }
        // An address that is told apart from the words.
        let address = behind.strip_prefix(':')?.lines().next()?;
        return is_invented(address, links).then_some(("]", 2));
    }
    let inside = text.strip_prefix('<')?;
    let address = &inside[..inside.find(['>', '\n', ' '])?];
    let is_whole = inside[address.len()..].starts_with('>');
    (is_whole && is_invented(address, links)).then_some((address, address.len() + 2))
}

fn is_invented(address: &str, links: &[String]) -> bool {
    let address = address.trim();
    let inside = address.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let known = inside.unwrap_or(address);
    let address = address.trim_start_matches('<');
    let begins = address.get(..OURS.len()).is_some_and(|start| start.eq_ignore_ascii_case(OURS));
    // Letters may be written as numbers there.
    let may_be = begins || address.contains("&#") || address.contains("&colon");
    may_be && !links.iter().any(|link| link == known)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    fn links() -> Vec<String> {
        ["run/a", "message/b"].map(|link| format!("coterie://{link}")).into()
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(super::linked(text, &links()), expected, "{text}");
    }

    #[test]
    fn numbers_of_things_become_links_to_them() {
        check("Bo failed [1].", "Bo failed [[1]](coterie://run/a).");
        check("好的【2】。", "好的[[2]](coterie://message/b)。");
        check("Both [1, 2]", "Both [[1]](coterie://run/a) [[2]](coterie://message/b)");
        check("[1][2]", "[[1]](coterie://run/a)[[2]](coterie://message/b)");
        check("Both [2, 9]", "Both [[2]](coterie://message/b) [9]");
    }

    #[test]
    fn what_is_no_such_number_stays_text() {
        let all = ["[3] and [0]", "[99999999999999999999]", "[a] [1a] [] [,]", "[1", "\\[1]"];
        for text in all.into_iter().chain(["`[1]` and ``[2]``", "[the site](https://example.org)"])
        {
            check(text, text);
        }
    }

    #[test]
    fn no_link_is_invented() {
        check("[1](coterie://run/zzz)", "[[1]](coterie://run/a)");
        check("[1](https://example.org)", "[[1]](coterie://run/a)");
        check("[1](as he said)", "[[1]](coterie://run/a)(as he said)");
        check("[7](coterie://run/zzz)", "[7]");
        check("[the run](Coterie://run/zzz)", "[the run]");
        check("[the [big] run]( <coterie://run/zzz>)", "[the [big] run]");
        check("[the run](coterie://run/a>)", "[the run]");
        check("[the run]: coterie://run/zzz", "[the run] coterie://run/zzz");
        check("<coterie://run/zzz>", "coterie://run/zzz");
        check("[the run](coterie://run/a)", "[the run](coterie://run/a)");
    }

    proptest! {
        #[test]
        fn every_link_that_comes_of_it_is_one_of_these(
            text in "(\\[|\\]|\\(|\\)|1|2|3|,|<|>|a| |\\]\\(coterie://run/|。){0,24}"
        ) {
            let linked = super::linked(&text, &links());
            for behind in linked.split("](coterie://").skip(1) {
                let whole = behind.split_once(')').map(|(address, _)| address);
                prop_assert!(
                    whole.is_none_or(|address| ["run/a", "message/b"].contains(&address.trim())),
                    "{text:?} gives {linked:?}"
                );
            }
        }
    }
}
