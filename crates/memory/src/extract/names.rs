//! What somebody can be called.
//!
//! A name is a few words that can be one. Whoever writes with capitals writes their name so, and
//! what is only said with it, `please`, `from now on`, is no part of it.

use super::{ASKED, Noticed, regex, stated};
use domain::MemoryKind;
use regex::Regex;
use std::sync::LazyLock;

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    /// Only who greets, or goes on to say more, says their name so: `I'm Batman`.
    INTRODUCING = r"^(?i:i am|i'm|this is) (\p{Lu}\p{Ll}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]+)?)$";
    /// What is said with a name and is no part of it.
    SAID_WITH = concat!(
        r"(?i)[, ]*\b(?:please|pls|instead|from now on|from here on|going forward|in (?:the )?future|",
        r"if you (?:like|want|wish|prefer|please|will|don't mind)|for short|by the way|btw|then|thanks|thank you|",
        r"always|simply|only|ok|okay|will you)$",
    );
    IN_CHINESE = concat!(
        r"(?:就|也)(?:可以|好|行|成|OK|ok|是)(?:了|啦|的|吧|啊|哦)*$|可以了?$|(?:好|行)了$|即可$",
        r"|[吧啊哦呀啦]+$",
    );
    /// `Kim's` is what Kim has, and a number is nobody's first name.
    WORD = r"^\p{L}[\p{L}\p{M}\p{N}'.-]*$";
    CHINESE_NAME = r"^(?:[\p{Han}]{1,4}|[\p{Han}]{1,6}·[\p{Han}·]{1,10}|[A-Z][A-Za-z'.-]*(?: [A-Z][A-Za-z'.-]*){0,3}|[a-z]{2,12})$";
}

/// Their name, where they say it without calling it so.
pub(super) fn introduction(clause: &str) -> Option<Noticed> {
    let who = INTRODUCING.captures(clause)?;
    let last = who[1].rsplit(' ').next().unwrap_or_default();
    let is_people = is_among(NO_PEOPLE, last)
        || ["ese", "ish", "ist", "ican", "sian", "dian", "rean", "ous", "ful", "less", "able", "ually"]
            .iter()
            .any(|end| last.ends_with(end))
        // *Looking*, *Confused*: long enough not to be Ying or Fred.
        || last.len() >= 6
            && ["ing", "ed"].iter().any(|end| last.ends_with(end))
            && !is_among(NAMES_LIKE_THAT, last);
    if is_people { None } else { named(clause, &who[1]) }
}

/// Who says in a clause that they are called so.
pub(super) fn named(clause: &str, who: &str) -> Option<Noticed> {
    let mut who = who.trim();
    while let Some(more) = SAID_WITH.find(who) {
        who = who[..more.start()].trim_end();
    }
    is_name(clause, who).then(|| stated("name", who, format!("The user's name is {who}")))
}

/// Who says in a clause how they want to be called: that is a wish beside their name.
pub(super) fn wished(clause: &str, who: &str) -> Option<Noticed> {
    let who = named(clause, who)?.statement?.value;
    let text = format!("The user wants to be called {who}");
    Some(Noticed { kind: MemoryKind::Preference, importance: ASKED, ..stated(CALLED, &who, text) })
}

/// The same of what is said in Chinese.
pub(super) fn wished_in_chinese(who: &str) -> Noticed {
    let text = format!("用户希望被叫作{who}");
    Noticed { kind: MemoryKind::Preference, importance: ASKED, ..stated("称呼", who, text) }
}

/// The same of what is said in Japanese.
pub(super) fn wished_in_japanese(who: &str) -> Noticed {
    let text = format!("ユーザーは{who}と呼ばれることを望んでいる");
    Noticed { kind: MemoryKind::Preference, importance: ASKED, ..stated("呼び名", who, text) }
}

/// How somebody wants to be called.
const CALLED: &str = "wants to be called";

/// Whether somebody can be called so who is said to be in this clause. Whoever begins it without
/// a capital may write names so.
pub(super) fn is_name(clause: &str, who: &str) -> bool {
    let is_word = |word: &&str| WORD.is_match(word) && !word.ends_with("'s");
    let may_be_part = |word: &str| !is_among(NO_PARTS, &word.to_lowercase());
    let words: Vec<&str> = who.trim().split(' ').collect();
    if !words.iter().all(is_word) {
        return false;
    }
    if clause.starts_with(char::is_lowercase) && !who.contains(char::is_uppercase) {
        return words.len() <= 3 && words.iter().all(|word| may_be_part(word));
    }
    let is_small = |word: &&str| word.starts_with(char::is_lowercase);
    let are_written_so = words.iter().all(|word| !is_small(word) || PARTICLES.contains(word));
    words.len() <= 5 && are_written_so && !words.iter().all(is_small) && may_be_part(words[0])
}

/// The same of what is said in Chinese.
pub(super) fn in_chinese(who: &str) -> Option<&str> {
    let mut who = who.trim();
    while let Some(more) = IN_CHINESE.find(who).filter(|more| more.start() > 0) {
        who = who[..more.start()].trim_end();
    }
    let is_name = CHINESE_NAME.is_match(who)
        && !who.ends_with(['名', '称', '号', '字'])
        && !who.contains([
            '就', '了', '吗', '呢', '吧', '请', '再', '给', '或', '什', '么', '啥', '谁', '过',
        ])
        && !["随便", "一声", "开会", "下班", "上班", "帮忙", "老样子", "以前"]
            .iter()
            .any(|word| who.contains(word));
    is_name.then_some(who)
}

/// Whether somebody is told to do it, and not called so: 叫我早点睡. Behind a family name only what is
/// plainly done is; of anything else one word that is done is enough.
pub(super) fn is_told_to_do(who: &str) -> bool {
    let characters: Vec<char> = who.chars().collect();
    let [first, ..] = characters.as_slice() else { return true };
    let begins_as_name = NICKS.contains(*first)
        || FAMILIES.contains(*first)
        || LONG_FAMILIES.iter().any(|name| who.starts_with(name));
    let is_done = DONE.split_whitespace().any(|done| who.contains(done));
    is_done || !begins_as_name && characters.iter().any(|c| DOING.contains(*c))
}

fn is_among(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|one| one == word)
}

/// Whether it is of a people or a faith, or how somebody is: `German`, `Busy`.
pub(super) fn is_no_person(word: &str) -> bool {
    is_among(NO_PEOPLE, word)
}

/// What may stand in a name without a capital.
const PARTICLES: [&str; 20] = [
    "de", "da", "do", "dos", "del", "della", "di", "du", "la", "le", "van", "von", "der", "den",
    "ter", "bin", "ibn", "al", "el", "y",
];

/// What is no part of a name, however it is written.
const NO_PARTS: &str = "naive lazy boring picky stupid dumb silly cynical skeptical sceptical paranoid curious biased spoiled \
    ignorant nuts insane mad stubborn romantic optimistic pessimistic dramatic traditional conservative sentimental \
    a an the not spelt spelled written on in at when whenever if once after before as back later soon now again \
    today tomorrow tonight anytime asap maybe crazy old what whatever hard difficult too \
    very so spelled pronounced for your by my his her our their its me you him us them it \
    this that these those which who unless until since because while with without of to into \
    onto from about or and but never no yes please instead first last name names nickname \
    old-fashioned misspelled written known hidden secret private important irrelevant \
    unimportant unusual common uncommon rare unique long short easy funny weird strange \
    different same correct wrong right changed unknown anonymous is isn't was are am be been \
    monday tuesday wednesday thursday friday saturday sunday";

/// What `I'm …` may be followed by, with a capital, that is no name.
const NO_PEOPLE: &str = "French Dutch Greek Swiss Thai Czech Arab Iraqi Israeli Pakistani German Roman Norwegian \
    Egyptian Italian Belgian Brazilian Ukrainian Hungarian Iranian Australian Moroccan Cuban \
    Chilean Afghan Slovak Welsh Jewish Hindu Muslim Sikh Catholic Back Here Sorry Done Ready \
    Fine Good Happy Glad New Sick Busy Late Lost Deaf Blind Mute Autistic Dyslexic Diabetic Epileptic \
    Asthmatic Bipolar Gay Lesbian Bi Bisexual Trans Transgender Queer Straight Nonbinary Vegan Vegetarian \
    Single Alone Lonely Tired Bored Scared Sad Angry Hungry Thirsty Sorry Afraid Anxious Stuck Unsure Sure Certain Free Home Away \
    Here Okay Well Broke Ill Pregnant Urgent Important Awesome Great Terrible Wrong Right Serious Black White \
    Asian Latino Latina Hispanic Christian Buddhist Atheist Orthodox Protestant Human Curious Able Unable Over \
    Old Young Too So Very Just Not Now Still Also Only Quite Really Almost Always Never Crazy Insane Awake Asleep \
    Online Offline Off Out In On At From About";
/// Names that end as what somebody is or does.
const NAMES_LIKE_THAT: &str = "Alfred Wilfred Manfred Winifred Mildred Siegfried Mohammed Muhammed Mohamed \
    Sterling Fleming Channing Manning Waheed Saeed Mahmoud Hamed Sayed Javed Rashed Majed Khaled Walled";
/// What a name that people give each other begins with.
const NICKS: &str = "小老阿大";
const LONG_FAMILIES: [&str; 10] =
    ["欧阳", "上官", "司马", "诸葛", "东方", "皇甫", "公孙", "慕容", "令狐", "夏侯"];

/// The family names of five people in six.
pub(super) const FAMILIES: &str = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑谢罗梁宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢\
    姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤";

/// What somebody is told with 叫我, of two characters or more.
const DONE: &str = "小心 小声 小点 大声 大点 大胆 老实 马上 赶紧 赶快 尽快 立刻 安静 冷静 放心 安心 专心 用心 注意 加油 努力 坚持 认真 休息 \
    运动 锻炼 减肥 戒烟 戒酒 提醒 提前 准时 按时 及时 准备 签字 签到 付款 付钱 还钱 请客 投票 报名 集合 出发 上课 下课 \
    上学 放学 上班 下班 加班 值班 排队 道歉 搬家 请假 退款 退货 离开 辞职 复习 预习 学习 开门 开会 开车 开机 开灯 开始 \
    关门 关灯 关机 关窗 闭嘴 张嘴 住口 住手 起床 睡觉 吃药 吃饭 喝水 喝药 早睡 早起 早点 快点 慢点 多喝 多吃 少吃 少喝 \
    白跑 高兴 难过 别忘 忘记 记得 记住 一下 一声 一起";

/// What is done, or how: no name has it but behind a family name.
const DOING: &str = "睡起吃喝走跑去来回做干买卖看听说讲问答写读练打找等带拿取交送寄帮忘记别洗刷换穿脱停闭滚让给把被到跟用着些\
    再就都还要会能该得早晚快慢搬退离辞背喂浇扫拖签付请投报出上下提戒减坐站躺喊催查改修选试陪抱骂不没想在每今明";
