//! Folding: what happens when a conversation no longer fits its model's
//! window.
//!
//! The newest messages stay word for word, and a summary stands for everything
//! before them. The model that is about to answer makes it, seldom enough that
//! a provider's prompt cache pays. Where it cannot, or makes nothing that is
//! shorter, the results of tools are shortened and then the oldest pieces left
//! out, and a line says how many messages that is: that is certain, and a turn
//! never fails for it. The next summary stands for them too, and where a model
//! reads more at once they are read again. What is folded is on record (`store::table::summaries`), so a restart changes nothing; the
//! messages themselves stay.

mod notes;
mod record;
mod relief;

pub(crate) use relief::{By, MOST_PIECES, Relief};

use crate::brief;
use crate::shared::Shared;
use crate::window::Window;
use agent::Brief;
use domain::{Run, StepKind, Usage};
use llm::{Model, Turn};
use notes::Asking;
use std::sync::Arc;
use store::table::steps;
use store::table::summaries::{self, Summary};
use store::{Durability, StoreError, Write};
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
    /// The messages between `told` and `upto`: nobody reads them.
    pub left_out: usize,
}

impl Kept {
    pub(crate) fn of(summary: Option<Summary>) -> Kept {
        summary.map_or_else(Kept::default, |summary| Kept {
            notes: summary.text,
            told: summary.told,
            upto: summary.upto,
            shortened: summary.shortened,
            left_out: 0,
        })
    }

    /// Whether something is left out or shortened that no notes stand for.
    pub(crate) fn is_cut(&self) -> bool {
        self.left_out > 0 || self.shortened > self.told
    }

    /// With the messages counted that are left out, of those that are known:
    /// the place of each.
    pub(crate) fn counting(self, places: impl Iterator<Item = i64>) -> Kept {
        let is_left_out = |place: &i64| *place > self.told && *place <= self.upto;
        let left_out = places.filter(is_left_out).count();
        Kept { left_out, ..self }
    }
}

/// Turns without a new summary between two that make one.
pub(crate) const TURNS_BETWEEN: u32 = 4;

/// Who makes notes, and how much it reads at once.
#[derive(Clone, Copy)]
pub(crate) struct Notes<'a> {
    pub model: &'a dyn Model,
    pub window: Window,
}

/// Makes the conversation fit before the model is asked, and gives what that
/// took. A conversation that fits stays as it is.
pub(crate) async fn before(
    shared: &Arc<Shared>,
    run: &Run,
    mut brief: Brief,
    relief: Option<Relief>,
    by: Notes<'_>,
    stop: &CancellationToken,
) -> (Brief, Usage) {
    let Some(relief) = relief else { return (brief, Usage::default()) };
    let mut asking = Asking { shared, brief: &brief, by, stop, usage: Usage::default() };
    let asked = relief.by == By::Model && !relief.to_fold().is_empty();
    let notes = if asked { asking.notes(&relief).await } else { None };
    let usage = asking.usage;
    if stop.is_cancelled() {
        return (brief, usage);
    }
    let opening = |kept: &Kept| brief::opening(&shared.prompts, kept);
    let kept = relief.kept_with(notes);
    let mut kept = relief.made_to_fit(kept.clone(), opening(&kept).as_deref());
    let before = relief.laid(&relief.kept, opening(&relief.kept).as_deref());
    let mut after = relief.laid(&kept, opening(&kept).as_deref());
    let tokens_before = relief::taken(&before);
    if relief::taken(&after) >= tokens_before {
        (kept, after) = (relief.kept.clone(), before.clone());
    }
    let tokens_after = relief::taken(&after);
    let shrank = tokens_after < tokens_before;
    if !shrank && !asked {
        return (brief, usage);
    }
    brief.request.turns = with_added(after, &before, &brief.request.turns);
    let folded = shrank.then_some(StepKind::Folded {
        upto: kept.told,
        left_out: kept.left_out as u32,
        tokens_before,
        tokens_after,
    });
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
    fail::fail_point!("fold.made");
    store_summary(shared, row, folded).await;
    fail::fail_point!("fold.stored");
    (brief, usage)
}

/// Puts on record that more is read again, so that the next turns read it too.
pub(crate) fn widen(write: &mut Write<'_>, run: &Run, kept: Kept) -> Result<(), StoreError> {
    let Some(before) = summaries::newest(write, run.agent, run.group)? else { return Ok(()) };
    let Kept { notes, told, upto, shortened, left_out: _ } = kept;
    let (run, at_ms, asked) = (run.id, run.started_ms, false);
    let row = Summary { run, told, upto, shortened, asked, text: notes, at_ms, ..before };
    summaries::add(write, &row)
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

/// That a model was asked is on record even where nothing came of it: it is
/// left alone for a while.
async fn store_summary(shared: &Shared, row: Summary, folded: Option<StepKind>) {
    let run = row.run;
    let stored = shared.store.write(Durability::Process, move |write| {
        summaries::add(write, &row)?;
        if let Some(folded) = folded {
            steps::add(write, row.run, &folded, row.at_ms)?;
        }
        Ok::<_, StoreError>(())
    });
    if let Err(error) = stored.await {
        // This turn has its summary; the next one makes another.
        tracing::error!(%run, %error, "a summary cannot be stored");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llm::Role;

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
