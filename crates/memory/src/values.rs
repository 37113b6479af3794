//! What is called otherwise in another language is the same value: `German` is `德语`, and
//! a short answer is a brief one.

use crate::same_value;

/// Each row is one language, by its name in English first.
const LANGUAGES: &[&[&str]] = &[
    &["English", "英语", "英文", "英語"],
    &[
        "Chinese",
        "Mandarin",
        "中文",
        "汉语",
        "漢語",
        "华语",
        "華語",
        "普通话",
        "普通話",
        "國語",
        "中国語",
    ],
    &["Simplified Chinese", "简体中文", "簡體中文", "简体字", "簡体字", "简中"],
    &["Traditional Chinese", "繁体中文", "繁體中文", "正體中文", "繁体字", "繁體字", "繁中"],
    &["Cantonese", "粤语", "粵語", "广东话", "廣東話", "広東語"],
    &["Japanese", "日语", "日文", "日語", "日本語"],
    &["Korean", "韩语", "韩文", "韓語", "韓文", "韓国語"],
    &["German", "Deutsch", "德语", "德文", "德語", "ドイツ語"],
    &["French", "Français", "法语", "法文", "法語", "フランス語"],
    &[
        "Spanish",
        "Español",
        "Castilian",
        "西班牙语",
        "西班牙文",
        "西班牙語",
        "西语",
        "西語",
        "スペイン語",
    ],
    &["Portuguese", "Português", "葡萄牙语", "葡萄牙文", "葡萄牙語", "葡语", "ポルトガル語"],
    &["Italian", "Italiano", "意大利语", "意大利文", "義大利語", "義大利文", "イタリア語"],
    &["Russian", "俄语", "俄文", "俄語", "ロシア語"],
    &["Dutch", "Nederlands", "荷兰语", "荷蘭語", "荷兰文", "オランダ語"],
    &["Polish", "波兰语", "波蘭語", "ポーランド語"],
    &["Swedish", "瑞典语", "瑞典語", "スウェーデン語"],
    &["Norwegian", "挪威语", "挪威語", "ノルウェー語"],
    &["Danish", "丹麦语", "丹麥語", "デンマーク語"],
    &["Finnish", "芬兰语", "芬蘭語", "フィンランド語"],
    &["Greek", "希腊语", "希臘語", "ギリシャ語"],
    &["Turkish", "土耳其语", "土耳其語", "トルコ語"],
    &["Arabic", "阿拉伯语", "阿拉伯文", "阿拉伯語", "アラビア語"],
    &["Hebrew", "希伯来语", "希伯來語", "ヘブライ語"],
    &["Hindi", "印地语", "印地語", "ヒンディー語"],
    &["Vietnamese", "越南语", "越南文", "越南語", "ベトナム語"],
    &["Thai", "泰语", "泰文", "泰語", "タイ語"],
    &["Indonesian", "印尼语", "印尼文", "印尼語", "インドネシア語"],
    &["Malay", "马来语", "馬來語", "マレー語"],
    &["Ukrainian", "乌克兰语", "烏克蘭語", "ウクライナ語"],
    &["Czech", "捷克语", "捷克語", "チェコ語"],
    &["Hungarian", "匈牙利语", "匈牙利語", "ハンガリー語"],
    &["Romanian", "罗马尼亚语", "羅馬尼亞語", "ルーマニア語"],
    &["Latin", "拉丁语", "拉丁文", "拉丁語", "ラテン語"],
    &["Persian", "Farsi", "波斯语", "波斯語", "ペルシャ語", "ペルシア語"],
    &["Bengali", "孟加拉语", "孟加拉語", "ベンガル語"],
    &["Urdu", "乌尔都语", "烏爾都語", "ウルドゥー語"],
    &["Tamil", "泰米尔语", "泰米爾語", "タミル語"],
    &["Swahili", "斯瓦希里语", "斯瓦希里語", "スワヒリ語"],
    &["Catalan", "加泰罗尼亚语", "加泰羅尼亞語", "カタルーニャ語"],
    &["Bulgarian", "保加利亚语", "保加利亞語", "ブルガリア語"],
    &["Croatian", "克罗地亚语", "克羅地亞語", "クロアチア語"],
    &["Serbian", "塞尔维亚语", "塞爾維亞語", "セルビア語"],
    &["Slovak", "斯洛伐克语", "斯洛伐克語", "スロバキア語"],
    &["Filipino", "Tagalog", "菲律宾语", "菲律賓語", "フィリピン語"],
    &["Esperanto", "世界语", "世界語", "エスペラント語"],
];

/// How long an answer is to be.
const LENGTHS: &[&[&str]] = &[&["short", "简短", "短い"], &["long", "详细", "詳しい"]];

/// What may stand before the name of a language: `plain English`.
const MANNERS: [&str; 11] = [
    "plain",
    "simple",
    "easy",
    "proper",
    "good",
    "formal",
    "informal",
    "British",
    "American",
    "Brazilian",
    "Swiss",
];

/// A language by the name that it has in English, or one in a manner (`plain English`) as
/// it stands there. `None` for what is no language.
pub(crate) fn language(said: &str) -> Option<String> {
    let said = said.trim();
    if let Some(known) = of(LANGUAGES, said) {
        return Some(known.to_owned());
    }
    let (manner, name) = said.split_once(' ')?;
    let known = of(LANGUAGES, name)?;
    let lower = manner.to_lowercase();
    let manner = MANNERS.iter().find(|manner| manner.to_lowercase() == lower)?;
    Some(format!("{manner} {known}"))
}

/// What a value is called where it is compared. Whoever wants British English and, another
/// time, English has not changed their mind.
pub(crate) fn name_of(value: &str) -> &str {
    let lower = value.to_lowercase();
    let said = if lower == "british english" { "english" } else { value };
    of(LANGUAGES, said).or_else(|| of(LENGTHS, said)).unwrap_or(value)
}

/// Whether it is the name of a language that people know.
pub(crate) fn is_language(name: &str) -> bool {
    of(LANGUAGES, name.trim()).is_some()
}

/// What is wanted of an answer of a kind that is never wanted.
pub(crate) fn unwanted(kind: &str) -> String {
    format!("{NOT}{kind}")
}

/// What is said of a value that is none any more.
pub(crate) fn no_longer(value: &str) -> String {
    format!("{NO_LONGER}{value}")
}

/// What is none any more.
pub(crate) fn gone(value: &str) -> Option<&str> {
    value.strip_prefix(NO_LONGER)
}

pub(crate) fn is_no_longer(value: &str) -> bool {
    gone(value).is_some()
}

/// Whether both may be so at once: no German, and English; no German, and no French; no longer
/// Oslo, and Bergen.
pub(crate) fn go_together(one: &str, other: &str) -> bool {
    let (not_one, not_other) = (kind_not_in(one), kind_not_in(other));
    let is_other = || {
        let name = |not: &Option<String>, value: &str| not.clone().unwrap_or(value.to_owned());
        !same_value(&name(&not_one, one), &name(&not_other, other))
    };
    (not_one.is_some() || not_other.is_some()) && is_other()
}

fn kind_not_in(value: &str) -> Option<String> {
    let value = value.to_lowercase();
    if let Some(gone) = value.strip_prefix(NO_LONGER) {
        return Some(gone.to_owned());
    }
    let kind = value.strip_prefix(NOT)?;
    let length = || of(LENGTHS, kind).map(str::to_owned);
    language(kind).or_else(length).map(|name| name.to_lowercase())
}

const NOT: &str = "not ";
const NO_LONGER: &str = "no longer ";

fn of(rows: &[&'static [&'static str]], name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let is_it = |known: &&str| known.to_lowercase() == lower;
    rows.iter().find(|names| names.iter().any(is_it)).map(|names| names[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_the_same_by_every_name() {
        for name in ["German", "german", "Deutsch", "德语", "德文", "德語", "ドイツ語"] {
            assert_eq!(language(name).as_deref(), Some("German"), "{name}");
        }
        assert_eq!(language("Plain english").as_deref(), Some("plain English"));
        assert_eq!(language("british English").as_deref(), Some("British English"));
        assert_eq!(name_of("British English"), name_of("english"));
        assert_ne!(name_of("American English"), name_of("English"));
        for name in ["Markdown", "detail", "full", "great English", "Germany", ""] {
            assert_eq!(language(name), None, "{name}");
        }
        assert!(go_together("not German", "English") && go_together("not German", "not French"));
        assert!(!go_together("not German", "德语") && !go_together("German", "English"));
        assert!(
            !go_together(&unwanted("German"), "not german") && !go_together("vegan", "not vegan")
        );
        assert!(go_together("not short", "long") && !go_together("not short", "简短"));
        assert!(go_together("no longer Oslo", "Bergen") && !go_together("no longer Oslo", "oslo"));
        assert!(!go_together("no longer 杭州", "杭州") && !go_together("德语", "no longer German"));
        assert_eq!(name_of("详细"), "long");
        assert_eq!(name_of("Lisbon"), "Lisbon");
    }

    #[test]
    fn no_name_stands_for_two() {
        let all = || LANGUAGES.iter().chain(LENGTHS).flat_map(|names| names.iter().copied());
        let once: std::collections::HashSet<&str> = all().collect();
        assert_eq!(all().count(), once.len());
    }
}
