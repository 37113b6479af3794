//! A change of mind and a word put right, in forms of their own: `it's almonds I'm allergic
//! to`, `I meant May 4 for my birthday`, `I'm not into jazz any more`.

use super::english::{allergy, liking, possession};
use super::{Says, chinese, regex, stated};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const FORMS: &[(&str, Says)] = &[
    (
        r"(?i)^(?:actually,? )?(?:it's|it is|it was) (?:actually |only |really )*(.{2,60}?),? (?:that |which )?(?:i'm|i am|i was) allergic to$",
        |p| allergy(&p[1], true),
    ),
    (r"(?i)^i mean(?:t)? (?:to say )?(.{2,40}?) (?:for|as) my ([a-z]+(?: [a-z]+){0,2})$", |p| {
        possession(&p[2].to_lowercase(), &p[1], false)
    }),
    // What stands before it is taken for an opening: `Oops, I meant`.
    (
        r"(?i)^((?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}|\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)(?:,? \d{4})?) for my birthday$",
        |p| possession("birthday", &p[1], false),
    ),
    (
        r"(?i)^(?:i'm|i am) (?:not|no longer) (?:(?:really|actually|that|so) )*(?:into|keen on|fond of) (.{2,60}?)(?: any ?more| any longer| these days)*$",
        |p| liking(&p[1], "do not like", false),
    ),
    (
        r"(?i)^i (?:can't|cannot|can not|mustn't|must not) (?:really )?eat ([a-z][a-z' -]{1,30}?)$",
        |p| cannot_eat(&p[1]),
    ),
    (
        r"^我(?:现在|一直|从小|都|也|真的)*(?:不能|吃不了|不可以)吃?(\p{Han}{1,6}?)$",
        |p| cannot_eat_in_chinese(&p[0], &p[1]),
    ),
    (
        r"^我(?:现在|已经|刚刚?|最近|上个?月|今年|去年)*(?:跳槽|跳)(?:去|到)了?(.{2,20}?)(?:公司)?(?:上班|工作)?了?$",
        |p| chinese::work(&p[1]),
    ),
];

/// What a clause says to have been wrong in what was said before: by that it is called.
pub(super) fn was_wrong(clause: &str) -> Option<Vec<String>> {
    let said = WRONG.captures(clause)?;
    let what = said.get(1)?.as_str().trim().to_lowercase();
    Some(["allergic to ", "likes ", "dislikes "].map(|so| format!("{so}{what}")).to_vec())
}

/// Whether somebody goes in whose place the person has another: `Karen left, my new boss is Tim`.
pub(super) fn makes_room(clause: &str) -> bool {
    LEFT.is_match(clause)
}

/// Whether a clause ends every diet without meat.
pub(super) fn eats_all(clause: &str) -> bool {
    EATS_MEAT.is_match(clause)
}

fn cannot_eat(what: &str) -> Option<super::Noticed> {
    let what = what.trim().to_lowercase();
    let is_food = !NO_FOOD.is_match(&what);
    is_food.then(|| stated(&format!("eats {what}"), "no", format!("The user cannot eat {what}")))
}

fn cannot_eat_in_chinese(said: &str, what: &str) -> Option<super::Noticed> {
    let is_food = said.contains('吃') && !NO_FOOD_ZH.is_match(what);
    is_food.then(|| stated(&format!("吃{what}"), "否", format!("用户不能吃{what}")))
}

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    WRONG = concat!(
        r"(?i)^(?:(?:sorry|oops|actually|no)[,!. ]+)*i(?:'ve| have)? (?:was|been|were) (?:wrong|mistaken) ",
        r"(?:about|with) (?:the |my )?([a-z][a-z -]{1,40}?)(?: allergy)?$",
    );
    LEFT = concat!(
        r"^(?:\p{Lu}\p{L}+|[Mm]y (?:old )?[a-z]+) (?:has |have |just |recently |finally )*",
        r"(?:left|retired|resigned|quit|moved on|got promoted|was promoted|was fired|is gone)(?: (?:last|this) \w+| yesterday)?$",
    );
    EATS_MEAT = concat!(
        r"(?i)^i(?:'ve| have)? (?:now |just |recently )*(?:eat|started eating|began eating|started to eat|begun to eat) ",
        r"(?:meat|chicken|beef|pork|everything)(?: and fish)?(?: again| now| these days)+$",
        r"|^我(?:现在|最近|已经|又|开始|重新)+吃(?:肉|荤)了?$",
    );
    NO_FOOD = concat!(
        r"(?i)\b(?:much|many|any ?more|anything|everything|now|today|tonight|this|that|it|them|enough|more|alone|",
        r"out|late|before|after|with|without|another|all|here|there|lunch|dinner|breakfast)\b",
    );
    NO_FOOD_ZH = r"[了吧吗呢的多饱完下这那它太]|东西|早饭|午饭|晚饭";
}

#[cfg(test)]
mod tests {
    use super::super::{endings, notice, statement};

    #[test]
    fn what_is_put_right_in_other_words_is_noticed() {
        let check = |message: &str, expected: &[&str]| {
            let told: Vec<String> = notice(message).into_iter().map(|one| one.text).collect();
            assert_eq!(told, expected, "{message}");
        };
        check(
            "I was wrong about the peanuts, it's almonds I'm allergic to.",
            &["The user is allergic to almonds"],
        );
        check("It's shellfish that I'm allergic to", &["The user is allergic to shellfish"]);
        check("Oops, I meant May 4 for my birthday.", &["The user's birthday is May 4"]);
        check("My new boss is Tim.", &["The user's boss is Tim"]);
        check("Karen left, my new boss is Tim.", &["The user's boss is Tim"]);
        check("I'm not into jazz anymore.", &["The user does not like jazz"]);
        check("I can't eat gluten.", &["The user cannot eat gluten"]);
        check("我不能吃辣", &["用户不能吃辣"]);
        check("我跳槽去字节了。", &["用户在字节工作"]);
        for message in [
            "I can't eat any more",
            "I can't eat that",
            "I can't eat before noon",
            "我不能吃太多",
            "我不能吃了",
            "It's me that I'm worried about",
        ] {
            check(message, &[]);
        }
    }

    #[test]
    fn what_was_wrong_ends_and_so_does_a_diet_of_who_eats_meat() {
        let ends = |message: &str, [attribute, value]: [&str; 2]| {
            endings(message).iter().any(|one| one.ends(&statement(attribute, value)))
        };
        let peanuts = ["allergic to peanuts", "yes"];
        assert!(ends("I was wrong about the peanuts, it's almonds I'm allergic to.", peanuts));
        assert!(!ends("I was wrong about the almonds", peanuts));
        for message in ["I eat meat again.", "I eat meat now", "I've started eating meat again"] {
            assert!(ends(message, ["diet", "vegetarian"]), "{message}");
        }
        assert!(ends("我现在吃肉了", ["饮食", "素食"]));
        assert!(!ends("I eat meat", ["diet", "vegetarian"]));
        assert!(!ends("I never eat meat", ["diet", "vegetarian"]));
    }
}
