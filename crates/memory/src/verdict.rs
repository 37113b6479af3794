//! Decides what a new memory means for one there is.
//!
//! By subject and attribute first. The nearness of vectors never decides alone:
//! "my colleague has a doctorate" and "my boss has a doctorate" are nearer than
//! most restatements.

use domain::{Memory, NewMemory, Statement, Trust};
use unicode_normalization::UnicodeNormalization;

/// From this cosine on two texts of one subject with the same numbers and names
/// say the same (measured on the bundled model, which gives unlike texts 0.83
/// and a different subject with the same attribute 0.98).
const SAME: f32 = 0.985;

/// What becomes of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They have nothing to do with each other.
    Apart,
    /// The new one says it again: it counts for the old one.
    Repeats,
    /// The new one holds from now on, the old one held until now.
    Supersedes,
    /// The old one goes on holding, since it is more trusted, until a person decides.
    Contests,
}

/// Compares a new memory with a current one of the same scope. `cosine` is of
/// their vectors, where both have one.
pub fn verdict(old: &Memory, new: &NewMemory, trust: Trust, cosine: Option<f32>) -> Verdict {
    if old.scope != new.scope {
        return Verdict::Apart;
    }
    if fingerprint(&old.text) == fingerprint(&new.text) {
        return Verdict::Repeats;
    }
    match (&old.statement, &new.statement) {
        (Some(before), Some(now)) if same_key(before, now) => {
            if plain(&before.value) == plain(&now.value) {
                Verdict::Repeats
            } else if trust < old.trust {
                Verdict::Contests
            } else {
                Verdict::Supersedes
            }
        }
        (Some(_), Some(_)) => Verdict::Apart,
        _ if old.kind == new.kind
            && cosine.is_some_and(|cosine| cosine >= SAME)
            && same_details(&old.text, &new.text) =>
        {
            Verdict::Repeats
        }
        _ => Verdict::Apart,
    }
}

fn same_key(one: &Statement, other: &Statement) -> bool {
    plain(&one.subject) == plain(&other.subject) && plain(&one.attribute) == plain(&other.attribute)
}

/// What two texts have in common that differ only in case, width, spaces and
/// punctuation.
pub fn fingerprint(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

fn plain(text: &str) -> String {
    let text: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '。', '!', '！']).to_owned()
}

/// Whether both name the same numbers and the same capitalised names, and deny
/// alike.
fn same_details(one: &str, other: &str) -> bool {
    details(one) == details(other)
}

fn details(text: &str) -> (Vec<String>, bool) {
    let text: String = text.nfkc().collect();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let telling = |word: &&str| word.chars().any(|c| c.is_numeric() || c.is_uppercase());
    // The first word is capitalised in any sentence.
    let mut details: Vec<String> = words.skip(1).filter(telling).map(str::to_lowercase).collect();
    details.extend(
        text.split(|c: char| !c.is_numeric())
            .filter(|digits| !digits.is_empty())
            .map(str::to_owned),
    );
    details.sort();
    details.dedup();
    let lower = text.to_lowercase();
    let denies = DENYING.iter().any(|word| lower.contains(word));
    (details, denies)
}

const DENYING: [&str; 12] = [
    " not ",
    "n't",
    " never ",
    " no ",
    " without ",
    " anymore",
    "不",
    "没",
    "别",
    "無",
    "ない",
    "ません",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory;
    use domain::{MemoryKind, MemoryScope};

    fn said(text: &str) -> NewMemory {
        NewMemory {
            kind: MemoryKind::Fact,
            scope: MemoryScope::User,
            text: text.into(),
            statement: None,
            tags: vec![],
            importance: None,
            valid_from_ms: None,
            valid_to_ms: None,
        }
    }

    fn stating(subject: &str, attribute: &str, value: &str) -> NewMemory {
        let [subject, attribute, value] = [subject, attribute, value].map(str::to_owned);
        let text = format!("{subject} {attribute} {value}");
        NewMemory { statement: Some(Statement { subject, attribute, value }), ..said(&text) }
    }

    fn kept(new: NewMemory, trust: Trust) -> Memory {
        Memory {
            kind: new.kind,
            scope: new.scope,
            statement: new.statement,
            trust,
            ..memory(&new.text)
        }
    }

    #[test]
    fn the_same_words_in_other_case_width_and_punctuation_repeat() {
        let old = kept(said("Likes green tea."), Trust::Person);
        assert_eq!(
            verdict(&old, &said("likes ｇｒｅｅｎ tea!"), Trust::Agent, None),
            Verdict::Repeats
        );
        assert_eq!(verdict(&old, &said("Likes black tea."), Trust::Agent, None), Verdict::Apart);
    }

    #[test]
    fn another_value_of_the_same_attribute_takes_over_unless_it_is_less_trusted() {
        let old = kept(stating("user", "lives in", "Porto"), Trust::Agent);
        let new = stating("User", "lives  in", "Lisbon");
        assert_eq!(verdict(&old, &new, Trust::Person, Some(0.99)), Verdict::Supersedes);
        assert_eq!(verdict(&old, &new, Trust::Agent, None), Verdict::Supersedes);
        assert_eq!(verdict(&old, &new, Trust::Untrusted, None), Verdict::Contests);
        assert_eq!(
            verdict(&old, &stating("user", "lives in", "porto."), Trust::Agent, None),
            Verdict::Repeats
        );
    }

    #[test]
    fn another_subject_is_another_matter_however_near() {
        let old = kept(stating("my colleague", "degree", "a doctorate"), Trust::Person);
        let new = stating("my boss", "degree", "a doctorate");
        assert_eq!(verdict(&old, &new, Trust::Person, Some(0.99)), Verdict::Apart);
    }

    #[test]
    fn near_texts_repeat_only_with_the_same_numbers_names_and_denial() {
        let old = kept(said("The courier's boss lives at number 12 with Bo"), Trust::Person);
        let near = |text: &str| verdict(&old, &said(text), Trust::Person, Some(0.99));
        assert_eq!(near("The boss of the courier lives at number 12, with Bo"), Verdict::Repeats);
        assert_eq!(near("The boss of the courier lives at number 14, with Bo"), Verdict::Apart);
        assert_eq!(near("The boss of the courier lives at number 12, with Al"), Verdict::Apart);
        assert_eq!(
            near("The boss of the courier does not live at number 12 with Bo"),
            Verdict::Apart
        );
        let far =
            verdict(&old, &said("Someone lives at number 12 with Bo"), Trust::Person, Some(0.97));
        assert_eq!(far, Verdict::Apart);
    }

    #[test]
    fn memories_of_two_scopes_never_meet() {
        let old = kept(said("Likes tea"), Trust::Person);
        let new = NewMemory { scope: MemoryScope::Workspace, ..said("Likes tea") };
        assert_eq!(verdict(&old, &new, Trust::Person, Some(1.0)), Verdict::Apart);
    }
}
