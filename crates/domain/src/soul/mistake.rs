//! What can be wrong with a soul file, precisely enough to say it in any
//! language.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `detail` is somebody else's English: the YAML parser's, the system's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum SoulMistake {
    // The file.
    FileName {
        wrong: NameMistake,
        /// One that would do, with its ending.
        better: String,
    },
    /// Another file has the same name but for its capitals, and counts.
    OtherCapitals {
        file: String,
        counts: String,
    },
    /// Another file has the same name with its accented letters as one
    /// character each, and counts; this one has them as two.
    OtherFileComposed,
    /// The other way round.
    OtherFileDecomposed,
    NotPlain,
    Forbidden,
    Unreadable {
        detail: String,
    },
    TooLarge {
        most_kib: u32,
    },
    Utf16,
    NotUtf8,
    /// As `U+001B`.
    ControlCharacter {
        code: String,
    },
    PersonaEmpty,

    // The front matter as a whole.
    FrontUnended,
    FrontLate,
    FrontTwice,
    FrontForm {
        found: SoulValue,
    },
    FrontLong,
    Anchors,
    Tags,
    Yaml {
        cause: Option<YamlCause>,
        detail: String,
    },
    TooDeep {
        most: u32,
    },
    KeyTwice {
        key: String,
        line: u32,
    },
    KeyUnfit,
    ControlInValue {
        code: String,
    },

    // One field of it.
    FieldUnknown {
        field: String,
    },
    FieldMisspelt {
        field: String,
        close: String,
    },
    FieldForm {
        field: String,
        form: SoulForm,
        found: SoulValue,
    },
    FieldRange {
        field: String,
        from: u32,
        to: u32,
        found: SoulValue,
    },
    /// It reads as something else than text.
    FieldUnquoted {
        field: String,
        found: SoulValue,
    },
    ItemUnquoted {
        field: String,
        found: SoulValue,
    },
    ItemForm {
        field: String,
        found: SoulValue,
    },
    FieldLines {
        field: String,
    },
    FieldLong {
        field: String,
        length: u32,
        most: u32,
    },
    NameLength {
        most: u32,
        found: SoulValue,
    },
    /// A name has none of `character` in it, for a reason of its own.
    NameHas {
        character: char,
        found: SoulValue,
    },
    /// The word is taken: for the person, or for Coterie itself.
    NameReserved {
        found: SoulValue,
    },
    NameSpaces {
        found: SoulValue,
    },
    LimitUnknown {
        field: String,
        known: String,
    },
    /// It counts only as a field of its own.
    PolicyIdle {
        field: String,
    },
    /// `known` is the nearest setting, or all that there are.
    PolicyUnknown {
        field: String,
        known: String,
    },
    /// It says that nobody is to be asked before what is risky.
    PolicyAsksAnyway,
    /// Its list of tools lacks the one that gives tasks.
    DelegatesIdle,

    // What a soul names and what is not there, each with the nearest name of those
    // that are. It may come later, so none of these is an error.
    ToolMissing {
        name: String,
        close: Option<String>,
    },
    /// A server would bring it: one that is off, or not set up yet, or that no longer has it.
    ToolNotNow {
        name: String,
        server: String,
        close: Option<String>,
    },
    SkillMissing {
        name: String,
        close: Option<String>,
    },
    ServerMissing {
        name: String,
        close: Option<String>,
    },
    /// No soul of this name that a task could be given to.
    DelegateMissing {
        name: String,
        close: Option<String>,
    },

    // A skill's folder and its SKILL.md.
    SkillNoFile,
    SkillLink,
    SkillLarge {
        most_kib: u32,
    },
    SkillNoFront,
    SkillBodyEmpty,
    SkillFieldMissing {
        field: String,
    },
    SkillFieldUnknown {
        field: String,
    },
    SkillName {
        most: u32,
        found: SoulValue,
    },
    /// Its folder is called otherwise.
    SkillOtherName {
        folder: String,
        name: String,
    },
}

/// Why a file's name is no soul's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum NameMistake {
    NotUtf8,
    Ending,
    Empty,
    Space,
    Dot,
    /// A mark that stands on no letter.
    Mark,
    Character {
        character: String,
    },
    /// One that cannot be seen, as `U+200B`.
    Unseen {
        code: String,
    },
    Long {
        length: u32,
        most: u32,
    },
    Bytes {
        length: u32,
        most: u32,
    },
}

/// What a value was found to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum SoulValue {
    Nothing,
    EmptyText,
    List,
    Block,
    /// A number, `true` or `false`, as it was written.
    Word {
        text: String,
    },
    /// The beginning of a text.
    Text {
        text: String,
    },
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum SoulForm {
    Text,
    List,
    Block,
    Truth,
    Language,
    Model,
    Fallback,
    Plan,
    Heartbeat,
    /// Of a budget.
    Limit,
    Number {
        from: u32,
        to: u32,
    },
    Whole {
        from: u32,
        to: u32,
    },
}

/// The usual reasons for which a text is no YAML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum YamlCause {
    StarQuotes,
    ColonQuotes,
    ColonMissing,
    Columns,
    DashQuotes,
    FirstQuotes,
    Backslash,
    QuotesEnd,
    QuoteOpen,
    BracketOpen,
    Tab,
}
