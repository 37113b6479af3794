//! A template as it stands in its file, in YAML.
//!
//! Pure. A mistake is told with its place and what would be right.

use crate::limits;
use crate::souls::is_stem;
use crate::souls::yaml::{Field, Node, Value, read};
use domain::{Caps, TurnPolicy};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Template {
    pub title: String,
    pub about: String,
    pub policy: TurnPolicy,
    pub messages_per_post: u32,
    /// Souls, each once.
    pub members: Vec<String>,
    pub supervisor: Option<String>,
}

const KEYS: [&str; 6] = ["title", "about", "members", "policy", "supervisor", "messages_per_post"];
/// Also what a group may be called.
const TITLE_CHARACTERS: usize = 80;
const ABOUT_CHARACTERS: usize = 200;
const MOST_MEMBERS: usize = 20;

/// The template, or the first mistake as `LINE:COLUMN: what would be right`.
pub(super) fn parse(text: &str) -> Result<Template, String> {
    let node = read(text, 0)
        .map_err(|problem| format!("{}:{}: {}", problem.line, problem.column, problem.message))?;
    let fields = match node.map(|node| node.value) {
        Some(Value::Map(fields)) => fields,
        Some(_) | None => return Err(format!("1:1: it is a map with {}", KEYS.join(", "))),
    };
    if let Some(field) = fields.iter().find(|field| !KEYS.contains(&field.key.as_str())) {
        return Err(at(field, &format!("{} is none of {}", field.key, KEYS.join(", "))));
    }
    let find = |key: &str| fields.iter().find(|field| field.key == key);
    let needed = |key: &str| find(key).ok_or_else(|| format!("1:1: {key} is missing"));
    let title = words(needed("title")?, TITLE_CHARACTERS)?;
    let about = find("about").map_or(Ok(String::new()), |field| words(field, ABOUT_CHARACTERS))?;
    let members = members(needed("members")?)?;
    let policy = find("policy").map_or(Ok(TurnPolicy::DefaultResponder), policy)?;
    let supervisor = find("supervisor").map(|field| supervisor(field, policy, &members));
    let supervisor = supervisor.transpose()?;
    if policy == TurnPolicy::Supervisor && supervisor.is_none() {
        return Err("1:1: supervisor is missing, who names the next speaker".to_owned());
    }
    let most = find("messages_per_post");
    let messages_per_post = most.map_or(Ok(Caps::default().messages_per_post), count)?;
    Ok(Template { title, about, policy, messages_per_post, members, supervisor })
}

impl Template {
    pub(super) fn caps(&self) -> Caps {
        Caps { messages_per_post: self.messages_per_post, ..Caps::default() }
    }
}

fn words(field: &Field, most: usize) -> Result<String, String> {
    let Value::Text(text) = &field.node.value else {
        return Err(at(field, &format!("{} is a line of text", field.key)));
    };
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 || length > most || text.chars().any(char::is_control) {
        return Err(at(field, &format!("{} is a line of 1 to {most} characters", field.key)));
    }
    Ok(text.to_owned())
}

fn members(field: &Field) -> Result<Vec<String>, String> {
    let Value::List(nodes) = &field.node.value else {
        return Err(at(field, "members is a list of souls, as [ada, bo]"));
    };
    let mut members: Vec<String> = Vec::new();
    for node in nodes {
        let soul = soul(node).ok_or_else(|| {
            placed(node, "a member is the name of a soul's file without .md, as ada")
        })?;
        if members.contains(&soul) {
            return Err(placed(node, &format!("{soul} is a member already")));
        }
        members.push(soul);
    }
    if members.is_empty() || members.len() > MOST_MEMBERS {
        return Err(at(field, &format!("members names 1 to {MOST_MEMBERS} souls")));
    }
    Ok(members)
}

fn policy(field: &Field) -> Result<TurnPolicy, String> {
    let word = match &field.node.value {
        Value::Text(word) => word.as_str(),
        _ => "",
    };
    let all = TurnPolicy::ALL;
    all.into_iter().find(|policy| policy.word() == word).ok_or_else(|| {
        let words: Vec<&str> = all.into_iter().map(TurnPolicy::word).collect();
        at(field, &format!("policy is one of {}", words.join(", ")))
    })
}

fn supervisor(field: &Field, policy: TurnPolicy, members: &[String]) -> Result<String, String> {
    let named = soul(&field.node).filter(|soul| members.contains(soul));
    let named = named.ok_or_else(|| at(field, "supervisor is one of the members"))?;
    match policy {
        TurnPolicy::Supervisor => Ok(named),
        TurnPolicy::DefaultResponder
        | TurnPolicy::Mention
        | TurnPolicy::Rounds
        | TurnPolicy::RoundRobin
        | TurnPolicy::Weighted
        | TurnPolicy::Broadcast
        | TurnPolicy::Manual => Err(at(field, "supervisor goes with the policy supervisor only")),
    }
}

fn count(field: &Field) -> Result<u32, String> {
    let most = Caps::MOST.messages_per_post;
    let wrong = || at(field, &format!("messages_per_post is a whole number from 1 to {most}"));
    let Value::Number { raw, .. } = &field.node.value else { return Err(wrong()) };
    let count = raw.parse().map_err(|_| wrong())?;
    let caps = Caps { messages_per_post: count, ..Caps::default() };
    limits::checked(caps).map(|caps| caps.messages_per_post).map_err(|_| wrong())
}

fn soul(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(soul) if is_stem(soul) => Some(soul.clone()),
        _ => None,
    }
}

fn at(field: &Field, what: &str) -> String {
    placed(&field.node, what)
}

fn placed(node: &Node, what: &str) -> String {
    format!("{}:{}: {what}", node.place.line, node.place.column)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "title: Duel\nabout: two and a judge\nmembers: [ada, bo]\n\
        policy: supervisor\nsupervisor: bo\nmessages_per_post: 4\n";

    #[test]
    fn a_template_says_who_sits_in_a_group_and_how_they_take_turns() {
        let members = vec!["ada".to_owned(), "bo".to_owned()];
        let duel = Template {
            title: "Duel".into(),
            about: "two and a judge".into(),
            policy: TurnPolicy::Supervisor,
            messages_per_post: 4,
            members,
            supervisor: Some("bo".into()),
        };
        assert_eq!(parse(WHOLE), Ok(duel.clone()));
        let plain = Template {
            about: String::new(),
            policy: TurnPolicy::DefaultResponder,
            messages_per_post: Caps::default().messages_per_post,
            supervisor: None,
            ..duel
        };
        assert_eq!(parse("title: Duel\nmembers:\n  - ada\n  - bo\n"), Ok(plain));
    }

    #[test]
    fn a_mistake_is_told_with_its_place_and_what_would_be_right() {
        let check = |before: &str, after: &str, expected: &str| {
            assert!(WHOLE.contains(before), "{before}");
            assert_eq!(parse(&WHOLE.replace(before, after)), Err(expected.to_owned()));
        };
        check("title: Duel\n", "", "1:1: title is missing");
        check("title: Duel", "title: ''", "1:8: title is a line of 1 to 80 characters");
        check("title: Duel", "title: [a]", "1:8: title is a line of text");
        check(
            "policy: supervisor",
            "policy: duel",
            "4:9: policy is one of default_responder, mention, rounds, round_robin, weighted, supervisor, broadcast, manual",
        );
        check("[ada, bo]", "ada", "3:10: members is a list of souls, as [ada, bo]");
        check("[ada, bo]", "[ada, bo, ada]", "3:20: ada is a member already");
        check("[ada, bo]", "[]", "3:10: members names 1 to 20 souls");
        check(
            "[ada, bo]",
            "[../x, bo]",
            "3:11: a member is the name of a soul's file without .md, as ada",
        );
        check("supervisor: bo", "supervisor: ines", "5:13: supervisor is one of the members");
        check("supervisor: bo\n", "", "1:1: supervisor is missing, who names the next speaker");
        check(
            "policy: supervisor",
            "policy: rounds",
            "5:13: supervisor goes with the policy supervisor only",
        );
        check(": 4", ": 0", "6:20: messages_per_post is a whole number from 1 to 1000");
        check(
            "about",
            "abut",
            "2:7: abut is none of title, about, members, policy, supervisor, messages_per_post",
        );
        assert_eq!(
            parse("- ada\n"),
            Err("1:1: it is a map with title, about, members, policy, supervisor, messages_per_post".into())
        );
        assert!(parse("title: [").is_err());
    }
}
