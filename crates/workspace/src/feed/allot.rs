//! Decides who is given a post or a comment to answer.
//!
//! Pure: it looks at what was said, at those who may be given it, and at the rules
//! that a person has set, never at the store or the clock. The caps of the thread
//! cut down what it allows (see `limits`).

use crate::turn_policy::{Ruling, Seat, is_able, pass, speak, unable};
use domain::{AgentId, Author, FeedRules, Reason, Verdict};

/// What was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub author: Author,
    pub depth: u32,
    /// And no comment.
    pub is_post: bool,
    /// Nothing is written in its community any more.
    pub is_archived: bool,
    pub is_locked: bool,
    /// Hidden, or removed.
    pub is_out_of_sight: bool,
}

/// Somebody who may be given it, with what is known of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    pub seat: Seat,
    /// Reads the community, or was named by a person.
    pub reads: bool,
    /// Its model knows the language of it.
    pub understands: bool,
    /// Was given this very item before.
    pub has_it: bool,
    pub mentioned: bool,
    /// Wrote what it answers.
    pub is_answered: bool,
    pub interest: Option<Interest>,
    /// Within the last hour, of the whole feed.
    pub given_this_hour: u32,
    /// Was given something of this thread a moment ago.
    pub rests: bool,
    /// Was given something of this thread ever.
    pub is_in_thread: bool,
    /// When it was last given anything.
    pub given_ms: Option<i64>,
    /// And as which of those that were given out then: a tick gives out many at one time.
    pub given_as: u32,
}

/// The interest of a soul that fits best.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Interest {
    pub interest: String,
    /// By meaning; `None` where it is the same word.
    pub percent: Option<u32>,
    /// By how many ten-thousandths it is nearer than by chance: some interests are near to
    /// whatever is said.
    pub apart: u32,
}

/// One ruling for each candidate but the author and those who have it already; who
/// answers stands first, in the order in which they would.
pub(super) fn allot(item: &Item, candidates: &[Candidate], rules: &FeedRules) -> Vec<Ruling> {
    let is_author = |one: &Candidate| item.author == Author::Agent(one.seat.agent);
    let others = || candidates.iter().filter(|one| !is_author(one) && !one.has_it);
    let (mut wanted, mut silent) = (Vec::new(), Vec::new());
    for one in others() {
        match reason_to_answer(one).filter(|_| why_not(item, one, rules).is_none()) {
            Some(reason) => wanted.push((one, reason)),
            None => {
                let why = why_not(item, one, rules).unwrap_or(Reason::NotInterested);
                silent.push(pass(&one.seat, why));
            }
        }
    }
    wanted.sort_by_key(|(one, _)| (!is_able(&one.seat), rank(one)));
    let have_it = || candidates.iter().filter(|one| one.has_it && !is_author(one));
    // Whoever rests takes nobody's place, and has an item only where nobody else has it.
    let mut count = have_it().filter(|one| is_able(&one.seat)).count();
    let (mut rulings, mut anybody) = (Vec::new(), have_it().next().is_some());
    for (one, reason) in wanted {
        let why = match unable(&one.seat) {
            // Whoever is named has been chosen already, and not by us.
            _ if one.mentioned => None,
            _ if count >= rules.answers_per_item as usize => {
                Some(Reason::EnoughAnswers { limit: rules.answers_per_item })
            }
            Some(why) if anybody => Some(why),
            Some(_) | None => None,
        };
        if let Some(why) = why {
            silent.push(pass(&one.seat, why));
            continue;
        }
        let ruling = speak(&one.seat, reason, item.depth + 1);
        count += usize::from(ruling.verdict == Verdict::Speak);
        anybody |= ruling.verdict != Verdict::Pass;
        rulings.push(ruling);
    }
    if !anybody
        && item.is_post
        && let Some(one) = who_has_rested(item, others(), rules)
    {
        silent.retain(|ruling| ruling.agent != one.agent);
        rulings.push(speak(one, Reason::NobodyElse, item.depth + 1));
    }
    rulings.extend(silent);
    rulings
}

fn reason_to_answer(one: &Candidate) -> Option<Reason> {
    if one.mentioned {
        return Some(Reason::Mentioned);
    }
    if one.is_answered {
        return Some(Reason::RepliedTo);
    }
    let Interest { interest, percent, .. } = one.interest.clone()?;
    Some(Reason::Interested { interest, percent })
}

/// What stands in the way, whatever the item says.
fn why_not(item: &Item, one: &Candidate, rules: &FeedRules) -> Option<Reason> {
    if item.is_archived {
        return Some(Reason::Archived);
    }
    if item.is_out_of_sight {
        return Some(Reason::OutOfSight);
    }
    if item.is_locked {
        return Some(Reason::ThreadLocked);
    }
    if !one.reads {
        return Some(Reason::NotInCommunity);
    }
    if !one.understands {
        return Some(Reason::UnknownLanguage);
    }
    if one.given_this_hour >= rules.per_hour {
        return Some(Reason::FeedQuota { limit: rules.per_hour });
    }
    let is_spoken_to = one.mentioned || one.is_answered;
    (one.rests && !is_spoken_to).then_some(Reason::CoolingDown { minutes: rules.rest_minutes })
}

/// Smaller comes first: who is spoken to; then who has not been in the thread, so
/// that more than two are heard; then whom it concerns most; then who has had
/// nothing for longest.
fn rank(one: &Candidate) -> (bool, bool, bool, u32, (i64, u32, u32), AgentId) {
    let far = one.interest.as_ref().map_or(u32::MAX, |interest| match interest.percent {
        None => 0,
        Some(_) => (u32::MAX - 1).saturating_sub(interest.apart),
    });
    // Of those that were given something by one tick before, who had least comes first.
    let given = (one.given_ms.unwrap_or(i64::MIN), one.given_as, one.given_this_hour);
    (!one.mentioned, !one.is_answered, one.is_in_thread, far, given, one.seat.agent)
}

/// A post is not left without any answer: where all rest, one answers it afterwards.
fn who_has_rested<'c>(
    item: &Item,
    others: impl Iterator<Item = &'c Candidate>,
    rules: &FeedRules,
) -> Option<&'c Seat> {
    let may = others.filter(|one| !one.seat.muted && why_not(item, one, rules).is_none());
    may.min_by_key(|one| (!is_able(&one.seat), rank(one))).map(|one| &one.seat)
}

#[cfg(test)]
mod tests;
