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

static ASKING: LazyLock<HashSet<&str>> = LazyLock::new(|| ENGLISH.split_whitespace().collect());

/// The longest first, so that a short one does not break a longer one.
static DENSE_ASKING: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut words: Vec<&str> = DENSE.split_whitespace().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words
});

pub(super) fn is_asking(word: &str) -> bool {
    ASKING.contains(word)
}

/// The text with a gap wherever a Chinese or Japanese function word stood.
pub(super) fn without_asking(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    'text: while let Some(c) = rest.chars().next() {
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
