//! What has to go where a conversation is too long: the plain rule.
//!
//! Pure. The newest messages stay word for word while they fit. Before a
//! message is left out, the results of tools are shortened.

use super::Kept;
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
    /// Nobody is asked: it was asked a short while ago.
    Rule,
    /// Nobody will ever be asked: a demo model makes no summaries.
    RuleForGood,
}

/// Messages that stay word for word.
const VERBATIM: usize = 10;
/// More pieces than this are too many, whatever they take.
pub(crate) const MOST_PIECES: usize = 1_500;

impl Relief {
    /// Everything up to here becomes the summary.
    fn fold_upto(&self) -> i64 {
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
        Kept { notes, told, upto: told.max(kept.upto), ..kept }
    }

    fn fits(&self, kept: &Kept, opening: Option<&str>, room: u32) -> bool {
        let visible = self.pieces.iter().filter(|piece| piece.place > kept.upto);
        visible.count() <= MOST_PIECES && taken(&self.laid(kept, opening)) <= room
    }

    /// Shortens the results of tools, and then leaves out the oldest pieces.
    /// What is left out makes room for a while, so that the beginning does not
    /// change with every turn.
    pub(super) fn made_to_fit(&self, mut kept: Kept, opening: Option<&str>) -> Kept {
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
        let mut taken: u32 = opening.map_or(0, tokens::of);
        let mut visible = 0;
        let mut upto = newest.place - 1;
        for piece in self.pieces.iter().rev() {
            taken += piece.tokens(kept);
            visible += 1;
            let room = if piece.place > verbatim { self.room } else { roomy };
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
}
