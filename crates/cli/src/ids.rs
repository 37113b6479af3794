//! Ids as people give them: whole, or as much of either end as tells one apart.
//!
//! An id begins with the time: what was made in the same minute begins alike.
//! Its end is left to chance, so that is what lists show of it. Both ends are
//! understood.

use domain::Fault;
use std::fmt::Display;

/// How much of an id is no slip of the finger.
const LEAST: usize = 4;

/// The last group of an id's digits. Among a million of a kind two will hardly
/// ever share it.
const SHOWN: usize = 12;

/// What to call each in a list of these.
pub(crate) fn shorter<I: Display>(ids: impl IntoIterator<Item = I>) -> impl Fn(I) -> String {
    let mut ends: Vec<String> = ids.into_iter().map(end_of).collect();
    ends.sort_unstable();
    let is_enough = ends.windows(2).all(|pair| pair[0] != pair[1]);
    move |id| if is_enough { end_of(id) } else { id.to_string() }
}

pub(crate) fn end_of(id: impl Display) -> String {
    let id = id.to_string();
    id[id.len() - SHOWN..].to_owned()
}

/// What was given, as a part that an id may have. `list` is the command that
/// shows them.
pub(crate) fn part(what: &str, wanted: &str, list: &str) -> Result<String, Fault> {
    let part = wanted.to_lowercase();
    if !part.chars().all(|c| c.is_ascii_hexdigit() || c == '-') {
        return Err(unknown(what, wanted, list));
    }
    if part.chars().count() < LEAST {
        return Err(Fault::bad_input(
            format!("{wanted:?} is too little of a {what}'s id"),
            format!("give {LEAST} characters of it at least; {list} shows enough"),
        ));
    }
    Ok(part)
}

pub(crate) fn unknown(what: &str, wanted: &str, list: &str) -> Fault {
    Fault::not_found(format!("there is no {what} {wanted}"), format!("{list} shows them"))
}

/// The one that is meant, among all of a kind. `told` says what it is.
pub(crate) fn one_of<Q, I: Display>(
    kind: &str,
    all: Vec<Q>,
    wanted: &str,
    list: &str,
    id: impl Fn(&Q) -> I,
    told: impl Fn(&Q) -> String,
) -> Result<Q, Fault> {
    let part = part(kind, wanted, list)?;
    let fitting: Vec<Q> = all.into_iter().filter(|one| fits(id(one), &part)).collect();
    if fitting.len() > 1 {
        let told: Vec<String> =
            fitting.iter().map(|one| format!("{} ({})", id(one), told(one))).collect();
        return Err(ambiguous(wanted, &format!("{kind}s"), &told));
    }
    fitting.into_iter().next().ok_or_else(|| unknown(kind, wanted, list))
}

/// With or without the dashes.
pub(crate) fn fits(id: impl Display, part: &str) -> bool {
    let fits = |id: &str, part: &str| id.starts_with(part) || id.ends_with(part);
    let bare = |text: &str| text.replace('-', "");
    let id = id.to_string();
    fits(&id, part) || (!part.contains('-') && fits(&bare(&id), part))
}

/// `told` says of each of them what it is, the first of them first.
pub(crate) fn ambiguous(wanted: &str, what: &str, told: &[String]) -> Fault {
    /// More than this many are not told one by one.
    const MOST_TOLD: usize = 5;
    let more = match told.len().saturating_sub(MOST_TOLD) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let some = told.iter().take(MOST_TOLD).cloned().collect::<Vec<_>>().join(", ");
    Fault::bad_input(
        format!("{wanted} stands for {} {what}: {some}{more}", told.len()),
        "give more of the id of the one you mean",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_known_by_either_end_with_or_without_dashes() {
        let id = "019ab123-4567-7abc-8def-0123456789ab";
        for part in
            ["019a", "019ab123-4", "019ab1234567", "89ab", "0123456789ab", "8def-0123456789ab"]
        {
            assert!(fits(id, part), "{part}");
        }
        for part in ["b123", "019b", "019ab123-45677", "7abc"] {
            assert!(!fits(id, part), "{part}");
        }
    }

    #[test]
    fn lists_show_whole_ids_where_two_end_alike() {
        let ids = ["019ab123-4567-7abc-8def-0123456789ab", "019ab123-4567-7abc-8de0-0123456789ab"];
        assert_eq!(shorter(&ids[..1])(&ids[0]), "0123456789ab");
        assert_eq!(shorter(&ids)(&ids[0]), ids[0]);
    }
}
