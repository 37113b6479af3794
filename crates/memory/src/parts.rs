//! Cuts what a person wrote down at once into what stands by itself.
//!
//! Each part is in their own words and stands for itself from then on: what takes the place of
//! one takes nothing from the others. What only says more of a part stays with it. A text is
//! cut where something that it states can be read; where two of its parts state the same thing
//! they belong together, and it stays whole.

use crate::corrected::corrected;
use crate::extract::{Noticed, Piece, own_sentences, pieces};
use crate::stated::{Writer, over, ways_to_read};
use crate::values::gone;
use crate::verdict::{are_several, same_key};
use domain::{Memory, Statement};

/// What stands by itself in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    /// What it says of the person, if that can be told.
    pub noticed: Option<Noticed>,
}

/// Longer than this it is a text, and no list of what is so.
const LONGEST: usize = 400;

/// The parts of what somebody wrote of the person, who has this name; nothing where it is one.
pub fn parts(text: &str, writer: Writer, name: &str) -> Vec<Part> {
    if text.chars().count() > LONGEST {
        return Vec::new();
    }
    let parts = cut(text, writer, name).unwrap_or_default();
    let stated: Vec<_> =
        parts.iter().filter_map(|one| one.noticed.as_ref()?.statement.as_ref()).collect();
    let is_apart = |(nth, one): (usize, _)| {
        let mut others = stated[nth + 1..].iter();
        others.all(|other| !same_key(one, other) || are_several(one, other))
    };
    let are_apart = stated.iter().copied().enumerate().all(is_apart);
    // Of a list or a note all is to be read, since nobody knows what its lines lean on.
    let is_told = !text.trim().contains('\n') || parts.iter().all(|one| one.noticed.is_some());
    let says = |part: &Part| !over(&part.text, name).is_empty();
    let is_said = !stated.is_empty() || parts.iter().any(says);
    let is_cut = parts.len() > 1 && is_said && are_apart && is_told;
    if is_cut { parts } else { Vec::new() }
}

/// Which of the parts says what one of these stated, or else the first.
pub fn part_of(before: &[&Memory], parts: &[Part], name: &str) -> usize {
    let says = |was: &Memory| {
        let statement = was.statement.as_ref()?;
        parts.iter().position(|part| {
            let states = corrected(&[was], &part.text, name);
            states.is_some_and(|states| same_key(&states, statement))
                || says_over(part, statement, name)
        })
    };
    before.iter().find_map(|was| says(was)).unwrap_or_default()
}

/// What is left of a memory that gives way, but for what it states itself.
pub fn beside_statement(memory: &Memory, name: &str) -> Vec<Part> {
    let Some(statement) = &memory.statement else { return Vec::new() };
    let mut parts = parts(&memory.text, Writer::Person, name);
    let ended = gone(&statement.value);
    let ended = ended.map(|value| Statement { value: value.to_owned(), ..statement.clone() });
    let states = |part: &Part| match &ended {
        Some(ended) => says_over(part, ended, name),
        None => {
            let states = part.noticed.as_ref().and_then(|one| one.statement.as_ref());
            states.is_some_and(|states| same_key(states, statement))
        }
    };
    match parts.iter().position(states) {
        Some(own) => drop(parts.remove(own)),
        None => parts.clear(),
    }
    parts
}

fn says_over(part: &Part, statement: &Statement, name: &str) -> bool {
    over(&part.text, name).iter().any(|ending| ending.ends(statement))
}

fn cut(text: &str, writer: Writer, name: &str) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    for sentence in own_sentences(text)? {
        for (nth, piece) in best_read(sentence, writer, name)?.into_iter().enumerate() {
            let says = sentence.contains(char::is_alphanumeric);
            let stands = piece.stands && says;
            let Some(last) = parts.last_mut().filter(|_| !stands) else {
                parts.push(Part { text: begun_as(text, &piece.said), noticed: piece.noticed });
                continue;
            };
            // What takes the place of the one would take the other with it.
            if says && !piece.tells_on {
                last.noticed = None;
            }
            let joined = match nth {
                0 if last.text.ends_with(|c| c >= '\u{2e80}') => "。",
                0 => ". ",
                _ => &piece.joined,
            };
            last.text = format!("{}{joined}{}", last.text, piece.said);
        }
    }
    Some(parts)
}

/// The pieces of a sentence, in the way to read it in which it says most.
fn best_read(sentence: &str, writer: Writer, name: &str) -> Option<Vec<Piece>> {
    let ways = ways_to_read(sentence, writer, name);
    if ways.is_empty() {
        // It is about somebody or something else.
        let pieces = pieces(sentence)?.into_iter();
        return Some(pieces.map(|piece| Piece { noticed: None, ..piece }).collect());
    }
    let mut read: Vec<Vec<Piece>> = ways
        .into_iter()
        .filter_map(|way| {
            let mut pieces = pieces(&way.said)?;
            for (nth, piece) in pieces.iter_mut().enumerate() {
                piece.said = way.in_its_person(&piece.said, nth == 0);
            }
            Some(pieces)
        })
        .collect();
    let known = |pieces: &Vec<Piece>| pieces.iter().filter(|one| one.noticed.is_some()).count();
    let most = (0..read.len()).rev().max_by_key(|nth| known(&read[*nth]))?;
    Some(read.swap_remove(most))
}

/// With a capital where the text begins with one.
fn begun_as(text: &str, said: &str) -> String {
    let mut characters = said.trim().chars();
    match characters.next() {
        Some(first) if text.trim().starts_with(char::is_uppercase) => {
            first.to_uppercase().chain(characters).collect()
        }
        _ => said.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        check_of(Writer::Person, text, expected);
    }

    fn check_of(writer: Writer, text: &str, expected: &[&str]) {
        let all = parts(text, writer, "Lin").into_iter().map(|one| one.text);
        assert_eq!(all.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn what_an_agent_writes_of_the_person_says_each_thing_by_itself() {
        check_of(
            Writer::Agent,
            "The user lives in Oslo and works at Nordbank",
            &["The user lives in Oslo", "The user works at Nordbank"],
        );
        check_of(
            Writer::Agent,
            "User likes tea, coffee and jazz",
            &["User likes tea", "User likes coffee", "User likes jazz"],
        );
        check_of(
            Writer::Agent,
            "The user lives in Oslo. It is cold there. Bo repairs the boiler.",
            &["The user lives in Oslo. It is cold there", "Bo repairs the boiler"],
        );
        check_of(
            Writer::Agent,
            "用户住在上海，在阿里巴巴工作",
            &["用户住在上海", "用户在阿里巴巴工作"],
        );
        // An agent's own *I* is nobody that anything is remembered of.
        check_of(Writer::Agent, "I live in Oslo and work at Nordbank", &[]);
        check_of(Writer::Agent, "Bo lives in Oslo and works at Nordbank", &[]);
    }

    #[test]
    fn what_says_several_things_says_each_by_itself_in_the_persons_words() {
        for text in ["I live in Rome and work at Fiat.", "I live in Rome. I work at Fiat."] {
            check(text, &["I live in Rome", "I work at Fiat"]);
        }
        check(
            "I have lived in Oslo since 2015 and work at Statoil since 2019",
            &["I have lived in Oslo since 2015", "I work at Statoil since 2019"],
        );
        check(
            "The user lives in Rome and works at Fiat as a clerk",
            &["The user lives in Rome", "The user works at Fiat as a clerk"],
        );
        check(
            "The user lives in Rome. Lin now works at Fiat.",
            &["The user lives in Rome", "Lin now works at Fiat"],
        );
        check("Lives in Rome, works at Fiat", &["Lives in Rome", "Works at Fiat"]);
        check("lives in Rome and works at Fiat", &["lives in Rome", "works at Fiat"]);
        check("I live in Rome and my name is Kim.", &["I live in Rome", "My name is Kim"]);
        check(
            "I have two cats and no longer live in Oslo",
            &["I have two cats", "I no longer live in Oslo"],
        );
        check("我现在在腾讯工作，不在阿里巴巴了", &["我现在在腾讯工作", "我不在阿里巴巴了"]);
        check("I'm Kim and I live in Rome", &["I'm Kim", "I live in Rome"]);
        check("我住在罗马，在大学工作", &["我住在罗马", "我在大学工作"]);
        check("用戶住在羅馬，在大學工作", &["用戶住在羅馬", "用戶在大學工作"]);
        check("我住在罗马，有一只猫", &["我住在罗马", "我有一只猫"]);
        check(
            "私は東京に住んでいて、大学で働いています",
            &["私は東京に住んでいて", "私は大学で働いています"],
        );
    }

    #[test]
    fn what_is_said_of_several_things_is_said_of_each() {
        check(
            "I like tea, coffee and green tea.",
            &["I like tea", "I like coffee", "I like green tea"],
        );
        check("I like tea and coffee", &["I like tea", "I like coffee"]);
        check(
            "The user is allergic to nuts, eggs and milk",
            &[
                "The user is allergic to nuts",
                "The user is allergic to eggs",
                "The user is allergic to milk",
            ],
        );
        check("Allergic to nuts and eggs", &["Allergic to nuts", "Allergic to eggs"]);
        check("Likes cats and dogs", &["Likes cats", "Likes dogs"]);
        check(
            "I live in Rome and like cats, dogs and rabbits",
            &["I live in Rome", "I like cats", "I like dogs", "I like rabbits"],
        );
        check("用戶喜歡貓、狗和兔子", &["用戶喜歡貓", "用戶喜歡狗", "用戶喜歡兔子"]);
        check("我对花生和虾过敏，住在杭州", &["我对花生过敏", "我对虾过敏", "我住在杭州"]);
    }

    #[test]
    fn what_cannot_be_read_is_kept_as_it_was_said() {
        check("I live in Rome and have two cats", &["I live in Rome", "I have two cats"]);
        check(
            "I live in Rome and my flat is small. It is cold there.",
            &["I live in Rome", "My flat is small. It is cold there"],
        );
        check(
            "My wife is called Maria and she is a doctor, and I live in Rome",
            &["My wife is called Maria and she is a doctor", "I live in Rome"],
        );
        check("I live in Rome and work at Fiat :)", &["I live in Rome", "I work at Fiat :)"]);
        let fiat = &parts("I live in Rome and work at Fiat :)", Writer::Person, "Lin")[1];
        let value = fiat.noticed.as_ref().and_then(|one| one.statement.as_ref());
        assert_eq!(value.map(|one| one.value.as_str()), Some("Fiat"));
    }

    #[test]
    fn what_leans_on_a_part_stays_with_it_and_goes_with_no_statement() {
        let told = |text: &str| {
            let told = parts(text, Writer::Person, "Lin").into_iter();
            let states =
                |part: &Part| part.noticed.as_ref().is_some_and(|one| one.statement.is_some());
            told.map(|part| (states(&part), part.text)).collect::<Vec<_>>()
        };
        for text in [
            "I love cats but I'm allergic to them, and I live in Oslo",
            "I love cats. I'm allergic to them. I live in Oslo",
        ] {
            let [(false, cats), (true, oslo)] = &told(text)[..] else {
                panic!("{:?}", told(text));
            };
            assert!(cats.ends_with("I'm allergic to them"), "{cats}");
            assert_eq!(oslo, "I live in Oslo");
        }
        let maria = told("My wife is called Maria and she is a doctor, and I live in Rome");
        assert!(maria.iter().all(|(states, _)| *states), "{maria:?}");
    }

    #[test]
    fn a_wish_is_one_whatever_stands_beside_it() {
        check("Answer in German and never use emojis", &["Answer in German", "Never use emojis"]);
        check("Answer in German and show your sources", &["Answer in German", "Show your sources"]);
        check(
            "I live in Oslo, answer in Norwegian please",
            &["I live in Oslo", "Answer in Norwegian please"],
        );
        check(
            "I live in Oslo, I work at Statoil, and answer in Norwegian.",
            &["I live in Oslo", "I work at Statoil", "Answer in Norwegian"],
        );
        check(
            "From now on answer in English and keep it short.",
            &["From now on answer in English", "From now on keep it short"],
        );
        check("I live in Oslo and speak Norwegian", &["I live in Oslo", "I speak Norwegian"]);
    }

    #[test]
    fn an_order_is_no_statement_whoever_it_stands_beside() {
        for (text, order) in [
            ("I live in Oslo, never answer in German", "Never answer in German"),
            ("I live in Oslo and never answer in German.", "Never answer in German"),
            ("I live in Oslo and answer in German", "Answer in German"),
            ("I live in Oslo and always show your sources", "Always show your sources"),
            ("I live in Oslo and do not use emojis", "Do not use emojis"),
        ] {
            check(text, &["I live in Oslo", order]);
            let wish = parts(text, Writer::Person, "Lin").remove(1).noticed.expect("it is read");
            assert_eq!(wish.kind, domain::MemoryKind::Preference, "{text}");
        }
        check(
            "I'm a vegetarian and I like cheese and don't suggest meat",
            &["I'm a vegetarian", "I like cheese", "Don't suggest meat"],
        );
        check(
            "I live in Oslo, work at Statoil and answer in German",
            &["I live in Oslo", "I work at Statoil", "Answer in German"],
        );
        check("I live in Oslo and never eat meat", &["I live in Oslo", "I never eat meat"]);
        check(
            "The user lives in Oslo and doesn't use emojis",
            &["The user lives in Oslo", "The user doesn't use emojis"],
        );
        // It may be either.
        for text in [
            "I live in Oslo and never use salt",
            "I live in Oslo, don't tell anyone",
            "I live in Oslo and never answer the phone",
            "I am allergic to nuts, so never suggest recipes with them",
            "I like to talk and answer in German",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn what_is_one_thing_or_not_plainly_the_persons_stays_whole() {
        for text in [
            "I live in Rome",
            "I live in Rome. It is cold there.",
            "The user lives in Rome. Do I work at Fiat?",
            "Bo lives in Rome and works at Fiat",
            "He wrote \"I live in Rome. I work at Fiat.\"",
            "> I live in Rome.\n> I work at Fiat.",
            "I like biscuits and gravy",
            "My wife is called Maria and she is a doctor",
            "If I get the job, I live in Oslo and work at Statoil",
            "I live in Oslo in winter and I live in Bergen in summer",
            "I work at Statoil and I work at the university on Fridays",
            "I live in Rome\nIn the morning",
            "The door code is 4711 and the key is under the mat",
            "I love cats but I'm allergic to them",
            "The user loves cats but is allergic to them",
            "I work at Statoil and I hate it there",
            "I like tea, but I hate it with milk",
            "My dog is called Rex and I am allergic to him",
            "I love cats. I'm allergic to them.",
            "I live in Oslo and I don't want anyone to know",
            "我喜欢猫，但是我对它们过敏",
            "私は猫が好きですが、私はそれにアレルギーがあります",
            "I carry an EpiPen because I had a shock in 2019",
            "I live in Oslo because I work at Statoil",
            "I live in Oslo, I think",
            "I live in Oslo and I am joking",
            "Answer in German and always translate it",
        ] {
            check(text, &[]);
        }
    }
}
