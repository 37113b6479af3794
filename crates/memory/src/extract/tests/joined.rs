//! What is added to what is so, and what two clauses and two sentences share.

use super::*;

#[test]
fn what_is_so_as_well_shows_that_it_takes_nothings_place() {
    for (said, text, of) in [
        ("I also work at Statoil", "The user works at Statoil as well", ("works at", "Statoil")),
        ("I work at Statoil, too.", "The user works at Statoil as well", ("works at", "Statoil")),
        (
            "I work at Statoil on Fridays as well",
            "The user works at Statoil on Fridays as well",
            ("works at", "Statoil on Fridays"),
        ),
        ("I also live in Oslo", "The user lives in Oslo as well", ("lives in", "Oslo")),
        ("我也在腾讯工作", "用户也在腾讯工作", ("工作单位", "腾讯")),
    ] {
        check(said, &[(Fact, text, Some(of))]);
    }
    let max = Some(("son", "Max"));
    check("My son is called Max, too", &[(Relationship, "The user's son is Max as well", max)]);
    check("I like tea, too", &[(Preference, "The user likes tea", Some(("likes tea", "yes")))]);
}

#[test]
fn a_full_stop_that_shortens_a_word_ends_no_sentence() {
    let told = |text: &'static str| sentences_of(text).collect::<Vec<_>>();
    for text in [
        "I live in Washington, D.C. with my wife",
        "I live in the U.S. with two cats",
        "I like coffee but not after 4 p.m. because then I can't sleep",
    ] {
        assert_eq!(told(text), [text]);
    }
    assert_eq!(told("i live in the U.S. i like tea"), ["i live in the U.S", "i like tea"]);
    assert_eq!(told("i live in oslo. tea is good"), ["i live in oslo", "tea is good"]);
    assert_eq!(told("I live in the U.S. Tea is good"), ["I live in the U.S", "Tea is good"]);
    check(
        "I live in Washington, D.C. with my wife",
        &[(
            Fact,
            "The user lives in Washington, D.C. with their wife",
            Some(("lives in", "Washington, D.C.")),
        )],
    );
}

#[test]
fn a_verb_is_under_what_governs_the_one_before_it() {
    for said in [
        "I used to live in Oslo and work at Statoil",
        "I will quit in May and work at Statoil",
        "I'll move and quit my job",
        "I'd like to move to Oslo and work at Statoil",
        "I'm going to move and work at Statoil",
        "I am planning to move and work at Statoil",
        "I have to move and work at Statoil",
        "I decided not to move and live in Oslo",
        "I refuse to move and live in Oslo",
        "I used to have a cat and live in Oslo",
        "I used to be a vegetarian and hate meat",
        "I can't move and live in Oslo",
        "I don't live in Oslo and work at Statoil",
        "I don't work at Equinor and live in Oslo any more",
    ] {
        check(said, &[]);
    }
    let works = || (Fact, "The user works at Statoil", Some(("works at", "Statoil")));
    let lives = || (Fact, "The user lives in Bergen", Some(("lives in", "Bergen")));
    for said in [
        "I used to live in Oslo and now live in Bergen and work at Statoil",
        "I used to live in Oslo, now live in Bergen and work at Statoil",
    ] {
        check(said, &[lives(), works()]);
    }
    for said in [
        "I used to be a nurse and now work at Statoil",
        "I used to be a nurse and work at Statoil now",
        "I don't smoke and currently work at Statoil",
        "I had to move and these days work at Statoil",
        "I used to live in Oslo and I work at Statoil",
        "I don't live in Oslo but work at Statoil",
        "I moved to the coast and work at Statoil",
        "I have two cats and work at Statoil",
    ] {
        check(said, &[works()]);
    }
}

#[test]
fn what_is_over_of_two_things_at_once_ends_both() {
    let works = statement("works at", "Equinor");
    let lives = statement("lives in", "Oslo");
    for said in [
        "I used to work at Equinor and live in Oslo",
        "I don't work at Equinor and live in Oslo any more",
    ] {
        let over = endings(said);
        for was in [&works, &lives] {
            assert!(over.iter().any(|one| one.ends(was)), "{said}: {over:?}");
        }
    }
    let will = endings("I'll move and quit my job at Equinor");
    assert!(!will.iter().any(|one| one.ends(&works)), "{will:?}");
}

#[test]
fn what_was_so_once_in_japanese_is_not_so_now() {
    for said in [
        "私は以前東京に住んでいて、ソニーで働いていました。",
        "私は東京に住んでいて、ソニーで働いていました。",
        "私は昔東京に住んでいて、猫がいます。",
    ] {
        check(said, &[]);
    }
}

#[test]
fn what_is_said_before_a_question_or_a_but_in_one_sentence_is_said() {
    let penicillin = ["The user is allergic to penicillin"];
    says("I'm allergic to penicillin, what can I take instead?", &penicillin);
    says("I'm allergic to penicillin - which painkillers are safe?", &penicillin);
    says("我对青霉素过敏，有什么替代药吗？", &["用户对青霉素过敏"]);
    says("I live in Leeds, do you know a dentist?", &["The user lives in Leeds"]);
    says("我对青霉素过敏，那我能吃什么？", &["用户对青霉素过敏"]);
    says("I live in Leeds, what's the weather like?", &["The user lives in Leeds"]);
    says("I live in York, but my parents live in Leeds.", &["The user lives in York"]);
    says(
        "I live in Leeds with my husband Tom",
        &["The user lives in Leeds with their husband Tom"],
    );
    for message in [
        "I live in Leeds, right?",
        "I live in Leeds, is that correct?",
        "I live in Leeds, do I?",
        "I live in Leeds, do you remember?",
        "I live in Leeds, don't I?",
        "If I live in Leeds, what do I pay?",
        "You think I live in Leeds, why is that?",
        "我住在利兹，对吗？",
        "我住在利兹，是不是？",
        "如果我住在利兹，要多少钱？",
    ] {
        says(message, &[]);
    }
}

#[test]
fn what_is_to_be_kept_stands_behind_the_order_to_keep_it() {
    says("Please remember this: the gate code is 4411", &["the gate code is 4411"]);
    says("Can you remember that my car is a 2014 Skoda?", &["The user's car is a 2014 Skoda"]);
    says("Can you remember that film?", &[]);
    says("I live in London. Scratch that, Londonderry.", &["The user lives in Londonderry"]);
}
