//! What the arguments of a server's tool may name: a file, an address, anything.
//!
//! Only the server knows what it does with a text, so each of them is compared with what
//! never happens, and where it can be read as a path, each way in which it can be. Rather
//! one use blocked too many than one too few. No permission is ever compared with these.

use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf, Prefix, is_separator};
use tools::{fits_all_of, plain};

/// In bytes, as the system takes them: what is longer names no file.
const LONGEST_PATH: usize = 4096;

/// As many as the system follows.
const MOST_LINKS: u8 = 40;

#[derive(Debug, Clone, Default)]
pub(super) struct Named {
    /// As they stand; whole paths also without what leads nowhere, and where they lead to.
    whole: BTreeSet<String>,
    /// Paths that begin where only the server knows, without their beginning.
    below: BTreeSet<String>,
}

impl Named {
    pub(super) fn of(arguments: &Value) -> Self {
        let mut named = Named::default();
        named.add(arguments);
        named
    }

    pub(super) fn fits(&self, pattern: &str) -> bool {
        self.whole.iter().any(|text| fits_all_of(pattern, text))
            || self.below.iter().any(|path| may_lie_in(pattern, path))
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                self.add_text(name);
                self.add(value);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        self.whole.insert(text.to_owned());
        let text = text.trim();
        self.whole.insert(text.to_owned());
        if text.len() > LONGEST_PATH || text.contains('\0') {
            return;
        }
        let path = of_file_address(text).unwrap_or_else(|| PathBuf::from(text));
        if !path.is_absolute() {
            self.below.extend(below(&path).map(shown));
            return;
        }
        let straight = plain(&path);
        let reached = [&path, &straight].into_iter().filter_map(|path| reached(path, MOST_LINKS));
        self.whole.extend(reached.map(shown));
        self.whole.insert(shown(straight));
    }
}

/// A pattern, and the same with what its folder leads to now: a person may know that by a link
/// of theirs. Whoever names a site without a page means all of it.
pub(super) fn ways(pattern: &str) -> Vec<String> {
    let mut ways = vec![pattern.to_owned()];
    ways.extend(resolved(pattern).filter(|resolved| resolved != pattern));
    ways.extend(names_a_site(pattern).then(|| format!("{pattern}/*")));
    ways
}

fn names_a_site(pattern: &str) -> bool {
    let host = pattern.split_once("://").map(|(_, host)| host);
    host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*']))
}

fn resolved(pattern: &str) -> Option<String> {
    let fixed = pattern.split('*').next().filter(|fixed| Path::new(fixed).is_absolute())?;
    let (folder, rest) = match fixed.len() == pattern.len() {
        true => (pattern, ""),
        false => pattern.split_at(fixed.rfind(is_separator)?),
    };
    let there = shown(reached(Path::new(folder), MOST_LINKS)?);
    Some(format!("{}{rest}", there.trim_end_matches(is_separator)))
}

fn shown(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

/// Whether a path that begins somewhere may lead to what a pattern of whole paths is for:
/// its parts are those with which such a one ends.
fn may_lie_in(pattern: &str, path: &str) -> bool {
    let is_of_paths = pattern.starts_with(|sign| sign == '*' || is_separator(sign))
        || Path::new(pattern).is_absolute();
    let says_something = |end: &&str| {
        !end.starts_with(is_separator) && end.contains(|sign| sign != '*' && !is_separator(sign))
    };
    let cuts = pattern.char_indices().filter(|(_, sign)| is_separator(*sign));
    let mut ends = cuts.map(|(at, sign)| &pattern[at + sign.len_utf8()..]).filter(says_something);
    fits_all_of(pattern, &format!("{MAIN_SEPARATOR}{path}"))
        || (is_of_paths && ends.any(|end| fits_all_of(end, path)))
}

/// The path in an address such as `file:///home/ann/a%20b`.
fn of_file_address(text: &str) -> Option<PathBuf> {
    let (scheme, rest) = text.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    // Whatever host it names: it is of this machine, or of none.
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or("", |at| &rest[at..]),
        None => rest,
    };
    let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
    // `/C:/Users` stands there for `C:/Users`.
    let has_drive = cfg!(windows) && path.chars().nth(2) == Some(':');
    Some(PathBuf::from(if has_drive { &path[1..] } else { &path }))
}

/// What is known of a path that begins at the server's folder, above it, at somebody's home
/// or at a variable.
fn below(path: &Path) -> Option<PathBuf> {
    let mut parts: Vec<&str> = Vec::new();
    for (nth, part) in path.components().enumerate() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => {
                let part = part.to_str()?;
                if nth > 0 || !part.starts_with(['~', '$', '%']) {
                    parts.push(part);
                }
            }
            Component::CurDir | Component::Prefix(_) | Component::RootDir => {}
        }
    }
    (!parts.is_empty()).then(|| parts.iter().collect())
}

/// Where a whole path leads to now, with every link resolved; what is not there yet, where it
/// would be. Another machine is not looked at.
fn reached(path: &Path, links: u8) -> Option<PathBuf> {
    let is_elsewhere = |part: Component<'_>| {
        matches!(part, Component::Prefix(prefix)
            if !matches!(prefix.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_)))
    };
    if path.components().any(is_elsewhere) {
        return None;
    }
    for way in path.ancestors() {
        let rest = path.strip_prefix(way).ok()?;
        if let Ok(there) = way.canonicalize() {
            return Some(plain(&there.join(rest)));
        }
        // A link to what is not there yet.
        if let (Ok(to), Some(folder)) = (way.read_link(), way.parent()) {
            return reached(&folder.join(to).join(rest), links.checked_sub(1)?);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(pattern: &str, text: &str, expected: bool) {
        let named = Named::of(&json!({"of": [{"path": text}]}));
        assert_eq!(named.fits(pattern), expected, "{pattern} {text}");
    }

    #[test]
    fn every_text_is_compared_however_deep_it_stands() {
        let named = Named::of(&json!({"a": [1, null, {"b": ["tea", {"/srv/x": true}]}]}));
        for pattern in ["tea", "te*", "/srv/*", "a", "b"] {
            assert!(named.fits(pattern), "{pattern}");
        }
        for pattern in ["coffee", "te", "1", "true", "/srv", ""] {
            assert!(!named.fits(pattern), "{pattern}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_compared_in_whatever_way_it_is_written() {
        for text in [
            "/srv/w/secret/s.txt",
            "/srv/w/secret",
            "/srv/w/secret/",
            " /srv/w/secret/s.txt\n",
            "/srv//w/./secret/s.txt",
            "/srv/w/open/../secret/s.txt",
            "/../srv/w/secret/s.txt",
            "file:///srv/w/secret/s.txt",
            "FILE://localhost/srv/w/se%63ret/s.txt",
            "file:/srv/w/secret/s.txt",
        ] {
            check("/srv/w/secret/*", text, true);
            check("*/secret/*", text, true);
        }
        for text in ["/srv/w", "/srv/w/secrets", "/srv/w/open/s.txt", "file:///srv/w/open"] {
            check("/srv/w/secret/*", text, false);
            check("*/secret/*", text, false);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_only_the_server_resolves_is_compared_part_by_part() {
        let check = |pattern: &str, texts: &[&str], expected: bool| {
            texts.iter().for_each(|text| check(pattern, text, expected));
        };
        let blocked = ["secret", "secret/s", "./w/secret/", "../w/secret/s", "w/x/../secret"];
        check("/srv/w/secret/*", &blocked, true);
        check("/srv/w/secret/*", &["~/secret/s", "$HOME/w/secret/s", "file:secret/s"], true);
        check("/srv/w/secret/*", &["s.txt", ".", "", "my secret", "x/secret/s", "w", "~"], false);
        check("*/.ssh/*", &[".ssh", ".ssh/id", "a/.ssh/id", "~ann/.ssh", "a/../.ssh"], true);
        check("*/.ssh/*", &["ssh", ".sshd", "what is .ssh?"], false);
        check("/srv/*/secret/*", &["ann/secret/x", "secret/x"], true);
        check("*/plan.md", &["plan.md", "x/plan.md"], true);
        check("*/plan.md", &["plan.mdx", "a plan.md"], false);
        // What is no path has no such parts.
        check("https://example.org/*", &["x", "example", "secret"], false);
        check("rm -rf /srv/*", &["srv", "srv/x"], false);
        check("*", &["anything"], true);
    }

    #[cfg(unix)]
    #[test]
    fn a_pattern_is_also_one_of_what_its_folder_leads_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let there = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir(there.join("real")).expect("a folder");
        std::os::unix::fs::symlink("real", there.join("docs")).expect("a link");
        let check = |pattern: &str, expected: Option<&str>| {
            let whole = |end: &str| there.join(end).display().to_string();
            assert_eq!(resolved(&whole(pattern)), expected.map(whole), "{pattern}");
        };
        check("docs/secret/*", Some("real/secret/*"));
        check("docs/*", Some("real/*"));
        check("docs/s*/x", Some("real/s*/x"));
        check("docs/s.txt", Some("real/s.txt"));
        check("docs", Some("real"));
        check("docs/../real/*", Some("real/*"));
        check("real/*", Some("real/*"));
        assert_eq!(ways("https://a.org:80"), ["https://a.org:80", "https://a.org:80/*"]);
        for pattern in [
            "*/docs/*",
            "docs/*",
            "https://example.org/*",
            "https://*",
            "https://",
            "rm *",
            "*",
            "",
            "/*",
        ] {
            assert_eq!(ways(pattern), [pattern], "{pattern}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_compared_as_what_it_leads_to_also_where_nothing_is_yet() {
        let folder = tempfile::tempdir().expect("a folder");
        let there = folder.path().canonicalize().expect("it is there");
        std::fs::create_dir_all(there.join("secret/inner")).expect("folders");
        std::fs::create_dir(there.join("open")).expect("a folder");
        let link = |to: &str, from: &str| {
            std::os::unix::fs::symlink(to, there.join(from)).expect("a link");
        };
        link("../secret", "open/link");
        link("../secret/new.txt", "open/new");
        link("loop", "open/loop");
        let pattern = there.join("secret/*").display().to_string();
        let text = |path: &str| there.join(path).display().to_string();
        for path in ["open/link", "open/link/a/b", "open/link/inner/..", "open/new"] {
            check(&pattern, &text(path), true);
        }
        for path in ["open/link/../x", "open/loop", "open/loop/x", "open/secret"] {
            check(&pattern, &text(path), false);
        }
    }
}
