//! What is noticed in a sentence, and what is not.

mod called;
mod changed;
mod habits;
mod joined;
mod kin;
mod listed;
mod other_scripts;
mod ours;
mod preferred;
mod then_and_now;
mod wishes;

use super::*;

/// Kind, text, and attribute with value.
type Expected<'a> = (MemoryKind, &'a str, Option<(&'a str, &'a str)>);

fn check(message: &str, expected: &[Expected<'_>]) {
    let noticed = notice(message);
    let told: Vec<_> = noticed
        .iter()
        .map(|one| {
            let statement = one.statement.as_ref();
            (
                one.kind,
                one.text.as_str(),
                statement.map(|s| (s.attribute.as_str(), s.value.as_str())),
            )
        })
        .collect();
    assert_eq!(told, expected, "{message}");
}

use MemoryKind::{Fact, Preference, Relationship};

#[test]
fn what_a_person_says_about_themselves_is_noticed() {
    check(
        "Hi, my name is Ana Lima. I live in Porto!",
        &[
            (Fact, "The user's name is Ana Lima", Some(("name", "Ana Lima"))),
            (Fact, "The user lives in Porto", Some(("lives in", "Porto"))),
        ],
    );
    check(
        "I’ve just moved to St. Gallen",
        &[(Fact, "The user lives in St. Gallen", Some(("lives in", "St. Gallen")))],
    );
    check(
        "I work as a nurse. I'm allergic to peanuts.",
        &[
            (Fact, "The user works as a nurse", Some(("works as", "a nurse"))),
            (Fact, "The user is allergic to peanuts", Some(("allergic to peanuts", "yes"))),
        ],
    );
    check(
        "My wife's name is Clara.",
        &[(Relationship, "The user's wife is Clara", Some(("wife", "Clara")))],
    );
    check(
        "My wife Maria is a doctor.",
        &[(Relationship, "The user's wife Maria is a doctor", Some(("wife", "Maria")))],
    );
    check(
        "My favourite colour is green",
        &[(Fact, "The user's favourite colour is green", Some(("favourite colour", "green")))],
    );
}

#[test]
fn a_change_of_mind_is_about_the_same_thing() {
    check(
        "I really love strong coffee.",
        &[(Preference, "The user loves strong coffee", Some(("likes strong coffee", "yes")))],
    );
    check(
        "I don't like strong coffee anymore.",
        &[(
            Preference,
            "The user does not like strong coffee",
            Some(("likes strong coffee", "no")),
        )],
    );
    for said in ["I love cats", "I love cats again", "I love cats after all."] {
        check(said, &[(Preference, "The user loves cats", Some(("likes cats", "yes")))]);
    }
    check("My favourite colour is no longer blue", &[]);
    check("我特别喜欢乌龙茶。", &[(Preference, "用户喜欢乌龙茶", Some(("喜欢乌龙茶", "是")))]);
    check("我讨厌乌龙茶。", &[(Preference, "用户讨厌乌龙茶", Some(("喜欢乌龙茶", "否")))]);
}

#[test]
fn chinese_is_noticed_too() {
    check(
        "你好，我叫林夏。我住在杭州！我对花生过敏。",
        &[
            (Fact, "用户名叫林夏", Some(("名字", "林夏"))),
            (Fact, "用户住在杭州", Some(("住在", "杭州"))),
            (Fact, "用户对花生过敏", Some(("对花生过敏", "是"))),
        ],
    );
    check("我的女儿叫小雨", &[(Relationship, "用户的女儿是小雨", Some(("女儿", "小雨")))]);
    check("我的妻子是王芳", &[(Relationship, "用户的妻子是王芳", Some(("妻子", "王芳")))]);
    check("我的妻子是医生", &[(Relationship, "用户的妻子是医生", None)]);
    check("我妈妈是程序员", &[(Relationship, "用户的妈妈是程序员", None)]);
    check("请记住：周五要交报告", &[(Fact, "周五要交报告", None)]);
}

#[test]
fn what_they_ask_to_be_kept_is_kept_in_its_best_form() {
    check(
        "Remember that the deploy needs two approvals.",
        &[(Fact, "the deploy needs two approvals", None)],
    );
    check(
        "Please remember: I live in Porto",
        &[(Fact, "The user lives in Porto", Some(("lives in", "Porto")))],
    );
    check("From now on, use tabs.", &[(Preference, "From now on, use tabs", None)]);
    assert_eq!(notice("Please remember: I live in Porto")[0].importance, ASKED);
}

#[test]
fn questions_quotations_code_and_talk_about_the_talk_are_passed_over() {
    for message in [
        "Do you know where I live?",
        "Is it true that I live in Porto?",
        "She said \"I live in Porto\".",
        "> I live in Porto",
        "```\nI live in Porto.\n```",
        "I like how you wrote that.",
        "I like her",
        "I would like a refund.",
        "My question is whether it rains",
        "If I live in Porto, I pay less",
        "我的意思是明天再说",
        "我喜欢你的写法",
        "我住在哪里？",
        "",
        "?!。",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
}

#[test]
fn the_same_thing_said_twice_is_noticed_once() {
    assert_eq!(notice("I live in Porto. I live in Porto.").len(), 1);
}

#[test]
fn a_sentence_of_several_clauses_says_several_things() {
    says(
        "My name is Kim and I live in Porto",
        &["The user's name is Kim", "The user lives in Porto"],
    );
    says(
        "I'm Kim, I work at Acme and my wife is Ana",
        &["The user's name is Kim", "The user works at Acme", "The user's wife is Ana"],
    );
    says("Hi Ada, I'm Kim!", &["The user's name is Kim"]);
    says("Hi! I'm Kim.", &["The user's name is Kim"]);
    says(
        "Hello, my name's Kim Lee, and I'm from Brazil",
        &["The user's name is Kim Lee", "The user comes from Brazil"],
    );
    says(
        "I live in Porto, work as a nurse, and love sailing",
        &["The user lives in Porto", "The user works as a nurse", "The user loves sailing"],
    );
    says("I live and work in Porto", &["The user works in Porto"]);
    says(
        "I live in Porto but I'm from Faro",
        &["The user lives in Porto", "The user comes from Faro"],
    );
    says("I'm a nurse and live in Porto", &["The user lives in Porto"]);
    says("My wife and I live in Porto", &["The user lives in Porto"]);
    says("My wife is Ana and my son is Leo", &["The user's wife is Ana", "The user's son is Leo"]);
    says(
        "My wife is Ana and works at Acme",
        &["The user's wife is Ana", "The user's wife works at Acme"],
    );
    says("My sister's name is Ana and she lives in Faro", &["The user's sister is Ana"]);
    says("I love cats but hate dogs", &["The user loves cats", "The user hates dogs"]);
    says(
        "I'm allergic to nuts and I don't like fish",
        &["The user is allergic to nuts", "The user does not like fish"],
    );
    says("I live in Porto and speak French", &["The user lives in Porto"]);
    says("I live in Porto and it is lovely", &["The user lives in Porto"]);
    says("I live in Porto and Ana works at Acme", &["The user lives in Porto"]);
    says(
        "I work at Acme because I like rockets",
        &["The user works at Acme", "The user likes rockets"],
    );
    says(
        "I moved to Porto, where I work as a nurse",
        &["The user lives in Porto", "The user works as a nurse"],
    );
    says(
        "I like fish and chips and I live in Leeds",
        &["The user likes fish and chips", "The user lives in Leeds"],
    );
    says(
        "Actually, I live in Faro now, so please always answer in Portuguese",
        &["The user lives in Faro", "The user wants to be answered in Portuguese"],
    );
    says(
        "My name is Kimberly, but call me Kim",
        &["The user's name is Kimberly", "The user wants to be called Kim"],
    );
    says("@Ada I live in Porto, can you find a dentist", &["The user lives in Porto"]);
    says(
        "Remember that my name is Kim and I live in Porto",
        &["The user's name is Kim", "The user lives in Porto"],
    );
}

#[test]
fn chinese_clauses_are_read_one_by_one_and_say_whom_they_are_about() {
    says("我叫小明，住在杭州", &["用户名叫小明", "用户住在杭州"]);
    says("我叫小明住在杭州", &["用户名叫小明", "用户住在杭州"]);
    says("大家好，我叫小明，今年30岁，在阿里工作", &["用户名叫小明", "用户在阿里工作"]);
    says(
        "我叫小明，来自成都，现在住在杭州，喜欢喝茶",
        &["用户名叫小明", "用户来自成都", "用户住在杭州", "用户喜欢喝茶"],
    );
    says("我住在杭州，老婆叫小红", &["用户住在杭州", "用户的老婆是小红"]);
    says("我老婆叫小红，住在上海", &["用户的老婆是小红"]);
    says("我的女儿叫小雨，喜欢画画", &["用户的女儿是小雨"]);
    says("我住在杭州，但是我在上海工作", &["用户住在杭州", "用户在上海工作"]);
    says("我在阿里工作，也喜欢茶", &["用户在阿里工作", "用户喜欢茶"]);
    says("我喜欢茶，不喜欢咖啡", &["用户喜欢茶", "用户不喜欢咖啡"]);
    says("我是北京人，对花生过敏", &["用户来自北京", "用户对花生过敏"]);
    for left in ["我已经从阿里巴巴离职了", "我从阿里巴巴辞职了", "我刚辞职"]
    {
        says(&format!("{left}，现在在字节跳动上班"), &["用户在字节跳动工作"]);
    }
    says("我爸爸叫李强，妈妈叫王芳", &["用户的爸爸是李强", "用户的妈妈是王芳"]);
    says(
        "我的老婆叫小红，女儿叫朵朵，儿子叫明明",
        &["用户的老婆是小红", "用户的女儿是朵朵", "用户的儿子是明明"],
    );
    // Whose they are cannot be told.
    says("我哥哥叫李明，老婆叫王芳", &["用户的哥哥是李明"]);
    says("我朋友叫小王，妈妈叫王芳", &["用户的朋友是小王"]);
    says("我住在杭州，他住在上海，喜欢喝酒", &["用户住在杭州"]);
    says("请记住：我叫小明，住在杭州", &["用户名叫小明", "用户住在杭州"]);
    says("我叫小明，以后请用英文回答我", &["用户名叫小明", "用户希望用英文回答"]);
}

#[test]
fn what_is_one_thing_stays_one_thing() {
    says("I like fish and chips", &["The user likes fish and chips"]);
    says("I work with Tom and Jerry", &[]);
    says("I like Tom and Jerry", &["The user likes Tom and Jerry"]);
    says("I live in Bosnia and Herzegovina", &["The user lives in Bosnia and Herzegovina"]);
    says("I live in Porto, Portugal", &["The user lives in Porto, Portugal"]);
    says("I work for Marks and Spencer", &["The user works for Marks and Spencer"]);
    says("I work in research and development", &["The user works in research and development"]);
    says("I love my wife and my kids", &["The user loves their wife and their kids"]);
    says("I like peace and love songs", &["The user likes peace and love songs"]);
    says("I like food and drink", &["The user likes food and drink"]);
    says(
        "I like to travel and work in new places",
        &["The user likes to travel and work in new places"],
    );
    says(
        "I like people who live in Porto and work at night",
        &["The user likes people who live in Porto and work at night"],
    );
    says("My favourite film is Withnail and I", &["The user's favourite film is Withnail and I"]);
    says("My favourite book is Of Mice and Men", &["The user's favourite book is Of Mice and Men"]);
    says("I prefer tea with milk and sugar", &["The user prefers tea with milk and sugar"]);
    says(
        "Remember that the mill closes and I live in Porto",
        &["the mill closes and I live in Porto"],
    );
    says(
        "From now on, cite your sources and use short sentences",
        &["From now on, cite your sources and use short sentences"],
    );
    says("我的预算是1,000元", &["用户的预算是1,000元"]);
}

#[test]
fn what_is_supposed_told_of_others_or_no_name_is_passed_over() {
    for message in [
        "If I win and I live in Porto, I pay less",
        "She says that she is rich and I live in Porto",
        "Imagine my name is Kim and I live in Porto",
        "I told him it is late and I live in Porto",
        "I work at Acme if they take me",
        "Hi, I'm French",
        "Call me when you are done",
        "My name is not important",
        "I'm Batman",
        "如果我住在杭州，我喜欢喝茶",
        "他说他叫小明，我住在杭州",
        "我叫了外卖",
        "我是负责人",
        "我现在是学生",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
}

#[test]
fn what_is_said_beside_a_value_does_not_make_it_another() {
    let value = |message: &str| notice(message).remove(0).statement.map(|stated| stated.value);
    assert_eq!(value("I live in Porto with my wife and two kids").as_deref(), Some("Porto"));
    assert_eq!(value("I live in Porto now").as_deref(), Some("Porto"));
    assert_eq!(value("My wife is Clara").as_deref(), Some("Clara"));
    assert_eq!(value("My wife is a doctor"), None, "she is Clara all the same");
}

#[test]
fn what_is_named_by_a_pronoun_alone_is_nothing_that_is_so() {
    says("I love cats but I'm allergic to them", &["The user loves cats"]);
    says("I like tea, but I hate it with milk", &["The user likes tea"]);
    says("我喜欢猫，但是我对它们过敏", &["用户喜欢猫"]);
    for message in [
        "I'm allergic to them",
        "I am not allergic to it any more.",
        "我对它们过敏",
        "我喜欢它们",
        "私はそれにアレルギーがあります",
        "My favourite colour is that",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
    says("我喜欢其他颜色", &["用户喜欢其他颜色"]);
}

#[test]
fn an_order_beside_a_fact_is_heard_as_one() {
    says(
        "I live in Oslo and never answer in German.",
        &["The user lives in Oslo", "never answer in German"],
    );
    says(
        "I live in Oslo and always show your sources",
        &["The user lives in Oslo", "always show your sources"],
    );
    says("I live in Oslo and never use salt", &["The user lives in Oslo"]);
    says("I like cheese and never use salt", &["The user likes cheese"]);
}

#[test]
fn what_is_said_with_half_a_mind_says_nothing() {
    for message in ["I live in Oslo, I think", "I live in Oslo and I am joking"] {
        assert_eq!(notice(message), [], "{message}");
    }
}

/// The texts of what is noticed, one after the other.
fn says(message: &str, expected: &[&str]) {
    let noticed = notice(message);
    let texts: Vec<&str> = noticed.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, expected, "{message}");
}

#[test]
fn what_is_only_said_so_is_no_order_and_no_name() {
    for message in [
        "Never mind that",
        "Never mind.",
        "Never again",
        "Never again will we go there",
        "Never heard of it before",
        "Always a pleasure to talk",
        "Always a real pleasure.",
        "Always happy to help",
        "Remember when we went to Rome.",
        "Remember that time we went to Rome",
        "Remember how it rained in Rome!",
        "我叫外卖。",
        "我叫车",
        "我叫个出租车",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
    let kept = |message: &str| notice(message).into_iter().map(|one| one.text).collect::<Vec<_>>();
    assert_eq!(kept("Never use tabs"), ["Never use tabs"]);
    assert_eq!(kept("Never again use tabs"), ["Never again use tabs"]);
    assert_eq!(kept("Always a summary first"), ["Always a summary first"]);
    assert_eq!(kept("Remember when the bins go out: Monday"), ["when the bins go out: Monday"]);
    assert_eq!(kept("我叫车晓"), ["用户名叫车晓"]);
}

#[test]
fn only_a_place_takes_the_place_of_a_place() {
    let value = |message: &str| {
        let stated = notice(message).into_iter().next().and_then(|one| one.statement);
        stated.map(|stated| stated.value)
    };
    for (message, place) in [
        ("I live in Kyoto.", "Kyoto"),
        ("I moved to Kyoto last month.", "Kyoto"),
        ("I moved back to Kyiv", "Kyiv"),
        ("I have lived in Oslo since May", "Oslo"),
        ("I've been living in Oslo for three years", "Oslo"),
        ("I've moved to New York in March 2024", "New York"),
        ("I moved to Rio de Janeiro two years ago", "Rio de Janeiro"),
        ("I've lived in Kyoto", ""),
        ("I live in the Netherlands these days", "the Netherlands"),
        ("I live in Porto for a year now", "Porto"),
        ("我住在京都三年了", "京都"),
        ("我搬到了京都", "京都"),
        ("我搬到上海工作了", "上海"),
        ("我去年搬到上海来工作了", "上海"),
        ("我搬去广州读书了", "广州"),
        ("我定居在大理", "大理"),
        ("I moved to Berlin for work", "Berlin"),
    ] {
        assert_eq!(value(message).as_deref().unwrap_or_default(), place, "{message}");
    }
    for message in [
        "I live in fear of spiders",
        "I live in a small flat",
        "I live in the past",
        "I live in Kyoto no more",
        "I moved to a new team",
        "I come from a meeting",
        "I work in silence",
        "I work at night",
        "I work for free",
        "I work as hard as I can",
        "I work in a hurry",
        "My job is killing me",
        "My train is late",
        "我住在恐惧中",
        "我住在公司附近",
        "我搬去和女朋友住了",
        "我在家工作",
        "我在努力工作",
    ] {
        assert_eq!(notice(message), [], "{message}");
    }
}

#[test]
fn an_allergy_that_is_over_is_about_the_same_thing() {
    let stated = |message: &str| {
        let stated = notice(message).remove(0).statement.expect("it states something");
        (stated.attribute, stated.value)
    };
    let of = |attribute: &str, value: &str| (attribute.to_owned(), value.to_owned());
    assert_eq!(stated("我对花生过敏"), of("对花生过敏", "是"));
    assert_eq!(stated("我现在不对花生过敏了"), of("对花生过敏", "否"));
    assert_eq!(stated("我现在对花生不过敏了"), of("对花生过敏", "否"));
    assert_eq!(stated("I'm allergic to peanuts"), of("allergic to peanuts", "yes"));
    assert_eq!(stated("I'm not allergic to peanuts anymore"), of("allergic to peanuts", "no"));
    assert_eq!(stated("I am no longer allergic to peanuts"), of("allergic to peanuts", "no"));
}

#[test]
fn what_only_looks_as_if_it_were_about_home_or_family_says_nothing() {
    for said in [
        "我女儿叫我起床了",
        "我妈妈叫我回家",
        "我的老板叫他们加班",
        "我是残疾人",
        "我是老实人",
        "我是外国人",
        "我搬到新家了",
        "我搬到公司宿舍",
        "I moved to Linux last year",
        "I've moved to Python",
        "I moved to PostgreSQL",
        "I moved to AWS",
    ] {
        check(said, &[]);
    }
    check("My boss is Furious", &[]);
    check("My boss is Fred", &[(Relationship, "The user's boss is Fred", Some(("boss", "Fred")))]);
    check("我女儿叫朵朵", &[(Relationship, "用户的女儿是朵朵", Some(("女儿", "朵朵")))]);
    check("我是四川人", &[(Fact, "用户来自四川", Some(("来自", "四川")))]);
    check("我是美国人", &[(Fact, "用户来自美国", Some(("来自", "美国")))]);
    check("我搬到新加坡了", &[(Fact, "用户住在新加坡", Some(("住在", "新加坡")))]);
    check("I moved to NYC", &[(Fact, "The user lives in NYC", Some(("lives in", "NYC")))]);
    check(
        "I moved to McMurdo",
        &[(Fact, "The user lives in McMurdo", Some(("lives in", "McMurdo")))],
    );
}

#[test]
fn what_is_only_remarked_about_something_is_nothing_that_is_so() {
    for said in [
        "My address is wrong on the invoice",
        "My address is the same as before",
        "My phone number is on the website",
        "My phone number is private",
        "My birthday is next week",
        "My birthday is on a Saturday this year",
        "My favourite colour is a bit boring",
        "My native language is hard to learn",
        "My daughter is crying",
        "My son is at school",
        "My boss is on holiday until Monday",
        "My boss is an idiot",
        "My wife is angry with me",
        "我的生日是下周六，想办个聚会",
        "我的手机号是空号",
        "我住在酒店",
        "我的老板是个混蛋",
        "私の誕生日は来週です",
    ] {
        check(said, &[]);
    }
    check("My dog is a beagle", &[(Fact, "The user's dog is a beagle", None)]);
    check("我的狗是金毛", &[(Fact, "用户的狗是金毛", None)]);
    let of = |text, attribute, value| [(Fact, text, Some((attribute, value)))];
    check("My dog is called Rex", &of("The user's dog is Rex", "dog", "Rex"));
    check("我的生日是8月15日", &of("用户的生日是8月15日", "生日", "8月15日"));
    check("My birthday is 4 July", &of("The user's birthday is 4 July", "birthday", "4 July"));
    let mail = "ana@example.com";
    check(
        &format!("My email is {mail}"),
        &of("The user's email is ana@example.com", "email", mail),
    );
    let maria = Some(("wife", "Maria"));
    check("My wife Maria is angry", &[(Relationship, "The user's wife is Maria", maria)]);
}

#[test]
fn an_allergy_denied_late_in_the_sentence_is_the_same_matter() {
    let over = [(Fact, "用户不对花生过敏", Some(("对花生过敏", "否")))];
    for said in ["我对花生已经不过敏了", "我对花生不再过敏了", "我对花生现在已经不再过敏"]
    {
        check(said, &over);
    }
    check("我对花生一直过敏", &[(Fact, "用户对花生过敏", Some(("对花生过敏", "是")))]);
    check(
        "I'm not allergic to cats after all",
        &[(Fact, "The user is not allergic to cats", Some(("allergic to cats", "no")))],
    );
}

#[test]
fn secrets_are_nothing_to_remember() {
    for said in [
        "我的密码是hunter2",
        "我的银行卡号是6222020000000000",
        "My password is Hunter2",
        "My PIN is 4711",
        "My account number is 5567",
    ] {
        check(said, &[]);
    }
}
