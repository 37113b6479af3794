//! Keeping order: hidden, shown again, locked, unlocked, removed. Each leaves a
//! trace that stays.

use super::write;
use crate::lifecycle::{self, Ended};
use crate::shared::{Shared, Why};
use crate::{forgetting, stop, turns};
use domain::{Fault, Group, Message, MessageId, Moderated, Moderation, Post, Reason, Target};
use std::sync::Arc;
use store::table::{groups, messages, moderations, posts, runs, wakes};
use store::{Durability, Read, StoreError, Write};

/// How a thread is called whose first words are out of sight.
const NO_NAME: &str = "…";
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
    let removed = match how {
        Moderation::Remove => Some(about_to_remove(shared, item).await?),
        Moderation::Hide | Moderation::Show | Moderation::Lock | Moderation::Unlock => None,
    };
    let shown = removed.iter().flat_map(|(message, _)| message.attachments.clone()).collect();
    let is_removed = removed.is_some();
    let put = move |write: &mut Write<'_>| {
        let (group, post) = write::item(write, item)?;
        let mut ended = Ended::default();
        if stands(write, &post, item, how)? {
            return Ok((group.id, ended));
        }
        moderations::add(write, group.id, &Moderated { item, how, why, at_ms })?;
        let post = match how {
            Moderation::Lock => Post { locked: true, ..post },
            Moderation::Unlock => Post { locked: false, ..post },
            Moderation::Remove => {
                if let Some((message, words)) = removed {
                    forgetting::take_out(write, &message, &words, &mut ended, at_ms)?;
                }
                post
            }
            Moderation::Hide | Moderation::Show => post,
        };
        posts::update(write, &post)?;
        call(write, &group, &post)?;
        give_up(write, &post, item, how)?;
        Ok::<_, Fault>((group.id, ended))
    };
    let (group, ended) = shared.store.write(Durability::Process, put).await?;
    lifecycle::let_go(shared, &ended);
    if is_removed {
        forgetting::out_of_files(shared, shown).await?;
    }
    if how == Moderation::Lock {
        shared.going_on.stop(Why::StoppedByUser, |_, going| going.group == group);
    }
    Ok(())
}

/// Whether that is so already: doing it twice is doing it once, and leaves one trace.
fn stands(
    read: &Read<'_>,
    post: &Post,
    item: MessageId,
    how: Moderation,
) -> Result<bool, StoreError> {
    let is_hidden = || Ok(moderations::hidden(read, post.group)?.contains(&item));
    match how {
        Moderation::Hide => is_hidden(),
        Moderation::Show => is_hidden().map(|hidden| !hidden),
        Moderation::Lock => Ok(post.locked),
        Moderation::Unlock => Ok(!post.locked),
        Moderation::Remove => Ok(write::is_removed(read, item)?),
    }
}

/// A thread is called after its first words, as long as they are to be seen.
fn call(write: &mut Write<'_>, group: &Group, post: &Post) -> Result<(), StoreError> {
    let Some(first) = post.message else { return Ok(()) };
    let is_seen = !write::is_out_of_sight(write, group.id, first)?;
    let message = messages::find(write, first)?.filter(|_| is_seen);
    let text = message.as_ref().and_then(Message::text);
    let name = text.map_or_else(|| NO_NAME.to_owned(), write::name_of);
    if name != group.name {
        groups::put(write, &Group { name: name.clone(), ..group.clone() })?;
        runs::rename_group(write, group.id, &name)?;
    }
    Ok(())
}

/// What is removed, with all its words; whoever is at work in its thread is stopped.
async fn about_to_remove(
    shared: &Arc<Shared>,
    item: MessageId,
) -> Result<(Message, Vec<String>), Fault> {
    let message = shared.store.read(|read| {
        let (group, _) = write::item(read, item)?;
        Ok::<_, Fault>((group.id, messages::find(read, item)?))
    })?;
    let (group, Some(message)) = message else { return Err(write::unknown(item)) };
    stop::stop(shared, Target::Group(group)).await?;
    let words = forgetting::words(shared, &message).await?;
    Ok((message, words))
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
