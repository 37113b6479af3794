//! Wishes about answers, in English.

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
            stating("answers in", name, format!("The user wants to be answered in {name}"))
        }
        About::Length(length) => {
            let value = match length {
                Length::Short => "short",
                Length::Long => "long",
            };
            stating("answer length", value, format!("The user wants {value} answers"))
        }
    }
}

/// What is wished not to be, as if it were wished for: `never in German` as `always in
/// German`, `no long answers` as `long answers`.
pub(super) fn denied(said: &str) -> Option<Wish> {
    static NO_MORE: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?i)\b(?:never|more|any ?more|any longer|no longer|stop|quit)\b"));
    let wish = DENIALS.iter().find_map(|(shape, wished)| {
        let parts = shape.captures(said)?;
        read(&wished(&parts["lead"], &parts["what"]))
    })?;
    Some(Wish { lasts: wish.lasts || NO_MORE.is_match(said), ..wish })
}

type Wished = fn(&str, &str) -> String;

static DENIALS: LazyLock<[(Regex, Wished); 7]> = LazyLock::new(|| {
    let lead = r"(?P<lead>(?:(?:please|pls|from now on|in (?:the )?future),? )*)";
    let after =
        r"(?:,? (?:any ?more|any longer|ever|again|from now on|please|pls|thanks|thank you))*";
    let whole = |core: &str| regex(&format!("(?i)^{lead}{core}{after}$"));
    [
        (whole("never (?:ever )?(?:again )?(?P<what>.+?)"), |lead, what| {
            format!("{lead}always {what}")
        }),
        (whole(&format!("no (?:more )?(?P<what>.+? {ANSWERS}|{ANSWERS} in .+?)")), |lead, what| {
            format!("{lead}give me {what}")
        }),
        // Alone it may answer a question.
        (
            whole(
                r"no (?P<what>more [\p{L}]+|[\p{L}]+(?:,? (?:any ?more|any longer|from now on|please|pls)))",
            ),
            |_, what| {
                let words =
                    what.split([' ', ',']).filter(|word| !word.eq_ignore_ascii_case("more"));
                format!("please in {}", words.take(1).collect::<String>())
            },
        ),
        (
            whole(
                r"i (?:really )?(?:don't|do not|no longer) (?:want|need|like|prefer) (?:any (?:more )?)?(?P<what>.+?)",
            ),
            |_, what| format!("i want {what}"),
        ),
        (
            whole(concat!(
                r"(?:(?:stop|quit) (?:giving|sending|writing)|(?:don't|do not) (?:give|send|write))(?: to)?(?: me| us)?",
                r" (?:any (?:more )?)?(?P<what>.+?)",
            )),
            |_, what| format!("give me {what}"),
        ),
        (
            whole(&format!(
                r"(?:stop|quit|enough) (?:with|of) (?:all )?(?:(?:the|your|these|those) )?(?P<what>.+? {ANSWERS})"
            )),
            |_, what| format!("always give me {what}"),
        ),
        (
            whole(concat!(
                r"(?:(?:don't|do not) be|stop being) (?:(?:so|too|that) )?",
                r"(?P<what>(?:verbose|wordy|long-winded|chatty)|brief|short|terse)",
            )),
            |_, what| match what {
                "brief" | "short" | "terse" => "always be brief".to_owned(),
                _ => "always be verbose".to_owned(),
            },
        ),
    ]
});

fn about(parts: &Captures<'_>) -> Option<About> {
    let is_of_answers = |other: &str| language(other).is_some() || LENGTH_ALONE.is_match(other);
    if parts.name("not").is_some_and(|other| !is_of_answers(other.as_str())) {
        return None;
    }
    if let Some(said) = parts.name("lang") {
        return languages(said.as_str()).map(About::Language);
    }
    Some(About::Length(length(parts)))
}

/// How long what is not wanted would be: `short answers, not long ones`.
static LENGTH_ALONE: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:short|brief|terse|concise|long|wordy|verbose|detailed|extensive|elaborate)",
        r"(?: (?:ones|answers|replies|responses))?$",
    ))
});

fn length(parts: &Captures<'_>) -> Length {
    if parts.name("short").is_some() { Length::Short } else { Length::Long }
}

/// A language and a length in one, each with its words: `Answer in German and briefly`.
pub(super) fn both(said: &str) -> Option<[(String, Wish); 2]> {
    let (parts, in_turn) = BOTH
        .iter()
        .find_map(|(shape, in_turn)| shape.captures(said).map(|parts| (parts, *in_turn)))?;
    let told = |how: &str| format!("{}{how}{}", &parts["told"], &parts["tail"]);
    let briefly = parts.name("short").or(parts.name("long")).map_or("", |how| how.as_str());
    let briefly = match parts.name("again") {
        Some(again) => format!("{}{} {briefly}", &parts["lead"], again.as_str()),
        None => told(&format!(" {briefly}")),
    };
    let in_language = told(&format!(" in {}", &parts["lang"]));
    let mut around = ["lead", "tail"].into_iter().filter_map(|name| parts.name(name));
    let lasts = around.any(|part| NOW.is_match(part.as_str()));
    let wish = |about: About| Wish { about, lasts };
    let language = (in_language, wish(About::Language(languages(&parts["lang"])?)));
    let length = (briefly, wish(About::Length(length(&parts))));
    Some(if in_turn { [language, length] } else { [length, language] })
}

/// One language or more: `German or English`.
fn languages(said: &str) -> Option<String> {
    if let Some(one) = language(said) {
        return Some(one);
    }
    let (first, joined, rest) = [" and ", " or "]
        .iter()
        .find_map(|and| said.split_once(and).map(|(first, rest)| (first, and, rest)))?;
    Some(format!("{}{joined}{}", language(first)?, language(rest)?))
}

/// What says that it holds from now on.
const FROM_NOW: &str = concat!(
    r"from (?:now|here|today) on(?:wards?)?|in (?:the )?future|henceforth|as of (?:now|today)|",
    r"starting (?:now|today)|by default|always|every time|all the time|until i say otherwise",
);
const SHORT: &str = concat!(
    r"(?P<short>(?:as )?(?:a (?:bit|little) )?(?:(?:very|really|more|rather|nice and|quite|pretty) )?",
    r"(?:(?:simple|clear|plain)(?:,? and|,) )?",
    r"(?:short|shorter|brief|briefer|concise|succinct|terse|crisp|compact|to the point)",
    r"(?:(?:,? and|,) (?:short|brief|concise|succinct|terse|crisp|compact|simple|clear|plain|to the point))*",
    r"(?: as possible)?)",
);
const LONG: &str = concat!(
    r"(?P<long>(?:as )?(?:a (?:bit|little) )?(?:(?:very|really|more|rather) )?",
    r"(?:long|longer|detailed|thorough|extensive|comprehensive|in-depth|elaborate)",
    r"(?:(?:,? and|,) (?:long|detailed|thorough|extensive|comprehensive|in-depth|elaborate|complete))*",
    r"(?: as possible)?)",
);
/// Too much of one is a wish for the other.
const OFF: &str =
    r"(?:(?P<short>long|wordy|verbose|detailed)|(?P<long>short|brief|terse|superficial))";
const BRIEFLY: &str = concat!(
    r"(?:(?P<short>(?:(?:very|really|more) )?(?:briefly|concisely|succinctly|tersely|brief|short|concise|succinct|",
    r"terse|in short|in brief|in (?:one|a few|two|short) (?:sentences?|words)))",
    r"|(?P<long>(?:(?:very|really|more) )?(?:at length|in (?:full |great |more )?detail|thoroughly|extensively|",
    r"detailed|thorough|verbose)))",
);
const LANGUAGE: &str = r"(?P<lang>[a-zçêéñ]+(?:(?: and | or | )[a-zçêéñ]+){0,3}?)";
const ANSWERS: &str = r"(?:answers|replies|responses)";
const WANT: &str =
    r"i(?:(?: would|'d) (?:like|prefer|want)| (?:really |always )?(?:want|need|expect|prefer))";
const ARE_TO: &str = r"(?:should|must|shall|are to|have to|need to) (?:always |only )*be";

static NOW: LazyLock<Regex> = LazyLock::new(|| regex(&format!(r"(?i)\b(?:{FROM_NOW})\b")));

/// What may stand before a wish, and after it.
static AROUND: LazyLock<[String; 2]> = LazyLock::new(|| {
    let told = format!(
        r"(?:{WANT} (?:that )?you(?: to)?|you (?:should|must|have to|are to|need to|will)|you'll|(?:can|could|would|will) you|let's|let us)"
    );
    let lead =
        format!(r"(?P<lead>(?:(?:(?:please|pls|kindly|just|only|now|{FROM_NOW}),?|{told}) )*)");
    let after = format!(
        r"(?:,? (?:only|please|pls|instead|now|again|too|as well|thanks|thank you|to me|with me|{FROM_NOW}))*"
    );
    [lead, after]
});

/// Each with whether the language comes first.
static BOTH: LazyLock<[(Regex, bool); 2]> = LazyLock::new(|| {
    let [lead, after] = &*AROUND;
    let answer = r"(?:answer|reply|respond|speak|talk|write)(?: (?:to |with )?(?:me|us))?(?: (?:only|always))*";
    let and = r"(?:,? and|,? but|,)(?: (?:always|please|(?P<again>be|keep it|keep your answers)))*";
    let whole = |core: String| {
        regex(&format!(r"(?i)^(?P<told>{lead}{answer}) (?:{core})(?P<tail>{after})$"))
    };
    [
        (whole(format!("in {LANGUAGE}{and} {BRIEFLY}")), true),
        (whole(format!("{BRIEFLY}{and} in {LANGUAGE}")), false),
    ]
});

/// The first that fits counts.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let length = format!("(?:{SHORT}|{LONG})");
    let forms = [
        (
            format!(
                r"(?:answer|reply|respond|speak|talk|write|communicate|chat|converse)(?: (?:to |with )?(?:me|us))?(?: back)?(?: (?:only|always|just))* in (?:only )?{LANGUAGE}"
            ),
            Lasts::Alone,
        ),
        (
            format!(
                r"(?:answer|reply to|respond to) (?:everything|all(?: of)? my (?:questions|messages)|my (?:questions|messages)|every (?:question|message)(?: of mine)?)(?: only)? in {LANGUAGE}"
            ),
            Lasts::Always,
        ),
        (
            format!(
                r"(?:speak|use|talk|(?:switch|change|go)(?: back)? to|back to|stick to|keep to|stay in|continue in)(?: only)? {LANGUAGE}(?: (?:to|with) (?:me|us))?"
            ),
            Lasts::Alone,
        ),
        (
            format!(
                r"(?:use|write|speak)(?: only)? {LANGUAGE} (?:for|in) (?:all )?(?:of )?(?:(?:your|the|my) )?{ANSWERS}"
            ),
            Lasts::Always,
        ),
        (
            format!(
                r"(?:write|give|send)(?: me)? (?:all )?(?:of )?(?:your|the|my) {ANSWERS} in {LANGUAGE}"
            ),
            Lasts::Always,
        ),
        (
            format!(r"(?:write|give|send)(?: me| us)? (?:only )?{ANSWERS} in {LANGUAGE}"),
            Lasts::Alone,
        ),
        (format!(r"(?:write|give|send)(?: me| us)? (?:only )?{LANGUAGE} {ANSWERS}"), Lasts::Alone),
        (format!(r"{WANT} (?:only )?{LANGUAGE} {ANSWERS}"), Lasts::Always),
        (format!(r"(?:all )?(?:your )?{ANSWERS} in {LANGUAGE}"), Lasts::Marked),
        (format!(r"(?:only )?(?:in )?{LANGUAGE}"), Lasts::Marked),
        (format!(r"(?:please|pls),? (?:only )?in {LANGUAGE}"), Lasts::Alone),
        (format!(r"in (?:only )?{LANGUAGE},? (?:please|pls)"), Lasts::Alone),
        (format!(r"(?:all )?(?:your )?{ANSWERS}(?: to me)? {ARE_TO} in {LANGUAGE}"), Lasts::Always),
        (
            format!(
                r"{WANT}(?: to be (?:answered|addressed|spoken to|written to|replied to)| (?:all )?(?:your )?{ANSWERS}(?: to be)?) (?:only )?in {LANGUAGE}"
            ),
            Lasts::Always,
        ),
        (
            format!(r"(?:keep|make) (?:all )?(?:(?:of )?(?:your|the|my) )?{ANSWERS} {length}"),
            Lasts::Always,
        ),
        (format!(r"(?:give|send|write)(?: me| us)? (?:only )?{length} {ANSWERS}"), Lasts::Alone),
        (format!(r"(?:be|answer|reply|respond|write)(?: to)?(?: me)? {BRIEFLY}"), Lasts::Marked),
        (format!(r"keep (?:it|things|everything) {length}"), Lasts::Marked),
        (
            format!(
                r"(?:{WANT}|i (?:really )?(?:like|love)) (?:only )?(?:your )?{length} {ANSWERS}"
            ),
            Lasts::Always,
        ),
        (format!(r"{WANT} (?:all )?(?:your )?{ANSWERS} (?:to be )?{length}"), Lasts::Always),
        (format!(r"(?:all )?(?:your )?{ANSWERS} {ARE_TO} {length}"), Lasts::Always),
        (
            format!(
                r"(?:your|the) {ANSWERS} are (?:much |way |far |a (?:bit|little) )?too {OFF}(?:[,;]? (?:so |and )?(?:please )?(?:make|keep) them (?:shorter|short|briefer|brief|longer|long))?"
            ),
            Lasts::Always,
        ),
        (
            format!(
                r"you (?:can|may) (?:speak|talk|use|answer|reply|respond|write|(?:go|switch) back to)(?: (?:to |with )?(?:me|us))?(?: in)? {LANGUAGE}(?: (?:to|with) (?:me|us))? (?:again|now)"
            ),
            Lasts::Always,
        ),
        (format!(r"(?:only )?{length} {ANSWERS}"), Lasts::Alone),
    ];
    let [lead, after] = &*AROUND;
    let denied = concat!(
        r"(?:,? (?:and |but )?(?:not|never|instead of|rather than|no longer)(?: in)? ",
        r"(?P<not>[a-zçêéñ]+(?: [a-zçêéñ]+)?)(?: any ?more| any longer)?)?",
    );
    let whole = |core: String| {
        regex(&format!(r"(?i)^{lead}(?:{core})(?P<tail>{after}){denied}(?P<more>{after})$"))
    };
    forms.into_iter().map(|(core, lasts)| Form { shape: whole(core), lasts }).collect()
});
