//! Keeping order: hidden, shown again, locked, unlocked, removed. Each leaves a
//! trace that stays.

use super::write;
use crate::shared::{Shared, Why};
use crate::turns;
use domain::{Body, Fault, MessageId, Moderated, Moderation, Notice, Post, Reason};
use std::sync::Arc;
use store::table::{messages, moderations, posts, wakes};
use store::{Durability, Write};

const LONGEST_WHY: usize = 500;

pub(crate) async fn moderate(
    shared: &Arc<Shared>,
    item: MessageId,
    how: Moderation,
    why: Option<String>,
) -> Result<(), Fault> {
    if why.as_ref().is_some_and(|why| why.chars().count() > LONGEST_WHY) {
        return Err(Fault::bad_input(
            format!("a reason has {LONGEST_WHY} characters at the most"),
            "shorten it",
        ));
    }
    let at_ms = shared.now_ms();
    let put = move |write: &mut Write<'_>| {
        let (group, post) = write::item(write, item)?;
        moderations::add(write, group.id, &Moderated { item, how, why, at_ms })?;
        let post = match how {
            Moderation::Lock => Post { locked: true, ..post },
            Moderation::Unlock => Post { locked: false, ..post },
            Moderation::Remove => {
                if let Some(message) = messages::find(write, item)? {
                    messages::replace_body(
                        write,
                        &message,
                        Body::Notice { notice: Notice::Removed },
                    )?;
                }
                post
            }
            Moderation::Hide | Moderation::Show => post,
        };
        posts::update(write, &post)?;
        give_up(write, &post, item, how)?;
        Ok::<_, Fault>(group.id)
    };
    let group = shared.store.write(Durability::Process, put).await?;
    if how == Moderation::Lock {
        shared.going_on.stop(Why::StoppedByUser, |_, going| going.group == group);
    }
    Ok(())
}

/// Turns that were given and not begun are not taken any more.
fn give_up(
    write: &mut Write<'_>,
    post: &Post,
    item: MessageId,
    how: Moderation,
) -> Result<(), Fault> {
    let mut open = wakes::open_of_group(write, post.group)?;
    open.retain(|wake| wake.claimed_by.is_none());
    match how {
        Moderation::Lock => turns::dismiss(write, &open, &Reason::ThreadLocked)?,
        Moderation::Hide | Moderation::Remove => {
            open.retain(|wake| wake.message == item);
            turns::dismiss(write, &open, &Reason::OutOfSight)?;
        }
        Moderation::Show | Moderation::Unlock => {}
    }
    Ok(())
}
