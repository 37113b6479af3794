//! Folding: what happens when a conversation no longer fits its model's
//! window.
//!
//! The newest messages stay word for word, and a summary stands for everything
//! before them. The model that is about to answer makes it, seldom enough that
//! a provider's prompt cache pays. Where it cannot, or makes nothing that is
//! shorter, the results of tools are shortened and then the oldest pieces left
//! out: that is certain, and a turn never fails for it. What is folded is on
//! record (`store::table::summaries`), so a restart changes nothing; the
//! messages themselves stay.

use crate::brief::{self, Piece};
use crate::shared::Shared;
use crate::window::{self, Window};
use agent::Brief;
use domain::{Run, StepKind, Usage};
use futures::StreamExt;
use llm::{Delta, Finish, Model, ModelRequest, Role, Turn};
use serde_json::{Value, json};
use std::sync::Arc;
use store::table::steps;
use store::table::summaries::{self, Summary};
use store::{Durability, StoreError};
use tokio_util::sync::CancellationToken;

/// What an agent still reads of a conversation. Numbers are places in the
/// order in which it lived it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Kept {
    /// Stands for everything up to `told`; empty while nothing does.
    pub notes: String,
    pub told: i64,
    /// Nothing up to here is read word for word.
    pub upto: i64,
    /// The results of tools used up to here are read shortened.
    pub shortened: i64,
}

impl Kept {
    pub(crate) fn of(summary: Option<Summary>) -> Kept {
        summary.map_or_else(Kept::default, |summary| Kept {
            notes: summary.text,
            told: summary.told,
            upto: summary.upto,
            shortened: summary.shortened,
        })
    }
}

/// What a turn begins with when its conversation is too long.
#[derive(Clone)]
pub(crate) struct Relief {
    /// The agent's name.
    pub name: String,
    pub system_prompt: String,
    pub window: Window,
    /// What the conversation may take, the summary included.
    pub room: u32,
    pub pieces: Vec<Piece>,
    pub kept: Kept,
    pub today: Option<String>,
    pub by: By,
}

/// Who makes the conversation shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The model, if it can.
    Model,
    /// Nobody is asked: it was asked a short while ago.
    Rule,
    /// Nobody will ever be asked: a demo model makes no summaries.
    RuleForGood,
}

/// Messages that stay word for word.
const VERBATIM: usize = 10;
/// Turns without a new summary between two that make one.
pub(crate) const TURNS_BETWEEN: u32 = 4;
/// More pieces than this are too many, whatever they take.
pub(crate) const MOST_PIECES: usize = 1_500;
/// A summary's part of the window, and its bounds in tokens.
const SUMMARY_SHARE: u32 = 8;
const SHORTEST: u32 = 64;
const LONGEST: u32 = 1_024;
/// Calls of the model for one summary.
const MOST_CALLS: usize = 3;
/// What remains of a tool's result in the record that is summarised.
const RESULT_TOKENS: u32 = 150;

/// Makes the conversation fit before the model is asked, and gives what that
/// took. A conversation that fits stays as it is.
pub(crate) async fn before(
    shared: &Arc<Shared>,
    run: &Run,
    mut brief: Brief,
    relief: Option<Relief>,
    model: &dyn Model,
    stop: &CancellationToken,
) -> (Brief, Usage) {
    let Some(relief) = relief else { return (brief, Usage::default()) };
    let mut asking = Asking { shared, brief: &brief, model, stop, usage: Usage::default() };
    let to_fold = relief.to_fold();
    let asked = relief.by == By::Model && !to_fold.is_empty();
    let notes = if asked { asking.notes(&relief, &to_fold).await } else { None };
    let usage = asking.usage;
    if stop.is_cancelled() {
        return (brief, usage);
    }
    let opening = |kept: &Kept| brief::opening(&shared.prompts, kept);
    let mut kept = relief.kept.clone();
    if let Some(notes) = notes {
        let told = relief.fold_upto();
        kept = Kept { notes, told, upto: told.max(kept.upto), ..kept };
    }
    let notes = opening(&kept);
    kept = relief.made_to_fit(kept, notes.as_deref());
    let tokens_before = relief.tokens(&relief.kept, opening(&relief.kept).as_deref());
    let tokens_after = relief.tokens(&kept, opening(&kept).as_deref());
    let laid_before = relief.laid(&relief.kept, opening(&relief.kept).as_deref());
    let laid = relief.laid(&kept, opening(&kept).as_deref());
    brief.request.turns = with_added(laid, &laid_before, &brief.request.turns);
    let row = Summary {
        agent: run.agent,
        group: run.group,
        run: run.id,
        told: kept.told,
        upto: kept.upto,
        shortened: kept.shortened,
        asked,
        text: kept.notes,
        tokens_before,
        tokens_after,
        at_ms: shared.now_ms(),
    };
    record(shared, row).await;
    (brief, usage)
}

/// What was put behind the conversation since it was laid out, a question for
/// example, stays behind it.
fn with_added(mut laid: Vec<Turn>, before: &[Turn], asked: &[Turn]) -> Vec<Turn> {
    let ends = before.last().zip(asked.get(before.len().saturating_sub(1)));
    let more = ends.and_then(|(was, is)| is.content.strip_prefix(&was.content));
    if let (Some(last), Some(more)) = (laid.last_mut(), more) {
        last.content.push_str(more);
    }
    laid.extend(asked.iter().skip(before.len()).cloned());
    laid
}

async fn record(shared: &Shared, row: Summary) {
    let run = row.run;
    let recorded = shared.store.write(Durability::Process, move |write| {
        let Summary { upto, tokens_before, tokens_after, .. } = row;
        summaries::add(write, &row)?;
        let folded = StepKind::Folded { upto, tokens_before, tokens_after };
        steps::add(write, row.run, &folded, row.at_ms)?;
        Ok::<_, StoreError>(())
    });
    if let Err(error) = recorded.await {
        // This turn has its summary; the next one makes another.
        tracing::error!(%run, %error, "a summary cannot be stored");
    }
}

impl Relief {
    /// Everything up to here becomes the summary.
    fn fold_upto(&self) -> i64 {
        let spoken: Vec<&Piece> = self.pieces.iter().filter(|piece| piece.is_message).collect();
        let first_verbatim = spoken.len().checked_sub(VERBATIM).map(|at| spoken[at].place);
        first_verbatim.map_or(0, |place| place - 1)
    }

    fn to_fold(&self) -> Vec<&Piece> {
        let upto = self.fold_upto();
        let old = |piece: &&Piece| piece.place > self.kept.told && piece.place <= upto;
        self.pieces.iter().filter(old).collect()
    }

    fn laid(&self, kept: &Kept, opening: Option<&str>) -> Vec<Turn> {
        brief::laid(&self.system_prompt, opening, &self.pieces, kept, self.today.as_deref())
    }

    /// What the conversation takes, without the system prompt.
    fn tokens(&self, kept: &Kept, opening: Option<&str>) -> u32 {
        self.laid(kept, opening)[1..].iter().map(window::turn_tokens).sum()
    }

    fn fits(&self, kept: &Kept, opening: Option<&str>, room: u32) -> bool {
        let visible = self.pieces.iter().filter(|piece| piece.place > kept.upto);
        visible.count() <= MOST_PIECES && self.tokens(kept, opening) <= room
    }

    /// Shortens the results of tools, and then leaves out the oldest pieces.
    /// What is left out makes room for a while, so that the beginning does not
    /// change with every turn.
    fn made_to_fit(&self, mut kept: Kept, opening: Option<&str>) -> Kept {
        if self.fits(&kept, opening, self.room) {
            return kept;
        }
        let roomy = self.room - self.room / 4;
        kept.shortened = self.pieces.last().map_or(0, |newest| newest.place - 1);
        if !self.fits(&kept, opening, roomy) {
            kept.upto = self.cut(&kept, opening, roomy);
        }
        if self.by == By::RuleForGood {
            kept.told = kept.upto;
        }
        kept
    }

    /// Where the conversation may begin. The last messages are left out only
    /// where they do not fit at all, and the newest never.
    fn cut(&self, kept: &Kept, opening: Option<&str>, roomy: u32) -> i64 {
        let Some(newest) = self.pieces.last() else { return kept.upto };
        let verbatim = self.fold_upto();
        let mut tokens: u32 = opening.map_or(0, window::tokens);
        let mut visible = 0;
        let mut upto = newest.place - 1;
        for piece in self.pieces.iter().rev() {
            tokens += piece.tokens(kept);
            visible += 1;
            let room = if piece.place > verbatim { self.room } else { roomy };
            if tokens > room || visible > MOST_PIECES / 2 {
                break;
            }
            upto = upto.min(piece.place - 1);
        }
        // What shares its place with the oldest that stays, stays too; what is
        // sent fits in any case (`window::fit`).
        upto.max(kept.upto)
    }
}

struct Asking<'a> {
    shared: &'a Shared,
    brief: &'a Brief,
    model: &'a dyn Model,
    stop: &'a CancellationToken,
    usage: Usage,
}

impl Asking<'_> {
    /// Notes that stand for the pieces and for the notes before them; `None`
    /// where none came that are shorter.
    async fn notes(&mut self, relief: &Relief, pieces: &[&Piece]) -> Option<String> {
        let most = (relief.window.tokens / SUMMARY_SHARE).clamp(SHORTEST, LONGEST);
        let told = self.shared.prompts.summarise(&relief.name, most).ok()?;
        // The notes so far are read too, and take more as JSON than as text.
        let taken = window::tokens(&told) + most * 2;
        let room = relief.window.room(most).saturating_sub(taken).max(most);
        let mut notes = relief.kept.notes.clone();
        for part in parts(&relief.name, pieces, room) {
            notes = self.ask(&told, &notes, &part, most).await?;
            if relief.window.counted(window::tokens(&notes)) > most + most / 4 {
                tracing::warn!(run = %self.brief.run, "a summary is too long to be used");
                return None;
            }
        }
        let before: u32 = pieces.iter().map(|piece| piece.tokens(&Kept::default())).sum();
        let before = before + window::tokens(&relief.kept.notes);
        (window::tokens(&notes) < before).then_some(notes)
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
            tools: Vec::new(),
            model: self.brief.request.model.clone(),
        };
        let mut stream = self.model.ask(request);
        let mut text = String::new();
        loop {
            let delta = tokio::select! {
                biased;
                () = self.stop.cancelled() => return None,
                delta = stream.next() => delta?,
            };
            match delta {
                Delta::Text(piece) => text.push_str(&piece),
                Delta::Reasoning(_) | Delta::ToolCall(_) => {}
                Delta::Failed { fault, usage } => {
                    self.usage = self.usage.plus(usage);
                    tracing::warn!(run = %self.brief.run, %fault.message, "no summary came");
                    return None;
                }
                Delta::Done { finish, usage } => {
                    self.usage = self.usage.plus(usage);
                    let text = text.trim();
                    return match finish {
                        Finish::Stop if !text.is_empty() => Some(text.to_owned()),
                        // What is cut off says less, but nothing wrong.
                        Finish::Length if !text.is_empty() => Some(format!("{text} …")),
                        _ => None,
                    };
                }
            }
        }
    }
}

/// The record of what happened, in parts that fit; the newest, if that is more
/// than a summary may cost.
fn parts(name: &str, pieces: &[&Piece], room: u32) -> Vec<String> {
    let mut parts: Vec<(String, u32, usize)> = Vec::new();
    for line in record_of(name, pieces, room / 4) {
        let tokens = window::tokens(&line) + 1;
        match parts.last_mut() {
            Some((part, taken, lines)) if *taken + tokens <= room => {
                part.push_str(&line);
                part.push('\n');
                *taken += tokens;
                *lines += 1;
            }
            Some(_) | None => parts.push((line + "\n", tokens, 1)),
        }
    }
    let too_many = parts.len().saturating_sub(MOST_CALLS);
    let left_out: usize = parts.drain(..too_many).map(|(_, _, lines)| lines).sum();
    let mut parts: Vec<String> = parts.into_iter().map(|(part, ..)| part).collect();
    if let (Some(first), true) = (parts.first_mut(), left_out > 0) {
        *first = format!("{}\n{first}", json!({ "entries_left_out_before_this": left_out }));
    }
    parts
}

/// One JSON object a line: no text can step out of it.
fn record_of(name: &str, pieces: &[&Piece], most: u32) -> Vec<String> {
    let short = |text: &str, most| window::shortened(text, most);
    let mut lines: Vec<Value> = Vec::new();
    let mut day = None;
    for piece in pieces {
        if piece.day.is_some() && piece.day != day {
            day.clone_from(&piece.day);
            lines.push(json!({ "day": day }));
        }
        for turn in &piece.turns {
            let who = if turn.role == Role::Assistant { name } else { &piece.who };
            let said = turn.content.strip_prefix(&format!("{who}: ")).unwrap_or(&turn.content);
            match turn.role {
                Role::Tool => lines.push(json!({ "result": short(said, most.min(RESULT_TOKENS)) })),
                _ if said.is_empty() => {}
                _ => lines.push(json!({ "who": who, "said": short(said, most) })),
            }
            for call in &turn.calls {
                let with = short(&call.arguments, most.min(RESULT_TOKENS));
                lines.push(json!({ "who": name, "used": call.name, "with": with }));
            }
        }
    }
    lines.iter().map(Value::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages of about 100 tokens, each on a place of its own, and what was
    /// done with a tool after every fifth.
    fn relief(messages: i64, result_tokens: usize, room: u32) -> Relief {
        let mut pieces = Vec::new();
        for place in 1..=messages {
            let said = format!("{place} {}", "word ".repeat(74));
            pieces.push(piece(place, vec![Turn::new(Role::User, said)], true));
            if place % 5 == 0 && place < messages && result_tokens > 0 {
                let result = "blah".repeat(result_tokens);
                let calls = vec![llm::Called::new(format!("c{place}"), "look", "{}")];
                let done =
                    vec![Turn::calling("", calls), Turn::answering(format!("c{place}"), result)];
                pieces.push(piece(place, done, false));
            }
        }
        Relief {
            name: "Ada".into(),
            system_prompt: "You are Ada.".into(),
            window: Window::new(None, None),
            room,
            pieces,
            kept: Kept::default(),
            today: None,
            by: By::Rule,
        }
    }

    fn piece(place: i64, turns: Vec<Turn>, is_message: bool) -> Piece {
        Piece { place, turns, day: None, who: "Lin".into(), is_message }
    }

    #[test]
    fn the_oldest_messages_are_left_out_until_there_is_room_for_a_while() {
        let relief = relief(40, 0, 2_000);
        let kept = relief.made_to_fit(Kept::default(), None);
        assert_eq!(kept.upto, 26, "14 messages fit three quarters");
        assert_eq!(relief.made_to_fit(kept.clone(), None), kept, "once is enough");
    }

    #[test]
    fn results_are_shortened_before_a_message_is_left_out() {
        let relief = relief(20, 500, 3_000);
        let kept = relief.made_to_fit(Kept::default(), None);
        assert_eq!((kept.upto, kept.shortened), (0, 19));
        let laid = relief.laid(&kept, None);
        assert_eq!(llm::history::check(&laid), Ok(()));
        assert!(relief.tokens(&kept, None) <= 3_000);
    }

    #[test]
    fn the_last_ten_stay_while_they_fit_and_the_newest_always() {
        let roomy = relief(40, 0, 1_100).made_to_fit(Kept::default(), None);
        assert_eq!(roomy.upto, 30, "ten messages of 105 tokens fit 1,100");
        let tight = relief(40, 0, 250).made_to_fit(Kept::default(), None);
        assert_eq!(tight.upto, 38);
        let nothing = relief(40, 0, 0).made_to_fit(Kept::default(), None);
        assert_eq!(nothing.upto, 39);
    }

    #[test]
    fn everything_but_the_last_ten_messages_is_folded_with_what_was_done() {
        let long = relief(40, 10, 1_000);
        assert_eq!(long.fold_upto(), 30);
        let to_fold = long.to_fold();
        assert_eq!(to_fold.len(), 36);
        assert!(to_fold.iter().all(|piece| piece.place <= 30));
        assert!(relief(9, 0, 0).to_fold().is_empty());
    }

    #[test]
    fn a_record_is_read_in_parts_and_says_what_it_leaves_out() {
        let relief = relief(40, 0, 1_000);
        let pieces: Vec<&Piece> = relief.pieces.iter().collect();
        let parts = parts("Ada", &pieces, 500);
        assert_eq!(parts.len(), MOST_CALLS);
        assert!(parts[0].starts_with("{\"entries_left_out_before_this\":"));
        assert!(parts[2].contains("\"said\":\"40 word"));
    }

    #[test]
    fn what_was_put_behind_the_conversation_stays_behind_it() {
        let turn = |role, text: &str| Turn::new(role, text);
        let before = [turn(Role::System, "a"), turn(Role::User, "b")];
        let laid = || vec![turn(Role::System, "a"), turn(Role::User, "notes\n\nb")];
        let asked = [turn(Role::System, "a"), turn(Role::User, "b\n\nwho is next?")];
        assert_eq!(with_added(laid(), &before, &asked)[1].content, "notes\n\nb\n\nwho is next?");
        let more = [before.to_vec(), vec![turn(Role::User, "who is next?")]].concat();
        assert_eq!(with_added(laid(), &before, &more)[2].content, "who is next?");
    }
}
