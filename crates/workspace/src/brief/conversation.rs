//! The history as a model reads it: pieces, and the turns that they are laid
//! out in.
//!
//! Pure. It only ever grows at its end, until something is folded.

use super::Material;
use super::lived::{Lived, Placed};
use super::{frame, shown};
use crate::fold::Kept;
use crate::{tokens, window};
use domain::{Author, Body, GroupKind, Message, MessageId, Notice};
use llm::{Role, Turn};
use std::collections::HashMap;

/// A piece of the conversation, as the model reads it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    pub place: i64,
    pub turns: Vec<Turn>,
    /// The day of something heard; nobody is told the day of their own words.
    pub day: Option<String>,
    pub who: String,
    /// Or what was done with tools, and heard in the middle of that.
    pub is_message: bool,
}

/// What a schedule tells, as it is read in a conversation.
pub(crate) fn by_schedule(text: &str) -> String {
    frame::said(BY_SCHEDULE, text)
}

/// How much of a quoted message is repeated.
const QUOTE_CHARACTERS: usize = 280;
/// Who says what a schedule tells.
const BY_SCHEDULE: &str = "By schedule";
/// Who says that a proposal was declined.
const BY_COTERIE: &str = "From Coterie";

/// The conversation as it is sent. It only ever grows at its end, until
/// something is folded.
///
/// The first thing heard on a day says which day it is: that is on record with
/// the message and never changes. Only when nothing was heard today does the
/// end say so.
pub(crate) fn laid(
    system_prompt: &str,
    opening: Option<&str>,
    pieces: &[Piece],
    kept: &Kept,
    today: Option<&str>,
) -> Vec<Turn> {
    let mut turns = vec![Turn::new(Role::System, system_prompt)];
    turns.extend(opening.map(|opening| Turn::new(Role::User, opening)));
    let mut day = None;
    for piece in pieces.iter().filter(|piece| piece.place > kept.upto) {
        let is_new_day = today.is_some() && piece.day.is_some() && piece.day != day;
        if is_new_day {
            day.clone_from(&piece.day);
        }
        for turn in piece.as_kept(kept) {
            let turn = match &day {
                Some(day) if is_new_day => {
                    Turn { content: format!("[{day}]\n{}", turn.content), ..turn }
                }
                Some(_) | None => turn,
            };
            join(&mut turns, turn);
        }
    }
    if let (Some(today), Some(last)) = (today, turns.last_mut())
        && day.as_deref() != Some(today)
        && last.role == Role::User
    {
        last.content.push_str(&format!("\n\n[Today is {today}]"));
    }
    shown::keep_within_limits(&mut turns);
    turns
}

/// What others say in a row is one turn: providers want the roles to alternate.
/// What the agent said itself, in a turn each, stays as it was sent.
fn join(turns: &mut Vec<Turn>, turn: Turn) {
    match turns.last_mut() {
        Some(last) if last.role == Role::User && turn.role == Role::User => {
            last.content.push_str("\n\n");
            last.content.push_str(&turn.content);
            last.images.extend(turn.images);
        }
        Some(_) | None => turns.push(turn),
    }
}

impl Piece {
    /// The turns, with the results of tools shortened where they are.
    fn as_kept(&self, kept: &Kept) -> impl Iterator<Item = Turn> {
        let is_short = self.place <= kept.shortened;
        self.turns.iter().map(move |turn| match turn.role {
            Role::Tool if is_short => Turn {
                content: tokens::shortened_result(&turn.content, window::SHORTENED),
                ..turn.clone()
            },
            Role::Tool | Role::System | Role::User | Role::Assistant => turn.clone(),
        })
    }

    pub(crate) fn tokens(&self, kept: &Kept) -> u32 {
        self.as_kept(kept).map(|turn| tokens::of_turn(&turn)).sum()
    }
}

/// What was heard and done, with who is speaking where that is not plain.
pub(super) fn pieces(material: &Material<'_>) -> Vec<Piece> {
    let mut known: HashMap<MessageId, &Message> =
        material.quoted.iter().map(|message| (message.id, message)).collect();
    let mut pieces = Vec::new();
    for Placed { place, lived } in material.history {
        match lived {
            Lived::Heard(message) => {
                known.insert(message.id, message);
                pieces.extend(heard(*place, message, material, &known));
            }
            Lived::Did(turns) => pieces.push(Piece {
                place: *place,
                turns: turns.clone(),
                day: None,
                who: material.agent.name.clone(),
                is_message: false,
            }),
        }
    }
    pieces
}

fn heard(
    place: i64,
    message: &Message,
    material: &Material<'_>,
    known: &HashMap<MessageId, &Message>,
) -> Option<Piece> {
    let text = message.text()?;
    let own = message.author == Author::Agent(material.agent.id);
    let who = match message.author {
        Author::System => match &message.body {
            Body::Notice { notice: Notice::ProposalDeclined { .. } } => BY_COTERIE.to_owned(),
            Body::Notice { .. } | Body::Text { .. } => BY_SCHEDULE.to_owned(),
        },
        Author::User | Author::Agent(_) | Author::Outside(_) | Author::Source(_) => {
            (material.names)(message.author)
        }
    };
    let mut content = message.parent.and_then(|parent| quoted(known.get(&parent)?));
    let content = content.get_or_insert_default();
    let mut words = text.to_owned();
    let mut images = Vec::new();
    for attachment in &message.attachments {
        let (told, image) = shown::told(attachment, (material.shown)(attachment), material.sight);
        if !words.is_empty() {
            words.push('\n');
        }
        words.push_str(&told);
        images.extend(image);
    }
    let of_several = match material.group.kind {
        GroupKind::Group | GroupKind::Post => true,
        GroupKind::Direct | GroupKind::Task => false,
    };
    // Where two are alone, what comes from outside would be the other's word.
    let is_from_outside =
        matches!(message.author, Author::Outside(_) | Author::Source(_) | Author::System);
    let is_named = is_from_outside || (!own && of_several);
    content.push_str(&if is_named { frame::said(&who, &words) } else { words });
    let role = if own { Role::Assistant } else { Role::User };
    Some(Piece {
        place,
        turns: vec![Turn { images, ..Turn::new(role, content.as_str()) }],
        day: (!own).then(|| (material.day)(message.at_ms)),
        who,
        is_message: true,
    })
}

fn quoted(parent: &Message) -> Option<String> {
    Some(quoted_words(parent.text()?) + "\n")
}

/// As it stands before an answer to it.
pub(crate) fn quoted_words(text: &str) -> String {
    let start: String = text.chars().take(QUOTE_CHARACTERS).collect();
    frame::lines(&start).map(|line| format!("> {line}\n")).collect()
}
