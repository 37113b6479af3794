//! Tells a person's own words from a text that they show: a letter to be translated, a mail
//! to be answered, code, a quotation.
//!
//! What somebody shows says `I` of somebody else. Where that cannot be told, it is not
//! theirs: what is missed can be said again, what is believed wrongly takes the place of
//! what they did say. What stands before a text that is shown stays theirs.

use super::{in_line, regex};
use regex::Regex;
use std::sync::LazyLock;

/// The lines that are the person's own, as far as each is.
pub(super) struct Own<'a> {
    pub lines: Vec<&'a str>,
    /// Whether there is something beside them.
    pub leaves_out: bool,
}

pub(super) fn own(message: &str) -> Own<'_> {
    let lines: Vec<&str> = message.lines().collect();
    let shown_from = letter(&lines).into_iter().chain(talk(&lines)).min().unwrap_or(lines.len());
    let own_from = asked_about(&lines).unwrap_or(0);
    let mut own = Own { lines: Vec::new(), leaves_out: shown_from < lines.len() || own_from > 0 };
    // What ends the block that a line stands in.
    let mut block: Option<&str> = None;
    let mut lists = false;
    for (nth, line) in lines.iter().enumerate().take(shown_from).skip(own_from) {
        let after = &lines[nth + 1..];
        let mark = BLOCKS.into_iter().find(|mark| line.contains(mark));
        if let Some(end) = block {
            block = block.filter(|_| mark != Some(end));
            continue;
        }
        if is_apart(line) || starts_mail(line) && says_more(after) {
            own.leaves_out = true;
            if starts_mail(line) {
                break;
            }
            continue;
        }
        if let Some(mark) = mark {
            let opens = line.matches(mark).count() % 2 == 1;
            block = Some(mark).filter(|_| opens);
            own.leaves_out = true;
        }
        let before_block = mark.and_then(|mark| line.split_once(mark)).map(|(before, _)| before);
        let said = before_block.unwrap_or(line);
        let theirs = before_shown(said);
        own.leaves_out |= theirs.len() < said.len();
        own.lines.push(without_heading(theirs, lists));
        lists |= OWN_LIST.is_match(line.trim());
        if block.is_none() && shows_what_follows(line) && says_more(after) {
            own.leaves_out = true;
            // A block says by itself where it ends.
            let next = after.iter().find(|line| !line.trim().is_empty());
            if next.is_some_and(|next| {
                !is_apart(next) && !BLOCKS.iter().any(|mark| next.contains(mark))
            }) {
                break;
            }
        }
    }
    own
}

/// What a block of somebody else's words begins and ends with.
const BLOCKS: [&str; 3] = ["```", "\"\"\"", "'''"];

/// A quotation, or code.
fn is_apart(line: &str) -> bool {
    line.starts_with(['>', '\t']) || line.starts_with("    ")
}

fn says_more(after: &[&str]) -> bool {
    after.iter().any(|line| !line.trim().is_empty())
}

fn starts_mail(line: &str) -> bool {
    HEADERS.is_match(line.trim())
}

/// Of a line, what is said before somebody else's words begin in it.
fn before_shown(line: &str) -> &str {
    let line = before_text(line).unwrap_or(line);
    let end = |at: usize, ends: &[char]| {
        line[at..]
            .char_indices()
            .find(|(_, c)| ends.contains(c))
            .map(|(to, c)| at + to + c.len_utf8())
    };
    if let Some(asked) = asks_about(line) {
        let stops: &[char] = if FOLLOWS.is_match(&line[asked..]) {
            &[':', '：', '.', '!', '?', '。', '！', '？']
        } else {
            &[':', '：']
        };
        return end(asked, stops).map_or(line, |end| &line[..end]);
    }
    match TELLS.find(line) {
        Some(told) => &line[..told.end()],
        None => line,
    }
}

/// What stands before the sentences of a text that a sentence speaks of: `Tighten up this
/// summary. I live in Rome.`
fn before_text(line: &str) -> Option<&str> {
    let mut from = 0;
    for (sentence, end) in in_line(line) {
        let at = from + line[from..].find(sentence)?;
        from = at + sentence.len();
        if speaks_of_text(sentence, end) {
            return Some(&line[..from]);
        }
    }
    None
}

/// Whether it asks for something about a text that is no more than named, or tells of one that
/// came from somebody: what follows is that, as far as anybody knows.
fn speaks_of_text(sentence: &str, end: Option<char>) -> bool {
    let asks = matches!(end, Some('?' | '？')) || !TELLS_ABOUT.is_match(sentence);
    let of_text = TEXT.is_match(sentence) && asks && !OF_ONESELF.is_match(sentence);
    of_text || TEXT_ZH.is_match(sentence) && ASKS_ZH.is_match(sentence) || WROTE.is_match(sentence)
}

/// What a line says of the person, without what only says that it does: `About me:`, and
/// the mark of an item below that.
fn without_heading(line: &str, lists: bool) -> &str {
    let line = line.trim();
    if OWN_LIST.is_match(line) {
        return line.rfind(['.', '!', '。', '！']).map_or("", |end| &line[..end]);
    }
    let begins = if lists { ITEM.find(line) } else { ABOUT_ME.find(line) };
    begins.map_or(line, |begins| &line[begins.end()..])
}

/// Whether what stands below a line is somebody else's words.
fn shows_what_follows(line: &str) -> bool {
    let line = line.trim().trim_end_matches('*');
    let introduces =
        line.ends_with([':', '：']) && !OWN_LIST.is_match(line) && !GREETS.is_match(line);
    let last = in_line(line).pop();
    let is_of_text = last.is_some_and(|(sentence, end)| speaks_of_text(sentence, end));
    introduces || is_of_text || asks_about(line).is_some()
}

/// Where a line asks for something to be done with a text that it shows. Who tells what they do
/// themselves asks for nothing: `I translate letters`.
fn asks_about(line: &str) -> Option<usize> {
    let asked = ASKS.find(line)?;
    (!TELLS_OF_ONESELF.is_match(&line[..asked.start()])).then_some(asked.start())
}

/// Where a letter begins that is signed, or that is written to nobody here.
fn letter(lines: &[&str]) -> Option<usize> {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let is_signed = |from: usize| {
        let closes = (from..lines.len()).find(|&nth| CLOSES.is_match(lines[nth]));
        closes.is_some_and(|at| {
            let signed = lines[at + 1..].iter().find(|line| !line.is_empty());
            SIGNED.is_match(lines[at]) || signed.is_some_and(|name| name.chars().count() <= 40)
        })
    };
    (0..lines.len()).find(|&nth| {
        let begins = GREETS.is_match(lines[nth]) && is_signed(nth + 1);
        begins || FORMAL.is_match(lines[nth]) && says_more(&lines[nth + 1..])
    })
}

/// Where a talk begins in which somebody answers somebody.
fn talk(lines: &[&str]) -> Option<usize> {
    let speaker = |line: &&str| {
        let name = SPEAKS.captures(line.trim()).map(|parts| parts[1].to_owned())?;
        (!NO_SPEAKER.is_match(&name)).then_some(name)
    };
    let first = lines.iter().position(|line| speaker(line).is_some())?;
    let other =
        |line: &&str| speaker(line).is_some_and(|name| Some(name) != speaker(&lines[first]));
    lines[first..].iter().any(other).then_some(first)
}

/// The last line, where it asks about a text that stands above it.
fn asked_about(lines: &[&str]) -> Option<usize> {
    let last = lines.iter().rposition(|line| !line.trim().is_empty())?;
    let first = lines.iter().find(|line| !line.trim().is_empty())?.trim();
    let stands_apart = last > 0 && (lines[last - 1].trim().is_empty() || GREETS.is_match(first));
    let line = lines[last].trim();
    let asks = line.ends_with(['?', '？', '吗', '嗎']) || asks_about(line).is_some();
    (stands_apart && says_more(&lines[..last]) && asks && POINTS_BACK.is_match(line))
        .then_some(last)
}

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    /// To do something with a text: which it is, is said with it.
    ASKS = concat!(
        r"(?i)\b(?:summari[sz]e|sum up|tl;?dr|translate|proof-?read|rewrite|rephrase|paraphrase|reword|shorten|simplify|",
        r"reply to|respond to|review|correct|edit|fix|polish|improve|revise|check|analy[sz]e|explain|continue|finish|",
        r"make|format|comment on|look at|read|what do you think (?:of|about))\b",
        r"(?:[^.!?:：]{0,40}?\b(?:this|these|following|below|letter|e-?mail|mail|text)\b|[^.!?:：]{0,40}(?::\s|:$|：))",
        r"|^(?:is|are|do|does|can|could|should|would|what|how|who|why)\b[^.!?:]{0,60}\b(?:this|these|below)\b[^.!?:]{0,30}\?",
        r"|\b(?:write|compose|draft|make up|invent|tell)\b(?: (?:me|us))? (?:an?|the|some|another|my)\b[^.!?:]{0,30}?",
        r"\b(?:story|tale|poem|haiku|song|lyrics|letter|speech|monologue|dialogue|scene|essay|tweet|post|caption|novel|",
        r"chapter|script|diary|bio|biography)\b",
        r"|\blet(?:'s| us) (?:practi[sc]e|rehearse|role-?play|simulate|play)\b|\bpracti[sc]e for\b",
        r"|\b(?:i )?(?:dream(?:t|ed)|had a (?:strange |weird |funny |bad )?dream|nightmare|hypothetically|imagine(?: that)? (?:i|you|we)|suppose (?:that )?i)\b",
        r"|\b(?:hero|heroine|protagonist|narrator|character)(?:'s \w+| sheet)?:",
        r"|^(?:customer |user |product |app )?(?:feedback|reviews?|comments?|complaints?|tickets?|posts?|tweets?|messages?|e-?mails?)(?: (?:#|no\.? ?|number )?\d+)?[.:]",
        r"|\byou(?:'re| are)(?: now)? (?:an?|the|my) [^.!?:]{1,40}?[,;.]? (?:and )?i(?:'m| am) (?:the|your)\b",
        r"|^(?:tl;?dr|(?:grammar|spell(?:ing)?)[ -]?check)\b|\b(?:pretend|act as|role-?play)\b",
        r"|\bhere(?:'s| is) [^.!?:]{0,30}\b(?:letter|e-?mail|mail|text|draft|essay|story|poem|cv|resume|bio|",
        r"tweet|post|comment|quote|review|song|lyrics|caption|excerpt|passage|paragraph|sentence|dialogue|transcript|article|message|note)\b",
        r"|\b(?:i(?:'ve| have)? )?(?:just )?(?:got|received) (?:this|the following|an?) [^.!?:]{0,20}\b(?:message|e-?mail|mail|letter|text|note|dm) (?:from|by)\b",
        r"|(?:总结|概括|归纳|翻译|润色|修改|改写|回复|校对|校正|检查|纠正|改正|编辑|分析|看看|看一下|读一下|",
        r"總結|歸納|翻譯|潤色|改寫|回覆|校對|檢查|糾正|編輯)",
        r"(?:[^。！？：:]{0,8}?(?:这|這|下面|以下|下列|如下)|[^。！？：:]{0,12}[：:])",
        r"|(?:这|這|下面|以下|下列)[^。！？：:]{0,16}?(?:总结|概括|翻译|润色|修改|改|回复|校对|检查|邮件|信|作文|",
        r"總結|翻譯|潤色|回覆|校對|檢查|郵件)",
        r"|(?:这|這|下面|以下)是[^。！？：:]{0,12}?(?:小说|小說|故事|诗|詩|歌词|歌詞|剧本|劇本|台词|文章|推文|帖子|评论|評論|对话|對話)",
        r"|(?:写|寫|编|編|创作|創作|讲|講|来|來)(?:我)?(?:一|个|個|首|篇|段|封|则|則)[^。！？：:]{0,12}?(?:小说|小說|故事|诗|詩|歌|剧本|劇本|信|",
        r"文章|日记|日記|演讲|演講|段子|独白|獨白)|(?:续写|續寫|角色扮演|扮演|假装|假裝)",
        r"|(?:改一下|改改|批改|帮我改|幫我改|修改)[^。！？：:]{0,8}(?:作文|文章|句子|段落|简历|簡歷|信|邮件|郵件|日记|日記|这段|這段|这篇|這篇)",
        r"|(?:梦见|夢見|梦到|夢到|做了?个梦|做了個夢|假设|假設|想象一下|想像一下)",
        r"|(?:发来|發來|收到|发给我|發給我|写来|寫來|写给我|寫給我)了?(?:一|这|這)?[条條封则則]?(?:消息|短信|邮件|郵件|信|微信|留言|私信)",
        r"|(?:练习|練習)(?:一下)?(?:英语|英語|中文|日语|日語|口语|口語|对话|對話|会话|會話)",
        r"|你(?:来|來)?(?:是|当|當|演|扮)[^。！？：:，,]{1,10}[，,]我(?:来|來)?(?:是|当|當|演|扮)",
        r"|(?:この|これを|以下|次の|下の|下記)[^。！？：:]{0,20}?(?:要約|翻訳|和訳|英訳|添削|校正|推敲|修正|",
        r"書き直|返信|直して|訳して|まとめて)",
        r"|(?:要約|翻訳|和訳|英訳|添削|校正|推敲)[^。！？：:]{0,12}[：:]",
    );
    TEXT = concat!(
        r"(?i)\b(?:summary|summaries|bio|profile|essay|paragraph|letter|message|e-?mail|post|text|caption|story|draft|statement|",
        r"description|resume|résumé|cv|article|speech|tweet|blurb|headline|sentence|passage|excerpt|quote|transcript|dialogue|",
        r"script|poem|lyrics|abstract|homework|exercise|translation|testimonial|listing|monologue|wording|phrasing|grammar|composition|typo|spelling)s?\b",
    );
    /// `This article is good` asks for nothing.
    TELLS_ABOUT = concat!(
        r"(?i)^(?:the|an?|this|that|these|those|it|he|she|they|his|her|their|its|there|some|many|most|every|each|no|nobody|",
        r"what|who|when|where|why|how|thanks|thank|sorry|yes|good|nice|great|your)\b",
    );
    OF_ONESELF = r"(?i)^(?:(?:ok|okay|well|so|and|but|also|hi|hello|hey|oh|then|now)[,!]? )*(?:i|i['’](?:m|ve|d|ll)|my|we|we['’]re|our|me)\b";
    TEXT_ZH = concat!(
        r"简历|簡歷|作文|文章|段落|句子|这段|這段|这篇|這篇|这句|這句|邮件|郵件|短信|消息|留言|评论|評論|帖子|推文|简介|簡介|摘要|文案|台词|",
        r"臺詞|剧本|劇本|歌词|歌詞|日记|日記|演讲稿|演講稿|发言稿|發言稿|个人陈述|個人陳述",
    );
    ASKS_ZH = r"帮|幫|请|請|麻烦|麻煩|能不能|能否|可以|怎么|怎麼|如何|改|润|潤|翻|译|譯|校|评|評|看看|看一下|吗|嗎|[?？]$";
    WROTE = concat!(
        r"(?i)\b(?:wrote|texted|messaged|e-?mailed|dm['’]?ed|sent)(?: back)?(?: to)? (?:me|us)\b|\bposted (?:this|in|on)\b|\bgrade (?:it|this|these|them)\b|\bpersona\b",
        r"|(?:写|寫|发|發|寄|传|傳)(?:给|給)(?:了)?我|(?:发|發|写|寫|寄)(?:来|來)",
        r"|自我介绍|自我介紹|作业|作業|看到(?:了)?一(?:段|篇|条|條)",
        r"|(?:他|她|们|們|户|戶|板|司|人|友)是?(?:这么|这样|這麼|這樣)(?:说|写|回|說|寫)的",
    );
    TELLS_OF_ONESELF = concat!(
        r"(?i)\b(?:i|we)(?:'d|'ll|'m| am| are)?(?: (?:also|often|always|usually|sometimes|mostly|do|can|will|would|used|going|",
        r"want|have|need|like|love|plan|hope|try))*(?: to)?\s*$",
        r"|(?:^|[，,。！？!?\s])(?:我|我们|我們)(?:也|常|经常|經常|想|要|会|會|喜欢|喜歡|正在|在)*$",
    );
    /// Where it comes at once, in the same line.
    FOLLOWS = concat!(
        r"(?i)\b(?:following|below|here(?:'s| is)|pretend|role-?play|act as|tl;?dr|practi[sc]e|rehearse|simulate|dream(?:t|ed)?|nightmare|hypothetically|imagine|suppose)\b",
        r"|^(?:(?:customer|user|product|app) )?(?:feedback|reviews?|comments?|complaints?|tickets?|posts?|tweets?|messages?|e-?mails?)\b",
        r"|^i (?:dream(?:t|ed)|had a)\b|^(?:i(?:'ve| have)? )?(?:just )?(?:got|received) (?:this|the following|an?)\b|^(?:my )?(?:hero|heroine|protagonist|narrator|character)\b",
        r"|^(?:write|compose|draft|make up|invent|tell|you(?:'re| are))\b",
        r"|^(?:(?:please|can you|could you) )*(?:make|rewrite|rephrase|reword|shorten|simplify|improve|polish|proof-?read|translate) (?:this|these)\b",
        r"|^(?:is|does) this\b[^.!?:]{0,30}\b(?:grammatical(?:ly)?|correct|polite|natural|idiomatic|spel(?:led|t)|sound|read)\b",
        r"|改一下|改改|批改|帮我改|幫我改|修改|润色|潤色|翻译|翻譯|校对|校對|梦|夢|假设|假設|想象|想像|练习|練習|发来|發來|收到|发给我|發給我|写来|寫來|写给我|寫給我",
        r"|下面|以下|下列|如下|次の|下記|^(?:这是|這是|写|寫|编|編|创作|創作|讲|講|来|來|续写|續寫|角色扮演|扮演|假装|假裝|你)",
    );
    /// Somebody else's words behind a colon: `Peter wrote me: I moved to Berlin.`
    TELLS = concat!(
        r"(?i)\b(?:wrote|writes|said|says|told|sent|asked|replied|answered|e-?mail|letter|message|quote|transcript)\b",
        r"[^.!?:：]{0,60}(?::\s|:$|：)",
        r"|(?:^|[.!?] )(?:the )?(?:text|sentence|paragraph|passage|excerpt|example|input|quote|dialogue|lyrics|exercise)s?:\s",
        r"|(?:写道|寫道|写给|寫給|发来|發來|来信|來信|邮件|郵件|的信|原文|他说|她说|他說|她說|書いて|言って|メール|手紙|原文)",
        r"[^。！？：:]{0,20}[：:]",
    );
    /// Below which a person lists what is so of themselves, or to be kept.
    OWN_LIST = concat!(
        r"(?i)\b(?:about|of|on) (?:me|myself):$|\bthings? to (?:remember|know|note)[^:]*:$|^from now on\s*,?:$",
        r"|^(?:please,? )?(?:always )?(?:remember|note|keep in mind|don't forget|memori[sz]e)",
        r"(?: (?:this|that|these|the following))?(?: (?:things|facts|points))?\s*:$",
        r"|^my (?:\w+ )?(?:preferences|wishes|rules|details|facts|background|profile)\s*:$|^(?:i am|i'm|i)\s*:$",
        r"|(?:关于|關於)我(?:自己)?的?[^：:]{0,8}[：:]$|^我(?:自己)?的(?:情况|信息|资料|偏好|要求|情況|資訊|資料)[：:]$",
        r"|^自我介[绍紹][：:]$|^(?:请|請|你要|帮我|幫我)?(?:记住|记得|记一下|别忘了|記住|記得|記一下)[^：:]{0,6}[：:]$",
        r"|^(?:以后|今后|以後|今後)(?:请|請)?[：:]$",
        r"|^(?:私|僕|自分)(?:について|のこと)[：:]$|^自己紹介[：:]$|^(?:以下を)?(?:覚えて|記憶して)[^：:]{0,8}[：:]$",
    );
    /// The same before what is said in that line.
    ABOUT_ME = concat!(
        r"(?i)^[^.!?:]{0,40}\babout (?:me|myself): |^(?:关于|關於)我(?:自己)?[：:]",
        r"|^(?:私|僕|自分)(?:について|のこと)[：:]",
    );
    ITEM = r"^(?:[-*•·]\s+|\d+[.)]\s+|\d+、)";
    HEADERS = concat!(
        r"(?i)^\**(?:from|subject|sent|von|betreff|发件人|發件人|寄件者|主题|主題|主旨|差出人|件名)\**\s*[:：]\**\s*\S",
        r"|^-{2,} ?(?:original|forwarded|weitergeleitete)\b",
        r"|^\[?\d{1,2}[:.]\d{2}[^:：]{0,30}[:：]\s",
    );
    SPEAKS = r"^\**(\p{Lu}\p{L}{1,20}|\p{Han}{2,4}|[\p{Katakana}ー]{2,10})\**[:：]\**\s*\S";
    /// What may stand before a colon and speaks of oneself.
    NO_SPEAKER = concat!(
        r"(?i)^(?:remember|note|name|about|city|home|job|work|age|also|please|context|background|hi|hello|ps|fyi|btw)$",
        r"|^(?:请?记住|记得|姓名|名字|城市|工作|职业|年龄|你好|关于我|注意|備考|名前|職業)$",
    );
    GREETS = concat!(
        r"(?i)^(?:(?:dear|hi|hello|hey|good (?:morning|afternoon|evening))\b[^.!?。]{0,50}[,，:：!]?",
        r"|(?:亲爱的|親愛的|您好|你好|大家好).{0,20}|.{1,12}(?:您好|你好)[，,：:！!]?",
        r"|.{1,20}(?:様|さん|御中|先生|各位)[、，,]?|こんにちは[、。！]?)$",
    );
    FORMAL = concat!(
        r"(?i)^(?:dear (?:sir|madam|mrs?|ms|miss|dr|prof(?:essor)?|hiring|team|all|colleagues?)\b[^.!?]{0,50}\.?[^.!?]{0,40}[,:]?",
        r"|to whom it may concern[,:]?|(?:尊敬的|敬爱的|敬愛的).{1,30}|拝啓.{0,40})$",
    );
    CLOSES = concat!(
        r"(?i)^(?:(?:with )?(?:(?:kind|best|warm|warmest|many) )?(?:regards|wishes|thanks)|best|all the best|cheers|",
        r"(?:yours )?(?:sincerely|truly|faithfully)(?: yours)?|yours|respectfully|cordially|thank you|love|take care|",
        r"see you(?: soon)?)(?:[,.!]?|,\s*\p{Lu}[\p{L} .'-]{0,30})$",
        r"|^(?:此致|敬礼|敬禮|此致敬礼|此致敬禮|祝好|祝您?.{1,8}|顺祝.{1,8}|順祝.{1,8}|敬上)[，,。！!]?$",
        r"|^(?:敬具|草々|(?:どうぞ)?よろしくお願い(?:します|いたします|致します|申し上げます))[、。]?$",
    );
    SIGNED = r"(?i)^[\p{L} ]+,\s*\p{Lu}|敬上";
    POINTS_BACK = concat!(
        r"(?i)\b(?:this|that|the|my) (?:\w+ )?(?:letter|e-?mail|text|message|draft|reply|essay|paragraph|note|article|",
        r"story|poem|passage|sentence)\b|\babove\b",
        r"|(?:这|這)(?:封|段|篇|句)|上面|以上|上文|この(?:手紙|メール|文章|文面|文)|上の",
    );
}

#[cfg(test)]
mod tests {
    use crate::extract::{endings, notice};

    /// What is learned of a message, besides what it ends.
    fn learned(message: &str) -> Vec<String> {
        notice(message).into_iter().map(|one| one.text).collect()
    }

    fn check(message: &str, expected: &[&str]) {
        assert_eq!(learned(message), expected, "{message}");
    }

    const LETTER: &str = "Hi there,\nI moved to Berlin last week. My name is Peter. From now on please write in German.\n\nBest,\nPeter";

    #[test]
    fn a_text_that_is_shown_is_no_word_of_the_person() {
        for before in [
            "Summarise this email:\n\n",
            "Summarize this email.\n\n",
            "Please proofread:\n",
            "Please proofread this\n",
            "Translate this:\n",
            "Could you rewrite the text below?\n",
            "Here is what Peter wrote me today:\n",
            "How do I answer this?\n\nFrom: Peter <peter@example.org>\nSubject: News\n\n",
            "What should I make of this?\n---------- Forwarded message ---------\n",
            "Is this polite?\n\"\"\"\n",
            "",
            "Write a story that begins like this:\n",
        ] {
            check(&format!("{before}{LETTER}"), &[]);
        }
        for message in [
            "Translate this:\nI live in Oslo",
            "Translate this into French: Hello. I live in Oslo. My name is Peter.",
            "Translate the following. I live in Oslo.",
            "Fix: my name is Peter. I live in Oslo.",
            "Peter wrote me: hello. I live in Oslo.",
            "What does this mean?\nI live in Oslo.",
            "What do you think about this?\n\nI live in Oslo.",
            "Is this correct German?\n\nI live in Oslo.",
            "Make this sound nicer\nI live in Oslo.",
            "Continue this story\nMy name is Peter. I live in Oslo.",
            "tl;dr\n\nMy name is Peter. I live in Oslo.",
            "Pretend to be Peter. My name is Peter.",
            "Here's my cover letter. My name is Peter. I live in Oslo.",
            "Can you reply to Peter's mail\n\nI moved to Berlin.",
            "Peter: Hello. I live in Oslo.\nClara: Hi. My name is Clara.",
            "[10:31] Peter: hello\nI live in Oslo.",
            "这是小王发来的邮件\n我搬到柏林了。",
            "看看这封信写得怎么样\n我叫彼得。",
            "小王：你好。我住在柏林。\n小李：我叫小李。",
            "Dear Mr. Brown,\nI live in Oslo.",
            "Dear Bob,\nI live in Oslo. My name is Peter.\nKind regards, Peter\n\nIs this letter polite enough?",
            "Hi Bob,\nI live in Oslo. My name is Peter.\n\nIs this letter polite enough?",
            "I live in Oslo. My name is Peter.\n\nIs the text above correct?",
            "\"\"\"\nI live in Oslo.\n\"\"\"",
            "Summarise: \"\"\"Hello.\nI live in Oslo.\n\"\"\"",
            "'''\nI live in Oslo.\n'''",
            "```\nI live in Oslo.\n```",
            "总结这封邮件：\n你好，我搬到柏林了。我叫彼得。以后请用德语回答。",
            "帮我翻译下面这段话：我住在柏林。我叫彼得。",
            "把下面这段话翻译成英文\n我住在柏林。我叫彼得。",
            "請潤色這封信\n我住在柏林。我叫彼得。",
            "尊敬的王先生：\n我住在柏林。我叫彼得。",
            "李明你好，\n我住在柏林。我叫彼得。\n此致\n敬礼\n彼得\n\n这封信礼貌吗？",
            "小王写给我的：我住在柏林。我叫彼得。",
            "この文章を要約して：\n私はベルリンに住んでいます。私の名前はペーターです。",
            "次の手紙を添削してください\n私はベルリンに住んでいます。",
            "件名：お知らせ\n私はベルリンに住んでいます。",
            "Can you proofread my daughter's essay? I live in Rome. My favourite food is pizza.",
            "Check this paragraph for typos. My name is Max and I live in Rome. I work at Fiat.",
            "Here is the message I got from Tom. I moved to Leeds. My phone number is 555 777. How should I reply?",
            "Could you tighten up this LinkedIn summary for a colleague? I live in Rome. I work at Fiat.",
            "Make my friend's dating profile funnier. I live in Rome. My name is Max.",
            "My landlord wrote to me yesterday. I moved to Leeds last week. I am selling the flat.",
            "Does the wording of the statement work? I live in Rome.",
            "能不能看看这份简历？我住在北京。我在腾讯工作。",
            "I got this text from Tom. I moved to Leeds. How should I reply?",
            "Customer feedback #3. I live in Leeds and I hate your app. Classify the sentiment.",
            "Let's practise English conversation. Hello! My name is Sam and I live in London.",
            "Rewrite this bio. I am a chef. I live in Rome. I'm allergic to nuts.",
            "Dear diary practice for my novel's hero: My name is Max. I live in Rome.",
            "Last night I dreamt I live in a castle. My wife is a dragon.",
            "帮我改一下这段作文。我住在北京。我最喜欢的颜色是红色。",
            "我朋友刚发来一条消息。我搬到成都了。我该怎么回？",
            "我昨晚梦见自己是国王。我住在皇宫。",
            "我们来练习英语对话。我叫李雷。我住在北京。",
            "Write a story: I am a pirate. I live in Tortuga. My wife is Mary.",
            "Please write me a short story. I live in Tortuga.",
            "Write a cover letter for Tom. My name is Tom, I live in Leeds and I work at Tesco.",
            "Write a poem. I live in the moonlight. My name is Night.",
            "Tell me a story. My name is Mary.",
            "Is this grammatically correct? I live in Vienna since 2010.",
            "Does this sound natural? I live in Vienna.",
            "Here's a tweet I found. I live in Texas and I hate taxes. What do you think?",
            "Let's roleplay. You are a doctor. I'm your patient. I live in Ohio and I'm allergic to latex.",
            "You are a doctor and I'm your patient. I live in Ohio.",
            "Can you help with my homework? Text: I live in Madrid. Find the verbs.",
            "Make this sound more formal. I live in Rome. I work at Fiat.",
            "Which of these two bios is better? My name is Max. I live in Rome.",
            "This is what my ex texted me. I moved to Leeds. I married Paul.",
            "My character sheet: I am an elf. I live in Rome.",
            "客户是这么说的。我住在北京。我在百度工作。怎么回复好？",
            "I got this from a student, please grade it. My name is Max. I live in Rome.",
            "My flatmate just posted in our chat. I moved to Leeds.",
            "Write a persona for our product. I am a nurse. I live in Rome.",
            "这是我同学的自我介绍，帮忙看看。我叫李雷。我住在北京。",
            "小红书上看到一段话。我住在大理。我不吃肉。你怎么看？",
            "孩子的口语作业。我叫小明。我住在天津。",
            "这是我写的小说开头。我叫李白，我住在长安。帮我续写。",
            "写一首诗。我住在月亮上。我叫李白。",
            "帮我编一个故事：我叫李白，我住在长安。",
            "我们来角色扮演。我叫李白。",
            "你是医生，我是病人。我叫李白，我住在长安。",
        ] {
            check(message, &[]);
        }
        for message in [
            "Translate this letter:\n\nI no longer live in Porto.",
            "Dear Sir,\nI no longer live in Porto.",
            "请翻译这段话：\n我不住在杭州了",
        ] {
            assert_eq!(endings(message), [], "{message}");
        }
    }

    #[test]
    fn what_stands_before_a_text_or_behind_its_end_is_the_persons_own() {
        let porto = ["The user lives in Porto"];
        check("I live in Porto. Please translate this:\nI live in Oslo.", &porto);
        check("I live in Porto.\nSummarise this email:\n\nI live in Oslo.", &porto);
        check("I live in Porto.\n\nFrom: Peter\nSubject: News\nI live in Oslo.", &porto);
        check("Summarise this:\n\"\"\"\nI live in Oslo.\n\"\"\"\nI live in Porto.", &porto);
        check("Translate this letter:\n> I live in Oslo.\n\nI live in Porto.", &porto);
        check("我住在杭州。请翻译这段话：\n我住在柏林。", &["用户住在杭州"]);
        check(
            "私は京都に住んでいます。この文章を要約して：\n私はベルリンに住んでいます。",
            &["ユーザーは京都に住んでいる"],
        );
    }

    #[test]
    fn what_a_person_writes_of_themselves_is_theirs_however_long() {
        let german = "The user wants to be answered in German";
        let porto = "The user lives in Porto";
        check("Hi Ada,\nI moved to Porto. Please always answer in German.", &[porto, german]);
        check("Hi Ada:\nI live in Porto.", &[porto]);
        check(
            "A few things about me: I live in Porto. I work at Acme.",
            &[porto, "The user works at Acme"],
        );
        for heading in [
            "About me:",
            "Some facts about myself:",
            "Remember:",
            "Remember this:",
            "Please remember the following:",
        ] {
            check(
                &format!("{heading}\nI live in Porto.\nMy name is Ana."),
                &[porto, "The user's name is Ana"],
            );
        }
        check(
            "About me:\n\n- I live in Porto.\n- My name is Ana.",
            &[porto, "The user's name is Ana"],
        );
        check("请记住：\n1. 我住在杭州\n2. 我叫林夏", &["用户住在杭州", "用户名叫林夏"]);
        check("I review letters for a living.\nI live in Porto.", &[porto]);
        check("I translate this kind of text every day.\nI live in Porto.", &[porto]);
        check("Thanks!\nI live in Porto.", &[porto]);
        check("I want to write a novel. I live in Porto.", &[porto]);
        check("I sometimes write a poem. I live in Porto.", &[porto]);
        check("I live in Porto. Write a poem about that.", &[porto]);
        check("Is this a good idea? I live in Porto.", &[porto]);
        check("My character is calm. I live in Porto.", &[porto]);
        check("Can you review this plan for my trip? I live in Porto.", &[porto]);
        check("This article is good. I live in Porto.", &[porto]);
        check("My essay is due tomorrow. I live in Porto.", &[porto]);
        check("Recommend a dentist. I live in Porto.", &[porto]);
        check("Could you find me a flat? I live in Porto.", &[porto]);
        check("I practise the piano every day. I live in Porto.", &[porto]);
        check("I grade essays for a living. I live in Porto.", &[porto]);
        check("I live in Porto. Can you proofread my essay?", &[porto]);
        check("I live in Porto. Last night I dreamt of a castle.", &[porto]);
        check("我住在杭州。我朋友刚发来一条消息，让我去玩。", &["用户住在杭州"]);
        check("我想写一本小说。我住在杭州。", &["用户住在杭州"]);
        check("我住在杭州。给我讲一个故事。", &["用户住在杭州"]);
        check("这篇文章不错。我住在杭州。", &["用户住在杭州"]);
        check("Please check https://example.org first. I live in Porto.", &[porto]);
        check(
            "Remember: I live in Porto.\nNote: my wife is Clara.",
            &[porto, "The user's wife is Clara"],
        );
        check("I read this kind of book.\nI live in Porto.", &[porto]);
        check("This is what I do: I work at Acme. I live in Porto.", &[porto]);
        check("Can you help me with my tax?\nI live in Porto.", &[porto]);
        for heading in ["关于我：", "请记住：", "我的情况："] {
            check(
                &format!("{heading}\n我住在杭州。\n我叫林夏。"),
                &["用户住在杭州", "用户名叫林夏"],
            );
        }
        check("关于我：我住在杭州。我叫林夏。", &["用户住在杭州", "用户名叫林夏"]);
        check("你好：\n我住在杭州。", &["用户住在杭州"]);
        check("私について：\n私は京都に住んでいます。", &["ユーザーは京都に住んでいる"]);
    }
}
