//! Lists in English clauses.

use super::super::english::without_stress;
use super::super::regex;
use super::fixed::{COMMON, PAIRS, SEVERAL};
use crate::also::without_too;
use crate::values::language;
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn each(clause: &str) -> Option<Vec<String>> {
    if let Some(both) = but_not(clause) {
        return Some(both);
    }
    let said = Said::of(clause)?;
    let things = said.list.things(said.things)?;
    Some(things.into_iter().map(|thing| format!("{}{thing}", said.begins)).collect())
}

/// What is said, up to what it is said of.
struct Said<'a> {
    begins: &'a str,
    things: &'a str,
    list: List,
}

impl<'a> Said<'a> {
    fn of(clause: &'a str) -> Option<Said<'a>> {
        let said = OF_ALLERGY.captures(clause).map(|said| (Sort::Allergies, said));
        let said = said.or_else(|| OF_LIKING.captures(clause).map(|said| (Sort::Likings, said)));
        let (sort, said) = said?;
        let (begins, told) = (said.get(1)?.as_str(), said.get(2)?.as_str());
        let has_more = AND_MORE.find(told);
        let things = &told[..has_more.map_or(told.len(), |more| more.start())];
        let is_denied = DENYING.is_match(begins);
        let list = List { sort, is_denied, has_more: has_more.is_some() };
        Some(Said { begins, things: without_stress(without_too(things)), list })
    }

    /// What is said of one thing, or of each in a list.
    fn each(&self, things: &str) -> Option<Vec<String>> {
        let all = match self.list.things(things) {
            Some(all) => all,
            None if is_thing(things) && !JOINING.is_match(things) => vec![things.to_owned()],
            None => return None,
        };
        Some(all.into_iter().map(|thing| format!("{}{thing}", self.begins)).collect())
    }
}

/// What is said of some things and denied of others: `cats but not dogs`.
fn but_not(clause: &str) -> Option<Vec<String>> {
    let said = Said::of(clause).filter(|said| !said.list.is_denied && !said.list.has_more)?;
    let not = BUT_NOT.find(said.things)?;
    let begins = match said.list.sort {
        Sort::Allergies => "I am not allergic to ",
        Sort::Likings => "I don't like ",
    };
    let list = List { is_denied: true, ..said.list };
    let denied = Said { begins, things: said.things, list };
    let mut each = said.each(&said.things[..not.start()])?;
    let others = &said.things[not.end()..];
    // `Steak but not rare`: how it is to be is no thing by itself.
    if !cut(others).iter().all(|one| is_second(one.said)) {
        return None;
    }
    each.extend(denied.each(others)?);
    Some(each)
}

/// What is said of the things.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Allergies,
    Likings,
}

#[derive(Clone, Copy)]
struct List {
    sort: Sort,
    is_denied: bool,
    /// Whether there are others that are not told: `tea, coffee, etc.`
    has_more: bool,
}

impl List {
    fn things(&self, said: &str) -> Option<Vec<String>> {
        let lower = said.to_lowercase();
        if UNCLEAR.is_match(said) || SEVERAL.iter().any(|one| lower.contains(one)) {
            return None;
        }
        let both = said.strip_prefix("both ").or_else(|| said.strip_prefix("either "));
        let said = both.unwrap_or(said);
        let things = cut(said);
        let (_, joined) = things.split_first()?;
        // Who likes tea or coffee likes one of them; who does not like either likes none.
        if joined.iter().any(|one| one.joined == Joined::Or) && !self.is_denied {
            return None;
        }
        let is_last = |nth: usize| nth + 1 == joined.len();
        let ends = joined.iter().enumerate().all(|(nth, one)| one.joined.goes_on() || is_last(nth));
        let all: Vec<&str> = things.iter().map(|one| one.said).collect();
        let are_things = all.iter().all(|one| is_thing(one) || is_done(one) || is_to_do(one))
            && (!is_to_do(all[0]) || self.are_to_do(&all));
        // *Cats and dogs and rabbits* may have a pair in it, unless each is plainly one thing.
        let is_told = (ends || all.iter().all(|one| is_plain(one))) && are_things;
        let are_several = match all.as_slice() {
            [] | [_] => false,
            // `I like tea, guys`: a comma alone joins no two.
            [_, _] if joined.iter().all(|one| one.joined == Joined::Comma) => self.has_more,
            [one, other] => self.are_two(one, other) || both.is_some(),
            _ => true,
        };
        let is_list = is_told && are_several && !self.ends_for_all(&all);
        let are_to_do = is_to_do(all[0]);
        is_list.then(|| all.into_iter().map(|one| as_to_do(one, are_to_do)).collect())
    }

    /// Whether each of them is something to do where the first is: `to swim, run and read`.
    fn are_to_do(self, all: &[&str]) -> bool {
        let is_verb = |one: &str| VERBS.split(' ').any(|verb| verb == one);
        self.sort == Sort::Likings && all[1..].iter().all(|one| is_to_do(one) || is_verb(one))
    }

    /// Whether what an *and* joins is two things. Of what is liked only what is plainly one
    /// thing by itself is told from *biscuits and gravy*.
    fn are_two(&self, one: &str, other: &str) -> bool {
        match self.sort {
            Sort::Allergies => true,
            Sort::Likings => {
                let are_named = begins_large(one) && begins_large(other);
                let is_clear = is_plain(one) || is_pair(one);
                if are_named { are_languages(one, other) } else { is_clear && is_second(other) }
            }
        }
    }

    /// Whether the last word may be said with each: *cat and dog hair*.
    fn ends_for_all(&self, all: &[&str]) -> bool {
        let [before @ .., last] = all else { return false };
        // *Reading books* has a verb of its own.
        let told = last.rsplit_once(' ').filter(|_| !is_to_do(last) && !is_done(last));
        let Some((_, head)) = told else { return false };
        let begins_bare = before.iter().any(|one| !one.contains(' ') && !is_of_many(one));
        let is_one_of_them = before.iter().any(|one| one.eq_ignore_ascii_case(head));
        let is_head = match self.sort {
            Sort::Allergies => !is_common(before) && HEADS.contains(&&*head.to_lowercase()),
            Sort::Likings => !is_common(before) || HEADS.contains(&&*head.to_lowercase()),
        };
        begins_bare && !is_one_of_them && is_head && !is_pair(last)
    }
}

struct Thing<'a> {
    said: &'a str,
    from: usize,
    /// How it is joined to the one before.
    joined: Joined,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Joined {
    Comma,
    And,
    /// `, and`: what stands before it is told by commas alone.
    CommaAnd,
    Or,
}

impl Joined {
    fn of(said: &str) -> Joined {
        let word = said.trim().trim_start_matches(',').trim().trim_end_matches("also").trim();
        match (word, said.contains(',')) {
            ("or" | "nor", _) => Joined::Or,
            ("", _) => Joined::Comma,
            (_, true) => Joined::CommaAnd,
            (_, false) => Joined::And,
        }
    }

    fn goes_on(self) -> bool {
        self == Joined::Comma
    }
}

/// The things, with what is one though an *and* stands in it.
fn cut(said: &str) -> Vec<Thing<'_>> {
    let joints = JOINING.find_iter(said);
    let joints: Vec<_> =
        joints.map(|one| (one.start(), one.end(), Joined::of(one.as_str()))).collect();
    let has_last = joints.iter().any(|(_, _, joined)| *joined == Joined::CommaAnd);
    let mut things: Vec<Thing<'_>> = Vec::new();
    let (mut from, mut joined) = (0, Joined::Comma);
    for (to, next, how) in joints.into_iter().chain([(said.len(), said.len(), Joined::Comma)]) {
        let last = things.last_mut().filter(|_| joined == Joined::And);
        let pair = last.map(|last| (&said[last.from..to], last));
        match pair.filter(|(pair, _)| has_last || is_pair(pair)) {
            Some((pair, last)) => last.said = pair,
            None => things.push(Thing { said: &said[from..to], from, joined }),
        }
        (from, joined) = (next, how);
    }
    things
}

fn is_pair(said: &str) -> bool {
    PAIRS.contains(&&*said.to_lowercase())
}

fn is_thing(said: &str) -> bool {
    let is_short = said.split(' ').count() <= 4 && said.chars().count() <= 40;
    // An inner *and* is left where commas tell the things apart.
    let said = said.replacen(" and ", " ", 1);
    !said.is_empty() && is_short && !NO_THING.is_match(&said)
}

/// *Reading books* and *listening to music* have verbs of their own.
fn is_done(said: &str) -> bool {
    let is_short = said.split(' ').count() <= 4;
    DONE.is_match(said) && is_short && !NO_THING.is_match(&said.replacen(" to ", " ", 1))
}

/// `to swim`.
fn is_to_do(said: &str) -> bool {
    TO_DO.captures(said).is_some_and(|done| !NO_THING.is_match(&done[1]))
}

fn as_to_do(said: &str, are_to_do: bool) -> String {
    if are_to_do && !is_to_do(said) { format!("to {said}") } else { said.to_owned() }
}

/// Whether it is one thing whatever stands beside it: several of a sort, something that is done,
/// or what everybody knows.
fn is_plain(said: &str) -> bool {
    !said.contains(' ') && (is_of_many(said) || is_known(said)) || DONE.is_match(said)
}

/// The same behind an *and*, where it may be told more closely: *coffee and green tea*.
fn is_second(said: &str) -> bool {
    let mut words = said.split(' ');
    let head = words.next_back().unwrap_or_default();
    let before = words.count();
    is_plain(said) || is_pair(said) || is_to_do(said) || before == 1 && is_plain(head)
}

/// `cats`, `swimming`.
fn is_of_many(said: &str) -> bool {
    let lower = said.to_lowercase();
    let is_many =
        lower.ends_with('s') && !["ss", "us", "is"].iter().any(|end| lower.ends_with(end));
    lower.len() > 3 && is_many || DONE.is_match(said)
}

fn is_known(said: &str) -> bool {
    let lower = said.to_lowercase();
    COMMON.split_whitespace().any(|one| one == lower)
}

fn is_common(all: &[&str]) -> bool {
    all.iter().all(|one| is_known(one) || is_of_many(one))
}

fn begins_large(said: &str) -> bool {
    said.starts_with(char::is_uppercase)
}

fn are_languages(one: &str, other: &str) -> bool {
    let is_one = |said: &str| language(said).is_some() || PROGRAMMED.contains(&said);
    is_one(one) && is_one(other)
}

/// What is done and liked, by its bare name: with *to* before the first it is said of each.
const VERBS: &str = "swim run read write cook bake dance sing paint draw hike ski travel sew knit climb cycle sail \
    jog skate surf garden camp fish hunt row dive ride play sleep eat";

/// In what one writes programs.
const PROGRAMMED: [&str; 14] = [
    "Rust",
    "Python",
    "Go",
    "Java",
    "Kotlin",
    "Swift",
    "Ruby",
    "Scala",
    "Haskell",
    "Elixir",
    "TypeScript",
    "JavaScript",
    "Perl",
    "Lua",
];

/// What is told more closely by the word before it.
const HEADS: [&str; 34] = [
    "hair", "fur", "dander", "pollen", "milk", "products", "stings", "bites", "oil", "flour",
    "meat", "juice", "protein", "music", "movies", "films", "videos", "books", "novels", "stories",
    "games", "songs", "food", "dishes", "cuisine", "wine", "sauce", "cake", "pie", "soup", "salad",
    "culture", "art", "shows",
];

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    OF_ALLERGY = r"(?i)^((?:i am|i'm) (?:(?:not|no longer|also|still|now|really) )*allergic to )(.+)$";
    OF_LIKING = concat!(
        r"(?i)^(i (?:(?:really|also|just) )*(?:like|love|enjoy|prefer|dislike|hate|can't stand|",
        r"(?:don't|do not|no longer) (?:like|love|enjoy)) )(.+)$",
    );
    DENYING = r"(?i)\b(?:not|no longer|don't|dislike|hate|can't stand) ";
    JOINING = r"(?i)\s*,\s+(?:(?:and(?: also)?|or|also|as well as|&)\s+)?|\s+(?:and(?: also)?|or|nor|as well as|&)\s+";
    AND_MORE = r"(?i),? (?:and )?(?:etc\.?|and so on|and so forth|and the like|and more|among others)$";
    BUT_NOT = r"(?i)(?:,? but|,) not ";
    TO_DO = r"^to (\p{Ll}{2,}(?: \p{L}+){0,2})$";
    UNCLEAR = r#"[:;()/"–—]| - "#;
    /// What says more of a thing, or of all of them: *tea with milk*, *cats and dogs in films*.
    NO_THING = concat!(
        r"(?i)\b(?:in|on|at|of|for|with|without|from|by|about|as|than|over|to|into|like|that|which|who|whom|when|",
        r"where|while|if|because|since|until|unless|but|not|no|so|too|very|much|lot|more|most|less|only|especially|",
        r"mostly|mainly|sometimes|usually|then|now|also|both|either|neither|is|are|am|was|were|be|have|has|do|does|",
        r"i|me|my|mine|you|your|he|him|his|she|her|it|its|we|us|our|they|them|their|the|this|these|those|each|other|",
        r"others|ones|etc|stuff|things?|everything|anything|all|some|any|and|or|nor|lol|honestly|actually|frankly|thanks|please|cheers|guys|folks|yes|ok|okay|indeed|perhaps)\b",
    );
    DONE = r"(?i)^(?:re)?\p{L}{2,}ing(?: \p{L}+)*$";
}
