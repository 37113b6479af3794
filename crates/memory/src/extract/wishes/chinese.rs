//! Wishes about answers, in Chinese: what is written in traditional characters is read as
//! if it were simplified.

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
        About::Language(name) => stating("回答语言", name, format!("用户希望用{name}回答")),
        About::Length(length) => {
            let value = match length {
                Length::Short => "简短",
                Length::Long => "详细",
            };
            stating("回答篇幅", value, format!("用户希望回答{value}"))
        }
    }
}

/// What is wished never to be, as if it were wished for: 永远用德语回答.
pub(super) fn denied(said: &str) -> Option<String> {
    static NEVER: LazyLock<Regex> = LazyLock::new(|| {
        regex(&format!(
            r"^(?P<lead>(?:{FROM_NOW}|请|绝对|千万|你|都|[，,])+)(?:不要|别|不许|不准|不能|不可以?)再?(?P<what>.+?)了?$"
        ))
    });
    let parts = NEVER.captures(said)?;
    Some(format!("永远{}", &parts["what"]))
}

fn about(parts: &Captures<'_>) -> Option<About> {
    let is_other = |name| parts.name(name).is_some_and(|other| language(other.as_str()).is_none());
    if is_other("not") || is_other("no") {
        return None;
    }
    if let Some(said) = parts.name("lang") {
        return language(said.as_str()).map(|_| About::Language(said.as_str().to_owned()));
    }
    let length = if parts.name("short").is_some() { Length::Short } else { Length::Long };
    Some(About::Length(length))
}

/// What says that it holds from now on.
const FROM_NOW: &str = concat!(
    r"以后|今后|从现在(?:起|开始)|从今(?:以后|往后|天起|天开始)|往后|接下来|总是|一直|永远|始终|每次|一律|默认|",
    r"统一",
);
const LENGTH: &str = concat!(
    r"(?:更|比较|再)?(?:(?P<short>简短|简洁|简练|精简|精炼|简明扼要|简明|扼要|简单|短)|",
    r"(?P<long>详细|具体|详尽|细致|全面|长))(?:一?些|一?点儿?|明了)?",
);
const LANGUAGE: &str = r"(?P<lang>[^\s，,：:]{2,8}?)";
const ANSWER: &str =
    r"(?:回答|回复|答复|作答|回应|回话|说话|交流|沟通|对话|聊天|应答|写信|回信|说|讲|聊|写|答)";
const HOW: &str =
    r"(?:请|要|都|得|尽量|应该?|尽可能|务必|保持|写得|控制得|弄得|可以|必须|只|更|再)*";

static NOW: LazyLock<Regex> = LazyLock::new(|| regex(FROM_NOW));

/// The first that fits counts.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let forms = [
        (
            format!(
                r"(?:用|使用|以){LANGUAGE}(?:来|去)?(?:(?:跟|和|与|对|给|向|同)(?:我们?|大家))?(?:进行)?{ANSWER}(?:给?(?:我们?|大家))?(?:的?(?:所有|全部|任何)?(?:问题|消息|提问|话))?"
            ),
            Lasts::Alone,
        ),
        (
            format!(
                r"(?:(?:跟|和|与|对)(?:我们?|大家))?(?:说|讲|使用|用|改用|换成|换回|改回|切换(?:到|成|为|回)|改成|改为|改说){LANGUAGE}(?:(?:跟|和|与|对)我(?:说|聊|交流)?)?"
            ),
            Lasts::Alone,
        ),
        (
            format!(
                r"(?:你的)?(?:所有|全部)?(?:回答|回复)(?:我)?(?:的?问题)?(?:时|的时候)?[，,]?{HOW}(?:用|使用|是){LANGUAGE}"
            ),
            Lasts::Alone,
        ),
        (
            format!(
                r"(?:让|把)?(?:你的)?(?:所有|全部)?(?:回答|回复|答复|答案)(?:我)?(?:的?问题)?(?:时|的时候)?[，,]?{HOW}{LENGTH}"
            ),
            Lasts::Alone,
        ),
        (
            r"(?:你的?)?(?:回答|回复|答案)(?:都|实在|有点|真的)*太(?:(?P<short>长|啰嗦|冗长|详细)|(?P<long>短|简短|简单))".to_owned(),
            Lasts::Always,
        ),
        (format!(r"保持(?:回答|回复)?{LENGTH}"), Lasts::Alone),
        (format!(r"{HOW}{LENGTH}地?(?:回答|回复|作答)(?:我)?(?:的?问题)?"), Lasts::Marked),
        (format!(r"(?:请|要|尽量|尽可能|务必)+{LENGTH}"), Lasts::Marked),
        (format!(r"(?:给我)?{LENGTH}的(?:回答|回复|答案)"), Lasts::Alone),
        (
            format!(
                r"我(?:更|比较|很|最)?(?:喜欢|偏好|想要|要|希望(?:得到|看到)?)(?:你|您)?(?:给我)?{LENGTH}的?(?:回答|回复|答案)"
            ),
            Lasts::Always,
        ),
    ];
    let lead = format!(
        r"(?P<lead>(?:{FROM_NOW}|现在|还是|算了|那就?|都|就|请|麻烦|拜托|劳驾|你们?|您|大家|我(?:想要?|想让|要求?|需要|更喜欢)(?:你们?|您|大家)|我?希望|得|应该|必须|务必|尽量|只|要|能不能|可不可以|能否|可以|能|[，,：: ])*)"
    );
    let before = format!(
        r"(?P<before>(?:(?:{FROM_NOW}|请|你|您|[，,])*(?:不要|别|不用|不必)再?(?:使用|用|说|讲)(?P<no>[^\s，,：:]{{2,6}}?)(?:来|跟我|和我|{ANSWER}|我|了|吧)*[，,、]?(?:而是|而|但)?)?)"
    );
    let after = format!(
        r"(?:吧|即可|就好|就行|就可以了?|可以吗?|好吗|行吗|好不好|吗|谢谢(?:你|您)?|了|啊|哦|哈|[，,]|{FROM_NOW})*"
    );
    let denied = concat!(
        r"(?:[，,、]?而?请?(?:不要|别|不是|不用|不)再?(?:用|说|讲)?(?P<not>[^\s，,：:]{2,6}?)",
        r"(?:回答|回复|说|讲|我|了)*)?",
    );
    let whole = |core: String| {
        regex(&format!(r"^{before}{lead}(?:{core})(?P<tail>{after}){denied}(?P<more>{after})$"))
    };
    forms.into_iter().map(|(core, lasts)| Form { shape: whole(core), lasts }).collect()
});
