//! What has to go where a conversation is too long: the plain rule.
//!
//! Pure. The newest messages stay word for word while they fit. Before a
//! message is left out, the results of tools are shortened. Whatever goes
//! leaves room for the next turns, so that the beginning does not change with
//! each of them.

use super::Kept;
use super::notes::summary_tokens;
use crate::brief::{self, Piece};
use crate::tokens;
use crate::window::Window;
use llm::Turn;

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
    /// Nobody is asked: it was asked a short while ago, or is a demo model,
    /// which makes no summaries.
    Rule,
}

/// Messages that stay word for word.
const VERBATIM: usize = 10;
/// What the line takes that says how much is left out.
const GAP_TOKENS: u32 = 24;
/// More pieces than this are too many, whatever they take.
pub(crate) const MOST_PIECES: usize = 1_500;

impl Relief {
    /// Everything up to here becomes the summary: all but the last messages,
    /// and of these what has to go in any case.
    fn fold_upto(&self) -> i64 {
        let upto = self.before_verbatim().max(self.kept.upto);
        let notes = summary_tokens(self.window);
        let kept = Kept { upto, shortened: self.newest() - 1, ..self.kept.clone() };
        if taken(&self.laid(&kept, None)) + notes <= roomy(self.room) {
            return upto;
        }
        self.cut(&kept, notes)
    }

    fn newest(&self) -> i64 {
        self.pieces.last().map_or(1, |newest| newest.place)
    }

    /// Where the last messages begin that stay while they fit.
    fn before_verbatim(&self) -> i64 {
        let spoken: Vec<&Piece> = self.pieces.iter().filter(|piece| piece.is_message).collect();
        let first_verbatim = spoken.len().checked_sub(VERBATIM).map(|at| spoken[at].place);
        first_verbatim.map_or(0, |place| place - 1)
    }

    pub(super) fn to_fold(&self) -> Vec<&Piece> {
        let upto = self.fold_upto();
        let old = |piece: &&Piece| piece.place > self.kept.told && piece.place <= upto;
        self.pieces.iter().filter(old).collect()
    }

    pub(super) fn laid(&self, kept: &Kept, opening: Option<&str>) -> Vec<Turn> {
        brief::laid(&self.system_prompt, opening, &self.pieces, kept, self.today.as_deref())
    }

    /// With these notes in the place of what they were made of.
    pub(super) fn kept_with(&self, notes: Option<String>) -> Kept {
        let kept = self.kept.clone();
        let Some(notes) = notes else { return kept };
        let told = self.fold_upto();
        self.counted(Kept { notes, told, upto: told.max(kept.upto), ..kept })
    }

    fn counted(&self, kept: Kept) -> Kept {
        let messages = self.pieces.iter().filter(|piece| piece.is_message);
        kept.counting(messages.map(|piece| piece.place))
    }

    fn fits(&self, kept: &Kept, opening: Option<&str>, room: u32) -> bool {
        let visible = self.pieces.iter().filter(|piece| piece.place > kept.upto);
        visible.count() <= MOST_PIECES && taken(&self.laid(kept, opening)) <= room
    }

    /// Shortens the results of tools, and then leaves out the oldest pieces.
    pub(super) fn made_to_fit(&self, mut kept: Kept, opening: Option<&str>) -> Kept {
        if self.fits(&kept, opening, self.room) {
            return kept;
        }
        kept.shortened = self.newest() - 1;
        if !self.fits(&kept, opening, roomy(self.room)) {
            kept.upto = self.cut(&kept, opening.map_or(0, tokens::of));
        }
        self.counted(kept)
    }

    /// What is read again where there is more room than when it was left out:
    /// everything that no notes stand for, if that leaves room for the next
    /// turns, else as much of it as does. `None` where that is nothing new. What
    /// was cut for this very room does not come back.
    pub(crate) fn widened(&self, opening: impl Fn(&Kept) -> Option<String>) -> Option<Kept> {
        let taken_now = taken(&self.laid(&self.kept, opening(&self.kept).as_deref()));
        let told = self.kept.told;
        let whole = Kept { upto: told, shortened: told, left_out: 0, ..self.kept.clone() };
        let opening = opening(&whole);
        if self.fits(&whole, opening.as_deref(), roomy(self.room)) {
            return Some(whole);
        }
        if taken_now > self.room / 4 {
            return None;
        }
        let mut wider = Kept { shortened: self.newest() - 1, ..whole };
        if !self.fits(&wider, opening.as_deref(), roomy(self.room)) {
            wider.upto = self.cut(&wider, opening.as_deref().map_or(0, tokens::of));
        }
        (wider.upto < self.kept.upto).then(|| self.counted(wider))
    }

    /// Where the conversation may begin behind an opening of so many tokens. The
    /// last messages stay while they fit, also where the next turn has to cut again;
    /// else so many go that a few more fit. The newest never goes.
    fn cut(&self, kept: &Kept, opening: u32) -> i64 {
        let verbatim = self.before_verbatim();
        let opening = opening + GAP_TOKENS;
        let last = self.pieces.iter().filter(|piece| piece.place > verbatim);
        let last: u32 = last.map(|piece| piece.tokens(kept)).sum();
        let half = opening + self.room.saturating_sub(opening) / 2;
        let room = match opening + last {
            all if all <= roomy(self.room) => roomy(self.room),
            all if all <= self.room => all,
            _ => half,
        };
        let (mut taken, mut visible) = (opening, 0);
        let mut upto = self.newest() - 1;
        for piece in self.pieces.iter().rev() {
            taken += piece.tokens(kept);
            visible += 1;
            if taken > room || visible > MOST_PIECES / 2 {
                break;
            }
            upto = upto.min(piece.place - 1);
        }
        // What shares its place with the oldest that stays, stays too; what is
        // sent fits in any case (`window::fit`).
        upto.max(kept.upto)
    }
}

/// The part of the room that is taken after something has gone.
fn roomy(room: u32) -> u32 {
    room - room / 4
}

/// What a conversation takes, without the system prompt.
pub(super) fn taken(laid: &[Turn]) -> u32 {
    laid[1..].iter().map(tokens::of_turn).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use llm::Role;

    /// Messages of about 100 tokens, each on a place of its own, and what was
    /// done with a tool after every fifth.
    pub(in crate::fold) fn relief(messages: i64, result_tokens: usize, room: u32) -> Relief {
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
        assert!(taken(&laid) <= 3_000);
    }

    #[test]
    fn the_last_ten_stay_while_they_fit_and_the_newest_always() {
        let upto = |room| relief(40, 0, room).made_to_fit(Kept::default(), None).upto;
        assert_eq!(upto(1_450), 30, "ten messages of 105 tokens fit three quarters");
        assert_eq!(upto(1_100), 30, "they fit, with little left for what comes");
        assert_eq!(upto(1_000), 36, "half of the room is free for what comes");
        assert_eq!(upto(250), 39);
        assert_eq!(upto(0), 39);
    }

    #[test]
    fn what_is_left_out_without_notes_is_counted() {
        let long = relief(40, 10, 1_450);
        let kept = long.made_to_fit(Kept::default(), None);
        assert_eq!((kept.upto, kept.told, kept.left_out), (30, 0, 30));
        assert_eq!(long.kept_with(Some("Notes.".into())).left_out, 0);
    }

    #[test]
    fn what_cannot_stay_of_the_last_ten_is_folded_too() {
        let mut long = relief(40, 0, 2_000);
        long.window = Window::new(Some(4_000), None);
        assert_eq!(long.fold_upto(), 30, "they fit behind the longest notes");
        long.room = 1_700;
        assert_eq!(long.fold_upto(), 36);
        let kept = long.kept_with(Some("Notes.".into()));
        assert_eq!((kept.told, kept.upto), (36, 36));
        assert_eq!(long.made_to_fit(kept.clone(), Some("Notes.")), kept);
    }

    #[test]
    fn everything_but_the_last_ten_messages_is_folded_with_what_was_done() {
        let long = relief(40, 10, 4_000);
        assert_eq!(long.fold_upto(), 30);
        let to_fold = long.to_fold();
        assert_eq!(to_fold.len(), 36);
        assert!(to_fold.iter().all(|piece| piece.place <= 30));
        assert!(relief(9, 0, 4_000).to_fold().is_empty());
    }

    #[test]
    fn what_was_left_out_comes_back_where_there_is_more_room_and_only_there() {
        let kept = relief(40, 10, 1_450).made_to_fit(Kept::default(), None);
        let widened = |room| {
            let relief = Relief { kept: kept.clone(), ..relief(40, 10, room) };
            let widened = relief.widened(|_| None);
            assert!(widened.iter().all(|kept| relief.fits(kept, None, roomy(room))));
            widened
        };
        assert_eq!(widened(1_450), None, "it was cut for this room");
        assert_eq!(widened(3_000), None, "the beginning changes for more than a little");
        let some = widened(5_000).expect("more than it was");
        assert!(some.upto > 0 && some.upto < kept.upto, "{some:?}");
        assert_eq!(some.left_out, usize::try_from(some.upto).unwrap());
        let whole = Kept { upto: 0, shortened: 0, left_out: 0, ..kept.clone() };
        assert_eq!(widened(8_000), Some(whole));
    }
}
