//! Words that a query has because it is a query.
//!
//! Left out on the query's side only: texts keep them, so that a query of
//! nothing else still finds what it says.

use std::collections::HashSet;
use std::sync::LazyLock;

const ENGLISH: &str = "a an the and or but if then of to in on at by for with from as into about over under between \
    through during before after is are was were be been being am do does did doing have has had having will would can \
    could should shall may might must i you he she it we they me him her us them my your his its our their mine yours \
    this that these those there here what which who whom whose when where why how not no nor so than too very just \
    also any some such own same s t d ll m re ve don didn doesn isn wasn aren weren won wouldn couldn shouldn hasn \
    haven hadn";

/// Chinese and Japanese ones are taken out wherever they stand, since nothing parts words there.
const DENSE: &str = "什么 怎么 怎样 如何 哪些 哪个 哪里 哪儿 哪 谁 多少 几 为什么 为何 是否 吗 呢 吧 啊 呀 的 了 着 过 \
    是 在 有 和 与 及 或 我 你 他 她 它 我们 你们 他们 这 那 个 都 也 就 还 把 被 对 从 到 请问 一下 通常 以及 时候 \
    ですか ますか でしょうか です ます でした ました とは どこ いつ なぜ どう どの どんな";

/// Words that have one of those characters in them, as a part of what they say.
const WHOLE: &str = "京都 成都 首都 都市 都会 都城 东京都 被子 棉被 被褥 被单 被告 过敏 过程 经过 超过 通过 过节 过年 过期 过去 过夜 难过 \
    过滤 过渡 错过 路过 存在 现在 在线 实在 所在 内在 在职 在校 所有 有限 有效 有机 拥有 有名 有趣 富有 有氧 有害 有空 \
    和平 和尚 和谐 暖和 温和 柔和 和解 和服 总和 饱和 昭和 和歌山 共和国 从事 服从 从前 从业 对象 反对 对话 绝对 对手 对方 \
    面对 对比 对账 派对 校对 对称 达到 到达 迟到 得到 收到 签到 到期 报到 个人 个性 个子 个体 整个 参与 与会 埃及 及格 \
    普及 涉及 及时 几何 茶几 几内亚 着急 着陆 着装 着火 着凉 沉着 执着 了解 是非 还款 归还 偿还 还债 还原 还书 把手 \
    火把 把握 拖把 也门 也许 就业 就医 就诊 成就 就餐 就职 就读 那不勒斯 维也纳 自我 我国 吉他 其他 他人 目的 的士 的确 \
    酒吧 网吧 吧台 吗啡 呢绒 哪吒";

static ASKING: LazyLock<HashSet<&str>> = LazyLock::new(|| ENGLISH.split_whitespace().collect());

static DENSE_ASKING: LazyLock<Vec<&str>> = LazyLock::new(|| longest_first(DENSE));
static DENSE_WHOLE: LazyLock<Vec<&str>> = LazyLock::new(|| longest_first(WHOLE));

/// So that a short one does not break a longer one.
fn longest_first(words: &'static str) -> Vec<&'static str> {
    let mut words: Vec<&str> = words.split_whitespace().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words
}

pub(super) fn is_asking(word: &str) -> bool {
    ASKING.contains(word)
}

/// The text with a gap wherever a Chinese or Japanese function word stood, but not in
/// the middle of a word.
pub(super) fn without_asking(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    'text: while let Some(c) = rest.chars().next() {
        if let Some(word) = DENSE_WHOLE.iter().find(|word| rest.starts_with(**word)) {
            kept.push_str(word);
            rest = &rest[word.len()..];
            continue;
        }
        for word in DENSE_ASKING.iter() {
            if let Some(after) = rest.strip_prefix(word) {
                kept.push(' ');
                rest = after;
                continue 'text;
            }
        }
        kept.push(c);
        rest = &rest[c.len_utf8()..];
    }
    kept
}
