//! Every mistake of a soul file as an English sentence.
//!
//! Pure. A mistake is found as what it is; here is how it is said where
//! English will do: in a terminal, in logs, in the fault of a failed order.

use domain::{NameMistake, SoulForm, SoulMistake, SoulValue, YamlCause};

pub(crate) fn said(mistake: &SoulMistake) -> String {
    use SoulMistake as M;
    match mistake {
        M::FileName { wrong, better } => format!(
            "{}; rename the file, for example to {better} \
             (what people call the agent is the field name)",
            wrong_name(wrong)
        ),
        M::OtherCapitals { file, counts } => format!(
            "{counts} has the same name but for its capital letters, and it counts; \
             a soul has one file, so rename or delete {file}"
        ),
        M::OtherFileComposed => two_forms("one character (NFC)", "two (NFD)"),
        M::OtherFileDecomposed => two_forms("two (NFD)", "one character (NFC)"),
        M::NotPlain => {
            "this is a link or a folder, and only plain files are souls; put the text itself there"
                .to_owned()
        }
        M::Forbidden => "this account may not read the file; make it readable".to_owned(),
        M::Unreadable { detail } => format!("the file cannot be read: {detail}; check the disk"),
        M::TooLarge { most_kib } => {
            format!("a soul has at most {most_kib} KiB; this file is larger")
        }
        M::Utf16 => "the file is saved as UTF-16; save it as UTF-8".to_owned(),
        M::NotUtf8 => "the text is not UTF-8 from here on; save the file as UTF-8".to_owned(),
        M::ControlCharacter { code } => format!("a control character ({code}) stands here"),
        M::PersonaEmpty => "the persona is empty; write here who this agent is".to_owned(),

        M::FrontUnended => {
            "the front matter that starts here never ends; put a line --- after it".to_owned()
        }
        M::FrontLate => {
            "front matter starts in the file's first line; this is read as part of the persona"
                .to_owned()
        }
        M::FrontTwice => {
            "front matter is a single YAML document; a second one starts here".to_owned()
        }
        M::FrontForm { found } => {
            format!("front matter is lines of key: value, such as role: Cook, not {}", value(found))
        }
        M::FrontLong => "front matter goes on for too long; long texts belong below it".to_owned(),
        M::Anchors => "YAML anchors and aliases (& and *) have no use in front matter; \
             write the value out, or put it in quotes if it starts with & or *"
            .to_owned(),
        M::Tags => "YAML tags (!…) have no use in front matter; write the plain value".to_owned(),
        M::Yaml { cause: Some(why), detail } => {
            format!("this is not valid YAML: {} ({detail})", cause(*why))
        }
        M::Yaml { cause: None, detail } => format!("this is not valid YAML: {detail}"),
        M::TooDeep { most } => format!("front matter nests at most {most} levels"),
        M::KeyTwice { key, line } => format!("{key} stands twice; line {line} has it too"),
        M::KeyUnfit => "a key is one short word, such as name or role".to_owned(),
        M::ControlInValue { code } => format!("a control character ({code}) is in this value"),

        M::FieldUnknown { field } => {
            format!("{field} is not a field of a soul; it is kept and has no effect")
        }
        M::FieldMisspelt { field, close } => {
            format!("{field} is not a field of a soul; did you mean {close}?")
        }
        M::FieldForm { field, form: taken, found } => {
            format!("{field} is {}, not {}", form(*taken), value(found))
        }
        M::FieldRange { field, from, to, found } => {
            format!("{field} goes from {from} to {to}, not {}", value(found))
        }
        M::FieldUnquoted { field, found } => {
            format!("{field} is text; put {} in quotes", value(found))
        }
        M::ItemUnquoted { field, found } => {
            format!("{field} is a list of texts; put {} in quotes", value(found))
        }
        M::ItemForm { field, found } => {
            format!("{field} is a list of texts, and {} is none", value(found))
        }
        M::FieldLines { field } => format!("{field} is a single line"),
        M::FieldLong { field, length, most } => {
            format!("{field} has at most {most} characters, not {length}")
        }
        M::NameLength { most, found } => {
            format!("name is one line of 1 to {most} characters, not {}", value(found))
        }
        M::NameHas { character, found } => {
            format!("name has no {character} in it, unlike {}", value(found))
        }
        M::NameReserved { found } => {
            format!("name is another word than {}, which means the person or Coterie", value(found))
        }
        M::NameSpaces { found } => {
            format!("name has no spaces in it, so that @mentions find it, unlike {}", value(found))
        }
        M::LimitUnknown { field, known } => format!("{field} limits nothing; use {known}"),
        M::PolicyIdle { field } => {
            format!("{field} has no effect inside policy; write it as a field of its own")
        }
        M::PolicyUnknown { field, known } => {
            format!("{field} is no setting of a policy; use {known}")
        }
        M::PolicyAsksAnyway => {
            "a soul takes no question away: what is risky asks first all the same; \
             where it is asked, you can allow it for longer"
                .to_owned()
        }
        M::DelegatesIdle => {
            "delegates has no effect without delegate in tools; add it there".to_owned()
        }
        M::ToolMissing { name, close } => {
            format!(
                "there is no tool {name}; {}",
                meant(close, "coterie agent tools names them all")
            )
        }
        M::ToolNotNow { name, server, close } => format!(
            "there is no tool {name} now; {}",
            meant(close, &format!("it comes when the MCP server {server} is there and brings it"))
        ),
        M::SkillMissing { name, close } => {
            format!(
                "there is no skill {name}; {}",
                meant(close, "coterie skill list names them all")
            )
        }
        M::ServerMissing { name, close } => format!(
            "there is no MCP server {name} now; {}",
            meant(close, "its tools come when it is set up (coterie mcp add)")
        ),
        M::DelegateMissing { name, close } => format!(
            "there is no soul {name} to give tasks to; {}",
            meant(close, "coterie soul list names them all")
        ),

        M::SkillNoFile => "there is no SKILL.md in this folder; write one".to_owned(),
        M::SkillLink => "this is a link or no plain file, and skills are folders with plain \
             files; put the folder itself here (coterie skill add FOLDER)"
            .to_owned(),
        M::SkillLarge { most_kib } => {
            format!("a SKILL.md has at most {most_kib} KiB; put the rest into files beside it")
        }
        M::SkillNoFront => "a SKILL.md begins with front matter: a line ---, name and \
             description, and a line --- after them"
            .to_owned(),
        M::SkillBodyEmpty => {
            "below the front matter stands nothing; write here what to do".to_owned()
        }
        M::SkillFieldMissing { field } => format!("{field} is missing in the front matter"),
        M::SkillFieldUnknown { field } => {
            format!("{field} is not a field of a skill; it has no effect")
        }
        M::SkillName { most, found } => format!(
            "name is 1 to {most} small letters, digits and single hyphens between them, not {}",
            value(found)
        ),
        M::SkillOtherName { folder, name } => {
            format!("name is that of the folder, {folder}, not {name}; rename one of them")
        }
    }
}

/// The nearest name, or what else to do where none is near.
fn meant(close: &Option<String>, else_do: &str) -> String {
    match close {
        Some(close) => format!("did you mean {close}?"),
        None => else_do.to_owned(),
    }
}

fn two_forms(counts: &str, this: &str) -> String {
    format!(
        "two files have this name, one with its accented letters as {counts}, which counts, \
         and this one with them as {this}; a soul has one file, so rename or delete this one"
    )
}

/// Why a name is no soul's.
pub(super) fn wrong_name(wrong: &NameMistake) -> String {
    let has = |what: &str| {
        format!("a soul's file name is made of letters, digits, - and _, and this one has {what}")
    };
    match wrong {
        NameMistake::NotUtf8 => "the file's name is not UTF-8".to_owned(),
        NameMistake::Ending => {
            "the name of a soul's file ends in .md, once and in small letters".to_owned()
        }
        NameMistake::Empty => "a soul's file has a name before .md".to_owned(),
        NameMistake::Space => has("a space"),
        NameMistake::Dot => has("a dot"),
        NameMistake::Mark => has("a mark that stands on no letter"),
        NameMistake::Character { character } => has(&format!("“{character}”")),
        NameMistake::Unseen { code } => has(&format!("the character {code}, which cannot be seen")),
        NameMistake::Long { length, most } => format!(
            "a soul's file name has at most {most} characters before .md, and this one has {length}"
        ),
        NameMistake::Bytes { length, most } => format!(
            "a soul's file name has at most {most} bytes before .md, and this one has {length}"
        ),
    }
}

fn value(found: &SoulValue) -> String {
    match found {
        SoulValue::Nothing => "nothing".to_owned(),
        SoulValue::EmptyText => "an empty text".to_owned(),
        SoulValue::List => "a list".to_owned(),
        SoulValue::Block => "a block of settings".to_owned(),
        SoulValue::Word { text } => text.clone(),
        SoulValue::Text { text } => format!("“{text}”"),
    }
}

fn form(taken: SoulForm) -> String {
    let words = match taken {
        SoulForm::Text => "text",
        SoulForm::List => "a list such as [one, two]",
        SoulForm::Block => "a block of settings, a line each, as key: value",
        SoulForm::Truth => "true or false",
        SoulForm::Language => "a language tag such as en or zh-CN",
        SoulForm::Model => "default, fast, reasoning, or a model as provider/model",
        SoulForm::Fallback => "default, fast, reasoning, a model as provider/model, or none",
        SoulForm::Plan => "never, auto or always",
        SoulForm::Heartbeat => {
            "true, false, a time such as 30m, or a block with every: 1h, hours: 9-18 and zone: Asia/Shanghai"
        }
        SoulForm::Limit => "a number from 0 up, or off for no limit",
        SoulForm::Number { from, to } => return format!("a number from {from} to {to}"),
        SoulForm::Whole { from, to } => return format!("a whole number from {from} to {to}"),
    };
    words.to_owned()
}

fn cause(why: YamlCause) -> &'static str {
    match why {
        YamlCause::StarQuotes => "a value that starts with * needs quotes",
        YamlCause::ColonQuotes => {
            "a value with a colon in it needs quotes, and fields start in the same column"
        }
        YamlCause::ColonMissing => "between a key and its value stand a colon and a space",
        YamlCause::Columns => "fields start in the same column",
        YamlCause::DashQuotes => "a value that starts with - needs quotes",
        YamlCause::FirstQuotes => "a value that starts with this character needs quotes",
        YamlCause::Backslash => "inside double quotes, \\\\ is a backslash",
        YamlCause::QuotesEnd => "the quotes end before this",
        YamlCause::QuoteOpen => "a quote is not closed",
        YamlCause::BracketOpen => "a bracket is not closed",
        YamlCause::Tab => "use spaces",
    }
}
