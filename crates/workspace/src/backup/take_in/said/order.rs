//! How order was kept among what came: what was hidden there is hidden here.
//!
//! What was here before stays as it is. A thread that was locked there is locked, unless one
//! thing or the other was decided of it here.

use crate::turns;
use domain::{Fault, Moderated, Moderation, Post, Reason};
use std::collections::HashSet;
use store::table::{messages, moderations, posts, wakes};
use store::{Read, Write};

pub(super) fn enter(
    write: &mut Write<'_>,
    from: &Read<'_>,
    post: Post,
    came: &HashSet<i64>,
) -> Result<(), Fault> {
    let here = moderations::of_group(write, post.group)?;
    let there = moderations::of_group(from, post.group)?;
    let decided_here = here.iter().any(|one| locks(one).is_some() && !there.contains(one));
    let mut locked = post.locked;
    for one in there.iter().filter(|one| !here.contains(one)) {
        let comes = match locks(one) {
            Some(_) => !decided_here,
            None => messages::find(write, one.item)?.is_some_and(|item| came.contains(&item.seq)),
        };
        if comes {
            moderations::add(write, post.group, one)?;
            locked = locks(one).unwrap_or(locked);
        }
    }
    if locked && !post.locked {
        let mut open = wakes::open_of_group(write, post.group)?;
        open.retain(|wake| wake.claimed_by.is_none());
        turns::dismiss(write, &open, &Reason::ThreadLocked)?;
    }
    if locked != post.locked {
        posts::update(write, &Post { locked, ..post })?;
    }
    Ok(())
}

/// Whether it closes the thread or opens it again; `None` where it is of one message.
fn locks(one: &Moderated) -> Option<bool> {
    match one.how {
        Moderation::Lock => Some(true),
        Moderation::Unlock => Some(false),
        Moderation::Hide | Moderation::Show | Moderation::Remove => None,
    }
}
