//! What is preferred to what, whose brother is one of several, and what is said before a question.

use super::*;

#[test]
fn what_is_preferred_is_stated_of_what_is_liked_less() {
    let dark = || ("prefers over light mode", "dark mode");
    check(
        "I prefer dark mode over light mode",
        &[(Preference, "The user prefers dark mode over light mode", Some(dark()))],
    );
    check(
        "I really like dark mode more than light mode.",
        &[(Preference, "The user prefers dark mode over light mode", Some(dark()))],
    );
    let tea = ("比咖啡更喜欢", "茶");
    check("我更喜欢茶而不是咖啡", &[(Preference, "用户更喜欢茶而不是咖啡", Some(tea))]);
    check("我更喜欢茶", &[(Preference, "用户更喜欢茶", Some(("喜欢茶", "是")))]);
    check("比起咖啡，我更喜欢茶", &[(Preference, "用户更喜欢茶", Some(("喜欢茶", "是")))]);
    check("I prefer the second option over the first", &[]);
    check("我以前喜欢喝咖啡，现在更喜欢了", &[]);
    says("I prefer to work at night", &["The user prefers to work at night"]);
}

#[test]
fn who_prefers_something_else_prefers_nothing_to_it_any_more() {
    let ends = |message: &str, attribute: &str, value: &str| {
        endings(message).iter().any(|one| one.ends(&statement(attribute, value)))
    };
    for message in ["I prefer light mode", "I now prefer light mode over dark mode"] {
        assert!(ends(message, "prefers over light mode", "dark mode"), "{message}");
    }
    assert!(ends("我现在更喜欢浅色模式", "比浅色模式更喜欢", "深色模式"));
    assert!(!ends("I prefer tea over coffee", "prefers over tea", "juice"));
    assert!(!ends("I prefer dark mode", "prefers over light mode", "dark mode"));
    assert!(!ends("Do I prefer light mode?", "prefers over light mode", "dark mode"));
}

#[test]
fn who_prefers_a_light_look_likes_a_dark_one_no_more() {
    let ends = |message: &str, attribute: &str, value: &str| {
        endings(message).iter().any(|one| one.ends(&statement(attribute, value)))
    };
    for message in ["I prefer light mode", "我更喜欢浅色模式", "我更喜欢浅色"] {
        assert!(ends(message, "likes dark mode", "yes"), "{message}");
        assert!(ends(message, "喜欢深色模式", "是"), "{message}");
        assert!(ends(message, "喜欢深色", "是"), "{message}");
        assert!(!ends(message, "likes dark mode", "no"), "{message}");
        assert!(!ends(message, "likes light mode", "yes"), "{message}");
        assert!(!ends(message, "likes tea", "yes"), "{message}");
    }
    assert!(ends("我更喜欢深色主题", "likes light mode", "yes"));
    assert!(!ends("I prefer dark chocolate", "likes light mode", "yes"));
}

#[test]
fn one_of_several_is_what_each_of_them_is() {
    let brother = |name| Some(("brother", name));
    check("My brother is Tom", &[(Relationship, "The user's brother is Tom", brother("Tom"))]);
    let other = "The user's other brother is Jim";
    check("My other brother is called Jim", &[(Relationship, other, brother("Jim"))]);
    let gang = || Some(("弟弟", "小刚"));
    for said in ["我另一个弟弟叫小刚", "我的另一个弟弟叫小刚", "我还有一个弟弟叫小刚"]
    {
        check(said, &[(Relationship, "用户的弟弟是小刚", gang())]);
    }
}

#[test]
fn what_is_said_before_a_question_is_said() {
    says("My name is Li, what's yours?", &["The user's name is Li"]);
    says("Hi, my name is Li, and you?", &["The user's name is Li"]);
    says("I live in Oslo, how about you?", &["The user lives in Oslo"]);
    says("I live in Oslo, can you recommend a restaurant?", &["The user lives in Oslo"]);
    says("我住在杭州，你呢？", &["用户住在杭州"]);
    says("我叫小林，你叫什么名字？", &["用户名叫小林"]);
    says("我住在杭州，能推荐一家餐馆吗？", &["用户住在杭州"]);
    for asked in [
        "I live in Oslo, right?",
        "I live in Oslo, don't I?",
        "I live in Oslo, why do you say that?",
        "Do I live in Oslo, what about you?",
        "If I live in Oslo, can you help me?",
        "我住在杭州，对吗？",
        "我住在杭州，是不是？",
        "你住在杭州，我呢？",
    ] {
        says(asked, &[]);
    }
}
