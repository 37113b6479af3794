//! Wishes about answers, in Japanese.

use super::{About, Form, Lasts, Length, Wish, stating};
use crate::extract::{Noticed, regex};
use crate::values::language;
use regex::{Captures, Regex};
use std::sync::LazyLock;

pub(super) fn read(said: &str) -> Option<Wish> {
    FORMS.iter().find_map(|form| form.read(said, &NOW, about))
}

pub(super) fn noticed(about: &About) -> Noticed {
    match about {
        About::Language(name) => {
            stating("回答の言語", name, format!("ユーザーは{name}での回答を望んでいる"))
        }
        About::Length(length) => {
            let value = match length {
                Length::Short => "短い",
                Length::Long => "詳しい",
            };
            stating("回答の長さ", value, format!("ユーザーは{value}回答を望んでいる"))
        }
    }
}

/// What is wished never to be, as if it were wished for: いつもドイツ語で答えて.
pub(super) fn denied(said: &str) -> Option<String> {
    static NEVER: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^(?:(?:これから|今後|以後|今から|絶対に?|決して)(?:は|も)?、?)+(?P<what>[^\s、，,]{2,10}?)",
            r"(?:では?(?:答え|応え|(?:回答|返答|返信|返事を?)し|話さ|書か)|は?を?使わ)ないで",
            r"(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|ね)*$",
        ))
    });
    NEVER.captures(said).map(|parts| format!("いつも{}で答えて", &parts["what"]))
}

fn about(parts: &Captures<'_>) -> Option<About> {
    if let Some(said) = parts.name("lang") {
        return language(said.as_str()).map(|_| About::Language(said.as_str().to_owned()));
    }
    let length = if parts.name("short").is_some() { Length::Short } else { Length::Long };
    Some(About::Length(length))
}

/// What says that it holds from now on.
const FROM_NOW: &str =
    r"これから|今後|以後|今から|次回?から|この先|いつも|常に|必ず|ずっと|毎回|基本的に|普段";
const LANGUAGE: &str = r"(?P<lang>[^\s、，,]{2,10}?)(?:だけ|のみ)?";
const ANSWER: &str = r"(?:回答|返信|返事|返答|答え)";
const ASKS: &str = concat!(
    r"(?:ください(?:ませ)?|下さい|ほしい(?:です)?|欲しい(?:です)?|もらいたい(?:です)?|いただきたい(?:です)?|",
    r"くれ(?:ますか|ませんか)?|もらえま(?:すか|せんか)|いただけま(?:すか|せんか)|ちょうだい|(?:もらえる|いただける|くれる)と(?:助かります|助かる|嬉しいです|うれしいです))?",
);
const PLEASE: &str = r"(?:お願い(?:します|いたします|致します)?|頼みます|頼む)";
const WANTED: &str = concat!(
    r"(?:望(?:んで(?:いる|います)|みます|む)|希望(?:して(?:いる|います)|します|する)?|",
    r"好(?:んで(?:いる|います)|みます|む))",
);
const BRIEFLY: &str = concat!(
    r"(?:もっと|なるべく|できるだけ)*(?:(?P<short>短く|簡潔に|手短に|簡単に|コンパクトに|シンプルに)|",
    r"(?P<long>詳しく|長く|詳細に|丁寧に))",
);
const LENGTH: &str =
    r"(?:(?P<short>短い|短めの|簡潔な|手短な|シンプルな)|(?P<long>詳しい|長い|詳細な|丁寧な))";

static NOW: LazyLock<Regex> = LazyLock::new(|| regex(FROM_NOW));

/// The first that fits counts.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let me = r"(?:私|わたし|わたくし|僕|ぼく|俺|自分)";
    let forms = [
        (
            format!(
                r"{LANGUAGE}で、?(?:答えて|応えて|(?:回答|返答|返信|応答|対応|会話)して|返事を?して|話して|喋って|しゃべって|書いて|やり(?:取り|とり)して){ASKS}"
            ),
            Lasts::Alone,
        ),
        (
            format!(r"{LANGUAGE}で(?:の?(?:{ANSWER}|会話|対応|やり(?:取り|とり))を?)?{PLEASE}"),
            Lasts::Alone,
        ),
        (format!(r"{LANGUAGE}で(?:話しましょう|話そう)"), Lasts::Alone),
        (format!(r"{LANGUAGE}を使って{ASKS}"), Lasts::Alone),
        (format!(r"{LANGUAGE}に(?:戻して|切り替えて|変えて){ASKS}"), Lasts::Alone),
        (format!(r"(?:{me}は、?)?{LANGUAGE}での{ANSWER}を{WANTED}"), Lasts::Always),
        (
            format!(r"{ANSWER}(?:は|を)、?{BRIEFLY}(?:(?:して|まとめて){ASKS}|{PLEASE})"),
            Lasts::Alone,
        ),
        (format!(r"{BRIEFLY}(?:答えて|(?:回答|返事|返信|返答)して){ASKS}"), Lasts::Marked),
        (format!(r"{LENGTH}{ANSWER}(?:を|で){PLEASE}"), Lasts::Alone),
        (
            format!(r"(?:{me}は、?)?{LENGTH}{ANSWER}(?:を{WANTED}|が(?:好き|いい)(?:です|だ)?)"),
            Lasts::Always,
        ),
    ];
    let lead = format!(
        r"(?P<lead>(?:(?:{FROM_NOW})(?:は|も)?|{me}(?:には|に|とは|と)|(?:{me}の)?質問(?:には|に)|{ANSWER}は|やっぱり|やはり|では|じゃあ|今度は|いや|すみません|どうか|なるべく|できるだけ|できれば|すべて|全て|全部|、|，|,| )*)"
    );
    let whole = |core: String| {
        regex(&format!(
            r"^{lead}(?:{core})(?P<tail>(?:ね|よ|、|よろしくお願いします|{FROM_NOW})*)$"
        ))
    };
    forms.into_iter().map(|(core, lasts)| Form { shape: whole(core), lasts }).collect()
});
