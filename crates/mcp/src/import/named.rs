//! What a server is called here that another app calls by a name of any letters.

use std::collections::BTreeSet;

use crate::config::LONGEST_NAME;

pub(super) struct Named {
    /// One that fits and that no other of the file has.
    pub(super) name: String,
    /// The other app's, where this cannot be read out of the name.
    pub(super) title: Option<String>,
}

impl Named {
    /// The same title has the same name, in whichever file it stands: so a server that is
    /// there already is known, and two in other letters than ours are told apart.
    pub(super) fn of(title: &str, taken: &BTreeSet<String>) -> Named {
        let fits = |letter: &char| letter.is_ascii_alphanumeric();
        let letters =
            title.chars().map(|one| if fits(&one) { one.to_ascii_lowercase() } else { '-' });
        let letters: String = letters.collect();
        let words: Vec<&str> = letters.split('-').filter(|word| !word.is_empty()).collect();
        let words = words.join("-");
        let is_whole = words.len() <= LONGEST_NAME
            && !words.is_empty()
            && !title.chars().any(|one| one.is_alphanumeric() && !fits(&one));
        let name = if is_whole { words } else { marked(&words, title) };
        let numbered = (2..1000).map(|n| format!("{}-{n}", cut(&name, LONGEST_NAME - 4)));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let name = names.find(|name| !taken.contains(name)).unwrap_or(name);
        Named { name, title: (!is_whole).then(|| shown(title)) }
    }
}

/// What its letters say, if they say something, and a sign of all of them.
fn marked(words: &str, title: &str) -> String {
    let mark = blake3::hash(title.trim().as_bytes()).to_hex();
    let kept = match cut(words, LONGEST_NAME - MARK - 1) {
        "" => "server",
        kept => kept,
    };
    format!("{kept}-{}", &mark[..MARK])
}

const MARK: usize = 6;

/// Of letters, digits and dashes.
fn cut(words: &str, most: usize) -> &str {
    words.get(..most).unwrap_or(words).trim_end_matches('-')
}

/// In one line, and no longer than one.
pub(super) fn shown(title: &str) -> String {
    let words: Vec<&str> =
        title.split(|one: char| one.is_whitespace() || one.is_control()).collect();
    let words = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    words.chars().take(LONGEST_TITLE).collect()
}

const LONGEST_TITLE: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(title: &str) -> Named {
        Named::of(title, &BTreeSet::new())
    }

    #[test]
    fn a_name_in_any_letters_is_told_apart_and_the_same_each_time() {
        let titles = [
            "高德地图",
            "文件系统",
            "天気",
            "Погода",
            "高德 maps",
            "百度 maps",
            "Müller",
            "🙂",
            "",
        ];
        let names: BTreeSet<String> = titles.iter().map(|title| of(title).name).collect();
        assert_eq!(names.len(), titles.len(), "{names:?}");
        for title in titles {
            let Named { name, title: kept } = of(title);
            assert_eq!((&name, kept.as_deref()), (&of(title).name, Some(title)));
            let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
            assert!(name.len() <= LONGEST_NAME && name.chars().all(fits), "{name}");
        }
        assert!(of("高德 maps").name.starts_with("maps-"));
        assert!(of("高德地图").name.starts_with("server-"));
    }

    #[test]
    fn what_our_letters_can_say_is_its_name_and_needs_no_other() {
        for (title, name) in [("My Files", "my-files"), ("git", "git"), ("odd // name", "odd-name")]
        {
            let found = of(title);
            assert_eq!((found.name.as_str(), found.title), (name, None), "{title}");
        }
        let long = "a-very-long-name-of-a-server-one";
        let other = "a-very-long-name-of-a-server-two";
        assert_ne!(of(long).name, of(other).name);
        let taken = BTreeSet::from(["git".to_owned()]);
        assert_eq!(Named::of("git", &taken).name, "git-2");
    }

    #[test]
    fn a_title_is_one_line() {
        assert_eq!(shown(" 高德\n\n 地图\u{7} "), "高德 地图");
        assert_eq!(shown(&"图".repeat(100)).chars().count(), LONGEST_TITLE);
    }
}
