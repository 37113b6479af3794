//! How a clause says that something is so no longer, by language.

use super::super::chinese::{CHANGED_WORK, changed_work};
use super::super::preferred::preferred;
use super::super::{chinese, english, habits, regex, turned};
use super::{ANSWERS, COUPLE, DIET, Ending, HOME, NAME, PLACE, SPOUSE, WORK, own};
use crate::values;
use regex::{Captures, Regex};
use std::sync::LazyLock;

type Says = fn(&Captures) -> Option<Ending>;

/// What a clause says is over: the first form that fits counts.
pub(super) fn said_over(clause: &str) -> Option<Ending> {
    static ALL: LazyLock<Vec<(Regex, Says)>> = LazyLock::new(|| {
        let forms = ENGLISH.iter().chain(CHINESE).chain(JAPANESE);
        forms.map(|(shape, says)| (regex(shape), *says)).collect()
    });
    let over = ALL.iter().find_map(|(shape, says)| says(&shape.captures(clause)?));
    let over = over.or_else(|| own::said_over(clause));
    let over = over.or_else(|| habits::over(clause).map(Ending::liking));
    let over = over.or_else(|| habits::diet_over(clause).and_then(|diet| just(DIET, diet)));
    let over = over.or_else(|| turned::was_wrong(clause).map(Ending::liking));
    let over = over.or_else(|| turned::eats_all(clause).then(|| Ending::of(DIET, None)));
    over.or_else(|| preferred(clause).map(|(more, less)| Ending::preferring(&more, less)))
}

/// In English.
const ENGLISH: &[(&str, Says)] = &[
    (
        r"(?i)^i(?:'m| am)? (?:no longer|do(?:n't| not)|not) (?:really |actually )?work(?:ing)? (?:there|here)(?: any ?more| any longer| now| at all)*$",
        |_| Some(Ending::there(WORK)),
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?(?:stopped working|quit working|quit|resigned) (?:from )?(?:there|here)$",
        |_| Some(Ending::there(WORK)),
    ),
    (
        r"(?i)^(?:i|we) (?:no longer|do(?:n't| not)) (?:really |actually )?live (?:there|here)(?: any ?more| any longer| now| at all)*$",
        |_| Some(Ending::there(HOME)),
    ),
    (
        r"(?i)^(?:i|we)(?:'ve| have)? (?:just |recently )?moved (?:away|away from there|out of there)$",
        |_| Some(Ending::there(HOME)),
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?(?:left|quit) ((?-i:\p{Lu}[\w'&.-]*(?: (?:(?:&|and|of|the) )?\p{Lu}[\w'&.-]*)*))(?: (?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter)| recently)? (?:to (?:work (?:at|for|in) (?-i:\p{Lu})|work as an? |join (?-i:\p{Lu})|start (?:my|our) own )|for ((?-i:\p{Lu}\w*))).*$",
        |p| {
            let is_time = p.get(2).is_some_and(|what| TIMES.contains(&what.as_str()));
            (!is_time).then(|| just(WORK, &p[1])).flatten()
        },
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?left ((?-i:\p{Lu}[\w'.-]*(?: \p{Lu}[\w'.-]*)*)) to live in (?-i:\p{Lu}).*$",
        |p| just(HOME, &p[1]),
    ),
    (
        r"(?i)^(?:i|we) (?:no longer|do(?:n't| not) (?:really )?) ?live in (.{2,60}?) (?:any ?more|any longer|now)$",
        |p| since(HOME, &p[1]),
    ),
    (r"(?i)^(?:i|we) no longer live in (.{2,60})$", |p| since(HOME, &p[1])),
    (r"(?i)^(?:i|we) do(?:n't| not) live in (.{2,60})$", |p| just(HOME, &p[1])),
    // With when it was, it is told of another time: `I lived in Oslo in 1990`.
    (r"(?i)^(?:i|we) (?:used to live|lived) in (.{2,60})$", |p| just(HOME, &p[1])),
    (
        r"(?i)^(?:i|we)(?:'ve| have)? (?:just |recently )?moved (?:away from|out of) (.{2,60})$",
        |p| since(HOME, &p[1]),
    ),
    (
        r"(?i)^i (?:no longer|do(?:n't| not) (?:really )?) ?work (?:as|at|for|in|with) (.{2,60}?) (?:any ?more|any longer|now)$",
        |p| since(WORK, &p[1]),
    ),
    (r"(?i)^i no longer work (?:as|at|for|in|with) (.{2,60})$", |p| since(WORK, &p[1])),
    (r"(?i)^i used to work (?:as|at|for|in|with) (.{2,60})$", |p| just(WORK, &p[1])),
    (r"(?i)^i do(?:n't| not) work (?:as|at|for|in|with) (.{2,60})$", |p| just(WORK, &p[1])),
    (
        r"(?i)^(?:i'm|i am) (?:no longer|not) (?:working )?(?:at|for|with) (.{2,60}?)(?: any ?more| any longer)?$",
        |p| just(WORK, &p[1]),
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?(?:quit|left|lost|resigned from) (?:my|the) (?:old )?(?:job|position)(?: (?:at|with|for|as|in) (.{2,60}))?$",
        |p| match p.get(1) {
            Some(at) => since(WORK, at.as_str()),
            None => Some(Ending::of(WORK, None)),
        },
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?(?:quit|resigned from|stopped working (?:at|for|as|in)|(?:was|got|been|am) (?:fired|laid off) (?:from|by)) (.{2,60})$",
        |p| since(WORK, &p[1]),
    ),
    (
        r"(?i)^(?:i(?:'ve| have)? (?:just |recently |finally )?got(?:ten)? divorced|(?:i'm|i am) (?:now |recently )?divorced|my (?:wife|husband|ex|partner) and i (?:are|got|have) (?:now |just )?(?:divorced|separated))(?: (?:now|last (?:week|month|year)))?$",
        |_| Some(Ending::of(SPOUSE, None)),
    ),
    (
        r"(?i)^(.{2,40}?) and i (?:are|got|have|were) (?:now |just |recently )?(?:divorced|separated|split up|broken up|no longer (?:together|married|a couple))(?: (?:last|this) (?:week|month|year|summer|winter)| recently| yesterday)?$",
        |p| parted_from(&p[1]),
    ),
    (
        r"(?i)^(.{2,40}?) and i (?:just |recently |finally )?(?:broke|split) up(?: (?:last|this) (?:week|month|year|summer|winter)| recently| yesterday)?$",
        |p| parted_from(&p[1]),
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?(?:was|got|been|am) (?:fired|laid off|made redundant)(?: (?:last|this) (?:week|month|year|summer|winter)| recently| yesterday| today)?$",
        |_| Some(Ending::of(WORK, None)),
    ),
    (
        r"(?i)^(?:i am|i'm) (?:now |currently )?(?:unemployed|out of work|between jobs|retired)(?: now| at the moment| these days)?$",
        |_| Some(Ending::of(WORK, None)),
    ),
    (
        r"(?i)^(?:please )?(?:don't|do not|stop|no longer|never) call(?:ing)? me (.{1,40}?)(?: any ?more| any longer| again| ever| from now on)?(?:,? please)?$",
        |p| just(NAME, &p[1]),
    ),
    (
        r"(?i)^(?:my name(?: is not|'s not| isn't)|i am not called|i'm not called) (.{1,40}?)(?:[,;]? (?:but|it's|it is|i'm|i am) .*)?$",
        |p| just(NAME, &p[1]),
    ),
    (r"(?i)^(?:please )?(?:stop|quit) (?:using|with)(?: the)? (\p{L}+)(?:,? please)?$", |p| {
        answers(&p[1])
    }),
    (
        r"(?i)^i (?:don't|do not|no longer) (?:want|need) (?:any )?(\p{L}+)(?: any ?more| any longer)$",
        |p| answers(&p[1]),
    ),
    (
        r"(?i)^(?:please )?(?:stop|quit) (?:answering|replying|responding|writing|speaking|talking)(?: to| with)?(?: me| us)?(?: in)? (\p{L}+)(?: (?:to|with) (?:me|us))?(?:,? please)?$",
        |p| answers(&p[1]),
    ),
    (
        r"(?i)^(?:please )?(?:you )?(?:no longer|don't|do not|needn't)(?: have to| need to| ever)? (?:answer|reply|respond|write|speak|talk)(?: to| with)?(?: me| us)?(?: in)? (\p{L}+)(?: (?:to|with) (?:me|us))?(?: any ?more| any longer| again)?(?:,? please)?$",
        |p| answers(&p[1]),
    ),
];

/// In Chinese.
const CHINESE: &[(&str, Says)] = &[
    (
        r"^我(?:现在|目前|已经|早就|早|也|都)*不再?在(?:那里|那儿|那边|这里|这儿|那家公司|那)(?:工作|上班|干|做)了?$",
        |_| Some(Ending::there(WORK)),
    ),
    (
        r"^我们?(?:现在|目前|已经|早就|早|也|都)*(?:不再?住在?(?:那里|那儿|那边|这里|这儿|那)|从(?:那里|那儿|那边)搬走)了?$",
        |_| Some(Ending::there(HOME)),
    ),
    (
        r"^(?:请|拜托|以后|今后|你们?|大家)*(?:别|不要|不用|不准|请勿)再?叫我(.{1,10}?)(?:了|啦|吧)*$",
        |p| just(NAME, &p[1]),
    ),
    (r"^我(?:现在|已经|早就)*不(?:再)?叫(.{1,10}?)了?$", |p| just(NAME, &p[1])),
    (r"^我的?名字(?:现在|已经|早就|其实)*(?:不是|不叫)(.{1,10}?)了?$", |p| {
        just(NAME, &p[1])
    }),
    (CHANGED_WORK, |p| changed_work(p).and_then(|(was, _)| just(WORK, was))),
    (
        r"^我们?(?:现在|目前|已经|早就|早|也|都)*(?:不再?|没有?)(?:再)?住在?(.{2,30}?)了?$",
        |p| just(HOME, &p[1]),
    ),
    (
        r"^我(?:现在|目前|已经|早就|早|也|都)*(?:不再?|没有?)(?:再)?在(.{2,30}?)(?:工作|上班|干|做)了?$",
        |p| just(WORK, &p[1]),
    ),
    (r"^我(?:现在|目前|已经|早就|早|也|都)*不再?在(.{2,30}?)了$", |p| {
        just(PLACE, &p[1])
    }),
    (
        r"^我(?:刚刚?|已经|最近|上个?月|去年|今年)*(?:从(.{2,20}?))?(?:辞职|离职|失业)了?$",
        |p| Some(Ending::of(WORK, p.get(1).map(|at| at.as_str().to_owned()))),
    ),
    (
        r"^我们?(?:以前|之前|曾经|曾|原来|过去)+(?:是)?住(?:在|过)?(.{2,30}?)$",
        |p| just(HOME, &p[1]),
    ),
    (
        r"^我(?:以前|之前|曾经|曾|原来|过去)+(?:是)?在(.{2,30}?)(?:工作|上班|干|做)过?$",
        |p| just(WORK, &p[1]),
    ),
    (
        r"^(?:以后|现在|请|你)*(?:不用|不必|不要|别)再?(?:使用|用|说|讲)([^\s，,]{2,6}?)(?:来)?(?:回答|回复|说话?|写)?(?:我)?了?$",
        |p| answers(&p[1]),
    ),
    (r"^我们?(?:刚刚?|已经|最近)*从(.{2,20}?)搬(?:走|出来|出去|离)了?$", |p| {
        just(HOME, &p[1])
    }),
    (
        r"^我(?:刚刚?|已经|最近)*(?:辞掉|辞去)了?(.{2,20}?)的?(?:工作|职位|职务)了?$",
        |p| since(WORK, p[1].trim_start_matches('在')),
    ),
    (r"^我(?:刚刚?|已经|最近)*(?:离婚|离异)了?$", |_| Some(Ending::of(SPOUSE, None))),
    (
        r"^(?:我(?:和|跟|与)(.{1,10}?)|(.{1,10}?)(?:和|跟|与)我)(?:刚刚?|已经|最近)*(?:离婚|分手|分开)了?$",
        |p| parted_from(p.get(1).or(p.get(2)).map_or("", |who| who.as_str())),
    ),
];

/// In Japanese. With the time of life when it was, the place is another: 子供の頃東京に.
const JAPANESE: &[(&str, Says)] = &[
    (
        r"^(?:(?:私|僕|俺)のことは?、?)?(?:もう|これからは?|二度と|、)*(\S{1,20}?)(?:と|って)は?(?:もう)?呼ばないで(?:ください|下さい|ほしい(?:です)?|ね)*$",
        |p| just(NAME, &p[1]),
    ),
    (
        r"^(?:(?:私|わたし|僕|俺)は、?)?(?:以前は?|昔は?|前は|かつて|、)*(.{1,20}?)に住んで(?:いました|いた|おりました)(?:よ|んです)?$",
        |p| just(HOME, &p[1]),
    ),
    (
        r"^(?:(?:私|わたし|僕|俺)は、?)?(?:以前は?|昔は?|前は|かつて|、)*(.{1,20}?)(?:で(?:働いて|勤務して|仕事を?して)|に(?:勤めて|勤務して))(?:いました|いた|おりました)(?:よ|んです)?$",
        |p| just(WORK, &p[1]),
    ),
    (
        r"^([^\s、]{2,10}?)は(?:もう)?(?:やめて|結構です|要らない|いりません)(?:ください|下さい)?$",
        |p| answers(&p[1]),
    ),
    (
        r"^(?:もう|これからは?|今後は?)*([^\s、]{2,10}?)で(?:答え|返事し|回答し|話さ)なくて(?:も)?(?:いい|大丈夫|結構)(?:です)?(?:よ)?$",
        |p| answers(&p[1]),
    ),
    (
        r"^(?:もう|これからは?|今後は?|二度と|絶対に|、)*([^\s、]{2,10}?)では?(?:答え|返事(?:を)?し|回答し|返信し|話さ)ないで(?:ください|下さい|ほしい(?:です)?|欲しい(?:です)?|ね)*$",
        |p| answers(&p[1]),
    ),
    (
        r"^(?:(?:私|わたし|僕|俺)は、?)?(?:もう|今は|現在は|、)*(.{1,20}?)には?(?:もう)?住んで(?:いません|いない(?:です)?|おりません)(?:よ)?$",
        |p| just(HOME, &p[1]),
    ),
    (
        r"^(?:(?:私|わたし|僕|俺)は、?)?(?:もう|先月|先週|去年|昨年|今年|最近|、)*(.{1,20}?)を(?:辞め(?:た|ました)|退職し(?:た|ました))(?:よ)?$",
        |p| just(WORK, &p[1]),
    ),
];

/// The language in which one is not to be answered any more.
fn answers(said: &str) -> Option<Ending> {
    values::language(said).and_then(|name| just(ANSWERS, &name))
}

/// Also with words that say since when: `Rome since May`.
fn since(attributes: &'static [&'static str], said: &str) -> Option<Ending> {
    static IN_PART: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?i)\b(?:full|part)[- ]time\b|\b(?:permanently|temporarily|as much|as often)\b")
    });
    // Who works there no longer full-time works there.
    if IN_PART.is_match(said) {
        return None;
    }
    let (_, value) = english::lasting(said)?;
    just(attributes, &value)
}

/// Nothing else beside it: `I don't work at Globex on Mondays` ends nothing.
fn just(attributes: &'static [&'static str], value: &str) -> Option<Ending> {
    let value = value.trim().to_owned();
    (!value.is_empty()).then(|| Ending::of(attributes, Some(value)))
}

/// By name, or by what they were: `我和老婆离婚了`, `My boyfriend and I broke up`. Whoever parts
/// from colleagues or friends ends nothing.
pub(super) fn parted_from(who: &str) -> Option<Ending> {
    let who = who.trim_start_matches("我的").trim_start_matches('我').trim();
    let lower = who.to_lowercase();
    let what = lower.strip_prefix("my ").unwrap_or(&lower);
    if let Some((_, attributes)) = PARTNERS.iter().find(|(names, _)| names.contains(&what)) {
        return Some(Ending::of(attributes, None));
    }
    let is_kin = what != lower || chinese::KIN.contains(&who);
    if is_kin { None } else { just(COUPLE, who) }
}

/// What somebody was, and as what they are remembered.
const PARTNERS: &[(&[&str], &[&str])] = &[
    (&["老婆", "妻子", "太太", "前妻", "wife", "ex-wife"], &["wife", "spouse", "married to"]),
    (
        &["老公", "丈夫", "先生", "前夫", "husband", "ex-husband"],
        &["husband", "spouse", "married to"],
    ),
    (&["女朋友", "女友", "前女友", "girlfriend", "ex-girlfriend"], &["girlfriend"]),
    (&["男朋友", "男友", "前男友", "boyfriend", "ex-boyfriend"], &["boyfriend"]),
    (&["对象", "爱人", "伴侣", "partner", "ex", "spouse"], COUPLE),
];

/// What is left for a time, and no other work.
const TIMES: [&str; 12] = [
    "Christmas",
    "Easter",
    "Thanksgiving",
    "Ramadan",
    "Lunch",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];
