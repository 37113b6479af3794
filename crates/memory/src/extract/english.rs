//! What an English clause says about the one who says it.

use super::fitting::{Fits, in_english, is_lasting_of_kin};
use super::leaning::is_named_elsewhere;
use super::names::{is_name, is_no_person, named, wished};
use super::places::is_known_place;
use super::theirs::theirs;
use super::{Noticed, SAID, Says, regex, stated, statement};
use domain::MemoryKind;
use regex::Regex;
use std::sync::LazyLock;

pub(super) const FORMS: &[(&str, Says)] = &[
    (
        r"(?i)^(?:my name is|my name's|i am called|i'm called) (\p{L}[\p{L}\p{N} ,'.-]{0,60}?)(?:,? (?:and )?not .{1,40})?$",
        |p| named(&p[0], &p[1]),
    ),
    (
        r"(?i)^(?:my name(?: is|'s)|(?:it|that)(?: is|'s) my name[,:]?) (?:actually )?(?:spelled|spelt|written)(?: as)? (?-i:(\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*)*))(?:,? (?:and )?not .{1,40})?$",
        |p| named(&p[0], &spelled_out(&p[1])),
    ),
    (
        r"(?i)^you(?:'ve| have)? (?:got|spelled|spelt|misspelled|misspelt|wrote|written) my name(?: wrong)?,? (?:it's|it is)(?: (?:spelled|spelt|written|actually))* (?-i:(\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*)*))(?:,? (?:and )?not .{1,40})?$",
        |p| named(&p[0], &spelled_out(&p[1])),
    ),
    (
        r"(?i)^(?:from now on,? )?(?:(?:please |just |you can |you may |people |everyone )*calls? me|i (?:usually |mostly )?go by|i(?:'d| would)? (?:want|wish|prefer|like|rather)(?: to)? be called) (\p{L}[\p{L}\p{N} ,'.-]{0,60}?)(?:,? (?:and )?not .{1,40})?$",
        |p| wished(&p[0], &p[1]),
    ),
    (
        r"(?i)^my name(?: is not|'s not| isn't) [^,;]{1,40}[,;]? (?:but|it's|it is|i'm|i am) (\p{L}[\p{L}\p{N} '.-]{0,40})$",
        |p| named(&p[0], &p[1]),
    ),
    (
        r"(?i)^(?:my (favou?rite [a-z]+(?: [a-z]+){0,2}?) (?:is not|isn't|is no longer) [^,;]{1,40}?(?: any ?more| any longer)?[,;]? (?:but|it's|it is) (?:now )?)(.{1,60})$",
        |p| possession(&p[1], &p[2], false),
    ),
    (
        r"(?i)^[^,;]{1,40}? (?:is not|isn't|is no longer) my (favou?rite [a-z]+(?: [a-z]+){0,2}?)(?: any ?more| any longer)?[,;] (?:but )?(?:it's|it is) (?:now )?(.{1,60})$",
        |p| possession(&p[1], &p[2], false),
    ),
    (
        r"(?i)^[^,;]{1,40}? (?:is not|isn't|is no longer) my (favou?rite [a-z]+(?: [a-z]+){0,2}?)(?: any ?more| any longer)?[,;] (?:but )?([^,;]{1,40}) is(?: now)?$",
        |p| possession(&p[1], &p[2], false),
    ),
    (r"(?i)^(?:i|we) (?:(?:now|currently|still|also|both|all) )?live in (.{2,60})$", |p| {
        at_place("lives in", &p[1])
    }),
    (
        r"(?i)^(?:i|we) (?:(?:now|currently) )?live in (.{2,40}?)(?: now)?,? (?:and )?(?:not|no longer) in .{2,60}$",
        |p| at_place("lives in", &p[1]),
    ),
    (
        r"(?i)^(?:i|we) (?:no longer|don't|do not) live in .{2,60}?,? but (?:now )?in (.{2,40})$",
        |p| at_place("lives in", &p[1]),
    ),
    (
        r"(?i)^(?:i|we)(?:'ve| have) (?:lived|been living) in (.{2,60} (?:since|for) .{2,30})$",
        |p| at_place("lives in", &p[1]),
    ),
    (
        r"(?i)^we(?:'ve| have)? (?:(?:just|recently|all|both) )?moved (?:back )?(?:from \p{Lu}.{1,40}? )?to (.{2,60})$",
        |p| at_place("lives in", &p[1]).filter(moved_home),
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:just |recently )?moved (?:back )?(?:from \p{Lu}.{1,40}? )?to (.{2,60})$",
        |p| {
            if moved_between_tools(&p[1]) { None } else { at_place("lives in", &p[1]) }
        },
    ),
    (r"(?i)^i(?: am|'m| come) from (.{2,60})$", |p| at_place("comes from", &p[1])),
    (r"(?i)^i (?:(?:now|currently|still|also) )?work (as|at|for|in) (.{2,80})$", |p| {
        work(&p[1].to_lowercase(), &p[2])
    }),
    (
        r"(?i)^i (?:(?:now|currently) )?work (as|at|for|in) (.{2,40}?)(?: now)?,? (?:and )?(?:not|no longer) (?:as|at|for|in) .{2,60}$",
        |p| work(&p[1].to_lowercase(), &p[2]),
    ),
    (
        r"(?i)^i (?:no longer|don't|do not) work (?:as|at|for|in) .{2,60}?,? but (?:now )?(as|at|for|in) (.{2,40})$",
        |p| work(&p[1].to_lowercase(), &p[2]),
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?(?:left|quit) (?-i:\p{Lu}[\w'&.-]*(?: (?:(?:&|and|of|the) )?\p{Lu}[\w'&.-]*)*)(?: (?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter)| recently)? to work (?:(as) (an? .{2,60})|(at|for|in) (?-i:(\p{Lu}.{1,60})))$",
        |p| {
            let how = p.get(1).or(p.get(3))?.as_str().to_lowercase();
            work(&how, p.get(2).or(p.get(4))?.as_str())
        },
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:just |recently |finally )?left (?-i:\p{Lu}[\w'.-]*(?: \p{Lu}[\w'.-]*)*) to live in (.{2,60})$",
        |p| at_place("lives in", &p[1]),
    ),
    (
        r"(?i)^(?:i am|i'm) (?:(?:also|still|actually|now|severely|very|badly|highly) )*allergic to (.{2,80})$",
        |p| allergy(&p[1], true),
    ),
    (
        r"(?i)^(?:i am|i'm) (?:actually )?(?:not|no longer) (?:(?:really|actually) )*allergic to (.{2,80})$",
        |p| allergy(&p[1], false),
    ),
    (
        r"(?i)^i(?:'ve| have)? (?:(?:really|also|just|do|actually|now|quite|honestly|(?:come|grown|learned|learnt|started|begun) to) )*(like|love|enjoy|prefer) (.{2,100})$",
        |p| liking(&p[2], &p[1].to_lowercase(), true),
    ),
    (
        r"(?i)^i (?:(?:really|also|just|do|actually|now|honestly) )*(dislike|hate|can't stand|(?:don't|do not|no longer) (?:(?:really|actually|even|particularly) )*(?:like|love|enjoy)) (.{2,100})$",
        |p| liking(&p[2], &p[1].to_lowercase(), false),
    ),
    (r"(?i)^my ([a-z]+(?: [a-z]+){0,2})('s name)? is (called )?(.{1,100})$", |p| {
        let thing = p[1].to_lowercase();
        let says_name = p.get(2).or(p.get(3)).is_some();
        let is_called = says_name && KIN.contains(&&*thing) || NAMES.contains(&&*thing);
        let can_be = thing != "name" && (!is_called || is_name(&p[0], without_another(&p[4])));
        can_be.then(|| possession(&p[1], &p[4], says_name)).flatten()
    }),
];

/// Where somebody is at home. Only a name is a place: *in fear of spiders*, *in a
/// flat* and *in the past* say nothing that may take the place of one.
pub(super) fn at_place(attribute: &str, said: &str) -> Option<Noticed> {
    static PLACE: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^(?:the )?\p{Lu}[\p{L}'.-]*",
            r"(?:(?:, | )(?:(?:of|and|the|de|da|do|dos|del|della|di|du|la|le|les|los|las|el|upon|am|an|der|sur) )*",
            r"\p{Lu}[\p{L}'.-]*)*$",
        ))
    });
    let (place, value) = lasting(said)?;
    // Whose husband it is, the words say of whoever says them.
    let place = OF_ME.replace_all(&place, "their");
    static OF_ME: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:my|our)\b"));
    let is_place = PLACE.is_match(&value);
    is_place.then(|| stated(attribute, &value, format!("The user {attribute} {place}")))
}

/// `I moved to Linux` says where nobody lives. What is written as tools are (`PostgreSQL`,
/// `AWS`) is one, but for the few places that are written so.
fn moved_between_tools(said: &str) -> bool {
    let first = said.split([' ', ',']).next().unwrap_or_default();
    let is_written_so = first.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric())
        && !["USA", "US", "UK", "UAE", "NYC", "LA", "DC", "SF"].contains(&first)
        && !first.contains(['-', '\'', '.'])
        && !first.starts_with("Mc");
    is_written_so || TOOLS.contains(&first) || said.chars().nth(1).is_none_or(|c| c == ' ')
}

/// Where `we` moved to may be a tool of theirs, and is home only where everybody knows the place.
fn moved_home(noticed: &Noticed) -> bool {
    noticed.statement.as_ref().is_some_and(|stated| is_known_place(&stated.value))
}

/// What somebody does, or for whom: a name, a thing with its article, or a field.
pub(super) fn work(how: &str, said: &str) -> Option<Noticed> {
    static KNOWN: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^(?:\p{Lu}|(?:the|a|an|my own|our own) [\p{L}\p{N}])"));
    static NO_WORK: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)^(?:the|a|an) (?:moment|weekend|morning|afternoon|evening|night|team|group|pair|hurry|rush|while|living|money|office|same|time|past|future|dark|rain|background)\b",
        )
    });
    static FIELD: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^(?:(?:and )?(?:research|development|marketing|sales|finance|banking|insurance|education|teaching|",
            r"healthcare|health|medicine|nursing|law|publishing|media|journalism|advertising|tech|technology|",
            r"software|engineering|science|biology|chemistry|physics|logistics|retail|hospitality|tourism|",
            r"catering|construction|farming|agriculture|forestry|politics|design|film|music|theatre|theater|",
            r"security|government|accounting|consulting|manufacturing|aviation|shipping|transport)(?: |$))+$",
        ))
    });
    let (text, value) = lasting(said)?;
    let is_known = match how {
        "as" => value.starts_with("a ") || value.starts_with("an ") || value.starts_with("the "),
        "in" => FIELD.is_match(&value) || KNOWN.is_match(&value),
        _ => KNOWN.is_match(&value),
    };
    let attribute = format!("works {how}");
    let is_work = is_known && !NO_WORK.is_match(&value);
    is_work.then(|| stated(&attribute, &value, format!("The user {attribute} {text}")))
}

pub(super) fn allergy(what: &str, is_so: bool) -> Option<Noticed> {
    let (text, value) = lasting(without_stress(what)).filter(|_| !is_named_elsewhere(what))?;
    let (says, holds) = if is_so { ("is", "yes") } else { ("is not", "no") };
    let attribute = format!("allergic to {}", value.to_lowercase());
    Some(stated(&attribute, holds, format!("The user {says} allergic to {text}")))
}

/// What is said, and the value in it, without since when it is so. What hangs on
/// a condition is none; what is only said about the value does not make it another.
pub(super) fn lasting(said: &str) -> Option<(String, String)> {
    static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?i)\b(?:if|unless|when|whenever|until|once)\b|^(?:not|no|a lot)\b")
    });
    static BESIDE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i),? (?:because|since|which|who|where|with|near|for (?:now|work|school|university|my (?:job|work|studies)))\b.*$",
        )
    });
    if CONDITION.is_match(said) {
        return None;
    }
    let said = without_time(said.trim());
    let value = without_time(&BESIDE.replace(&said, ""));
    Some((said, value))
}

/// Without what says when, at the end: `Kyoto last month`, `Faro for two years now`.
fn without_time(said: &str) -> String {
    static TRAILING: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?i)(?:,? (?:now|too|as well|though|btw|by the way|currently|at the moment|these days|nowadays|again|",
            r"recently|lately|yesterday|today|tomorrow|tonight|already|temporarily|permanently|full[- ]time|",
            r"part[- ]time|ok|okay|:-?[)DP(]+|",
            r"(?:last|this|next|every|earlier this) (?:week|weekend|month|year|spring|summer|autumn|fall|winter|",
            r"night|morning|january|february|march|april|may|june|july|august|september|october|november|december|",
            r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)|",
            r"(?:back )?(?:in|since|from|on) (?:(?:early|late|mid) )?(?:\d{4}|january|february|march|april|may|june|",
            r"july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|",
            r"sunday|spring|summer|autumn|winter)(?: \d{1,4})?|",
            r"(?:about |almost |over |some )?(?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|few|",
            r"a few|several|many|a couple of) (?:days?|weeks?|months?|years?|decades?) ago|",
            r"(?:for|over) (?:about |almost |over |the last |the past )?(?:\d+|a|an|one|two|three|four|five|six|",
            r"seven|eight|nine|ten|few|a few|several|many|a couple of)? ?(?:days?|weeks?|months?|years?|decades?|",
            r"while|long time|good)|",
            r"all my life|my whole life))+$",
        ))
    });
    TRAILING.replace(said, "").into_owned()
}

/// Without what only says at the end that it was otherwise before: `cats again`.
pub(super) fn without_stress(said: &str) -> &str {
    let ends = [
        " anymore",
        " any more",
        " any longer",
        " again",
        " after all",
        " at all",
        " actually",
        " nowadays",
        " these days",
        " lol",
        " haha",
        " lmao",
        " tbh",
        ", etc",
        " etc",
        " and so on",
        " and so forth",
        " and the like",
    ];
    let said = ends.iter().fold(said, |said, end| said.trim_end_matches(end));
    // Nobody likes the here and.
    let is_time = ![" and now", " right now", " for now"].iter().any(|now| said.ends_with(now));
    if is_time { said.trim_end_matches(" now") } else { said }
}

/// Whether one likes a thing is one matter, so that a change of mind supersedes.
pub(super) fn liking(thing: &str, verb: &str, likes: bool) -> Option<Noticed> {
    let thing = thing.trim();
    let first = thing.split(' ').next().unwrap_or_default().to_lowercase();
    // "I like how you put it" says nothing that lasts.
    let of_the_talk = ["how", "your", "you", "what", "the", "not"].contains(&first.as_str())
        || ["to say", "to bother", "to ask", "to admit", "to interrupt", "to be honest"]
            .iter()
            .any(|talk| thing.starts_with(talk));
    if of_the_talk || is_named_elsewhere(thing) {
        return None;
    }
    let lasting = without_stress(thing);
    let verb = match verb {
        "can't stand" => "cannot stand".to_owned(),
        verb if verb.contains(' ') => "does not like".to_owned(),
        verb => format!("{verb}s"),
    };
    // Whose garden it is, the words say of whoever says them.
    let lasting = &theirs(lasting);
    Some(Noticed {
        kind: MemoryKind::Preference,
        text: format!("The user {verb} {lasting}"),
        statement: Some(statement(
            &format!("likes {}", lasting.to_lowercase()),
            if likes { "yes" } else { "no" },
        )),
        importance: SAID,
    })
}

pub(super) fn possession(thing: &str, value: &str, is_name: bool) -> Option<Noticed> {
    let (said, told) = (thing, thing.to_lowercase());
    // One of several is what each of them is.
    let thing = told.strip_prefix("other ").unwrap_or(&told).to_owned();
    let thing = match without_new(&thing) {
        // Nobody else has a number of so many digits.
        "number" if value.chars().filter(char::is_ascii_digit).count() >= 6 => {
            "phone number".to_owned()
        }
        thing => thing.to_owned(),
    };
    // What it is not ends by itself.
    let value = without_another(value);
    // `now green` is green.
    let stressed = ["now ", "actually ", "currently ", "really ", "still "];
    let value = stressed.iter().fold(value.trim(), |value, word| value.trim_start_matches(word));
    let value = without_stress(value);
    // "My question is …", "my guess is …": about the talk, not about the person.
    let of_the_talk = [
        "question", "point", "guess", "idea", "concern", "problem", "opinion", "feeling", "plan",
        "goal", "task",
    ];
    // A secret has its place with the keys: a memory is read by every agent.
    let is_secret = SECRETS.iter().any(|word| thing.ends_with(word));
    let is_talk = of_the_talk.iter().any(|word| thing.ends_with(word));
    if is_named_elsewhere(value)
        || is_talk
        || is_secret
        || ["not ", "no longer "].iter().any(|no| value.starts_with(no))
    {
        return None;
    }
    // `my wife Maria is a doctor` says who she is too.
    let named = said.split_once(' ').filter(|(kin, name)| {
        KIN.contains(&&*kin.to_lowercase()) && name.starts_with(char::is_uppercase)
    });
    if let Some((kin, name)) = named.filter(|_| !is_name) {
        let kin = kin.to_lowercase();
        let text = match is_lasting_of_kin(value) {
            true => format!("The user's {kin} {name} is {value}"),
            false => format!("The user's {kin} is {name}"),
        };
        return Some(Noticed {
            kind: MemoryKind::Relationship,
            text,
            statement: Some(statement(&kin, name)),
            importance: SAID,
        });
    }
    let told = if thing == "phone number" { &thing } else { without_new(&told) };
    let text = format!("The user's {told} is {}", theirs_of(value));
    let stated = statement(&thing, &theirs_of(value));
    if !KIN.contains(&thing.as_str()) && !is_name && !is_value(&thing, value) {
        return None;
    }
    if !KIN.contains(&thing.as_str()) {
        let statement = match in_english(&thing, value) {
            Fits::Value => Some(stated),
            Fits::Beside => None,
            Fits::Remark => return None,
        };
        return Some(Noticed { kind: MemoryKind::Fact, text, statement, importance: SAID });
    }
    // That my wife is a doctor does not say that she is Clara no longer.
    let says_who = is_name || value.starts_with(char::is_uppercase) && !is_state(value);
    if !says_who && !is_lasting_of_kin(value) {
        return None;
    }
    let statement = says_who.then_some(stated);
    Some(Noticed { kind: MemoryKind::Relationship, text, statement, importance: SAID })
}

/// A new one takes the place of the one before: `my new phone number`.
fn without_new(thing: &str) -> &str {
    let begins = ["new ", "current ", "actual ", "correct "].iter();
    begins.fold(thing, |thing, word| thing.strip_prefix(word).unwrap_or(thing))
}

/// What it is, without which it is not.
fn without_another(value: &str) -> &str {
    let it_is = NOT_ANOTHER.captures(value).and_then(|said| said.get(1));
    it_is.map_or(value, |it_is| it_is.as_str())
}

/// A name is no matter of whose it is: `My Fair Lady`.
fn theirs_of(value: &str) -> String {
    if value.starts_with(char::is_uppercase) { value.to_owned() } else { theirs(value) }
}

/// Letter by letter, as one spells it out: `J-O-H-N`.
fn spelled_out(who: &str) -> String {
    let letters: Vec<&str> = who.split(['-', '.']).collect();
    let is_by_letter = letters.len() > 2 && letters.iter().all(|one| one.chars().count() == 1);
    if !is_by_letter {
        return who.to_owned();
    }
    let (first, rest) = letters.split_at(1);
    format!("{}{}", first[0].to_uppercase(), rest.concat().to_lowercase())
}

/// How somebody is, and not who: `Furious`, `Happy`, `German`.
fn is_state(value: &str) -> bool {
    let lower = value.to_lowercase();
    !value.contains(' ')
        && (["ous", "ful", "less", "ish", "ible", "yed", "ied", "red"].iter().any(|end| {
            lower.ends_with(end)
                && !["fred", "jared", "alfred", "wilfred", "mildred"].contains(&&*lower)
        }) || is_no_person(value)
            || STATES.contains(&&*lower))
}

/// What one has that has a value: `my favourite colour is green`. That my job is
/// killing me takes nobody's job away.
fn is_value(thing: &str, value: &str) -> bool {
    static LASTING: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^(?:favou?rite .*|.*(?:name|number|address|e-?mail|size|language|tongue|birthday|pronouns|religion|diet|type|",
            r"hobby|nationality|age|height|weight|budget|colou?r|city|country|time ?zone))$",
        ))
    });
    static FLEETING: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)^(?:the one\b.*|a joke|a mess|a disaster|a pain|a nightmare|the best|the worst|\p{L}+ing\b.*)$",
        )
    });
    let begins = value.chars().next().unwrap_or_default();
    let is_thing = ["a ", "an ", "the "].iter().any(|article| value.starts_with(article));
    let is_told = begins.is_uppercase() || begins.is_numeric() || is_thing;
    (LASTING.is_match(thing) || is_told) && !FLEETING.is_match(value)
}

/// How people are, often written with a capital for its weight.
const STATES: [&str; 26] = [
    "angry",
    "annoying",
    "amazing",
    "awesome",
    "away",
    "bad",
    "brilliant",
    "crazy",
    "dead",
    "great",
    "gone",
    "ill",
    "kind",
    "mad",
    "mean",
    "nice",
    "old",
    "pregnant",
    "rude",
    "sad",
    "strict",
    "sweet",
    "tired",
    "upset",
    "wrong",
    "young",
];

/// What one moves to that is no place.
const TOOLS: [&str; 44] = [
    "Linux",
    "Windows",
    "Mac",
    "Ubuntu",
    "Debian",
    "Fedora",
    "Arch",
    "Android",
    "Python",
    "Rust",
    "Go",
    "Golang",
    "Java",
    "Kotlin",
    "Swift",
    "Ruby",
    "Scala",
    "Haskell",
    "Elixir",
    "Typescript",
    "Javascript",
    "React",
    "Vue",
    "Svelte",
    "Angular",
    "Django",
    "Rails",
    "Postgres",
    "Mongo",
    "Redis",
    "Kafka",
    "Kubernetes",
    "Docker",
    "Azure",
    "Vim",
    "Neovim",
    "Emacs",
    "Obsidian",
    "Notion",
    "Slack",
    "Discord",
    "Signal",
    "Git",
    "Firefox",
];

/// What it is, and which it is not: `Eve, not Eva`.
static NOT_ANOTHER: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)^([^,;]{1,60}?),? (?:and )?not (?:(?:called|named) )?[^,;]{1,40}$")
});

/// What is for nobody's eyes.
const SECRETS: [&str; 13] = [
    "password",
    "passcode",
    "passphrase",
    "pin",
    "pin code",
    "pin number",
    "account number",
    "card number",
    "security number",
    "ssn",
    "api key",
    "secret",
    "token",
];

/// What of the person is a name; what they are called has forms of its own.
const NAMES: [&str; 9] = [
    "name",
    "first name",
    "last name",
    "full name",
    "middle name",
    "family name",
    "real name",
    "nickname",
    "surname",
];

pub(super) const KIN: [&str; 22] = [
    "wife",
    "husband",
    "partner",
    "girlfriend",
    "boyfriend",
    "mother",
    "father",
    "mum",
    "mom",
    "dad",
    "sister",
    "brother",
    "son",
    "daughter",
    "friend",
    "best friend",
    "boss",
    "manager",
    "colleague",
    "cousin",
    "aunt",
    "uncle",
];
