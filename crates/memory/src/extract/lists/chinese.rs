//! Lists in Chinese clauses.

use super::super::chinese::KIN;
use super::super::regex;
use regex::Regex;
use std::sync::LazyLock;

pub(super) fn each(clause: &str) -> Option<Vec<String>> {
    match BUT_NOT.captures(clause) {
        Some(said) => {
            let mut each = all_of(&said[1])?;
            each.extend(all_of(&format!("我不喜欢{}", &said[2]))?);
            Some(each)
        }
        None => of_list(clause),
    }
}

/// What is said of one thing, or of each in a list.
fn all_of(clause: &str) -> Option<Vec<String>> {
    let is_one = || {
        let said = OF_LIKING.captures(clause)?;
        (is_thing(&said[2]) && joints(&said[2], true).is_empty() && !said[2].contains('、'))
            .then(|| vec![clause.to_owned()])
    };
    of_list(clause).or_else(is_one)
}

fn of_list(clause: &str) -> Option<Vec<String>> {
    let clause = without_more(clause);
    if let Some(said) = OF_ALLERGY.captures(clause) {
        let things = Things { joins_with: true }.of(&said[2])?;
        return Some(things.iter().map(|one| format!("{}{one}{}", &said[1], &said[3])).collect());
    }
    let said = OF_LIKING.captures(clause)?;
    let things = Things { joins_with: false }.of(&said[2])?;
    let verb = verb_of_all(&things)?;
    let each = things.iter().enumerate();
    let each = each.map(|(nth, one)| match nth {
        0 => format!("{}{one}", &said[1]),
        _ => format!("{}{verb}{one}", &said[1]),
    });
    Some(each.collect())
}

/// Without what says that there is more: 茶、咖啡等. 平等 and 高等 say no such thing.
fn without_more(clause: &str) -> &str {
    let is_word = || {
        ["平等", "高等", "同等", "相等", "中等", "上等"].iter().any(|word| clause.ends_with(word))
    };
    match AND_MORE.find(clause) {
        Some(more) => &clause[..more.start()],
        None if clause.contains('、') && !is_word() => clause.strip_suffix('等').unwrap_or(clause),
        None => clause,
    }
}

struct Things {
    /// Whether 与 and 跟 join two things here, as they do not in titles and beside company.
    joins_with: bool,
}

impl Things {
    fn of<'a>(&self, said: &'a str) -> Option<Vec<&'a str>> {
        let is_listed = said.contains('、');
        let mut things: Vec<&str> = said.split('、').map(str::trim).collect();
        let last = things.pop()?;
        let joints = joints(last, self.joins_with || is_listed);
        match joints.as_slice() {
            [] => things.push(last),
            [(from, to)] => things.extend([last[..*from].trim(), last[*to..].trim()]),
            // Which of them joins cannot be told.
            [_, _, ..] => return None,
        }
        // What follows 、和.
        things.retain(|thing| !thing.is_empty());
        let are_two = |one: &str, other: &str| is_listed || can_be_two(one, other);
        let are_several = match things.as_slice() {
            [] | [_] => false,
            [one, other] => are_two(one, other),
            _ => true,
        };
        let is_told = things.iter().all(|one| is_thing(one)) && !ends_for_all(&things);
        let is_fixed = FIXED.split_whitespace().any(|one| said.contains(one));
        (are_several && is_told && !is_fixed).then_some(things)
    }
}

/// Where what joins two things stands, outside of titles and of words that have it in them.
fn joints(said: &str, joins_with: bool) -> Vec<(usize, usize)> {
    let mut joints: Vec<(usize, usize)> = Vec::new();
    for found in JOINING.find_iter(said) {
        let (before, after) = (&said[..found.start()], &said[found.end()..]);
        let in_title = before.matches('《').count() > before.matches('》').count();
        let is_with = matches!(found.as_str(), "与" | "跟") && !joins_with;
        // It is part of 和牛, of 高跟鞋, or of both sides of a word.
        let goes_on = GOING_ON.iter().any(|thing| after.starts_with(thing));
        let is_in_word = !goes_on
            && WORDS.split_whitespace().any(|word| {
                let at = word.find(found.as_str());
                at.is_some_and(|at| {
                    before.ends_with(&word[..at]) && after.starts_with(&word[at + found.len()..])
                })
            });
        if !in_title && !is_with && !is_in_word {
            joints.push((found.start(), found.end()));
        }
    }
    // Behind 、 it only goes on: 猫、和狗.
    if let [(0, to)] = joints.as_slice() {
        return vec![(0, *to)];
    }
    joints.retain(|(from, to)| *from > 0 && *to < said.len());
    joints
}

/// Without 、 it may be somebody with whom one does something: 周末和朋友去爬山.
fn can_be_two(one: &str, other: &str) -> bool {
    let is_short = |said: &str| said.trim_matches(['《', '》']).chars().count() <= 5;
    let is_in_company = COMPANY.iter().any(|end| other.ends_with(end) && other != *end);
    is_short(one) && is_short(other) && !is_in_company && !WHEN.is_match(one)
}

fn is_thing(said: &str) -> bool {
    let is_short = (1..=12).contains(&said.chars().count());
    let is_of_people = KIN.iter().chain(&PEOPLE).any(|who| said.starts_with(who));
    // 吉他 and 维他命 are no 他.
    let said = said.replace("吉他", "").replace("维他", "");
    is_short && !is_of_people && !NO_THING.is_match(&said)
}

/// Whether the last word may be said with each: 摇滚、流行和爵士音乐.
fn ends_for_all(things: &[&str]) -> bool {
    let [before @ .., last] = things else { return false };
    let is_all_done = things.iter().all(|one| one.starts_with(DOING));
    let is_hair_of = last.ends_with('毛') && before.iter().any(|one| ANIMALS.contains(one));
    let is_head = HEADS.iter().any(|head| {
        last.ends_with(head) && last != head && !before.iter().any(|one| one.ends_with(head))
    });
    (is_head && !is_all_done) || is_hair_of
}

/// What is done with all of them, where that is said of the first alone: 吃苹果、香蕉和橙子.
/// `None` where that cannot be told.
fn verb_of_all<'a>(things: &[&'a str]) -> Option<&'a str> {
    let [first, others @ ..] = things else { return None };
    let is_verb = first.starts_with(GOVERNING) && first.chars().count() > 1;
    let is_noun = NOUNS.iter().any(|noun| first.starts_with(noun));
    let done = others.iter().filter(|one| one.starts_with(DOING)).count();
    match (is_verb && !is_noun, done) {
        (true, 0) => first.get(..first.chars().next()?.len_utf8()),
        (true, done) if done < others.len() => None,
        _ => Some(""),
    }
}

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    OF_ALLERGY = concat!(
        r"^(我(?:现在|目前|一直|也|还|其实|已经|早就|只是|只)*(?:不再|再也不|不)?对)(.+?)",
        r"((?:现在|目前|已经|其实|也|早就|都|还|一直|很|非常|特别|严重)*(?:不再|再也不|不|没有|没)?过敏了?)$",
    );
    OF_LIKING = concat!(
        r"^(我(?:现在|已经|目前|很|最|更|特别|非常|比较|真的|也|还)*",
        r"(?:再也不喜欢|再也不爱|不再喜欢|不再爱|不喜欢|讨厌|不爱|喜欢|爱|偏好))(.+?)了?$",
    );
    AND_MORE = r"(?:等等|之类的?|什么的)$";
    BUT_NOT = concat!(
        r"^(我(?:现在|目前|很|最|特别|非常|比较|真的|也|还)*(?:喜欢|爱).+?)(?:但是?|可是?|不过|而|却)(?:也|就)?",
        r"(?:不|不太|不怎么)(?:喜欢|爱)(.+)$",
    );
    JOINING = r"以及|还有|和|与|跟|及";
    WHEN = concat!(
        r"^(?:周末|早上|上午|中午|下午|晚上|夜里|平时|有时|偶尔|经常|常常|总是|每天|每周|假期|放假|在|自己|",
        r"一个人|独自|去|跟|和)",
    );
    /// What says more of a thing, or of all of them.
    NO_THING = r"[，,。；;：:（()）\s的]|一起|时候|因为|如果|但是|不过|不|没|这|那|你|我|他|她|它|自己|大家|什么|之类|等等|等$";
}

/// Words that have what joins in them.
const WORDS: &str = "和平 和谐 和服 和牛 和面 和尚 和声 和弦 和解 和气 和睦 和蔼 和歌 和食 和风 和田 和纸 和果子 和菓子 \
    柔和 温和 平和 暖和 饱和 共和 调和 缓和 总和 附和 祥和 谦和 随和 中和 亲和 昭和 颐和 \
    跟团 跟踪 跟班 跟风 跟随 跟拍 跟单 跟进 跟读 高跟 中跟 平跟 低跟 细跟 粗跟 脚跟 足跟 后跟 \
    参与 与会 赠与 给与 与众 与时 与世 及时 涉及 普及 埃及 及格 不及 及其 提及 顾及 危及";

/// What begins as one of them goes on behind 和: 虾和牛奶.
const GOING_ON: [&str; 20] = [
    "牛奶",
    "牛肉",
    "牛排",
    "牛油果",
    "牛津",
    "面包",
    "面条",
    "面粉",
    "面食",
    "服装",
    "风景",
    "风筝",
    "食物",
    "歌剧",
    "歌舞",
    "气球",
    "纸杯",
    "田径",
    "果汁",
    "果酱",
];

/// What is one though it is joined.
const FIXED: &str = "猫和老鼠 红和黑 黑和白 黑与白 红与黑 战争和和平 战争与和平 爱与和平 爱和和平 研究和开发 研究与开发 \
    罗密欧和朱丽叶 罗密欧与朱丽叶 美女和野兽 美女与野兽 老人和海 老人与海 傲慢和偏见 傲慢与偏见 理智和情感 理智与情感 \
    冰和火之歌 冰与火 盐和胡椒 龙和地下城 龙与地下城 速度和激情 速度与激情 罪和罚 罪与罚 汤姆和杰瑞 汤姆与杰瑞 \
    喜羊羊和灰太狼 喜羊羊与灰太狼 阿里巴巴和四十大盗 白雪公主和七个 小矮人 哈利波特 哈利·波特 梁山伯和祝英台 \
    王子和公主 公主和王子 天和地 阴和阳 生和死 爱和恨 灵和肉 光和影 诗和远方 诗与远方";

/// With whom one does something.
const PEOPLE: [&str; 18] = [
    "家人", "父母", "孩子", "小孩", "人", "别人", "老师", "同学", "客户", "邻居", "爸", "妈", "哥",
    "姐", "爷爷", "奶奶", "外婆", "宝宝",
];

/// What is done in company: 和朋友聊天.
const COMPANY: [&str; 26] = [
    "聊天",
    "散步",
    "吃饭",
    "玩耍",
    "玩",
    "说话",
    "聊",
    "跳舞",
    "打交道",
    "相处",
    "交流",
    "沟通",
    "打球",
    "旅行",
    "旅游",
    "出去",
    "逛街",
    "见面",
    "喝酒",
    "吵架",
    "合作",
    "比赛",
    "拍照",
    "视频",
    "睡觉",
    "爬山",
];

/// What is done with things, and what something that is done begins with.
const GOVERNING: [char; 20] = [
    '吃', '喝', '看', '听', '玩', '读', '养', '学', '打', '逛', '穿', '用', '写', '画', '弹', '唱',
    '拍', '骑', '做', '买',
];
const DOING: [char; 38] = [
    '吃', '喝', '看', '听', '玩', '读', '养', '学', '打', '逛', '穿', '用', '写', '画', '弹', '唱',
    '拍', '骑', '做', '买', '跑', '游', '爬', '跳', '滑', '旅', '散', '睡', '钓', '摄', '登', '健',
    '编', '下', '购', '烹', '烘', '阅',
];
/// What begins so and is a thing, or something that is done whatever is said behind it.
const NOUNS: [&str; 25] = [
    "玩具",
    "打火机",
    "学校",
    "学生",
    "学习",
    "看台",
    "画廊",
    "画作",
    "读者",
    "用具",
    "看书",
    "读书",
    "听歌",
    "做饭",
    "做菜",
    "写字",
    "写作",
    "画画",
    "唱歌",
    "打球",
    "打牌",
    "打游戏",
    "玩游戏",
    "逛街",
    "买东西",
];

const ANIMALS: [&str; 11] = ["猫", "狗", "兔", "兔子", "马", "羊", "牛", "鸟", "鸭", "鹅", "仓鼠"];

/// What is told more closely by the word before it.
const HEADS: [&str; 17] = [
    "音乐",
    "电影",
    "小说",
    "游戏",
    "运动",
    "衣服",
    "饮料",
    "口味",
    "风格",
    "颜色",
    "电视剧",
    "片",
    "汁",
    "制品",
    "类",
    "产品",
    "文化",
];
