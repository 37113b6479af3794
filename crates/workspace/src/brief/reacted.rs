//! What people and agents gave a sign to, as an agent reads it.
//!
//! Pure. It stands behind everything else, as things are now: a sign that comes later,
//! or is taken back, changes nothing of what was sent before.

use super::Material;
use super::conversation::quoted_words;
use super::lived::Lived;
use domain::{Author, GroupKind, Message, Participant};
use std::fmt::Write;

/// The newest messages with signs; of older ones nobody needs to know.
const MOST: usize = 8;
const QUOTE_CHARACTERS: usize = 80;

/// None where nobody gave one to what the agent reads. Its own signs it knows.
pub(super) fn note(material: &Material<'_>) -> Option<String> {
    match material.group.kind {
        // There it is told what to write, and with that it ends.
        GroupKind::Post => return None,
        GroupKind::Direct | GroupKind::Group | GroupKind::Task => {}
    }
    let read = material.history.iter().filter(|placed| placed.place > material.kept.upto);
    let read = read.filter_map(|placed| match &placed.lived {
        Lived::Heard(message) => told(message, material),
        Lived::Did(_) => None,
    });
    let told: Vec<String> = read.collect();
    let newest = &told[told.len().saturating_sub(MOST)..];
    (!newest.is_empty()).then(|| format!("[Reactions, as they are now]\n{}", newest.join("\n")))
}

fn told(message: &Message, material: &Material<'_>) -> Option<String> {
    let text = message.text()?;
    let mut by_sign: Vec<(&str, Vec<String>)> = Vec::new();
    for one in material.reactions.iter().filter(|one| one.item == message.id) {
        let who = match one.who {
            Participant::User => (material.names)(Author::User),
            Participant::Agent(id) if id == material.agent.id => continue,
            Participant::Agent(id) => (material.names)(Author::Agent(id)),
        };
        match by_sign.iter_mut().find(|(sign, _)| *sign == one.sign) {
            Some((_, names)) => names.push(who),
            None => by_sign.push((&one.sign, vec![who])),
        }
    }
    if by_sign.is_empty() {
        return None;
    }
    let start: String = text.chars().take(QUOTE_CHARACTERS).collect();
    let mut told = quoted_words(&start);
    for (sign, names) in by_sign {
        let _ = write!(told, "[{sign} {}] ", names.join(", "));
    }
    Some(told.trim_end().to_owned())
}
