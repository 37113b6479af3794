//! Keeps the souls in force in step with their files, and tells everybody
//! when one changes.

mod delete;
mod new_name;

pub(crate) use delete::{bring_back, delete};
pub(crate) use new_name::rename_soul;

use crate::shared::Shared;
use crate::souls::{Change, Folder, Shelf, SoulInForce};
use crate::{budget, letters, lifecycle, named, post, skills};
use domain::{
    Agent, AgentId, Fault, FaultKind, GroupKind, Notice, Soul, SoulDetail, SoulProblem, SoulSource,
    SoulStanding, SoulVersion,
};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::table::{agents, groups, members, messages, souls};
use store::{Durability, Read, Store, StoreError, Write};

pub(crate) struct Keeper {
    folder: Arc<Folder>,
    shelf: Mutex<Shelf>,
    /// One look at a time: a second one waits and then finds nothing new.
    looking: tokio::sync::Mutex<()>,
    /// Where the next version with this hash comes from, if not from another
    /// program.
    sources: Mutex<HashMap<String, SoulSource>>,
}

impl Keeper {
    /// Opens the folder and remembers what was in force before.
    pub(crate) fn open(folder: PathBuf, store: &Store) -> Result<Keeper, Fault> {
        let folder = Folder::open(folder)?;
        let kept = store.read(|read| {
            let with_newest = |soul: Soul| {
                let newest = match soul.standing() {
                    SoulStanding::Deleted => None,
                    SoulStanding::InForce
                    | SoulStanding::Wrong(_)
                    | SoulStanding::Unusable(_)
                    | SoulStanding::Gone => newest(read, &soul)?,
                };
                Ok((soul, newest))
            };
            souls::all(read)?.into_iter().map(with_newest).collect::<Result<Vec<_>, StoreError>>()
        })?;
        Ok(Keeper {
            folder: Arc::new(folder),
            shelf: Mutex::new(Shelf::restore(kept)),
            looking: tokio::sync::Mutex::default(),
            sources: Mutex::default(),
        })
    }

    pub(crate) fn in_force(&self, stem: &str) -> Option<Arc<SoulInForce>> {
        self.shelf().in_force(stem).cloned()
    }

    /// As people call it: by its file, or else by the name that stands in it.
    pub(crate) fn called(&self, name: &str) -> Option<Arc<SoulInForce>> {
        let all = self.all_in_force();
        let by_file = all.iter().find(|soul| letters::same(&soul.stem, name));
        by_file.or_else(|| all.iter().find(|soul| letters::same(&soul.front.name, name))).cloned()
    }

    pub(crate) fn all_in_force(&self) -> Vec<Arc<SoulInForce>> {
        self.shelf().souls().filter_map(|(_, soul)| soul.in_force.clone()).collect()
    }

    /// Who an agent is: its soul, or a plain one while that is missing.
    pub(crate) fn worn(&self, agent: &Agent) -> Arc<SoulInForce> {
        let plain = || Arc::new(SoulInForce::plain(&agent.soul, &agent.name));
        self.in_force(&agent.soul).unwrap_or_else(plain)
    }

    /// The folders that any of the souls in force names, as it writes them.
    pub(crate) fn roots(&self) -> BTreeSet<String> {
        let shelf = self.shelf();
        let in_force = shelf.souls().filter_map(|(_, soul)| soul.in_force.as_ref());
        in_force.flat_map(|soul| soul.front.roots.iter().flatten().cloned()).collect()
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The next version with this text counts as coming from `source`.
    pub(crate) fn expect(&self, text: &str, source: SoulSource) {
        let hash = crate::souls::hash(text);
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).insert(hash, source);
    }

    fn source_of(&self, hash: &str) -> SoulSource {
        self.sources
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(hash)
            .unwrap_or(SoulSource::File)
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the folder and brings database, agents and groups up to date.
pub(crate) async fn look(shared: &Arc<Shared>) -> Result<(), Fault> {
    let keeper = &shared.souls;
    let _one_at_a_time = keeper.looking.lock().await;
    let folder = keeper.folder.clone();
    let found = tokio::task::spawn_blocking(move || folder.read())
        .await
        .map_err(|_| looking_stopped())??;
    let before = keeper.shelf().clone();
    let changes = found.changes(&before);
    if changes.is_empty() {
        return Ok(());
    }
    let mut after = before.clone();
    changes.iter().for_each(|change| after.apply(change));
    let news: Vec<News> = changes
        .iter()
        .map(|change| news(keeper, &before, &after, change, shared.now_ms()))
        .collect();
    let written: Vec<String> = changes.iter().map(|change| change.stem().to_owned()).collect();
    let spends_otherwise = changes.iter().any(|change| change.changes_budget(&before));
    let now = shared.now_ms();
    let with = shared.clone();
    let told = shared.store.write(Durability::Process, move |write| {
        tell(write, &news, now)?;
        // Turns begin on this thread too: the next one already has the new soul,
        // and whoever hears of it cannot be answered by the old one.
        *with.souls.shelf() = after;
        Ok(())
    });
    told.await.inspect_err(|_: &Fault| *keeper.shelf() = before)?;
    // Who has which skill stands in the souls.
    skills::tell(shared);
    named::tell(shared, &written);
    // And when they look by themselves.
    shared.schedules.changed.notify_one();
    // And what they may use: whoever has room now goes on.
    if spends_otherwise {
        budget::change(shared, |_| Ok(())).await?;
    }
    Ok(())
}

/// What one change means for the database.
struct News {
    stem: String,
    /// `None` when nothing is left of it.
    record: Option<Soul>,
    version: Option<(SoulVersion, Arc<SoulInForce>)>,
    /// What the soul was called before.
    former_name: Option<String>,
}

fn news(keeper: &Keeper, before: &Shelf, after: &Shelf, change: &Change, now: i64) -> News {
    let stem = change.stem();
    let version = match change {
        Change::NewVersion(soul) => {
            let stored = SoulVersion {
                soul: soul.stem.clone(),
                version: soul.version,
                hash: soul.hash.clone(),
                text: soul.text.clone(),
                source: keeper.source_of(&soul.hash),
                at_ms: now,
            };
            Some((stored, soul.clone()))
        }
        Change::Problem { .. }
        | Change::ProblemCleared { .. }
        | Change::Gone { .. }
        | Change::Back { .. }
        | Change::Forgotten { .. }
        | Change::Moved { .. } => None,
    };
    News {
        stem: stem.to_owned(),
        record: after.record(stem, keeper.folder.path(), now),
        version,
        former_name: before.in_force(stem).map(|soul| soul.front.name.clone()),
    }
}

fn tell(write: &mut Write<'_>, news: &[News], now: i64) -> Result<(), StoreError> {
    for News { stem, record, version, former_name } in news {
        match record {
            Some(record) => souls::put(write, record)?,
            None => souls::remove(write, stem)?,
        }
        if let Some((version, soul)) = version {
            souls::add_version(write, version)?;
            for agent in agents::with_soul(write, &soul.stem)? {
                change_agent(write, agent, soul, former_name.as_deref(), now)?;
            }
        }
    }
    Ok(())
}

/// The agent wears its new soul, and its groups say from where on.
fn change_agent(
    write: &mut Write<'_>,
    mut agent: Agent,
    soul: &SoulInForce,
    former_name: Option<&str>,
    now: i64,
) -> Result<(), StoreError> {
    rename(write, &mut agent, soul, former_name)?;
    dress(&mut agent, soul);
    agents::put(write, &agent)?;
    let changed = Notice::SoulChanged { agent: agent.id, version: soul.version };
    tell_groups(write, agent.id, &changed, now)
}

/// Whoever has its name of its soul has the new one's, if nobody else has that.
fn rename(
    read: &Read<'_>,
    agent: &mut Agent,
    soul: &SoulInForce,
    former_name: Option<&str>,
) -> Result<(), StoreError> {
    let named_by_soul = Some(agent.name.as_str()) == former_name;
    if named_by_soul
        && agent.name != soul.front.name
        && !lifecycle::is_name_taken(read, &soul.front.name, Some(agent.id))?
    {
        agent.name.clone_from(&soul.front.name);
    }
    Ok(())
}

/// The soul that the agent would have if this were saved as its text, and the agent as it
/// would be with it. Nothing is changed by that.
pub(crate) fn try_on(
    read: &Read<'_>,
    shared: &Shared,
    agent: &mut Agent,
    text: &str,
) -> Result<Arc<SoulInForce>, Fault> {
    let soul = SoulInForce::unsaved(&agent.soul, text).map_err(|problem| {
        let SoulProblem { line, column, message, .. } = problem;
        let place = format!("line {line}, column {column}");
        Fault::bad_input(
            format!("soul {} with this text, {place}: {message}", agent.soul),
            "correct the text",
        )
    })?;
    let former = shared.souls.in_force(&agent.soul);
    rename(read, agent, &soul, former.as_ref().map(|soul| soul.front.name.as_str()))?;
    dress(agent, &soul);
    Ok(Arc::new(soul))
}

/// Says of each agent whose soul is missing that it is a plain one until the soul is back.
/// At the start only: while we run, what was in force stays so, whatever becomes of its
/// file.
pub(crate) async fn tell_of_missing(shared: &Arc<Shared>) -> Result<(), Fault> {
    let living = shared.store.read(agents::living)?;
    let is_new = |agent: &Agent| agent.soul_version != 0;
    let without: Vec<Agent> = living
        .into_iter()
        .filter(|agent| is_new(agent) && shared.souls.in_force(&agent.soul).is_none())
        .collect();
    if without.is_empty() {
        return Ok(());
    }
    let now = shared.now_ms();
    let told = shared.store.write(Durability::Process, move |write| {
        for mut agent in without {
            agent.soul_version = 0;
            agents::put(write, &agent)?;
            let missing = Notice::SoulMissing { agent: agent.id, soul: agent.soul.clone() };
            tell_groups(write, agent.id, &missing, now)?;
        }
        Ok::<_, Fault>(())
    });
    told.await
}

/// In each of its groups where something was said.
fn tell_groups(
    write: &mut Write<'_>,
    agent: AgentId,
    notice: &Notice,
    now: i64,
) -> Result<(), StoreError> {
    for group in members::groups_of(write, agent)? {
        let is_post = groups::get(write, group)?.kind == GroupKind::Post;
        if !is_post && messages::last(write, group)?.is_some() {
            post::notice(write, group, notice.clone(), now)?;
        }
    }
    Ok(())
}

/// Copies onto the agent what people see of its soul.
pub(crate) fn dress(agent: &mut Agent, soul: &SoulInForce) {
    let front = &soul.front;
    agent.soul_version = soul.version;
    agent.role.clone_from(&front.role);
    agent.description.clone_from(&front.description);
    agent.language = front.language.clone().unwrap_or_else(|| "en".into());
    agent.avatar = front.avatar.clone().unwrap_or_else(|| front.name.clone());
}

/// Saves a text from the editor, and puts it in force if it is valid.
pub(crate) async fn save(
    shared: &Arc<Shared>,
    stem: String,
    text: String,
    base_hash: Option<String>,
    source: SoulSource,
) -> Result<Soul, Fault> {
    let stem = shared.souls.shelf().name_of(&stem);
    is_usable(shared, &stem, "save")?;
    shared.souls.expect(&text, source);
    let (folder, name, to_save) = (shared.souls.folder.clone(), stem.clone(), text.clone());
    let saving = move || folder.save(&name, &to_save, base_hash.as_deref());
    let saved = tokio::task::spawn_blocking(saving).await.map_err(|_| looking_stopped())?;
    if let Err(error) = saved {
        shared.souls.source_of(&crate::souls::hash(&text));
        return Err(error.into());
    }
    look(shared).await?;
    let soul = shared.store.read(|read| souls::get(read, &stem))?;
    soul.ok_or_else(|| unknown(&stem))
}

/// Nothing is done to a file of which nothing can be read.
fn is_usable(shared: &Shared, stem: &str, doing: &str) -> Result<(), Fault> {
    let record = shared.souls.shelf().record(stem, shared.souls.folder.path(), 0);
    if let Some(soul) = record
        && let SoulStanding::Unusable(_) = soul.standing()
        && let Some((why, fix)) = not_in_force(&soul)
    {
        let fix = format!("{fix}, then {doing} again");
        return Err(Fault::bad_input(format!("{doing} soul {stem}: {why}"), fix)
            .of(FaultKind::SoulUnusable { name: stem.to_owned() }));
    }
    Ok(())
}

/// Writes an earlier version into the file again; it becomes the newest.
pub(crate) async fn roll_back(
    shared: &Arc<Shared>,
    stem: String,
    version: i64,
) -> Result<Soul, Fault> {
    let stem = shared.souls.shelf().name_of(&stem);
    let found = shared.store.read(|read| {
        let soul = souls::get(read, &stem)?;
        Ok::<_, StoreError>((soul, souls::version(read, &stem, version)?))
    })?;
    let (Some(soul), Some(version)) = found else {
        return Err(Fault::not_found(
            format!("soul {stem} has no version {version}"),
            format!("coterie soul history {stem} lists its versions"),
        )
        .of(FaultKind::SoulVersionUnknown { name: stem, version }));
    };
    save(shared, stem, version.text, soul.file_hash, SoulSource::Rollback).await
}

/// A soul with the text that is in its file now.
pub(crate) fn detail(shared: &Shared, stem: &str) -> Result<SoulDetail, Fault> {
    let stem = &shared.souls.shelf().name_of(stem);
    let (soul, versions) = shared.store.read(|read| {
        Ok::<_, StoreError>((souls::get(read, stem)?, souls::versions(read, stem)?))
    })?;
    let soul = soul.ok_or_else(|| unknown(stem))?;
    let soul = named::Known::of(shared)?.looked_up(shared, soul);
    let in_force = || shared.souls.in_force(stem).map(|soul| soul.text.clone());
    let file = shared.souls.shelf().file(stem).map(str::to_owned);
    let in_file = file.and_then(|file| shared.souls.folder.text(&file));
    let text = match in_file.or_else(in_force) {
        Some(text) => text,
        // Of one that was deleted.
        None => {
            shared.store.read(|read| newest(read, &soul))?.map(|kept| kept.text).unwrap_or_default()
        }
    };
    Ok(SoulDetail { soul, text, versions })
}

/// A soul that an agent can be made of.
pub(crate) fn to_wear(shared: &Shared, wanted: &str) -> Result<Arc<SoulInForce>, Fault> {
    let shelf = shared.souls.shelf();
    let stem = shelf.name_of(wanted);
    if let Some(soul) = shelf.in_force(&stem) {
        return Ok(soul.clone());
    }
    let record = shelf.record(&stem, shared.souls.folder.path(), 0);
    let record = record.filter(|soul| soul.standing() != SoulStanding::Deleted);
    let record = record.ok_or_else(|| unknown(wanted))?;
    let (why, fix) = not_in_force(&record).unwrap_or_default();
    let what = format!("no agent can be made of {stem} yet: {why}");
    Err(Fault::bad_input(what, format!("{fix}, then make the agent"))
        .of(FaultKind::SoulNeverInForce { name: stem }))
}

/// Why what is in a soul's file is not in force, and what to do about it.
pub(crate) fn not_in_force(soul: &Soul) -> Option<(String, &'static str)> {
    match soul.standing() {
        SoulStanding::InForce => None,
        SoulStanding::Wrong(at) => Some((
            format!("{}:{}:{}: {}", soul.path, at.line, at.column, at.message),
            "correct the file",
        )),
        SoulStanding::Unusable(problem) => {
            Some((format!("{}: {}", soul.path, problem.message), "put that right"))
        }
        SoulStanding::Gone => Some((format!("{} is gone", soul.path), "put the file back")),
        // That is how the person wants it.
        SoulStanding::Deleted => None,
    }
}

fn newest(read: &Read<'_>, soul: &Soul) -> Result<Option<SoulVersion>, StoreError> {
    souls::version(read, &soul.name, soul.version)
}

pub(crate) fn unknown(stem: &str) -> Fault {
    Fault::not_found(format!("there is no soul called {stem}"), "coterie soul list names them all")
        .of(FaultKind::SoulUnknown { name: stem.to_owned() })
}

fn looking_stopped() -> Fault {
    Fault::new(domain::FaultCode::Internal, "looking at the souls was interrupted", "try again")
}
