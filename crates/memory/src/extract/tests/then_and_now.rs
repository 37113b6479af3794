//! What was so once and what is so now, in one sentence.

use super::*;

fn told(message: &str) -> Vec<String> {
    notice(message).into_iter().map(|one| one.text).collect()
}

fn ends(message: &str, attribute: &str, value: &str) -> bool {
    let was = statement(attribute, value);
    endings(message).iter().any(|one| one.ends(&was))
}

#[test]
fn a_word_of_the_present_lifts_its_own_clause_and_no_other() {
    let none: [&str; 0] = [];
    for (message, expected) in [
        (
            "I used to live in Oslo and work at Statoil, but now I live in Bergen.",
            &["The user lives in Bergen"][..],
        ),
        ("I used to live in Oslo and work at Statoil, now I'm retired.", &none),
        ("I used to eat meat and love steak, now I'm vegan.", &["The user is vegan"]),
        ("I plan to quit my job and work at Globex, so today I wrote my letter.", &none),
        (
            "I don't want to live in London and work at a bank, which is what people do nowadays.",
            &none,
        ),
        ("I don't want to live in London and work at a bank as people do nowadays", &none),
        ("I want to move to Oslo and work at Statoil now", &none),
        ("I'd like to quit and work at Globex these days", &none),
        ("I used to live in Oslo and work at what is Equinor now", &none),
        ("I used to be a nurse and work at Statoil now", &["The user works at Statoil"]),
        ("I used to be a nurse and now work at Statoil", &["The user works at Statoil"]),
        ("I used to have a dog and love cats now.", &["The user loves cats"]),
    ] {
        assert_eq!(told(message), expected, "{message}");
    }
}

#[test]
fn what_was_so_ends_and_what_is_so_now_is_noticed_in_chinese_and_japanese() {
    let lives = ["用户住在北京"];
    for message in [
        "我以前住在上海，现在住在北京。",
        "我以前住在上海，但现在住在北京了。",
        "我之前住在上海，不过我现在住在北京。",
        "我现在住在北京，以前住在上海。",
    ] {
        assert_eq!(told(message), lives, "{message}");
        let is_first = !message.starts_with("我现在");
        assert_eq!(ends(message, "住在", "上海"), is_first, "{message}");
        assert!(!ends(message, "住在", "北京"), "{message}");
    }
    let message = "我以前在华为工作，现在在小米工作。";
    assert_eq!(told(message), ["用户在小米工作"]);
    assert!(ends(message, "工作单位", "华为"));
    // What follows may have been so then.
    assert_eq!(told("我以前住在上海，在华为工作，现在住在北京。"), lives);
    assert_eq!(told("我以前住在上海，喜欢喝茶。"), [""; 0]);
    let message = "私は以前は東京に住んでいましたが、今は大阪に住んでいます。";
    assert_eq!(told(message), ["ユーザーは大阪に住んでいる"]);
    assert!(ends(message, "住まい", "東京"));
    // Of whom it is said is not known.
    assert_eq!(told("以前は東京に住んでいましたが、今は大阪に住んでいます。"), [""; 0]);
}

#[test]
fn an_allergy_is_over_only_where_that_is_said() {
    let message = "我以前对花生过敏，现在不过敏了。";
    check(message, &[(Fact, "用户不对花生过敏", Some(("对花生过敏", "否")))]);
    for message in
        ["我以前对花生过敏。", "我以前对花生过敏，现在还是过敏。", "我以前对花生过敏，现在好多了"]
    {
        check(message, &[]);
        assert!(!ends(message, "对花生过敏", "是"), "{message}");
    }
    assert!(!ends("I used to be allergic to nuts and still am", "allergic to nuts", "yes"));
}

#[test]
fn what_goes_on_is_not_over() {
    for message in [
        "I used to live in Oslo and still do",
        "我以前住在Oslo，现在还住在Oslo",
        "私は以前Osloに住んでいましたが、今もOsloに住んでいます",
    ] {
        assert!(!ends(message, "lives in", "Oslo"), "{message}");
    }
}

#[test]
fn what_was_liked_once_is_liked_no_more_where_something_else_is() {
    for (message, text) in [
        ("I used to like coffee but now I prefer tea.", &["The user prefers tea"][..]),
        ("I used to like coffee, but I now love tea", &[]),
        ("I used to love coffee.", &[]),
        ("I used to like coffee, but not any more", &[]),
        ("I used to like coffee but I don't like it any more", &[]),
    ] {
        assert!(ends(message, "likes coffee", "yes"), "{message}");
        assert!(!ends(message, "likes coffee", "no"), "{message}");
        for text in text {
            assert!(told(message).contains(&(*text).to_owned()), "{message}");
        }
    }
    let message = "我以前喜欢喝咖啡，现在喜欢喝茶。";
    assert!(ends(message, "喜欢喝咖啡", "是"));
    assert_eq!(told(message), ["用户喜欢喝茶"]);
    for message in [
        "I used to like coffee, now I like coffee even more",
        "I used to like coffee but now I love it",
        "I used to like coffee and still love it",
        "I used to like coffee when I was young",
        "我以前喜欢喝咖啡，现在更喜欢了",
        "我以前喜欢喝咖啡，现在也喜欢喝茶",
        "我以前喜欢喝咖啡",
    ] {
        assert!(!ends(message, "likes coffee", "yes"), "{message}");
        assert!(!ends(message, "喜欢喝咖啡", "是"), "{message}");
    }
}

#[test]
fn who_leaves_one_for_another_says_both_and_who_leaves_early_neither() {
    for (message, was, now) in [
        ("I left Oslo to live in Bergen.", ("lives in", "Oslo"), "The user lives in Bergen"),
        ("I left Acme to work at Globex", ("works at", "Acme"), "The user works at Globex"),
        (
            "I quit Acme last month to work as a nurse",
            ("works at", "Acme"),
            "The user works as a nurse",
        ),
        ("我离开华为去小米工作了", ("工作单位", "华为"), "用户在小米工作"),
        ("我从华为跳槽到了小米", ("工作单位", "华为"), "用户在小米工作"),
    ] {
        assert_eq!(told(message), [now], "{message}");
        assert!(ends(message, was.0, was.1), "{message}");
    }
    for message in [
        "I left Acme early today to work at the café.",
        "I left Acme to work at the café",
        "I left Acme to go home",
        "I left Acme for Christmas",
        "我离开公司去咖啡馆工作了",
    ] {
        assert_eq!(told(message), [""; 0], "{message}");
        assert!(!ends(message, "works at", "Acme"), "{message}");
    }
}

#[test]
fn what_is_liked_best_of_a_sort_takes_the_place_of_another() {
    let red = ("最喜欢的颜色", "红色");
    check("我最喜欢的颜色是红色", &[(Fact, "用户最喜欢的颜色是红色", Some(red))]);
    check(
        "我现在最喜欢的颜色是绿色了",
        &[(Fact, "用户最喜欢的颜色是绿色", Some(("最喜欢的颜色", "绿色")))],
    );
    check(
        "我最爱吃的菜是麻婆豆腐",
        &[(Fact, "用户最喜欢的菜是麻婆豆腐", Some(("最喜欢的菜", "麻婆豆腐")))],
    );
    for message in [
        "My favourite colour is now green",
        "My favourite colour is actually green",
        "My favourite colour is green now",
    ] {
        let green = Some(("favourite colour", "green"));
        check(message, &[(Fact, "The user's favourite colour is green", green)]);
    }
}

#[test]
fn what_is_not_liked_best_any_more_ends_and_what_is_instead_is_noticed() {
    for message in [
        "Blue is not my favourite colour.",
        "Blue isn't my favorite color any more",
        "My favourite colour isn't blue any more",
        "My favourite colour is not blue",
        "My favorite color is no longer blue",
    ] {
        assert_eq!(told(message), [""; 0], "{message}");
        for attribute in ["favourite colour", "favorite color"] {
            assert!(ends(message, attribute, "blue"), "{message}");
            assert!(!ends(message, attribute, "red"), "{message}");
        }
    }
    for message in [
        "My favourite colour isn't blue, it's green",
        "My favourite colour is not blue but green",
        "Blue isn't my favourite colour, it's green.",
        "Blue is no longer my favourite colour, green is.",
    ] {
        assert_eq!(told(message), ["The user's favourite colour is green"], "{message}");
        assert!(ends(message, "favourite colour", "blue"), "{message}");
    }
    for message in
        ["我最喜欢的颜色不是蓝色", "我最喜欢的颜色不再是蓝色了", "蓝色不是我最喜欢的颜色了"]
    {
        assert_eq!(told(message), [""; 0], "{message}");
        assert!(ends(message, "最喜欢的颜色", "蓝色"), "{message}");
    }
    let message = "我最喜欢的颜色不是蓝色，而是绿色";
    assert_eq!(told(message), ["用户最喜欢的颜色是绿色"]);
    assert!(ends(message, "最喜欢的颜色", "蓝色"));
    // Nothing is called by what it is not.
    assert_eq!(told("我的生日不是五月一日"), [""; 0]);
}

#[test]
fn an_animal_that_died_is_had_no_more_and_nobody_else() {
    for message in [
        "My dog Rex died.",
        "My dog died last week",
        "Sadly, my dog Rex passed away yesterday",
        "My dog Rex was put down",
        "Rex died last night",
        "My dog is dead",
    ] {
        assert_eq!(told(message), [""; 0], "{message}");
        assert!(ends(message, "dog", "Rex"), "{message}");
        assert!(!ends(message, "cat", "Tom"), "{message}");
    }
    assert!(ends("我的狗小白去世了", "狗", "小白"));
    assert!(ends("我家的狗死了", "狗", "小白"));
    assert!(ends("My wife died two years ago", "wife", "Anna"));
    for message in [
        "My father died",
        "My dog is dead tired",
        "If my dog died, I would cry",
        "Rex died in the film",
        "My phone died",
        "Bo died",
    ] {
        for (attribute, value) in [("dog", "Rex"), ("father", "Karl")] {
            assert!(!ends(message, attribute, value), "{message}");
        }
    }
}

#[test]
fn what_is_liked_no_more_is_known_as_that() {
    check("我不再喜欢游泳了", &[(Preference, "用户不再喜欢游泳", Some(("喜欢游泳", "否")))]);
    for message in ["I no longer enjoy swimming", "I don't enjoy swimming anymore"] {
        let not = Some(("likes swimming", "no"));
        check(message, &[(Preference, "The user does not like swimming", not)]);
    }
    check(
        "I hate Mondays lol",
        &[(Preference, "The user hates Mondays", Some(("likes mondays", "no")))],
    );
    says(
        "Turns out I'm not allergic to peanuts after all",
        &["The user is not allergic to peanuts"],
    );
    says("更正一下：我住在绍兴", &["用户住在绍兴"]);
    says("我不住杭州，我住宁波", &["用户住在宁波"]);
}

#[test]
fn what_is_about_the_talk_is_no_liking_and_no_fact() {
    for message in [
        "我不喜欢这样写",
        "我喜欢第二个方案",
        "我的猜测是42",
        "我的电脑是坏的",
        "我住得很远",
        "我住酒店",
        "我住过上海",
        "我住院了",
        "I'm left-handed and colour-blind. Remember that.",
        "Remember that!",
    ] {
        says(message, &[]);
    }
}

#[test]
fn what_is_put_right_by_one_word_is_said_with_that_word() {
    for message in [
        "I live in Oslo. No, I meant Bergen.",
        "I live in Oslo. Sorry, I meant Bergen",
        "I live in Oslo. Actually, it's Bergen.",
        "I live in Oslo. I meant to say Bergen.",
        "I moved to Oslo. Oops, make that Bergen.",
    ] {
        says(message, &["The user lives in Bergen"]);
    }
    says("我住在杭州。不对，是上海。", &["用户住在上海"]);
    says(
        "My favourite colour is blue. No, I mean green.",
        &["The user's favourite colour is green"],
    );
    let said = put_right("Hi! I live in Oslo.", "no, I meant Bergen").map(|one| one.text);
    assert_eq!(said.as_deref(), Some("The user lives in Bergen"));
    // What is no value of that is no correction of it.
    for after in [
        "It's Monday.",
        "Actually, it's cold.",
        "No, I mean it.",
        "Sorry, it's late",
        "Actually, it's Anna",
    ] {
        says(&format!("I live in Oslo. {after}"), &["The user lives in Oslo"]);
        assert_eq!(put_right("I live in Oslo.", after), None, "{after}");
    }
    assert_eq!(put_right("I like tea.", "No, I meant Bergen"), None);
}

#[test]
fn what_is_put_right_is_noticed_whatever_stands_in_front() {
    for message in [
        "不对，我住在宁波",
        "不，我住在宁波",
        "说错了，我住在宁波",
        "抱歉，我住在宁波",
        "我刚才说错了，我住在宁波",
        "更正一下：我住在宁波",
    ] {
        says(message, &["用户住在宁波"]);
    }
    says("不对，我叫陈晨", &["用户名叫陈晨"]);
    for message in [
        "Sorry, I live in Milan",
        "Sorry, I meant I live in Milan",
        "No wait, I live in Milan",
        "Oops, I live in Milan",
    ] {
        says(message, &["The user lives in Milan"]);
    }
}
