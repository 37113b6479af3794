//! Asking the model that is about to answer for notes on what it will no longer
//! read.

use super::{Kept, Notes, Relief, record};
use crate::heard::{Heard, hear};
use crate::shared::Shared;
use crate::tokens;
use crate::window::Window;
use agent::Brief;
use domain::Usage;
use llm::{ModelRequest, Role, Turn};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The notes' part of the window, and its bounds in tokens.
const SHARE: u32 = 8;
const SHORTEST: u32 = 64;
const LONGEST: u32 = 1_024;

pub(super) struct Asking<'a> {
    pub shared: &'a Shared,
    pub brief: &'a Brief,
    pub by: Notes<'a>,
    pub stop: &'a CancellationToken,
    /// What the asking has taken so far.
    pub usage: Usage,
}

impl Asking<'_> {
    /// Notes that stand for everything that is to be folded and for the notes
    /// before them; `None` where none came that are shorter.
    pub(super) async fn notes(&mut self, relief: &Relief) -> Option<String> {
        let pieces = relief.to_fold();
        let window = narrower(relief.window, self.by.window);
        let most = longest(window);
        let told = self.shared.prompts.summarise(&relief.name, most).ok()?;
        // The notes so far are read too, and take more as JSON than as text.
        let taken = tokens::of(&told) + most * 2;
        let room = window.room(most).saturating_sub(taken).max(most);
        let mut notes = relief.kept.notes.clone();
        let record::Parts { parts, left_out } = record::parts(&relief.name, &pieces, room);
        for part in parts {
            notes = self.ask(&told, &notes, &part, most).await?;
            if relief.window.counted(tokens::of(&notes)) > most + most / 4 {
                tracing::warn!(run = %self.brief.run, "a summary is too long to be used");
                return None;
            }
        }
        if left_out > 0 {
            // Said by the program: a model that was told of it may not say so.
            notes = format!("({left_out} entries of the record are in no notes.)\n{notes}");
        }
        let before: u32 = pieces.iter().map(|piece| piece.tokens(&Kept::default())).sum();
        let before = before + tokens::of(&relief.kept.notes);
        (tokens::of(&notes) < before).then_some(notes)
    }

    async fn ask(&mut self, told: &str, notes: &str, part: &str, most: u32) -> Option<String> {
        let mut record = String::new();
        if !notes.is_empty() {
            record = json!({ "notes_so_far": notes }).to_string() + "\n";
        }
        record.push_str(part);
        let request = ModelRequest {
            turns: vec![Turn::new(Role::System, told), Turn::new(Role::User, record)],
            temperature: 0.0,
            max_tokens: most,
            stop: Vec::new(),
            seed: None,
            grammar: None,
            tools: domain::ToolSpecs::default(),
            model: self.brief.request.model.clone(),
        };
        let Heard { text, whole } =
            hear(self.by.model, request, self.stop, &mut self.usage).await?;
        // What is cut off says less, but nothing wrong.
        Some(if whole { text } else { format!("{text} …") })
    }
}

/// The most that notes take.
fn longest(window: Window) -> u32 {
    (window.tokens / SHARE).clamp(SHORTEST, LONGEST)
}

/// What notes take in front of a conversation, with what stands around them.
pub(super) fn summary_tokens(window: Window) -> u32 {
    let most = longest(window);
    most + most / 4 + 64
}

/// Another model may read less at once than the one that is about to answer.
fn narrower(one: Window, other: Window) -> Window {
    if other.room(0) < one.room(0) { other } else { one }
}
