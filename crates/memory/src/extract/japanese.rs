//! What a Japanese clause says about the one who says it.
//!
//! Only where it names them: who is meant by a clause without a subject is known from what
//! was said around it, and that may have been anybody.

use super::leaning::is_named_elsewhere;
use super::names::wished_in_japanese;
use super::{Noticed, SAID, Says, regex, stated, statement};
use domain::MemoryKind;
use regex::Regex;
use std::sync::LazyLock;

/// Whether a sentence is Japanese: Chinese may name a thing in kana, and says 我.
pub(super) fn is(said: &str) -> bool {
    let is_hiragana = |c| matches!(c, '\u{3041}'..='\u{309f}');
    said.chars().any(is_hiragana) && !said.contains('我')
}

/// The clauses of a sentence, each with its subject as far as that is known.
pub(super) fn clauses(said: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut is_of_me = false;
    let joined = OF_ME_APART.replace(said, "$1");
    for piece in joined.split('、').filter(|piece| !piece.trim().is_empty()) {
        let piece = JOINING.replace(piece.trim(), "$1").into_owned();
        let of_me = OF_ME.is_match(&piece);
        let goes_on = is_of_me && !of_me && !OF_ANOTHER.is_match(&piece);
        is_of_me = of_me && !OF_MINE.is_match(&piece) || goes_on;
        all.push(if goes_on { format!("私は{piece}") } else { piece });
    }
    // How a sentence ends says when all of it was so.
    if all.last().is_some_and(|last| WAS.is_match(last)) {
        for one in &mut all {
            *one = GOING_ON.replace(one, "いました").into_owned();
        }
    }
    all
}

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    WAS = r"(?:いました|いた|おりました)(?:よ|ね)?$";
    GOING_ON = r"(?:いて|おりまして|おり)$";
    /// What says that it was so once.
    ONCE = r"以前|昔|かつて|まで|の頃|のころ|時代";
    OF_ME = r"^(?:私|わたし|わたくし|あたし|僕|ぼく|俺|おれ|自分)(?:は|も|の|って|が)";
    /// Of somebody whom the speaker has.
    OF_MINE = concat!(
        r"^(?:私|わたし|わたくし|あたし|僕|ぼく|俺|おれ|自分)の(?:妻|夫|嫁|奥さん|旦那|主人|彼女|彼氏|母|父|兄|弟|姉|",
        r"妹|息子|娘|友人|友達|親友|上司|同僚)",
    );
    OF_ME_APART = r"^((?:私|わたし|わたくし|あたし|僕|ぼく|俺|おれ|自分)(?:は|も))、";
    /// Somebody else, of whom the rest is said.
    OF_ANOTHER = concat!(
        r"^(?:彼女?|あなた|君|きみ|あいつ|みんな|誰か|妻|夫|嫁|旦那|主人|奥さん|母|父|兄|弟|姉|妹|息子|娘|友達|友人|",
        r"上司|同僚|[\p{Katakana}\p{Han}ー]{1,10}(?:さん|くん|ちゃん|君))(?:は|も|が)|^[\p{Katakana}ー]{2,}は",
    );
    /// What joins a clause to the next: `住んでいますが`.
    JOINING = r"((?:ます|です|だ|た|る|ない|い))(?:が|けど|けれども?|し|ので|から)$";
}

/// How a sentence ends, or a clause before another.
const IS: &str = r"(?:(?:です|だ|でして|で|なんです|なのです)(?:よ|ね|よね)?)";
const DOES: &str = r"(?:いる|います|いて|おります|おりまして|いるよ|る|ます|いるんです)(?:よ|ね)?";
const I: &str = r"^(?:私|わたし|わたくし|あたし|僕|ぼく|俺|おれ|自分)(?:は|も|って)(?:今は?|現在は?|いまは?|まだ|ずっと|実は|、)*";
const MY: &str = r"^(?:私|わたし|わたくし|あたし|僕|ぼく|俺|おれ|自分)の";
const VERY: &str = r"(?:本当に|とても|一番|すごく|特に)?";
const FOR_LONG: &str = r"(?:もう)?(?:[\d０-９一二三四五六七八九十数何]+(?:年|か月|ヶ月|ヵ月|カ月|週間|日)(?:間|ほど|くらい|ぐらい|以上|半)*)?";
const WHEN: &str = r"(?:(?:先月|先週|去年|昨年|今年|今月|今週|最近|この前|昨日|春|夏|秋|冬|[\d０-９]+月)(?:に|は)?)?";

pub(super) fn forms() -> [(String, Says); 18] {
    let called = r"(?:といい|と言い|と申し|っていい|という|と申す)(?:ます|まして|者です|名前です)?";
    let asked = r"(?:って|と)呼んで(?:ください|下さい|くれ|ほしい(?:です)?|ね)?";
    [
        (format!(r"{I}(\S{{1,20}}?){called}$"), |p| name(&p[1])),
        (format!(r"{MY}名前は、?(\S{{1,20}}?)(?:{called}|{IS})$"), |p| name(&p[1])),
        (format!(r"^(?:(?:私|僕|俺)のことは、?)?(\S{{1,20}}?){asked}$"), |p| wish(&p[1])),
        (format!(r"{I}(\S{{1,20}}?)と呼ばれることを望んで{DOES}$"), |p| wish(&p[1])),
        (format!(r"{I}(.{{1,20}}?)に{FOR_LONG}住んで{DOES}$"), |p| at_place(&p[1])),
        (
            format!(
                r"{I}{WHEN}(.{{1,20}}?)(?:に|へ)(?:引っ?越し(?:た|て|ました|まして)?|移(?:った|りました|って)|引っ?越してき(?:た|ました))(?:よ|んです)?$"
            ),
            |p| at_place(&p[1]),
        ),
        (format!(r"{I}(.{{1,20}}?)の?(?:出身|生まれ){IS}$"), |p| origin(&p[1])),
        (format!(r"{I}(.{{1,20}}?)から(?:来|き)(?:た|て|ました|まして)$"), |p| {
            origin(&p[1])
        }),
        (
            format!(r"{I}(日本|中国|韓国|台湾|香港|米国|英国|[\p{{Katakana}}ー]{{2,}})人{IS}$"),
            |p| origin(&p[1]),
        ),
        (format!(r"{I}(.{{1,20}}?)として働いて{DOES}$"), |p| works_as(&p[1])),
        (
            format!(
                r"{I}(.{{1,20}}?)(?:で(?:働いて|勤務して|仕事を?して)|に(?:勤めて|勤務して)){DOES}$"
            ),
            |p| works_at(&p[1]),
        ),
        (
            format!(
                r"{I}(.{{1,20}}?)(?:に対して|に|の)?アレルギー(?:が|は)?(?:ある|あります|あって|があるんです|持ち{IS}|{IS})$"
            ),
            |p| allergy(&p[1], true),
        ),
        (
            format!(
                r"{I}(?:もう)?(.{{1,20}}?)(?:に対して|に|の)?アレルギー(?:が|は|では|じゃ)?(?:もう)?(?:ない|ないです|ありません|なくなりました|なくなった|治りました|治った)$"
            ),
            |p| allergy(&p[1], false),
        ),
        (format!(r"{I}{VERY}(.{{1,30}}?)(?:が|は){VERY}(?:大好き|好き){IS}?$"), |p| {
            liking(&p[1], "好き", true)
        }),
        (format!(r"{I}{VERY}(.{{1,30}}?)(?:が|は){VERY}(大嫌い|嫌い|苦手){IS}?$"), |p| {
            liking(&p[1], &p[2], false)
        }),
        (
            format!(
                r"{I}(?:もう)?(.{{1,30}}?)(?:が|は)(?:あまり)?(?:好き(?:じゃ|では)(?:ない|ないです|なくて|ありません))$"
            ),
            |p| liking(&p[1], "好きではない", false),
        ),
        (
            format!(
                r"{MY}(妻|夫|嫁|奥さん|旦那|主人|彼女|彼氏|母|父|兄|弟|姉|妹|息子|娘|友人|友達|親友|上司|同僚)(の名前)?は、?(\S{{1,20}}?)(?:({called})|{IS})$"
            ),
            |p| kin(&p[1], &p[3], p.get(2).or(p.get(4)).is_some()),
        ),
        (
            format!(
                r"{MY}(好きな.{{1,10}}|誕生日|趣味|血液型|年齢|身長|体重|国籍|母語|母国語|専攻|宗教)は、?(.{{1,30}}?){IS}$"
            ),
            |p| possession(&p[1], &p[2]),
        ),
    ]
}

fn name(who: &str) -> Option<Noticed> {
    let who = who.trim();
    // 疲れたと言います: no name.
    let is_none = who.contains(['は', 'を', 'が', 'に'])
        || ["た", "る", "ない", "だ", "です", "ます", "の"].iter().any(|end| who.ends_with(end))
        || ["何", "誰", "秘密", "なん"].iter().any(|word| who.starts_with(word));
    (!is_none).then(|| stated("名前", who, format!("ユーザーの名前は{who}")))
}

/// How somebody wants to be called.
fn wish(who: &str) -> Option<Noticed> {
    name(who)?.statement.map(|stated| wished_in_japanese(&stated.value))
}

/// A name, and no flat, family or neighbourhood.
fn at_place(place: &str) -> Option<Noticed> {
    is_place(place).then(|| stated("住まい", place, format!("ユーザーは{place}に住んでいる")))
}

fn origin(place: &str) -> Option<Noticed> {
    let is_place = is_place(place) && !["外国", "会社", "仕事"].contains(&place);
    is_place.then(|| stated("出身", place, format!("ユーザーは{place}の出身")))
}

fn works_at(place: &str) -> Option<Noticed> {
    let is_how = [
        "家",
        "一人",
        "夜",
        "昼",
        "在宅",
        "リモート",
        "フルタイム",
        "パート",
        "ここ",
        "外",
        "会社",
    ];
    let is_work = !is_how.iter().any(|how| place == *how || place.starts_with("一人"))
        && !place.contains(['は', 'を'])
        && !ONCE.is_match(place);
    is_work.then(|| stated("勤務先", place, format!("ユーザーは{place}で働いている")))
}

fn works_as(what: &str) -> Option<Noticed> {
    let is_trade = !what.contains(['は', 'を', 'が']);
    is_trade.then(|| stated("職業", what, format!("ユーザーは{what}として働いている")))
}

fn is_place(place: &str) -> bool {
    const NO_PLACES: [&str; 22] = [
        "実家",
        "アパート",
        "マンション",
        "一人",
        "寮",
        "家",
        "ここ",
        "そこ",
        "どこ",
        "近く",
        "田舎",
        "都会",
        "海外",
        "外国",
        "社宅",
        "一軒家",
        "団地",
        "ホテル",
        "新居",
        "階",
        "恐怖",
        "過去",
    ];
    let is_told_otherwise = ["この", "その", "あの", "どの", "彼", "友"];
    place.chars().count() >= 2
        && !place.contains(['は', 'を', 'が', '、'])
        && !ONCE.is_match(place)
        && !NO_PLACES.iter().any(|none| place.ends_with(none))
        && !is_told_otherwise.iter().any(|begins| place.starts_with(begins))
}

fn allergy(what: &str, is_so: bool) -> Option<Noticed> {
    let (says, holds) = if is_so { ("がある", "はい") } else { ("はない", "いいえ") };
    let is_thing = !what.contains(['は', 'が', '、'])
        && !["何", "特", "食物"].contains(&what)
        && !is_named_elsewhere(what);
    let text = format!("ユーザーには{what}アレルギー{says}");
    is_thing.then(|| stated(&format!("{what}アレルギー"), holds, text))
}

/// Whether one likes a thing is one matter, so that a change of mind supersedes.
fn liking(thing: &str, how: &str, likes: bool) -> Option<Noticed> {
    let thing = thing.trim();
    let of_the_talk = ["あなた", "君", "その", "この", "それ", "これ", "あれ", "彼", "書き方"];
    if of_the_talk.iter().any(|word| thing.starts_with(word)) {
        return None;
    }
    let value = if likes { "はい" } else { "いいえ" };
    Some(Noticed {
        kind: MemoryKind::Preference,
        text: format!("ユーザーは{thing}が{how}"),
        statement: Some(statement(&format!("{thing}が好き"), value)),
        importance: SAID,
    })
}

/// That my wife is a doctor does not say that she is 花子 no longer.
fn kin(who: &str, value: &str, is_name: bool) -> Option<Noticed> {
    let statement = is_name.then(|| statement(who, value));
    let text = format!("ユーザーの{who}は{value}");
    let says = !value.contains(['は', 'を', 'が']);
    says.then_some(Noticed { kind: MemoryKind::Relationship, text, statement, importance: SAID })
}

fn possession(thing: &str, value: &str) -> Option<Noticed> {
    let is_remark = [
        "秘密",
        "ない",
        "特に",
        "来週",
        "今週",
        "来月",
        "今月",
        "明日",
        "今日",
        "もうすぐ",
        "同じ",
    ]
    .iter()
    .any(|none| value.starts_with(none));
    let is_value = !is_remark && (thing != "誕生日" || value.contains(['月', '/', '-']));
    is_value.then(|| stated(thing, value, format!("ユーザーの{thing}は{value}")))
}
