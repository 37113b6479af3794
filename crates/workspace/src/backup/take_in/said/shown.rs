//! What is shown of a conversation in which something came.
//!
//! What was said there since is shown as it is there, with all that it stands behind. Where
//! nothing of it is, what is shown here stays, and goes on to its end.

use super::Places;
use crate::{branches, turns};
use domain::{Fault, FaultCode, FaultKind, GroupId, Reason};
use std::collections::HashSet;
use store::table::{branches as tree, groups, runs, summaries, wakes};
use store::{Read, Write};

/// `first` is the first that came.
pub(super) fn enter(
    write: &mut Write<'_>,
    from: &Read<'_>,
    group: GroupId,
    places: &Places,
    first: i64,
) -> Result<(), Fault> {
    let (before, there) = (tree::aside(write, group)?, tree::aside(from, group)?);
    let forks = tree::forks(from, group)?.into_iter();
    let forks: Vec<(i64, i64)> = forks
        .filter_map(|(seq, follows)| Some((places.came(seq)?, places.upto(follows))))
        .collect();
    if forks.is_empty() && before.is_empty() && there.is_empty() {
        return Ok(());
    }
    tree::lay(write, group, first, &forks)?;
    let aside_there = |(there_seq, here): &(i64, i64)| there.contains(there_seq).then_some(*here);
    let is_any_shown = places.unknown().iter().any(|place| aside_there(place).is_none());
    let aside = match is_any_shown {
        true => places.all.iter().filter_map(aside_there).collect(),
        false => {
            let aside = before.iter().copied().chain(places.unknown().iter().map(|place| place.1));
            branches::aside_of_whole(write, group, aside.collect())?
        }
    };
    tree::show_all_but(write, group, &aside)?;
    let known = before.symmetric_difference(&aside).copied().filter(|seq| *seq < first);
    match known.min() {
        Some(from) => goes_otherwise(write, group, &aside, from),
        None => Ok(()),
    }
}

/// Nobody answers what is aside, and nobody is told of it.
fn goes_otherwise(
    write: &mut Write<'_>,
    group: GroupId,
    aside: &HashSet<i64>,
    from: i64,
) -> Result<(), Fault> {
    if runs::open(write)?.iter().any(|run| run.group == group) {
        let group = groups::get(write, group)?.name;
        let message = format!("somebody has begun to answer in {group}");
        let fix = "stop them, or wait until they have answered, and take it in again";
        let fault = Fault::new(FaultCode::Refused, message, fix);
        return Err(fault.of(FaultKind::ConversationBusy { group }));
    }
    summaries::void_from(write, group, from)?;
    let mut owed = wakes::open_of_group(write, group)?;
    owed.retain(|wake| aside.contains(&wake.message_seq));
    Ok(turns::dismiss(write, &owed, &Reason::SetAside)?)
}
