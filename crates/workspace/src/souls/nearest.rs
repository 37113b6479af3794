//! Which known name somebody may have meant.
//!
//! Pure.

use crate::letters;

/// The known name that is nearest to a word, if any is near: the same but for capitals and
/// for what stands between its parts, a letter or two away, or the only one that it begins.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let wanted = plain(word);
    let known: Vec<(&str, String)> = known.into_iter().map(|one| (one, plain(one))).collect();
    // In a short word two other letters are another word.
    let most = if wanted.chars().count() < 5 { 1 } else { 2 };
    let away = known.iter().map(|(name, plain)| (distance(plain, &wanted), *name));
    if let Some((_, name)) = away.filter(|(away, _)| *away <= most).min() {
        return Some(name.to_owned());
    }
    let long_enough = wanted.chars().count() >= 4;
    let mut begun = known.iter().filter(|(_, plain)| long_enough && plain.starts_with(&wanted));
    match (begun.next(), begun.next()) {
        (Some((name, _)), None) => Some((*name).to_owned()),
        _ => None,
    }
}

fn plain(name: &str) -> String {
    letters::of(name).chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect()
}

/// How many letters must be added, dropped or changed to get from one word to the other.
pub(super) fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_near_is_found_and_another_word_is_not() {
        let known = ["calculator", "read_file", "run_code", "search_files", "shell", "time"];
        let check = |word: &str, near: Option<&str>| {
            assert_eq!(nearest(word, known).as_deref(), near, "{word}");
        };
        check("calculater", Some("calculator"));
        check("Read-File", Some("read_file"));
        check("readfile", Some("read_file"));
        check("search", Some("search_files"));
        check("shel", Some("shell"));
        check("tome", Some("time"));
        check("browser", None);
        check("r", None);
        check("", None);
    }
}
