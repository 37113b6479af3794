//! What is said of several things in one list, and what is one thing with an *and* in it.

use super::*;

/// What is said of each, as attributes: all of these, with this value.
fn each(said: &str, value: &str, expected: &[&str]) {
    let told: Vec<_> = notice(said).into_iter().filter_map(|one| one.statement).collect();
    let told: Vec<_> =
        told.iter().map(|one| (one.attribute.as_str(), one.value.as_str())).collect();
    let expected: Vec<_> = expected.iter().map(|attribute| (*attribute, value)).collect();
    assert_eq!(told, expected, "{said}");
}

#[test]
fn what_is_said_of_several_things_in_english_is_said_of_each() {
    let allergic = ["allergic to nuts", "allergic to eggs", "allergic to milk"];
    for said in [
        "I am allergic to nuts, eggs and milk",
        "I'm allergic to nuts, eggs, and milk.",
        "I’m still allergic to nuts and eggs and milk",
        "I'm allergic to nuts, eggs & milk too",
    ] {
        each(said, "yes", &allergic);
    }
    for said in [
        "I'm not allergic to nuts, eggs or milk",
        "I'm no longer allergic to nuts, eggs and milk any more",
    ] {
        each(said, "no", &allergic);
    }
    each(
        "I'm allergic to dust, pollen and cat hair",
        "yes",
        &["allergic to dust", "allergic to pollen", "allergic to cat hair"],
    );
    each(
        "I'm allergic to penicillin and bee stings",
        "yes",
        &["allergic to penicillin", "allergic to bee stings"],
    );
    each(
        "I like tea, coffee and green tea",
        "yes",
        &["likes tea", "likes coffee", "likes green tea"],
    );
    each("I like tea and coffee", "yes", &["likes tea", "likes coffee"]);
    each("I love both cats and birds", "yes", &["likes cats", "likes birds"]);
    each("I don't like tea or coffee", "no", &["likes tea", "likes coffee"]);
    each("I hate spiders and snakes", "no", &["likes spiders", "likes snakes"]);
    each(
        "I enjoy reading books, listening to music and hiking",
        "yes",
        &["likes reading books", "likes listening to music", "likes hiking"],
    );
    each("I like Rust and Python", "yes", &["likes rust", "likes python"]);
    each(
        "I like pizza, mac and cheese, and tacos",
        "yes",
        &["likes pizza", "likes mac and cheese", "likes tacos"],
    );
    each(
        "I like pizza, mac and cheese and tacos",
        "yes",
        &["likes pizza", "likes mac and cheese", "likes tacos"],
    );
    says(
        "I like cats and dogs, and I live in Porto",
        &["The user likes cats", "The user likes dogs", "The user lives in Porto"],
    );
}

#[test]
fn what_is_done_and_liked_stands_in_a_list_as_things_do() {
    let with =
        |done: &str| ["likes tea".to_owned(), "likes coffee".to_owned(), format!("likes {done}")];
    for done in ["to swim", "swimming", "to go out", "reading books"] {
        let attributes = with(done);
        let attributes: Vec<&str> = attributes.iter().map(String::as_str).collect();
        each(&format!("I like tea, coffee and {done}"), "yes", &attributes);
    }
    each(
        "I like to swim, run and read",
        "yes",
        &["likes to swim", "likes to run", "likes to read"],
    );
    each("I like tea and to swim", "yes", &["likes tea", "likes to swim"]);
    for said in ["I like to cook, tea and jazz", "I like to swim and the sea"] {
        each(said, "yes", &[&format!("likes {}", &said[7..])]);
    }
}

#[test]
fn what_only_adds_to_a_list_is_no_part_of_it() {
    for said in [
        "I like tea and also coffee",
        "I like tea, coffee, etc.",
        "I like tea, coffee etc",
        "I like tea, coffee and so on",
        "I like tea, coffee and the like.",
    ] {
        each(said, "yes", &["likes tea", "likes coffee"]);
    }
    each("I like tea, milk, and also coffee", "yes", &["likes tea", "likes milk", "likes coffee"]);
    each("I like jazz etc.", "yes", &["likes jazz"]);
    each("我喜欢茶、咖啡等等", "是", &["喜欢茶", "喜欢咖啡"]);
    each("我喜欢茶、咖啡之类的", "是", &["喜欢茶", "喜欢咖啡"]);
    each("我喜欢茶、咖啡等", "是", &["喜欢茶", "喜欢咖啡"]);
    each("我喜欢自由、平等", "是", &["喜欢自由、平等"]);
}

/// What is said of each: attributes and values.
fn told(said: &str) -> Vec<(String, String)> {
    let told = notice(said).into_iter().filter_map(|one| one.statement);
    told.map(|one| (one.attribute, one.value)).collect()
}

#[test]
fn what_is_denied_of_a_part_of_a_list_is_denied_of_that_alone() {
    let of = |all: &[(&str, &str)]| -> Vec<(String, String)> {
        all.iter()
            .map(|(attribute, value)| ((*attribute).to_owned(), (*value).to_owned()))
            .collect()
    };
    let cats = of(&[("likes cats", "yes"), ("likes dogs", "no")]);
    for said in ["I like cats but not dogs", "I like cats, but not dogs.", "I like cats, not dogs"]
    {
        assert_eq!(told(said), cats, "{said}");
    }
    assert_eq!(
        told("I like tea and coffee but not milk"),
        of(&[("likes tea", "yes"), ("likes coffee", "yes"), ("likes milk", "no")])
    );
    assert_eq!(
        told("I'm allergic to nuts but not eggs"),
        of(&[("allergic to nuts", "yes"), ("allergic to eggs", "no")])
    );
    assert_eq!(told("我喜欢猫但不喜欢狗"), of(&[("喜欢猫", "是"), ("喜欢狗", "否")]));
    // How it is to be is no thing by itself.
    for said in [
        "I like steak but not rare",
        "I like music loud, not quiet",
        "I like dogs but not big ones",
        "I like coffee but not after dinner",
    ] {
        let whole = format!("likes {}", &said[7..]);
        assert_eq!(told(said), of(&[(&whole, "yes")]), "{said}");
    }
}

#[test]
fn what_is_said_of_several_things_in_chinese_is_said_of_each() {
    let allergic = ["对花生过敏", "对虾过敏", "对牛奶过敏"];
    for said in [
        "我对花生、虾和牛奶过敏",
        "我对花生、虾、牛奶都过敏。",
        "我对花生、虾以及牛奶过敏",
        "我現在對花生、虾和牛奶過敏",
    ] {
        each(said, "是", &allergic);
    }
    each("我对花生、虾和牛奶都不过敏", "否", &allergic);
    each("我对花生和虾过敏", "是", &["对花生过敏", "对虾过敏"]);
    each("我对猫毛与花粉过敏", "是", &["对猫毛过敏", "对花粉过敏"]);
    each("我喜欢猫、狗和兔子", "是", &["喜欢猫", "喜欢狗", "喜欢兔子"]);
    each("我喜欢猫和狗", "是", &["喜欢猫", "喜欢狗"]);
    each("我不喜欢香菜和苦瓜", "否", &["喜欢香菜", "喜欢苦瓜"]);
    each("我喜欢钢琴、吉他和鼓", "是", &["喜欢钢琴", "喜欢吉他", "喜欢鼓"]);
    each("我喜欢吃苹果、香蕉和橙子", "是", &["喜欢吃苹果", "喜欢吃香蕉", "喜欢吃橙子"]);
    each("我喜欢看书、听音乐和爬山", "是", &["喜欢看书", "喜欢听音乐", "喜欢爬山"]);
    each("我喜欢苹果、香蕉和梨", "是", &["喜欢苹果", "喜欢香蕉", "喜欢梨"]);
    each("我喜欢牛奶和面包", "是", &["喜欢牛奶", "喜欢面包"]);
    each("我喜欢寿司、和牛", "是", &["喜欢寿司", "喜欢和牛"]);
    each("我喜欢自由和和平", "是", &["喜欢自由", "喜欢和平"]);
}

#[test]
fn what_may_be_one_thing_is_not_torn() {
    for thing in [
        "mac and cheese",
        "Tom and Jerry",
        "salt and pepper",
        "research and development",
        "biscuits and gravy",
        "rock and roll",
        "Simon and Garfunkel",
        "Pride and Prejudice",
        "Crosby, Stills and Nash",
        "cat and dog videos",
        "rock, pop and jazz music",
        "red and white wine",
        "tea or coffee",
        "tea with milk and sugar",
        "onions, garlic and cheese on pizza",
        "fresh smells of coffee, tea and bread",
        "old books and maps",
        "to sit and talk",
        "forests and the sea",
        "peace and quiet",
        "tea, guys",
    ] {
        let lower = thing.to_lowercase();
        each(&format!("I like {thing}"), "yes", &[&format!("likes {lower}")]);
    }
    each(
        "I'm allergic to cat, dog and horse hair",
        "yes",
        &["allergic to cat, dog and horse hair"],
    );
    for thing in [
        "和平",
        "跟团游",
        "和牛",
        "和朋友聊天",
        "周末和朋友去爬山",
        "猫和老鼠",
        "猫和狗的视频",
        "蓝色的天空和大海",
        "红楼梦与西游记",
        "摇滚、流行和爵士音乐",
        "高跟鞋",
        "看电影、音乐和爬山",
    ] {
        each(&format!("我喜欢{thing}"), "是", &[&format!("喜欢{thing}")]);
    }
    each("我对猫、狗和兔子毛过敏", "是", &["对猫、狗和兔子毛过敏"]);
}
