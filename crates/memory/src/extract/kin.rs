//! What somebody says of their family: how they are called, how old they are, where they live.
//!
//! What is so of a brother is stated of him, and takes the place of nothing that is so of the
//! person. Of whom somebody has several, and says no name, cannot be told: `my friend lives in
//! Oslo`.

use super::english::{KIN, at_place, possession, work};
use super::names::is_name;
use super::{Noticed, SAID, regex, statement};
use domain::{MemoryKind, Statement};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Each thing that a clause says of somebody's family, with the words that say it.
pub(super) fn told(clause: &str) -> Option<Vec<(String, Noticed)>> {
    has(clause).or_else(|| how_old(clause)).or_else(|| does(clause))
}

/// Whom a clause is about, if the next may go on with them: `My mum Helen is 71 and lives in
/// Leeds`.
pub(super) fn goes_on_with(clause: &str, rest: &str) -> Option<String> {
    let of = SUBJECT.captures(clause).filter(|_| GOES_ON.is_match(rest))?;
    is_kin(&of["kin"]).then(|| format!("{} ", &of["whom"]))
}

/// `We have two boys, Max and Leo`, `I have a sister called Ana`.
fn has(clause: &str) -> Option<Vec<(String, Noticed)>> {
    let said = HAS.captures(clause)?;
    let (how_many, many) = (said["many"].to_lowercase(), said["kin"].to_lowercase());
    let is_one = ["a", "an", "one", "1"].contains(&how_many.as_str());
    let one = if is_one { many.clone() } else { singular(&many)?.to_owned() };
    let one = SAME.iter().find(|(same, _)| *same == one).map_or(one.as_str(), |(_, kin)| *kin);
    let says_name = said.name("called").is_some();
    let is_known =
        KIN.contains(&one) || one == "child" || says_name && is_one && PETS.contains(&one);
    let names: Vec<&str> = NEXT.split(&said["names"]).map(str::trim).collect();
    let counted = NUMBERS.iter().position(|words| words.contains(&how_many.as_str()))? + 1;
    let are_names = names.iter().all(|name| is_name(clause, name));
    if !is_known || counted != names.len() || !are_names {
        return None;
    }
    let each = names.into_iter().map(|name| {
        let said = format!("My {one} is called {name}");
        possession(one, name, true).map(|noticed| (said, noticed))
    });
    each.collect()
}

/// `My mum Helen is 71` says who she is, and how old. That of several brothers one is nine says
/// nothing that could be wrong of another.
fn how_old(clause: &str) -> Option<Vec<(String, Noticed)>> {
    let said = AGE.captures(clause)?;
    let whom = Whom::of(&said)?;
    let name = whom.name?;
    let (who, age) = (whom.who(), &said["age"]);
    let text = format!("The user's {who} is {age}");
    let stated = whom.stated("age", age);
    let aged =
        Noticed { kind: MemoryKind::Relationship, text, statement: Some(stated), importance: SAID };
    let named = possession(&whom.kin, name, true)?;
    Some(vec![(format!("My {} is {name}", whom.kin), named), (clause.to_owned(), aged)])
}

/// `My brother lives in Oslo`, `My sister Ana works at Statoil`.
fn does(clause: &str) -> Option<Vec<(String, Noticed)>> {
    let said = DOES.captures(clause)?;
    let whom = Whom::of(&said).filter(Whom::is_one)?;
    let what = said["what"].trim();
    let noticed = match (said.name("from"), said.name("how")) {
        (_, Some(how)) => work(&how.as_str().to_lowercase(), what),
        (Some(_), None) => at_place("comes from", what),
        (None, None) => at_place("lives in", what),
    }?;
    let stated = noticed.statement.as_ref().map(|one| whom.stated(&one.attribute, &one.value));
    let text = noticed.text.replacen("The user", &format!("The user's {}", whom.who()), 1);
    let told = Noticed { kind: MemoryKind::Relationship, text, statement: stated, ..noticed };
    let mut all: Vec<(String, Noticed)> = Vec::new();
    if let Some(name) = whom.name {
        let named = possession(&whom.kin, name, true)?;
        all.push((format!("My {} is {name}", whom.kin), named));
    }
    all.push((clause.to_owned(), told));
    Some(all)
}

/// One of somebody's family.
struct Whom<'a> {
    /// `older`, where that is said.
    which: String,
    kin: String,
    name: Option<&'a str>,
}

impl<'a> Whom<'a> {
    fn of(said: &'a Captures<'_>) -> Option<Whom<'a>> {
        let kin = said["kin"].to_lowercase();
        let which = said.name("which").map(|which| which.as_str().to_lowercase());
        let which = which.unwrap_or_default();
        let name = said.name("name").map(|name| name.as_str());
        is_kin(&kin).then_some(Whom { which, kin, name })
    }

    /// Whether it can be told who that is.
    fn is_one(&self) -> bool {
        self.name.is_some()
            || !["friend", "colleague", "cousin", "aunt", "uncle"].contains(&&*self.kin)
    }

    fn who(&self) -> String {
        let parts = [self.which.as_str(), &self.kin, self.name.unwrap_or_default()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }

    fn stated(&self, attribute: &str, value: &str) -> Statement {
        Statement { subject: format!("user's {}", self.who()), ..statement(attribute, value) }
    }
}

fn is_kin(kin: &str) -> bool {
    KIN.contains(&kin.to_lowercase().as_str())
}

fn singular(many: &str) -> Option<&str> {
    match many {
        "kids" => Some("kid"),
        "children" => Some("child"),
        _ => many.strip_suffix('s'),
    }
}

const SAME: [(&str, &str); 4] =
    [("boy", "son"), ("girl", "daughter"), ("kid", "child"), ("baby", "child")];
const PETS: [&str; 9] =
    ["dog", "cat", "puppy", "kitten", "rabbit", "hamster", "horse", "pony", "parrot"];
const NUMBERS: [&[&str]; 5] =
    [&["a", "an", "one", "1"], &["two", "2"], &["three", "3"], &["four", "4"], &["five", "5"]];

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| regex(&$pattern));)*
    };
}

/// Whom a clause begins with.
const MINE: &str = concat!(
    r"(?i)^(?P<whom>my (?:(?P<which>older|younger|elder|little|big|eldest|youngest|twin|other) )?",
    r"(?P<kin>best friend|[a-z]+)(?: (?-i:(?P<name>\p{Lu}[\p{L}'-]*)))?)",
);

patterns! {
    SUBJECT = format!(r"{MINE} (?:is|lives|works|moved|comes)\b");
    GOES_ON = r"^(?:now |currently |still )?(?:lives in|works (?:as|at|for|in)|comes from)\b";
    AGE = format!(r"{MINE} is (?:now |already )?(?P<age>\d{{1,3}}|[a-z]+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?)(?: years old| now)*$");
    DOES = format!(
        r"{MINE} (?:(?:now|currently|still|also|just|recently|has) )*(?:lives in|moved (?:back )?to|(?P<from>is from|comes from)|works (?P<how>as|at|for|in)) (?P<what>.{{2,60}})$"
    );
    HAS = concat!(
        r"(?i)^(?:i|we)(?:'ve| have)?(?: got| have)? (?P<many>an?|one|two|three|four|five|[1-5]) ",
        r"(?:(?:little|older|younger|elder|big|small|lovely|wonderful|beautiful|grown-up|twin) )*(?P<kin>[a-z]+)",
        r"(?:,? (?P<called>called|named)|[,:]|,? whose names? (?:is|are)) (?P<names>(?-i:\p{Lu}).{0,60})$",
    );
    NEXT = r",? and |, | & ";
}
