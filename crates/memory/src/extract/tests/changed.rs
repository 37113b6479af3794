//! What is taken back, spelled otherwise, or has changed.

use super::*;

fn ends(message: &str, attribute: &str, value: &str) -> bool {
    endings(message).iter().any(|one| one.ends(&statement(attribute, value)))
}

#[test]
fn what_is_liked_after_all_is_about_the_same_thing() {
    for message in [
        "Actually I do like mushrooms now.",
        "I actually like mushrooms",
        "I do like mushrooms after all",
        "Turns out I do like mushrooms",
        "I've come to like mushrooms",
        "I now like mushrooms",
    ] {
        check(
            message,
            &[(Preference, "The user likes mushrooms", Some(("likes mushrooms", "yes")))],
        );
    }
    for message in [
        "I don't really like mushrooms",
        "I really don't like mushrooms",
        "I do not like mushrooms",
    ] {
        let not = Some(("likes mushrooms", "no"));
        check(message, &[(Preference, "The user does not like mushrooms", not)]);
    }
    check("我其实喜欢蘑菇", &[(Preference, "用户喜欢蘑菇", Some(("喜欢蘑菇", "是")))]);
    check("我现在不太喜欢蘑菇了", &[(Preference, "用户不太喜欢蘑菇", Some(("喜欢蘑菇", "否")))]);
    for message in [
        "Do I like mushrooms?",
        "If I do like mushrooms, I eat them",
        "She said I do like mushrooms",
        "I thought I did like mushrooms",
        "I do like how you put it",
    ] {
        check(message, &[]);
    }
}

#[test]
fn what_a_doctor_or_a_test_finds_is_so() {
    for message in [
        "The doctor says I'm not allergic to peanuts.",
        "My doctor told me that I am not allergic to peanuts",
        "I found out I'm not allergic to peanuts",
        "The test showed I'm not allergic to peanuts",
        "I'm actually not allergic to peanuts",
    ] {
        let not = Some(("allergic to peanuts", "no"));
        check(message, &[(Fact, "The user is not allergic to peanuts", not)]);
    }
    for message in [
        "医生说我其实对花生不过敏。",
        "医生说我对花生不过敏",
        "检查结果显示我对花生不过敏。",
        "原来我对花生不过敏",
        "我其实对花生不过敏",
        "我并不对花生过敏",
    ] {
        check(message, &[(Fact, "用户不对花生过敏", Some(("对花生过敏", "否")))]);
    }
    for message in [
        "My mum says I'm allergic to peanuts",
        "The doctor says I might be allergic to peanuts",
        "Did the doctor say I'm allergic to peanuts?",
        "The doctor says she's allergic to peanuts",
        "If the test shows I'm allergic to peanuts, I stop",
        "医生说他对花生过敏",
        "医生说我妹妹对花生过敏",
        "医生说我可能对花生过敏",
        "他说我对花生过敏",
    ] {
        check(message, &[]);
    }
}

#[test]
fn which_it_is_not_says_which_of_several_it_is() {
    let eve = || [(Relationship, "The user's sister is Eve", Some(("sister", "Eve")))];
    for message in [
        "My sister is called Eve, not Eva.",
        "My sister's name is Eve, not Eva",
        "My sister is Eve and not Eva",
    ] {
        check(message, &eve());
        assert!(ends(message, "sister", "Eva") && !ends(message, "sister", "Eve"), "{message}");
    }
    assert!(ends("My sister isn't called Eva", "sister", "Eva"));
    let says_both = "我妹妹叫小雨，不是小雪";
    says(says_both, &["用户的妹妹是小雨"]);
    assert!(ends(says_both, "妹妹", "小雪"));
    let turned = "我妹妹不叫小雪，叫小雨";
    says(turned, &["用户的妹妹是小雨"]);
    assert!(ends(turned, "妹妹", "小雪"));
    let name = |name| [(Fact, "The user's name is John", Some(("name", name)))];
    for message in [
        "My name is spelled John, not Jon.",
        "My name is spelled J-O-H-N",
        "You misspelled my name, it's John",
        "You got my name wrong, it's John, not Jon.",
    ] {
        check(message, &name("John"));
    }
    for message in [
        "My name is spelled with a K",
        "My name is spelled wrong",
        "my name is spelled differently",
    ] {
        check(message, &[]);
    }
    says("My favourite colour is green, not blue", &["The user's favourite colour is green"]);
    says("你写错了，我叫李维", &["用户名叫李维"]);
}

fn corrected(before: &str, message: &str) -> Option<String> {
    assert!(puts_right(message), "{message}");
    put_right(before, message).map(|one| one.text)
}

#[test]
fn a_correction_that_names_both_puts_right_what_it_names() {
    for message in ["不对，是李维，不是李伟。", "是李维，不是李伟", "不是李伟，是李维"]
    {
        assert_eq!(corrected("我叫李伟。", message).as_deref(), Some("用户名叫李维"), "{message}");
    }
    for message in [
        "It's John, not Jon.",
        "No, not Jon, John",
        "John, not Jon",
        "I meant John, not Jon",
        "Small correction: it's John, not Jon.",
    ] {
        let now = corrected("My name is Jon.", message);
        assert_eq!(now.as_deref(), Some("The user's name is John"), "{message}");
    }
    let two = "My name is Jon and I live in Oslo.";
    assert_eq!(
        corrected(two, "It's Bergen, not Oslo").as_deref(),
        Some("The user lives in Bergen")
    );
    assert_eq!(corrected(two, "It's Monday, not Sunday"), None);
    says(
        &format!("{two} It's Bergen, not Oslo."),
        &["The user's name is Jon", "The user lives in Bergen"],
    );
    for others in ["Bo thinks my sister is called Eve, not Eva", "Bo says she is Eve, not Eva"] {
        assert!(taken_back("My sister is Eva.", others).is_none(), "{others}");
        check(others, &[]);
    }
    let over = taken_back("My sister is Eva.", "No, I meant Eve.").expect("it takes Eva back");
    assert!(over.ends(&statement("sister", "Eva")) && !over.ends(&statement("sister", "Eve")));
}

#[test]
fn what_is_preferred_instead_takes_back_what_was_said_a_moment_before() {
    let over = |before: &str, after: &str| taken_back(before, after);
    for after in [
        "Actually I prefer coffee.",
        "No, I prefer coffee",
        "I prefer coffee now.",
        "On second thought, I prefer coffee",
    ] {
        assert!(puts_right(after), "{after}");
        let over = over("I prefer tea.", after).expect("it takes tea back");
        assert!(
            over.ends(&statement("likes tea", "yes"))
                && !over.ends(&statement("likes coffee", "yes"))
        );
        says(&format!("I prefer tea. {after}"), &["The user prefers coffee"]);
    }
    assert!(
        over("我更喜欢茶。", "其实我更喜欢咖啡。")
            .is_some_and(|one| one.ends(&statement("喜欢茶", "是")))
    );
    for (before, after) in [
        ("I prefer tea.", "I prefer window seats."),
        ("I like tea.", "Actually I prefer coffee"),
        ("I prefer tea.", "Actually I prefer tea"),
        ("I prefer tea.", "Actually, she prefers coffee"),
    ] {
        assert_eq!(over(before, after), None, "{after}");
    }
    says(
        "I prefer tea. I prefer window seats.",
        &["The user prefers tea", "The user prefers window seats"],
    );
}

#[test]
fn what_has_changed_is_said_with_what_it_is_now() {
    let number = || Some(("phone number", "555 9999"));
    for message in [
        "My number changed, it's 555 9999.",
        "My phone number has changed. It's 555 9999.",
        "My phone number has changed to 555 9999",
        "I changed my number, the new one is 555 9999",
        "I've got a new phone number: 555 9999",
        "My new phone number is 555 9999",
        "My number is now 555 9999",
    ] {
        check(message, &[(Fact, "The user's phone number is 555 9999", number())]);
    }
    assert!(ends("My number changed, it's 555 9999.", "phone number", "555 1234"));
    assert!(ends("My email address has changed.", "email address", "a@b.org"));
    says("I changed my name to Kim", &["The user's name is Kim"]);
    let mail = "The user's email is new@example.org";
    says("My email changed, it's new@example.org", &[mail]);
    for message in [
        "我的手机号换了，现在是13900000000。",
        "我换手机号了，新的是13900000000",
        "我的手机号改成13900000000了",
        "我换号码了，现在是13900000000",
    ] {
        let now = Some(("手机号", "13900000000"));
        check(message, &[(Fact, "用户的手机号是13900000000", now)]);
    }
    for message in [
        "My mind changed, it's late",
        "My plan changed, it's 555 9999 now",
        "Her number changed, it's 555 9999",
        "If my number changed, it's 555 9999",
    ] {
        check(message, &[]);
        assert!(!ends(message, "phone number", "555 1234"), "{message}");
    }
}

#[test]
fn who_works_there_no_more_has_left_where_they_worked() {
    let (nurse, at) = (("works as", "a nurse at St. Joseph hospital"), ("works at", "Globex"));
    for message in [
        "I no longer work there.",
        "I don't work there any more",
        "I'm not working there anymore",
        "我不在那里工作了",
    ] {
        assert!(ends(message, at.0, at.1) && ends(message, nurse.0, nurse.1), "{message}");
        assert!(
            !ends(message, "works as", "a nurse") && !ends(message, "lives in", "Oslo"),
            "{message}"
        );
    }
    assert!(ends("I don't live there anymore", "lives in", "Oslo"));
    assert!(ends("我不住那里了", "住在", "杭州"));
    let named = "I used to work at Globex, I no longer work there";
    assert!(ends(named, "works at", "Globex") && !ends(named, "works at", "Nokia"));
    for message in [
        "She no longer works there",
        "Do I no longer work there?",
        "If I no longer work there, fine",
        "I no longer work there on Fridays",
    ] {
        assert!(!ends(message, at.0, at.1), "{message}");
    }
}

#[test]
fn how_somebody_wants_to_be_called_is_a_wish_beside_the_name() {
    for message in [
        "Call me Captain.",
        "Please call me Captain",
        "I go by Captain",
        "I want to be called Captain",
        "You can call me Captain",
    ] {
        check(
            message,
            &[(
                Preference,
                "The user wants to be called Captain",
                Some(("wants to be called", "Captain")),
            )],
        );
    }
    check("叫我老王就好", &[(Preference, "用户希望被叫作老王", Some(("称呼", "老王")))]);
    assert!(ends("Don't call me Captain", "wants to be called", "Captain"));
}

#[test]
fn what_is_mine_is_theirs_where_it_is_told_of_me() {
    says("I love my garden", &["The user loves their garden"]);
    says("I hate our new kitchen", &["The user hates their new kitchen"]);
    says("I like people who help me", &["The user likes people who help them"]);
    says("我喜欢我的花园", &["用户喜欢自己的花园"]);
    says("My favourite film is My Fair Lady", &["The user's favourite film is My Fair Lady"]);
}

#[test]
fn what_others_say_takes_nothing_back() {
    for message in [
        "Bo thinks my sister is called Eve, not Eva",
        "She wrote: \"My name is spelled Norah\"",
        "He says I no longer work there",
        "他说我现在不喝咖啡了",
        "> My number changed, it's 555 9999.",
        "Translate this: My sister is called Eve, not Eva.",
    ] {
        check(message, &[]);
        assert_eq!(endings(message), [], "{message}");
    }
}
