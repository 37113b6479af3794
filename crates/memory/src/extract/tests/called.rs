//! What somebody is called, and what only looks like a name.

use super::*;

fn named(message: &str) -> Vec<String> {
    let told = notice(message).into_iter().filter_map(|one| one.statement);
    told.filter(|one| {
        ["name", "名字", "wants to be called", "称呼"].contains(&one.attribute.as_str())
    })
    .map(|one| one.value)
    .collect()
}

#[test]
fn what_is_said_with_a_name_is_no_part_of_it() {
    for message in [
        "Call me Bob please.",
        "Call me Bob, please.",
        "Actually, call me Bob instead.",
        "Call me Bob from now on.",
        "From now on call me Bob.",
        "From now on, please call me Bob.",
        "Call me Bob if you like.",
        "Please call me Bob, thanks.",
        "Just call me Bob from now on, please.",
        "Call me Bob for short",
        "My name is Bob by the way",
        "call me bob please",
        "Don't call me Robert, my name is Bob.",
        "Please don't call me Robert, call me Bob instead.",
    ] {
        let told: Vec<String> = named(message).iter().map(|one| one.to_lowercase()).collect();
        assert_eq!(told, ["bob"], "{message}");
    }
    for (message, name) in [
        ("My name is Anna Maria von Trapp", "Anna Maria von Trapp"),
        ("My name is Jean-Luc O'Neil", "Jean-Luc O'Neil"),
        ("My name is Ken Long", "Ken Long"),
        ("叫我小王就可以了", "小王"),
        ("叫我小王就好了。", "小王"),
        ("叫我小王吧", "小王"),
        ("以后叫我小王就行了", "小王"),
        ("请叫我小王就行", "小王"),
        ("叫我Tom就可以了", "Tom"),
        ("我叫欧阳娜娜", "欧阳娜娜"),
        ("我叫李成", "李成"),
        ("我的名字叫做陈晨", "陈晨"),
        ("我叫做陈晨", "陈晨"),
        ("叫我李好就好", "李好"),
        ("别叫我老王，叫我小王。", "小王"),
        ("我不叫小明，我叫小王", "小王"),
        ("叫我李想", "李想"),
        ("叫我王先生", "王先生"),
        ("叫我阿飞", "阿飞"),
        ("叫我欧阳", "欧阳"),
        ("叫我队长", "队长"),
        ("My name isn't Kim, it's Kin", "Kin"),
        ("不要叫我老王了，叫我小王。", "小王"),
    ] {
        assert_eq!(named(message), [name], "{message}");
    }
}

#[test]
fn what_is_not_surely_a_name_is_none() {
    for message in [
        "Call me by my first name.",
        "Hello, I'm Deaf and I use captions.",
        "Hi Ada, I'm Autistic, so please be literal.",
        "Hi, I'm Confused.",
        "Hi, I'm Looking for a flat",
        "Good morning, I'm Tired",
        "Hi, this is Urgent",
        "叫我起来",
        "早上七点叫我起来",
        "叫我爸爸来",
        "call me by my first name",
        "Call me later please",
        "Call me old-fashioned, but I prefer paper.",
        "Call me crazy",
        "call me paranoid",
        "Call me Monday",
        "Call me Monday morning",
        "Call me Bob or Robert",
        "Call me Bob for now",
        "Call me Bob in meetings",
        "Call me please",
        "My name is on the list.",
        "My name is misspelled in your answer.",
        "My name is unusual",
        "My name is not Kim's, it's Kit's.",
        "I'm called into a meeting now.",
        "My first name is spelled wrong",
        "叫我名字就可以了",
        "叫我的名字",
        "叫我英文名就好",
        "叫我一声",
        "我叫小王今年三十岁",
        "叫我什么都行",
        "叫我小王或者老王",
        "别叫我老王",
        "叫我早点睡",
        "叫我起床",
        "叫我别忘了",
        "叫我别忘了带伞",
        "叫我多喝水",
        "请叫我准时下班",
        "叫我安静",
        "叫我小心",
        "叫我小声点",
        "叫我马上走",
        "叫我想想",
        "叫我去上课",
        "叫我签字",
        "每天叫我背单词",
        "叫我闭嘴",
        "叫我学习",
    ] {
        let told: Vec<String> = notice(message)
            .into_iter()
            .filter_map(|one| one.statement)
            .filter(|one| {
                ["name", "名字", "wants to be called", "称呼"]
                    .iter()
                    .any(|name| one.attribute.contains(name))
            })
            .map(|one| one.value)
            .collect();
        assert_eq!(told, [""; 0], "{message}");
    }
    check("My wife is called into work every weekend.", &[]);
    check("My favourite colour is the one in the logo.", &[]);
}

#[test]
fn who_is_not_to_be_called_so_any_more_is_not() {
    for (message, was) in [
        ("Please don't call me Bob.", ("name", "Bob")),
        ("Don't call me Bob, my name is Robert.", ("name", "Bob")),
        ("Don't ever call me Bob", ("name", "ever Bob")),
        ("别叫我老王。", ("名字", "老王")),
        ("不要叫我老王了，叫我小王。", ("名字", "老王")),
        ("请不要再叫我老王了", ("名字", "老王")),
        ("我不叫老王", ("名字", "老王")),
        ("我不叫小明，我叫小王", ("名字", "小明")),
        ("我的名字不是小明，是小王", ("名字", "小明")),
        ("My name isn't Kim, it's Kin", ("name", "Kim")),
        ("もう田中と呼ばないでください", ("名前", "田中")),
    ] {
        let was = statement(was.0, was.1);
        let is_over = endings(message).iter().any(|one| one.ends(&was));
        assert_eq!(is_over, !message.contains("ever"), "{message}");
    }
}
