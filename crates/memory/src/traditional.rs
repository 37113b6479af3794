//! Reads Chinese in traditional characters as if it were in simplified ones, in which the
//! forms are, and gives what comes of it back as it was written.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A sentence in traditional characters.
pub(crate) struct Traditional {
    simplified: String,
    /// How each character of it was written.
    written: HashMap<char, char>,
}

impl Traditional {
    /// `None` where nothing in it is another character in the forms; Japanese has its own.
    pub(crate) fn of(text: &str) -> Option<Traditional> {
        if text.chars().any(is_kana) {
            return None;
        }
        let mut written = HashMap::new();
        let simplified: String = text.chars().map(|c| simple(c).unwrap_or(c)).collect();
        for (was, is) in text.chars().zip(simplified.chars()) {
            if was == is {
                written.entry(is).or_insert(was);
            } else {
                written.insert(is, was);
            }
        }
        (simplified != text).then_some(Traditional { simplified, written })
    }

    pub(crate) fn simplified(&self) -> &str {
        &self.simplified
    }

    /// A text made of it, as it was written.
    pub(crate) fn as_written(&self, text: &str) -> String {
        let traditional = |c| PAIRS.iter().find(|(_, is)| *is == c).map(|(was, _)| *was);
        text.chars()
            .map(|c| self.written.get(&c).copied().or_else(|| traditional(c)).unwrap_or(c))
            .collect()
    }
}

fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}')
}

/// The same character in simplified writing, if it is another one there.
pub(crate) fn simple(c: char) -> Option<char> {
    static SIMPLE: LazyLock<HashMap<char, char>> =
        LazyLock::new(|| PAIRS.iter().copied().collect());
    if c.is_ascii() { None } else { SIMPLE.get(&c).copied() }
}

/// The characters of the forms that are written otherwise: the traditional one first.
static PAIRS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let pairs = WRITTEN.split_whitespace().filter_map(|pair| {
        let mut both = pair.chars();
        both.next().zip(both.next())
    });
    pairs.collect()
});

const WRITTEN: &str = "萬万 與与 專专 業业 東东 兩两 嚴严 個个 為为 爲为 烏乌 於于 雲云 亞亚 親亲 \
    從从 們们 會会 倫伦 體体 妳你 兒儿 蘭兰 內内 寫写 馮冯 幾几 劉刘 剛刚 別别 \
    務务 勞劳 醫医 華华 單单 賣卖 盧卢 厭厌 廈厦 縣县 臺台 葉叶 號号 後后 呂吕 \
    嗎吗 聽听 吳吴 員员 週周 嘍喽 國国 復复 複复 覆复 奧奥 媽妈 孫孙 寧宁 實实 賓宾 \
    對对 爾尔 盡尽 儘尽 層层 島岛 師师 幫帮 幹干 並并 併并 廣广 莊庄 慶庆 應应 \
    開开 異异 張张 總总 懼惧 戶户 託托 護护 換换 無无 時时 術术 來来 楊杨 闆板 \
    夢梦 樓楼 歡欢 漢汉 湯汤 瀋沈 溝沟 沒没 潔洁 濟济 灣湾 濱滨 點点 煉炼 煩烦 \
    愛爱 現现 碼码 禮礼 離离 簡简 粵粤 紅红 約约 紐纽 線线 練练 細细 終终 經经 \
    給给 統统 維维 網网 羅罗 職职 肅肃 蘇苏 薩萨 蔣蒋 裝装 見见 觀观 覺觉 認认 \
    討讨 讓让 議议 記记 講讲 許许 設设 證证 話话 該该 詳详 語语 說说 説说 請请 \
    謝谢 譚谭 賬账 賀贺 賈贾 趙赵 車车 較较 輛辆 辭辞 邊边 遼辽 過过 還还 這这 \
    進进 遠远 連连 遞递 鄧邓 鄒邹 鄭郑 裡里 裏里 鐘钟 鍾钟 鑰钥 錢钱 銀银 錫锡 \
    鎮镇 長长 門门 閆闫 問问 間间 陽阳 陸陆 陳陈 陝陕 韋韦 韓韩 順顺 顧顾 題题 \
    飯饭 馬马 駕驾 驗验 魯鲁 麥麦 黃黄 齊齐 龍龙 龔龚 麼么";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_is_both_and_each_pair_is_one() {
        for (was, is) in PAIRS.iter() {
            assert_eq!(simple(*is), None, "{is}");
            assert_eq!(PAIRS.iter().filter(|(other, _)| other == was).count(), 1, "{was}");
        }
        assert_eq!(PAIRS.len(), WRITTEN.split_whitespace().count());
    }

    #[test]
    fn what_is_written_in_both_scripts_alike_or_in_japanese_is_left_alone() {
        assert!(Traditional::of("我住在台北").is_none());
        assert!(Traditional::of("私は東京に住んでいます").is_none());
        assert_eq!(Traditional::of("請用英文回答").unwrap().simplified(), "请用英文回答");
    }
}
