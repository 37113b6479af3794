//! Patterns in which a person says what something is for: files, addresses, commands.

use std::path::MAIN_SEPARATOR;

/// Whether a text fits a pattern, in which `*` stands for any signs and nothing
/// else for anything but itself. ` *` at its end also stands for nothing at all: a
/// command needs no arguments.
pub fn fits(pattern: &str, text: &str) -> bool {
    let bare = pattern.strip_suffix(" *");
    is_of(pattern, text) || bare.is_some_and(|bare| is_of(bare, text))
}

/// The same of whatever somebody may touch: a folder of which all that lies in it fits is as
/// good as that.
pub fn fits_all_of(pattern: &str, target: &str) -> bool {
    fits(pattern, target) || fits(pattern, &format!("{target}{MAIN_SEPARATOR}"))
}

fn is_of(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_signs_and_nothing_else_does() {
        let check = |pattern: &str, text: &str, expected: bool| {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        };
        check("a", "a", true);
        check("a", "ab", false);
        check("", "", true);
        check("", "a", false);
        check("*", "", true);
        check("*", "a/b", true);
        check("/data/*", "/data/a/b", true);
        check("/data/*", "/data", false);
        check("/data/*", "/datas/a", false);
        check("*.md", "/a/b.md", true);
        check("*.md", "/a/b.mdx", false);
        check("a*b*c", "a-b-b-c", true);
        check("a*b*c", "a-c-b", false);
        check("ab*ba", "aba", false);
        check("https://example.org/*", "https://example.org.evil/x", false);
        check("[a]?", "a", false);
        check("*京*", "北京市", true);
    }

    #[test]
    fn a_pattern_of_a_command_is_for_the_command_alone_too_and_for_no_other() {
        assert!(fits("git status *", "git status"));
        assert!(fits("git status *", "git status --short"));
        assert!(!fits("git status *", "git statusx"));
        assert!(!fits("git status *", "git stash"));
        assert!(!fits("git status *", "x git status"));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_which_everything_fits_does_so_itself() {
        for (target, expected) in [
            ("/home/ann/.ssh", true),
            ("/home/ann/.ssh/id", true),
            ("/home/ann", false),
            ("/home/ann/.sshd", false),
        ] {
            assert_eq!(fits_all_of("*/.ssh/*", target), expected, "{target}");
        }
    }
}
