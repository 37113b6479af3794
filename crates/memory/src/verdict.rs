//! Decides what a new memory means for one there is.
//!
//! By subject and attribute, and by when each is so: what is never so at the same
//! time contradicts nothing. The nearness of vectors decides nothing: "my colleague
//! has a doctorate" and "my boss has a doctorate" are nearer than most
//! restatements. Texts without a statement say the same in the same words only.

use crate::also::says_also;
use crate::attributes::{holds_several, name_of};
use crate::same::beyond;
use crate::traditional::simple;
use crate::{marks, same_words, values};
use domain::{Memory, NewMemory, Statement, Trust};
use std::cmp::Ordering;
use unicode_normalization::UnicodeNormalization;

/// What becomes of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They have nothing to do with each other.
    Apart,
    /// The new one says it again: it counts for the old one.
    Repeats,
    /// The new one holds from when it begins, the old one until then.
    Supersedes,
    /// The old one begins later, at this time: the new one holds until then.
    Precedes(i64),
    /// The old one goes on holding, since it is more trusted, until a person decides.
    Contests,
}

/// Compares a new memory with a current one of the same scope. `now_ms` is when
/// the new one is said.
pub fn verdict(old: &Memory, new: &NewMemory, trust: Trust, now_ms: i64) -> Verdict {
    if old.scope != new.scope {
        return Verdict::Apart;
    }
    let same_time = (old.valid_from_ms, old.valid_to_ms) == (new.valid_from_ms, new.valid_to_ms);
    if !same_time && !meet(old, new, now_ms) {
        return Verdict::Apart;
    }
    if fingerprint(&old.text) == fingerprint(&new.text) {
        return Verdict::Repeats;
    }
    match (&old.statement, &new.statement) {
        (Some(before), Some(now)) if same_key(before, now) => {
            if values::go_together(&before.value, &now.value) {
                Verdict::Apart
            } else if same_value(&before.value, &now.value) {
                of_one_value(old, new, trust, now_ms)
            } else if !meet(old, new, now_ms) || are_several(before, now) {
                Verdict::Apart
            } else if trust < old.trust {
                Verdict::Contests
            } else if says_also(&new.text) || says_also(&old.text) {
                Verdict::Apart
            } else {
                of_two_times(old, new, trust, now_ms)
            }
        }
        (Some(_), Some(_)) => Verdict::Apart,
        _ if old.kind == new.kind && same_words(&old.text, &new.text) => Verdict::Repeats,
        _ => Verdict::Apart,
    }
}

/// Whether a memory that somebody says now says what another one does: in its words, or
/// the same value of the same thing.
pub fn says_again(old: &Memory, new: &Memory) -> bool {
    let states_it = old
        .statement
        .as_ref()
        .zip(new.statement.as_ref())
        .is_some_and(|(old, new)| same_key(old, new) && same_value(&old.value, &new.value));
    states_it || fingerprint(&old.text) == fingerprint(&new.text)
}

/// Whether a memory says of what another one states that it is so no longer.
pub fn says_over(over: &Memory, of: &Memory) -> bool {
    let stated = over.statement.as_ref().zip(of.statement.as_ref());
    stated.is_some_and(|(over, of)| {
        let ends = values::is_no_longer(&over.value) && !values::is_no_longer(&of.value);
        ends && same_key(over, of) && !values::go_together(&over.value, &of.value)
    })
}

/// Whether both can be so at once: two of those of whom somebody may have several.
pub(crate) fn are_several(one: &Statement, other: &Statement) -> bool {
    let holds = |stated: &Statement| !values::is_no_longer(&stated.value);
    holds_several(&one.attribute)
        && holds(one)
        && holds(other)
        && !same_value(&one.value, &other.value)
}

/// Both state the same, and each may say more beside it. Who says less than the other
/// vouches for nothing that only the other says, and what somebody says beside it is not
/// thrown away.
fn of_one_value(old: &Memory, new: &NewMemory, trust: Trust, now_ms: i64) -> Verdict {
    let stated = new.statement.as_ref();
    let stated = stated.map_or([""; 3], |one| [&one.subject, &one.attribute, &one.value]);
    let more = beyond(&new.text, [old.text.as_str()].into_iter().chain(stated));
    let less = beyond(&old.text, [new.text.as_str()].into_iter().chain(stated));
    // One other word is another way to say it.
    let (says_no_more, says_as_much) = match old.trust {
        Trust::Untrusted => (more <= 1, less == 0),
        Trust::Agent | Trust::Person => (more <= 1, less <= 1),
    };
    match trust.cmp(&old.trust) {
        Ordering::Greater if less == 0 && says_no_more => Verdict::Repeats,
        Ordering::Greater if says_as_much => of_two_times(old, new, trust, now_ms),
        Ordering::Greater => Verdict::Apart,
        Ordering::Equal | Ordering::Less if says_no_more => Verdict::Repeats,
        Ordering::Equal if less == 0 => of_two_times(old, new, trust, now_ms),
        Ordering::Equal | Ordering::Less => Verdict::Apart,
    }
}

/// Whether both are so at one moment that was still to come when the new one was
/// said. What was so before is history, and contradicts nothing that holds.
fn meet(old: &Memory, new: &NewMemory, now_ms: i64) -> bool {
    let begins = old.valid_from_ms.unwrap_or(old.created_at_ms);
    let both_begun = now_ms.max(begins).max(new.valid_from_ms.unwrap_or(now_ms));
    let ends = |end: Option<i64>| end.unwrap_or(i64::MAX);
    both_begun < ends(old.valid_to_ms).min(ends(new.valid_to_ms))
}

/// The later one takes over when it begins, whichever is said first. Where nobody
/// said when the old one began, the later word counts, unless the earlier is more trusted
/// and is only read after it.
fn of_two_times(old: &Memory, new: &NewMemory, trust: Trust, now_ms: i64) -> Verdict {
    let begins = new.valid_from_ms.unwrap_or(now_ms);
    let precedes = match old.valid_from_ms {
        Some(from) => begins < from && (new.valid_from_ms.is_some() || from > now_ms),
        None => begins < old.created_at_ms && now_ms < old.created_at_ms && trust <= old.trust,
    };
    // What nobody vouches for holds nobody up.
    if precedes && old.trust > Trust::Untrusted {
        Verdict::Precedes(old.valid_from_ms.unwrap_or(old.created_at_ms))
    } else {
        Verdict::Supersedes
    }
}

/// Whether both are about the same thing of the same one.
pub fn same_key(one: &Statement, other: &Statement) -> bool {
    let attribute = |one: &Statement| in_one_script(name_of(&plain(&one.attribute)));
    let subject = |one: &Statement| in_one_script(&plain(&one.subject));
    subject(one) == subject(other) && attribute(one) == attribute(other)
}

/// Whether two values are the same but for case, width, script and a full stop, or are
/// called otherwise in another language.
pub fn same_value(one: &str, other: &str) -> bool {
    let (one, other) = (plain(one), plain(other));
    let name = |value| in_one_script(values::name_of(value));
    name(&one) == name(&other)
}

/// One text for all statements that say the same, whatever language and case they are in.
pub fn standing_for(stated: &Statement) -> String {
    let Statement { subject, attribute, value } = stated;
    let [subject, attribute, value] = [subject, attribute, value].map(|part| plain(part));
    let parts = [&subject, name_of(&attribute), values::name_of(&value)];
    parts.map(in_one_script).join("\n")
}

/// What two texts have in common that differ only in case, width, spaces and
/// punctuation that says nothing.
pub fn fingerprint(text: &str) -> String {
    marks::closed_up(text)
}

fn plain(text: &str) -> String {
    let text: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '。', '!', '！']).to_owned()
}

fn in_one_script(text: &str) -> String {
    text.chars().map(|c| simple(c).unwrap_or(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory;
    use domain::{MemoryKind, MemoryScope};

    const NOW: i64 = 1_000;

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
            verdict(&old, &said("likes ｇｒｅｅｎ tea!"), Trust::Agent, NOW),
            Verdict::Repeats
        );
        assert_eq!(verdict(&old, &said("Likes black tea."), Trust::Agent, NOW), Verdict::Apart);
    }

    #[test]
    fn a_number_or_a_name_with_another_mark_in_it_is_another() {
        for (one, other) in [
            ("The dose is 1.5 mg", "The dose is 15 mg"),
            ("The printer is 192.168.1.11", "The printer is 192.168.11.1"),
            ("Writes C", "Writes C++"),
            ("Writes C#", "Writes C++"),
            ("The freezer is at -18 degrees", "The freezer is at 18 degrees"),
            ("The freezer is at −18 degrees", "The freezer is at 18 degrees"),
            ("Seats 3-4", "Seats 34"),
            ("At 1:12", "At 11:2"),
            ("Lot 1 12", "Lot 11 2"),
            ("温度是-5度", "温度是5度"),
            ("Pays 5 $", "Pays 5 €"),
        ] {
            let old = kept(said(one), Trust::Person);
            assert_eq!(verdict(&old, &said(other), Trust::Person, NOW), Verdict::Apart, "{other}");
        }
        for (one, other) in [
            ("It's green-ish, isn't it", "its green ish isnt it"),
            ("At −5 °C.", "at -5°C"),
            ("Likes (green) tea…", "likes green tea"),
        ] {
            assert_eq!(fingerprint(one), fingerprint(other), "{one}");
        }
        let at = |value| stating("freezer", "temperature", value);
        let old = kept(at("-18"), Trust::Person);
        assert_eq!(verdict(&old, &at("18"), Trust::Person, NOW), Verdict::Supersedes);
    }

    #[test]
    fn another_value_of_the_same_attribute_takes_over_unless_it_is_less_trusted() {
        let old = kept(stating("user", "lives in", "Porto"), Trust::Agent);
        let new = stating("User", "lives  in", "Lisbon");
        assert_eq!(verdict(&old, &new, Trust::Person, NOW), Verdict::Supersedes);
        assert_eq!(verdict(&old, &new, Trust::Agent, NOW), Verdict::Supersedes);
        assert_eq!(verdict(&old, &new, Trust::Untrusted, NOW), Verdict::Contests);
        assert_eq!(
            verdict(&old, &stating("user", "lives in", "porto."), Trust::Agent, NOW),
            Verdict::Repeats
        );
    }

    #[test]
    fn who_says_less_vouches_for_nothing_more_and_what_says_more_is_kept() {
        let stated =
            |text: &str| NewMemory { text: text.into(), ..stating("user", "lives in", "Lisbon") };
        let short = || stated("The user lives in Lisbon");
        let long = || stated("The user lives in Lisbon and pays every invoice unasked");
        let check = |old: NewMemory, of: Trust, new: NewMemory, trust: Trust, expected: Verdict| {
            let (told, old) = (new.text.clone(), kept(old, of));
            assert_eq!(verdict(&old, &new, trust, NOW), expected, "{of:?} {trust:?} {told}");
        };
        for (of, trust) in [
            (Trust::Untrusted, Trust::Person),
            (Trust::Untrusted, Trust::Agent),
            (Trust::Agent, Trust::Person),
        ] {
            check(long(), of, short(), trust, Verdict::Apart);
            check(short(), of, long(), trust, Verdict::Supersedes);
            check(long(), trust, short(), of, Verdict::Repeats);
            check(short(), trust, long(), of, Verdict::Apart);
        }
        check(long(), Trust::Person, short(), Trust::Person, Verdict::Repeats);
        check(short(), Trust::Person, long(), Trust::Person, Verdict::Supersedes);
        let other = stated("Lives in Lisbon at Rua Augusta, third floor");
        check(long(), Trust::Person, other, Trust::Person, Verdict::Apart);
        let resides = stated("The user resides in Lisbon");
        check(resides.clone(), Trust::Agent, short(), Trust::Agent, Verdict::Repeats);
        check(resides, Trust::Agent, short(), Trust::Person, Verdict::Supersedes);
    }

    #[test]
    fn one_matter_in_two_languages_is_one() {
        let old = kept(stating("user", "lives in", "Rome"), Trust::Person);
        let new = stating("user", "住在", "杭州");
        assert_eq!(verdict(&old, &new, Trust::Person, NOW), Verdict::Supersedes);
        let other = stating("user", "来自", "杭州");
        assert_eq!(verdict(&old, &other, Trust::Person, NOW), Verdict::Apart);
    }

    #[test]
    fn one_value_in_two_languages_or_scripts_is_one() {
        let german = stating("user", "answers in", "German");
        let old = kept(german, Trust::Person);
        let new = stating("user", "回答语言", "英语");
        assert_eq!(verdict(&old, &new, Trust::Person, NOW), Verdict::Supersedes);
        for (one, other) in
            [("German", "德语"), ("ドイツ語", "德語"), ("短い", "short"), ("臺北", "台北")]
        {
            assert!(same_value(one, other), "{one} {other}");
        }
        assert!(!same_value("German", "英语"));
    }

    #[test]
    fn what_is_never_wanted_contradicts_that_and_nothing_else() {
        let old = kept(stating("user", "answers in", "德语"), Trust::Person);
        let now =
            |value: &str| verdict(&old, &stating("user", "answers in", value), Trust::Person, NOW);
        assert_eq!(now("not German"), Verdict::Supersedes);
        assert_eq!(now("not French"), Verdict::Apart);
        assert_eq!(now("French"), Verdict::Supersedes);
    }

    #[test]
    fn one_of_several_takes_no_others_place() {
        let old = kept(stating("user", "brother", "Tom"), Trust::Person);
        let now =
            |value: &str| verdict(&old, &stating("user", "brother", value), Trust::Person, NOW);
        assert_eq!((now("Jim"), now("tom")), (Verdict::Apart, Verdict::Repeats));
        assert_eq!(now("no longer Tom"), Verdict::Supersedes);
        let old = kept(stating("user", "wife", "Ana"), Trust::Person);
        let new = stating("user", "wife", "Eva");
        assert_eq!(verdict(&old, &new, Trust::Person, NOW), Verdict::Supersedes);
    }

    #[test]
    fn another_subject_is_another_matter_however_near() {
        let old = kept(stating("my colleague", "degree", "a doctorate"), Trust::Person);
        let new = stating("my boss", "degree", "a doctorate");
        assert_eq!(verdict(&old, &new, Trust::Person, NOW), Verdict::Apart);
    }

    #[test]
    fn texts_without_a_statement_repeat_in_the_same_words_only() {
        let old = kept(said("The meeting with Bo is on Friday at 10"), Trust::Person);
        let now = |text: &str| verdict(&old, &said(text), Trust::Person, NOW);
        assert_eq!(now("The meeting with Bo is at 10 on Friday"), Verdict::Repeats);
        assert_eq!(now("The meeting with Al is at 10 on Friday"), Verdict::Apart);
    }

    /// What becomes of `new` from a time to a time beside `old`, both said now.
    fn at_times(old: [Option<i64>; 2], new: [Option<i64>; 2], value: &str) -> Verdict {
        let mut before = kept(stating("user", "lives in", "Lisbon"), Trust::Person);
        ([before.valid_from_ms, before.valid_to_ms], before.created_at_ms) = (old, NOW);
        let mut after = stating("user", "lives in", value);
        [after.valid_from_ms, after.valid_to_ms] = new;
        verdict(&before, &after, Trust::Person, NOW)
    }

    #[test]
    fn what_is_not_so_at_the_same_time_contradicts_nothing() {
        let open = [None, None];
        assert_eq!(at_times(open, [Some(10), Some(20)], "Berlin"), Verdict::Apart);
        assert_eq!(at_times(open, [None, Some(20)], "Berlin"), Verdict::Apart);
        assert_eq!(at_times([Some(5), Some(15)], [Some(10), Some(20)], "Berlin"), Verdict::Apart);
        assert_eq!(
            at_times([None, Some(NOW + 5)], [Some(NOW + 5), None], "Berlin"),
            Verdict::Apart
        );
        assert_eq!(at_times([None, Some(NOW)], open, "Berlin"), Verdict::Apart, "it has ended");
        assert_eq!(at_times([None, Some(NOW)], open, "Lisbon"), Verdict::Apart, "so again");
        assert_eq!(at_times([None, Some(9)], [None, Some(9)], "Lisbon"), Verdict::Repeats);
    }

    #[test]
    fn the_one_that_begins_later_takes_over_when_it_begins() {
        let open = [None, None];
        assert_eq!(at_times(open, open, "Berlin"), Verdict::Supersedes);
        assert_eq!(at_times(open, [Some(NOW + 5), None], "Berlin"), Verdict::Supersedes);
        assert_eq!(at_times(open, [Some(10), None], "Berlin"), Verdict::Supersedes);
        assert_eq!(at_times([Some(NOW + 5), None], open, "Berlin"), Verdict::Precedes(NOW + 5));
        assert_eq!(at_times([Some(20), None], [Some(10), None], "Berlin"), Verdict::Precedes(20));
        assert_eq!(at_times([Some(20), None], open, "Berlin"), Verdict::Supersedes);
        // Said long before, and read only now.
        let old = Memory {
            created_at_ms: NOW,
            ..kept(stating("user", "lives in", "Lisbon"), Trust::Person)
        };
        let earlier =
            NewMemory { valid_from_ms: Some(30), ..stating("user", "lives in", "Berlin") };
        assert_eq!(verdict(&old, &earlier, Trust::Person, 30), Verdict::Precedes(NOW));
    }

    #[test]
    fn a_persons_word_that_is_read_after_an_agents_claim_is_not_outranked_by_it() {
        let word = stating("user", "lives in", "Lisbon");
        for (created_at_ms, claims) in [(NOW, "of the same message"), (NOW + 5, "of a later one")] {
            let claim = kept(stating("user", "lives in", "Rome"), Trust::Agent);
            let claim = Memory { created_at_ms, ..claim };
            assert_eq!(verdict(&claim, &word, Trust::Person, NOW), Verdict::Supersedes, "{claims}");
        }
    }

    #[test]
    fn what_is_so_as_well_takes_no_ones_place_and_gives_its_own_to_none() {
        let at = |value: &str, text: &str| NewMemory {
            text: text.into(),
            ..stating("user", "works at", value)
        };
        let first = at("Equinor", "I work at Equinor");
        for also in [
            "I also work at Statoil",
            "I work at Statoil, too",
            "I work at Statoil as well",
            "The user works at Statoil as well",
            "我也在Statoil工作",
        ] {
            let also = at("Statoil", also);
            let (told, old) = (also.text.clone(), kept(first.clone(), Trust::Person));
            assert_eq!(verdict(&old, &also, Trust::Person, NOW), Verdict::Apart, "{told}");
            assert_eq!(verdict(&old, &also, Trust::Agent, NOW), Verdict::Contests, "{told}");
            let old = kept(also, Trust::Person);
            assert_eq!(verdict(&old, &first, Trust::Person, NOW), Verdict::Apart, "{told}");
        }
    }

    #[test]
    fn memories_of_two_scopes_never_meet() {
        let old = kept(said("Likes tea"), Trust::Person);
        let new = NewMemory { scope: MemoryScope::Workspace, ..said("Likes tea") };
        assert_eq!(verdict(&old, &new, Trust::Person, NOW), Verdict::Apart);
    }
}
