//! What is said of somebody's family.

use super::*;

#[test]
fn who_and_how_somebody_of_the_family_is_are_two_things() {
    says(
        "My mum Helen is 71 and lives in Leeds.",
        &[
            "The user's mum is Helen",
            "The user's mum Helen is 71",
            "The user's mum Helen lives in Leeds",
        ],
    );
    let stated = notice("My mum Helen is 71 and lives in Leeds.")
        .into_iter()
        .filter_map(|one| one.statement);
    let told: Vec<_> =
        stated.map(|one| [one.subject, one.attribute, one.value].join(" / ")).collect();
    assert_eq!(
        told,
        [
            "user / mum / Helen",
            "user's mum Helen / age / 71",
            "user's mum Helen / lives in / Leeds"
        ]
    );
}

#[test]
fn where_somebody_of_the_family_lives_and_works_is_noticed() {
    for (message, expected) in [
        ("My brother lives in Oslo", &["The user's brother lives in Oslo"][..]),
        ("My older sister moved to Rome last year", &["The user's older sister lives in Rome"]),
        (
            "My sister Ana works at Statoil",
            &["The user's sister is Ana", "The user's sister Ana works at Statoil"],
        ),
        ("My wife works as a nurse", &["The user's wife works as a nurse"]),
        (
            "I live in York and my brother lives in Oslo",
            &["The user lives in York", "The user's brother lives in Oslo"],
        ),
        ("My friend lives in Oslo", &[]),
        ("My brother lives in a flat", &[]),
        ("My brother might live in Oslo", &[]),
        ("Does my brother live in Oslo?", &[]),
        ("If my brother lives in Oslo, I visit him", &[]),
        ("My neighbour lives in Oslo", &[]),
        ("My phone lives in Oslo", &[]),
    ] {
        says(message, expected);
    }
}

#[test]
fn whom_somebody_has_is_noticed_each_by_name() {
    let son = |name| Some(("son", name));
    check(
        "We have two boys, Max and Leo",
        &[
            (Relationship, "The user's son is Max", son("Max")),
            (Relationship, "The user's son is Leo", son("Leo")),
        ],
    );
    says("I have a sister called Ana", &["The user's sister is Ana"]);
    says(
        "We have three kids: Mia, Tom and Leo",
        &["The user's child is Mia", "The user's child is Tom", "The user's child is Leo"],
    );
    says("I have a dog named Rex", &["The user's dog is Rex"]);
    for message in [
        "We have two boys, Max and Leo and Tom",
        "We have two options, Max and Leo",
        "I have a question, Max",
        "I have two meetings, Monday and Tuesday",
        "Do we have two boys, Max and Leo?",
        "They have two boys, Max and Leo",
        "I wish I had a sister called Ana",
    ] {
        check(message, &[]);
    }
    check("我女儿叫朵朵。", &[(Relationship, "用户的女儿是朵朵", Some(("女儿", "朵朵")))]);
}
