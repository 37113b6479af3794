//! What is eaten and drunk, and what is not any more.

use super::*;

fn ends(message: &str, attribute: &str, value: &str) -> bool {
    endings(message).iter().any(|one| one.ends(&statement(attribute, value)))
}

#[test]
fn what_is_drunk_no_more_is_liked_no_more() {
    let message = "我现在不喝咖啡了，改喝茶。";
    says(message, &["用户不喝咖啡", "用户喝茶"]);
    assert!(ends(message, "喜欢喝咖啡", "是") && ends(message, "喜欢咖啡", "是"));
    assert!(!ends(message, "喜欢喝茶", "是") && !ends(message, "喜欢喝咖啡", "否"));
    for message in ["我再也不喝咖啡了", "我已经不喝咖啡了", "我戒咖啡了", "我戒了咖啡"]
    {
        assert!(ends(message, "喜欢喝咖啡", "是"), "{message}");
    }
    for message in [
        "I don't drink coffee any more.",
        "I no longer drink coffee",
        "I stopped drinking coffee",
        "I've given up coffee",
    ] {
        for liked in ["likes coffee", "likes drinking coffee", "likes to drink coffee"] {
            assert!(ends(message, liked, "yes"), "{message}");
        }
    }
    for message in [
        "我今天不喝咖啡了",
        "我不喝了",
        "她不喝咖啡了",
        "如果我不喝咖啡了",
        "我不喝咖啡了？",
        "I don't drink coffee after four any more",
        "She no longer drinks coffee",
        "If I no longer drink coffee",
    ] {
        assert!(
            !ends(message, "喜欢喝咖啡", "是") && !ends(message, "likes coffee", "yes"),
            "{message}"
        );
    }
}

#[test]
fn what_somebody_does_not_eat_is_noticed_unless_it_is_for_once() {
    check(
        "I don't eat pork",
        &[(Preference, "The user does not eat pork", Some(("eats pork", "no")))],
    );
    check(
        "I never drink alcohol",
        &[(Preference, "The user does not drink alcohol", Some(("drinks alcohol", "no")))],
    );
    check("I eat meat again", &[(Preference, "The user eats meat", Some(("eats meat", "yes")))]);
    check("我不吃猪肉", &[(Preference, "用户不吃猪肉", Some(("吃猪肉", "否")))]);
    for message in [
        "I don't eat much",
        "I don't drink and drive",
        "I don't eat breakfast today",
        "I don't drink coffee after 4 p.m.",
        "I don't eat it",
        "我不吃了",
        "我不吃饭",
        "我今天不吃猪肉",
        "他不吃猪肉",
    ] {
        check(message, &[]);
    }
}

#[test]
fn a_diet_takes_the_place_of_another() {
    check("I'm vegetarian", &[(Fact, "The user is vegetarian", Some(("diet", "vegetarian")))]);
    check("I am a vegan now.", &[(Fact, "The user is vegan", Some(("diet", "vegan")))]);
    check("我吃素", &[(Fact, "用户吃素", Some(("饮食", "素食")))]);
    check(
        "I'm lactose-intolerant",
        &[(Fact, "The user is lactose intolerant", Some(("lactose intolerant", "yes")))],
    );
    assert!(ends("I'm not vegetarian anymore", "diet", "vegetarian"));
    assert!(ends("我不吃素了", "饮食", "素食"));
    for message in [
        "Am I vegetarian?",
        "If I'm vegetarian, I can't eat this",
        "She's vegetarian",
        "I'm not vegetarian",
    ] {
        check(message, &[]);
    }
}
