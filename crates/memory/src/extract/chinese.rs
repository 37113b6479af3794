//! What a Chinese clause says about the one who says it.

use super::fitting::{self, Fits, is_animal};
use super::leaning::is_named_elsewhere;
use super::names::{FAMILIES, in_chinese, is_told_to_do, wished_in_chinese};
use super::theirs::theirs_in_chinese;
use super::{Noticed, SAID, Says, regex, stated, statement};
use domain::MemoryKind;
use regex::{Captures, Regex};
use std::sync::LazyLock;

pub(super) const FORMS: &[(&str, Says)] = &[
    (r"^(?:我叫做?|我的?名字(?:是|叫做?))([\p{Han}A-Za-z· ]{1,20})$", |p| name(&p[1])),
    (r"^(?:以后|今后|请|就)*叫我([\p{Han}A-Za-z· ]{1,20})$", |p| {
        let who = in_chinese(&p[1]).filter(|who| !is_told_to_do(who) && is_name(who));
        who.map(wished_in_chinese)
    }),
    (
        r"^我(?:希望|想|想要|更?喜欢)(?:你们?|大家|别人|人家)?(?:都|就)?(?:被)?(?:叫|称呼)(?:我)?(?:作|做|为)?([\p{Han}A-Za-z· ]{1,20})$",
        |p| {
            let who = in_chinese(&p[1]).filter(|who| !is_told_to_do(who) && is_name(who));
            who.map(wished_in_chinese)
        },
    ),
    (
        r"^我(?:们(?:一家|全家|俩|家)?)?(?:现在|目前|也|还|就|一直|都)*(?:住在|定居在)(.{2,30}?)了?$",
        |p| at_place(&p[1]),
    ),
    (r"^我(?:现在|目前|也|还|就|一直)*住([\p{Han}]{2,6}?)了?$", |p| {
        (!stays_for_a_while(&p[1])).then(|| at_place(&p[1])).flatten()
    }),
    (
        r"^我(?:现在|目前|也|还|就|已经|刚刚?|最近|昨天|上周|上个?月|今年|去年|前年|家)*(?:从[^，,]{2,20}?)?(?:搬家?[到去来回至]|移居到?|迁到)了?(.{2,30}?)了?$",
        |p| at_place(what_for(&p[1])),
    ),
    (
        r"^我们(?:现在|目前|也|还|就|已经|刚刚?|最近|昨天|上周|上个?月|今年|去年|前年|一家|全家|俩|家|都)*(?:从[^，,]{2,20}?)?(?:搬家?[到去来回至]|移居到?|迁到)了?(\p{Han}{2,10}?)了?$",
        // What a firm moves to may be anything.
        |p| Some(what_for(&p[1])).filter(|place| is_home(place)).and_then(at_place),
    ),
    (r"^我(?:也|就)?是(.{2,20})人$", |p| is_home(&p[1]).then(|| origin(&p[1])).flatten()),
    (r"^我(?:也|就)?来自(.{2,20})人$", |p| origin(&p[1])),
    (r"^我(?:也|就)?来自(.{2,20})$", |p| origin(&p[1])),
    (r"^我(?:现在|目前|也|还|就|一直)*在(.{2,30})(?:工作|上班)$", |p| work(&p[1])),
    (CHANGED_WORK, |p| changed_work(p).and_then(|(_, now)| work(now))),
    (r"^我(?:现在|目前|一直|也|还|其实|确实)*对(.{1,20}?)过敏了?$", |p| {
        allergy(&p[1], true)
    }),
    (
        r"^我(?:现在|目前|已经|其实|也|早就|根本|并)*(?:不再|再也不|没有|不是|不)对(.{1,20})过敏了?$",
        |p| allergy(&p[1], false),
    ),
    (
        r"^我(?:现在|目前)?最?(?:喜欢|喜爱|爱)(?:吃|喝|看|听|玩|读|去)?的([\p{Han}]{1,8}?)(?:现在|其实|还|一直|就)*(?:是|叫)(.{1,40}?)了?$",
        |p| favourite(&p[1], &p[2]),
    ),
    (
        r"^我(?:现在|已经|目前|很|最|特别|非常|比较|真的|也|还|其实|又|挺|蛮|超|一直|开始|倒是?)*(再也不喜欢|再也不爱|不再喜欢|不再爱|不太喜欢|不怎么喜欢|不大喜欢|不喜欢|讨厌|不爱|更喜欢|更爱|更偏好|喜欢|爱|偏好)(.{1,40})$",
        |p| liking(&p[1], &p[2]),
    ),
    (r"^我的([\p{Han}]{1,6})(是|叫)(.{1,40})$", |p| possession(&p[1], &p[3], &p[2] == "叫")),
    (r"^我([\p{Han}]{1,6})(是|叫)(.{1,40})$", |p| {
        KIN.contains(&without_other(&p[1]))
            .then(|| possession(&p[1], &p[3], &p[2] == "叫"))
            .flatten()
    }),
    (r"^我(?:还|也)?(?:另外)?有一?个([\p{Han}]{1,4})叫(.{1,40})$", |p| {
        KIN.contains(&&p[1]).then(|| possession(&p[1], &p[2], true)).flatten()
    }),
];

/// Left one work for another: 我从华为跳槽到了小米.
pub(super) const CHANGED_WORK: &str = r"^我(?:刚刚?|最近|上个?月|去年|今年|已经)*(?:从(.{2,15}?)跳槽|离开了?(.{2,15}?))[去到来]了?(.{2,15}?)(?:工作|上班)?了?$";

fn name(who: &str) -> Option<Noticed> {
    let who = in_chinese(who).filter(|who| is_name(who))?;
    Some(stated("名字", who, format!("用户名叫{who}")))
}

fn is_name(who: &str) -> bool {
    // "我叫了外卖", "我叫外卖", "叫我起床": no name.
    let is_none = who.starts_with([
        '了', '过', '你', '他', '她', '它', '来', '去', '不', '什', '一', '个', '辆', '份',
    ]) || ["车", "餐", "饭", "菜", "人"].contains(&who)
        || ORDERED.iter().any(|thing| who.contains(thing))
        || ["起床", "回家", "吃饭", "明天", "的"].iter().any(|word| who.contains(word))
        || COMING.iter().any(|end| who.ends_with(end))
        || KIN.iter().any(|kin| who.starts_with(kin));
    !is_none
}

/// Where somebody is at home: a name, and no state of mind.
fn at_place(said: &str) -> Option<Noticed> {
    let place = without_time(said);
    // "我搬去和女朋友住": no place.
    let is_with = place.starts_with('和') && KIN.iter().any(|who| place.ends_with(who));
    let is_home =
        !place.ends_with(NO_PLACES) && !FOR_A_WHILE.iter().any(|end| place.ends_with(end));
    (is_place(place) && is_home && !is_with)
        .then(|| stated("住在", place, format!("用户住在{place}")))
}

/// The place without what one does there: `上海工作`.
fn what_for(said: &str) -> &str {
    static DOING: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"了?(?:来|去)?(?:工作|上班|生活|居住|定居|长住|住|上学|读书|念书|学习|留学|发展|创业|养老|打工)(?:了|的)?$",
        )
    });
    DOING.find(said).map_or(said, |doing| &said[..doing.start()])
}

/// Whose work somebody has left for whose; nothing where they only went there for the day.
pub(super) fn changed_work<'a>(parts: &'a Captures<'_>) -> Option<(&'a str, &'a str)> {
    let was = parts.get(1).or(parts.get(2))?.as_str();
    let now = parts.get(3)?.as_str();
    let ends = ["工作", "上班", "工作了", "上班了"];
    let is_work = parts.get(1).is_some() || ends.iter().any(|end| parts[0].ends_with(end));
    let is_known = |place: &str| is_place(place) && !DAILY.iter().any(|one| place.contains(one));
    (is_work && is_known(was) && is_known(now)).then_some((was, now))
}

pub(super) fn work(said: &str) -> Option<Noticed> {
    let place = without_time(said);
    let is_none =
        HOW.iter().any(|how| place.starts_with(how)) || place.ends_with(['地', '着', '中']);
    (is_place(place) && !is_none).then(|| stated("工作单位", place, format!("用户在{place}工作")))
}

/// Behind 住 alone: 我住得很远, 我住酒店, 我住三天.
fn stays_for_a_while(said: &str) -> bool {
    said.starts_with([
        '在', '过', '得', '不', '着', '进', '几', '两', '三', '满', '惯', '哪', '院', '校',
    ]) || said.ends_with(['店', '院', '馆', '所', '天', '晚', '夜', '远', '惯', '来', '哪'])
}

fn is_place(said: &str) -> bool {
    said.chars().count() >= 2
        && !said.starts_with(['你', '他', '她', '它', '这', '那', '一', '哪', '自', '跟', '与'])
        && !said.contains('的')
}

/// Without for how long: `京都三年了`, `京都已经两个月`.
fn without_time(said: &str) -> &str {
    static LONG: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?:已经|快|有|大概|差不多)*[\d一二三四五六七八九十两几半多好]+(?:年|个?月|天|周|个?星期|个?礼拜)(?:多|了)*$",
        )
    });
    LONG.find(said).map_or(said, |long| &said[..long.start()])
}

fn allergy(what: &str, is_so: bool) -> Option<Noticed> {
    // "我对花生已经不再过敏了": the denial may stand later.
    static DENIED: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^(.+?)(?:现在|目前|已经|其实|也|早就|都)*(?:不再|再也不|不|没有|没)$")
    });
    static SINCE: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(.+?)(?:现在|目前|已经|其实|也|都|还|一直|很|非常|特别|严重)+$"));
    let (what, is_so) = match DENIED.captures(what) {
        Some(parts) => (parts.get(1).map_or("", |what| what.as_str()), false),
        None => (what, is_so),
    };
    let what =
        SINCE.captures(what).and_then(|parts| parts.get(1)).map_or(what, |what| what.as_str());
    if is_named_elsewhere(what) {
        return None;
    }
    let (says, holds) = if is_so { ("对", "是") } else { ("不对", "否") };
    Some(stated(&format!("对{what}过敏"), holds, format!("用户{says}{what}过敏")))
}

/// Whether people are called after it: 四川人, 美国人, and no 老实人.
fn is_home(place: &str) -> bool {
    let is_named_so =
        place.ends_with(['国', '州', '省', '市', '县', '镇', '村', '京', '海', '津', '港']);
    let is_no_country = ["外国", "各国", "全国", "城市", "同省"].contains(&place);
    is_named_so && !is_no_country || HOMES.split_whitespace().any(|home| home == place)
}

fn origin(place: &str) -> Option<Noticed> {
    let is_place = !place.contains('的') && !place.ends_with(['部', '组', '队']);
    let is_place = is_place && !place.ends_with("公司");
    (is_place && !place.starts_with("一个"))
        .then(|| stated("来自", place, format!("用户来自{place}")))
}

/// What somebody likes best of a sort: the next one takes its place.
fn favourite(thing: &str, value: &str) -> Option<Noticed> {
    let value = value.trim();
    // 我最喜欢的颜色不是蓝色 says which it is not.
    let is_denied = thing.ends_with('不') || thing.ends_with("不再");
    if is_denied || is_named_elsewhere(value) || value.starts_with(['不', '什', '哪', '谁']) {
        return None;
    }
    let attribute = format!("最喜欢的{thing}");
    if fitting::in_chinese(&attribute, value) == Fits::Remark {
        return None;
    }
    Some(stated(&attribute, value, format!("用户最喜欢的{thing}是{value}")))
}

fn liking(verb: &str, thing: &str) -> Option<Noticed> {
    // 我喜欢第二个方案, 我不喜欢这样写: about what was just shown.
    static SHOWN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:你|的|这样|那样|这么|那么|第[\d一二三四五六七八九十]+(?:个|种|版|张|条|项|款|段))",
        )
    });
    let thing = thing.trim().trim_end_matches('了');
    if SHOWN.is_match(thing) || is_named_elsewhere(thing) {
        return None;
    }
    if thing.is_empty() {
        return None;
    }
    let thing = &theirs_in_chinese(thing);
    let likes = matches!(verb, "喜欢" | "爱" | "偏好" | "更喜欢" | "更爱" | "更偏好");
    Some(Noticed {
        kind: MemoryKind::Preference,
        text: format!("用户{verb}{thing}"),
        statement: Some(statement(&format!("喜欢{thing}"), if likes { "是" } else { "否" })),
        importance: SAID,
    })
}

/// One of several is what each of them is: 另一个弟弟.
fn without_other(thing: &str) -> &str {
    let others = ["另外一个", "另外的", "另一个", "另一位", "还有一个"];
    others.iter().find_map(|other| thing.strip_prefix(other)).unwrap_or(thing)
}

pub(super) fn possession(thing: &str, value: &str, is_name: bool) -> Option<Noticed> {
    let thing = without_other(thing);
    let of_the_talk = ["问题", "意思", "想法", "看法", "建议", "观点", "感觉", "猜测", "估计"];
    let is_how_it_is = ["坏的", "好的", "新的", "旧的", "对的", "错的"].contains(&value.trim());
    // A secret has its place with the keys: a memory is read by every agent.
    let is_secret = SECRETS.iter().any(|word| thing.ends_with(word));
    let is_denied = value.starts_with('不') || thing.ends_with('不') || thing.ends_with("不再");
    if of_the_talk.contains(&thing) || is_how_it_is || is_secret || is_denied {
        return None;
    }
    if is_name && !may_be_called(value.trim()) {
        return None;
    }
    let value = value.trim();
    let text = format!("用户的{thing}是{value}");
    let stated = statement(thing, value);
    if !KIN.contains(&thing) {
        // 我的狗是金毛 does not say that it is 小白 no longer.
        let is_breed = is_animal(thing) && !is_name && !value.is_ascii();
        let fits = fitting::in_chinese(thing, value);
        if fits == Fits::Remark {
            return None;
        }
        let (kind, statement) = (MemoryKind::Fact, (!is_breed).then_some(stated));
        return Some(Noticed { kind, text, statement, importance: SAID });
    }
    // 我的妻子是医生 does not say that she is 王芳 no longer.
    let says_who = is_name || is_a_name(value);
    if !says_who && fitting::is_remark_of_kin(value) {
        return None;
    }
    let (kind, statement) = (MemoryKind::Relationship, says_who.then_some(stated));
    Some(Noticed { kind, text, statement, importance: SAID })
}

/// Whether somebody can be called so: 我女儿叫朵朵, and not 我女儿叫我起床.
fn may_be_called(value: &str) -> bool {
    let is_short =
        value.chars().count() <= 4 || value.starts_with(|c: char| c.is_ascii_alphabetic());
    is_short
        && !value.starts_with([
            '我', '你', '您', '他', '她', '它', '咱', '大', '人', '去', '来', '不', '一', '这',
            '那',
        ])
        && !value.ends_with(['了', '过', '着', '吧'])
        && !ORDERED.iter().any(|thing| value.contains(thing))
}

/// Whether it is somebody's name: one in Latin letters, or a common family name with one
/// or two characters behind it that say no trade.
fn is_a_name(value: &str) -> bool {
    let characters: Vec<char> = value.chars().collect();
    match characters.as_slice() {
        [first, ..] if first.is_ascii_uppercase() => true,
        [family, given @ ..] if (1..=2).contains(&given.len()) => {
            FAMILIES.contains(*family) && !value.ends_with(TRADES)
        }
        _ => false,
    }
}

/// Whom the speaker names beside another of theirs, who has no such one that is not the speaker's
/// own too: 我爸爸叫李强，妈妈叫王芳. Whose wife follows 我哥哥叫李明 cannot be told.
pub(super) fn is_kin_beside(before: &str, piece: &str) -> bool {
    const BESIDE: [(&str, &str); 4] = [
        ("爸爸 父亲 妈妈 母亲", "爸爸 父亲 妈妈 母亲 哥哥 弟弟 姐姐 妹妹"),
        ("哥哥 弟弟 姐姐 妹妹", "爸爸 父亲 妈妈 母亲 哥哥 弟弟 姐姐 妹妹"),
        ("妻子 老婆 太太 丈夫 老公", "儿子 女儿"),
        ("儿子 女儿", "儿子 女儿"),
    ];
    let named = |piece: &str, kin: &str| {
        let named =
            |one: &str| piece.strip_prefix(one).is_some_and(|rest| rest.starts_with(['叫', '是']));
        kin.split_whitespace().any(named)
    };
    let before = before.trim_start_matches('我').trim_start_matches('的');
    BESIDE.iter().any(|(first, then)| named(before, first) && named(piece, then))
}

/// What a place does not end with: `住在恐惧中`, `住在公司附近`, `搬到新家`.
const NO_PLACES: [char; 18] = [
    '中', '里', '下', '近', '边', '上', '间', '内', '家', '房', '寓', '舍', '楼', '校', '司', '子',
    '壁', '层',
];

/// Where one stays, and nobody is at home.
const FOR_A_WHILE: [&str; 14] = [
    "酒店",
    "宾馆",
    "旅馆",
    "旅店",
    "饭店",
    "客栈",
    "民宿",
    "青旅",
    "医院",
    "招待所",
    "疗养院",
    "帐篷",
    "营地",
    "机场",
];

/// Where people say they are from, beside what ends as countries and towns do.
const HOMES: &str = "重庆 天津 广东 广西 河北 河南 山东 山西 陕西 湖南 湖北 江苏 浙江 安徽 福建 江西 海南 四川 云南 西藏 甘肃 青海 宁夏 新疆 \
    内蒙古 黑龙江 吉林 辽宁 澳门 台湾 深圳 成都 武汉 西安 青岛 大连 厦门 长沙 沈阳 哈尔滨 长春 济南 合肥 南昌 昆明 太原 石家庄 西宁 银川 \
    乌鲁木齐 呼和浩特 拉萨 海口 宁波 无锡 东莞 佛山 东北 江南 日本 加拿大 澳大利亚 新西兰 新加坡 马来西亚 印度 印度尼西亚 俄罗斯 乌克兰 \
    意大利 西班牙 葡萄牙 荷兰 比利时 瑞士 瑞典 挪威 丹麦 芬兰 波兰 奥地利 希腊 土耳其 埃及 以色列 巴西 阿根廷 墨西哥 越南 菲律宾 \
    大阪 巴黎 伦敦 纽约 柏林 罗马";

/// How what somebody does for a living ends: `程序员`, `马术教练`.
const TRADES: [char; 17] = [
    '员', '师', '生', '家', '人', '者', '手', '工', '长', '官', '兵', '商', '警', '练', '理', '士',
    '医',
];

/// Where one is for some hours.
const DAILY: [&str; 12] = [
    "公司",
    "办公室",
    "单位",
    "家",
    "学校",
    "图书馆",
    "咖啡",
    "现场",
    "工地",
    "会议",
    "外地",
    "这",
];

/// What somebody is called to, and not by: 叫我起来.
const COMING: [&str; 10] =
    ["起来", "过来", "出来", "回来", "下来", "进来", "上来", "过去", "出去", "回去"];

/// How one works, and no place.
const HOW: [&str; 12] =
    ["家", "努力", "认真", "拼命", "加班", "外面", "外地", "远程", "晚上", "夜", "周", "线上"];

pub(super) const KIN: &[&str] = &[
    "太太",
    "男朋友",
    "妻子",
    "老婆",
    "丈夫",
    "老公",
    "妈妈",
    "母亲",
    "爸爸",
    "父亲",
    "姐姐",
    "妹妹",
    "哥哥",
    "弟弟",
    "儿子",
    "女儿",
    "朋友",
    "老板",
    "同事",
    "女朋友",
];

/// What is for nobody's eyes.
const SECRETS: [&str; 9] =
    ["密码", "口令", "验证码", "卡号", "账号", "账户号", "身份证号", "密钥", "令牌"];

/// What somebody calls for, and nobody is called.
const ORDERED: [&str; 16] = [
    "外卖",
    "出租车",
    "网约车",
    "救护车",
    "快车",
    "专车",
    "快递",
    "滴滴",
    "代驾",
    "跑腿",
    "服务员",
    "夜宵",
    "咖啡",
    "奶茶",
    "披萨",
    "客房服务",
];
