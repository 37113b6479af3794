//! What a person does about sources.

use super::{folder, hooks};
use crate::derived::blocking;
use crate::shared::Shared;
use crate::{feed, keys, letters, lifecycle, seen};
use domain::{
    Fault, FaultCode, FaultKind, FeedSource, FeedSourceId, RequestId, SourcePlan, Watches, hook_key,
};
use std::sync::Arc;
use store::table::{deliveries, feed_sources, happenings};
use store::{Durability, Read, StoreError, Write};

const LONGEST_NAME: usize = 40;
/// More sources nobody oversees.
const MOST: usize = 50;
/// More in an hour nobody reads.
const MOST_POSTS: u32 = 60;

/// Has what happens told from now on. It takes the request's id, so that making it twice
/// is making it once.
pub(crate) async fn new(
    shared: &Arc<Shared>,
    request: RequestId,
    plan: SourcePlan,
) -> Result<FeedSource, Fault> {
    let created_ms = shared.now_ms();
    let (plan, seen) = looked_into(shared, plan).await?;
    let make = move |write: &mut Write<'_>| {
        let id = FeedSourceId(request.0);
        if let Some(source) = feed_sources::find(write, id)? {
            return Ok(source);
        }
        let plan = checked(write, plan)?;
        let source = FeedSource {
            id,
            plan,
            on: true,
            posts: 0,
            posted_ms: None,
            created_ms,
            removed_ms: None,
        };
        feed_sources::put(write, &source)?;
        let seen = seen.as_deref().map(|seen| (seen, created_ms));
        feed_sources::put_seen(write, id, seen)?;
        Ok::<_, Fault>(source)
    };
    let source = shared.store.write(Durability::Power, make).await?;
    if source.plan.watches == Watches::Hook && source.watches_now() {
        hooks::opened(shared).await;
    }
    Ok(source)
}

/// What happens while it is off is never told.
pub(crate) async fn switch(
    shared: &Arc<Shared>,
    source: FeedSourceId,
    on: bool,
) -> Result<FeedSource, Fault> {
    let stands = shared.store.read(|read| standing(read, source))?;
    let seen = match on && !stands.on {
        true => looked_into(shared, stands.plan).await?.1,
        false => None,
    };
    let now = shared.now_ms();
    let put = move |write: &mut Write<'_>| {
        let stands = standing(write, source)?;
        if stands.on == on {
            return Ok(stands);
        }
        let source = FeedSource { on, ..stands };
        feed_sources::put(write, &source)?;
        happenings::told(write, source.id, i64::MAX)?;
        deliveries::told(write, source.id, i64::MAX)?;
        feed_sources::put_seen(write, source.id, seen.as_deref().map(|seen| (seen, now)))?;
        Ok::<_, Fault>(source)
    };
    let source = shared.store.write(Durability::Power, put).await?;
    // One that is on may have been looked at by now, and what was found holds.
    if !source.on {
        forget(shared, source.id);
    }
    Ok(source)
}

/// What it wrote stays, under its name.
pub(crate) async fn remove(
    shared: &Arc<Shared>,
    source: FeedSourceId,
) -> Result<FeedSource, Fault> {
    let now = shared.now_ms();
    let put = move |write: &mut Write<'_>| {
        let stands = feed_sources::get(write, source)?;
        let removed_ms = stands.removed_ms.or(Some(now));
        let source = FeedSource { on: false, removed_ms, ..stands };
        feed_sources::put(write, &source)?;
        happenings::told(write, source.id, i64::MAX)?;
        deliveries::told(write, source.id, i64::MAX)?;
        feed_sources::put_seen(write, source.id, None)?;
        Ok::<_, Fault>(source)
    };
    let source = shared.store.write(Durability::Power, put).await?;
    forget(shared, source.id);
    if source.plan.watches == Watches::Hook {
        forget_token(shared, &source).await;
    }
    Ok(source)
}

/// It opens nothing any more. Where it cannot be erased now, it is off the list, and
/// erased with the next change there.
async fn forget_token(shared: &Arc<Shared>, source: &FeedSource) {
    let key = hook_key(&source.plan.name);
    for forget in [false, true] {
        match keys::remove(shared, key.clone(), forget).await {
            Ok(()) => return,
            Err(fault) if fault.code == FaultCode::NotFound => return,
            Err(fault) => tracing::warn!(%fault, key, "this token stays where it is for now"),
        }
    }
}

/// How it stood is of no account any more.
fn forget(shared: &Shared, source: FeedSourceId) {
    let mut now = shared.sources.now();
    now.stirred.remove(&source);
    now.held_back.remove(&source);
    now.problems.remove(&source);
}

fn standing(read: &Read<'_>, source: FeedSourceId) -> Result<FeedSource, Fault> {
    let found = feed_sources::get(read, source)?;
    match found.removed_ms {
        None => Ok(found),
        Some(_) => Err(StoreError::NotFound(format!("source {source}")).into()),
    }
}

/// The plan with its folder as the system calls it, and what is in there now.
async fn looked_into(
    shared: &Arc<Shared>,
    plan: SourcePlan,
) -> Result<(SourcePlan, Option<String>), Fault> {
    let Watches::Files { folder } = &plan.watches else { return Ok((plan, None)) };
    let given = folder.clone();
    let (folder, seen) = blocking(shared, move |shared| {
        let folder = folder::real(&given, &shared.places.data)?;
        let seen = folder::written(&folder::look_into(&folder)?);
        Ok::<_, Fault>((folder, seen))
    })
    .await?;
    Ok((SourcePlan { watches: Watches::Files { folder }, ..plan }, Some(seen)))
}

fn checked(read: &Read<'_>, plan: SourcePlan) -> Result<SourcePlan, Fault> {
    let name = plan.name.trim().to_owned();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    let fits = !seen::is_blank(&name) && name.chars().count() <= LONGEST_NAME;
    if !fits || !name.chars().all(plain) || lifecycle::stands_for_another(&name) {
        return Err(Fault::bad_input(
            format!("{name:?} cannot be a source's name"),
            format!(
                "use 1 to {LONGEST_NAME} letters, digits, spaces, -, _ and dots, and no word for the person or for Coterie"
            ),
        )
        .of(FaultKind::SourceNameUnfit { name }));
    }
    let others: Vec<_> =
        feed_sources::all(read)?.into_iter().filter(|one| one.removed_ms.is_none()).collect();
    if others.len() >= MOST {
        return Err(Fault::bad_input(
            format!("there are {MOST} sources, the most there can be"),
            "remove one, with coterie source remove",
        ));
    }
    let is_taken = others.iter().any(|one| letters::same(&one.plan.name, &name));
    if is_taken || lifecycle::is_name_taken(read, &name, None)? {
        return Err(Fault::new(
            FaultCode::Conflict,
            format!("you, an agent, a group or another source is called {name:?} already"),
            "choose another name for the source",
        )
        .of(FaultKind::SourceNameTaken { name }));
    }
    if !(1..=MOST_POSTS).contains(&plan.per_hour) {
        return Err(Fault::bad_input(
            format!("{} posts an hour is no limit for a source", plan.per_hour),
            format!("give 1 to {MOST_POSTS}"),
        ));
    }
    feed::open_community(read, plan.community)?;
    Ok(SourcePlan { name, ..plan })
}
