//! An index of texts that stand in the database: opened when somebody needs it,
//! brought up to date from there, and thrown away whenever it is of no use. A file
//! of it that is damaged or deleted while it is open makes it of no use too.
//!
//! What its texts are and when they change is said by whoever keeps it.

mod damage;

use crate::shared::Shared;
use damage::Damage;
use domain::{Fault, FaultCode};
use search::{Index, Item, Opened};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;
use tokio::sync::Notify;

/// How many times something was read before it is made durable, which reads anew
/// what is known of all texts.
const READ_BEFORE_COMMIT: u32 = 20;

/// Opens what is in a folder, or makes an empty index there.
type Open = dyn Fn(&Path) -> Result<Opened, search::Error> + Send + Sync;

pub(crate) struct Derived {
    folder: PathBuf,
    open: RwLock<Arc<Open>>,
    /// What a person can do when it cannot be used.
    fix: &'static str,
    /// Held for writing by whoever throws it away, so that nobody is at it then.
    held: RwLock<Option<Held>>,
    /// Held while it is brought up to date.
    catching_up: Mutex<()>,
    damage: Mutex<Damage>,
    pub(crate) changed: Arc<Notify>,
}

struct Held {
    index: Index,
    /// Why it was empty when it was opened, if it should not have been.
    made_again: Option<String>,
}

/// What an index lacks next of the changes that its texts have gone through.
#[derive(Default)]
pub(crate) struct Lacking {
    /// The number of the last change that there is.
    pub(crate) last: u64,
    /// The number of the last change among these; `None` when it lacks nothing.
    pub(crate) upto: Option<u64>,
    pub(crate) put: Vec<Item>,
    /// The keys of what is not to be found any more.
    pub(crate) gone: Vec<u64>,
    /// The keys of what has a vector that is not of its words.
    pub(crate) stale: Vec<u64>,
}

impl Derived {
    pub(crate) fn new(
        folder: PathBuf,
        fix: &'static str,
        open: impl Fn(&Path) -> Result<Opened, search::Error> + Send + Sync + 'static,
    ) -> Derived {
        Derived {
            folder,
            open: RwLock::new(Arc::new(open)),
            fix,
            held: RwLock::new(None),
            catching_up: Mutex::new(()),
            damage: Mutex::default(),
            changed: Arc::default(),
        }
    }

    /// How many texts there are in it, how many of them have a vector, and why it
    /// was made again. Blocks.
    pub(crate) fn standing(&self) -> Result<(usize, usize, Option<String>), Fault> {
        self.with_held(|Held { index, made_again }| {
            let (texts, without) = index.count();
            Ok((texts, texts - without, made_again.clone()))
        })
    }

    /// Throws it away because somebody wants it so; whoever keeps it in step makes it
    /// again. Blocks.
    pub(crate) fn rebuild(&self) -> Result<(), Fault> {
        *self.damage() = Damage::default();
        self.throw_away()
    }

    /// Blocks.
    fn throw_away(&self) -> Result<(), Fault> {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(Held { index, .. }) = held.take() {
            // What still writes in the background ends first, whatever comes of it.
            if let Err(error) = index.rest() {
                tracing::warn!(%error, "the search index ends while it is written");
            }
        }
        match std::fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let path = self.folder.display();
                let fix = "close every Coterie, delete the folder and start again";
                Err(Fault::new(FaultCode::Storage, format!("{path}: {error}"), fix))
            }
            Ok(()) | Err(_) => {
                self.changed.notify_one();
                Ok(())
            }
        }
    }

    /// Puts in what it lacks; `lacking` says what came after a change. Blocks.
    pub(crate) fn catch_up(
        &self,
        lacking: impl Fn(u64) -> Result<Lacking, Fault>,
    ) -> Result<(), Fault> {
        let _catching_up = self.catching_up.lock().unwrap_or_else(PoisonError::into_inner);
        if self.was_deleted() || self.damage().is_to_go(Instant::now()) {
            self.throw_away()?;
        }
        loop {
            match self.with(|index| self.caught_up(index, &lacking)) {
                Ok(true) => return Ok(()),
                Ok(false) => self.throw_away()?,
                Err(_) if self.damage().is_to_go(Instant::now()) => self.throw_away()?,
                Err(fault) => return Err(fault),
            }
        }
    }

    /// False for an index of another database: a backup was put back.
    fn caught_up(
        &self,
        index: &Index,
        lacking: impl Fn(u64) -> Result<Lacking, Fault>,
    ) -> Result<bool, Fault> {
        let mut since = index.upto().map_err(|error| self.unusable(&error))?;
        let owed = || if index.owes_purge()? { index.purge() } else { Ok(()) };
        owed().map_err(|error| self.unusable(&error))?;
        let (mut read, mut any_gone) = (0, false);
        loop {
            let Lacking { last, upto, put, gone, stale } = lacking(since)?;
            if since > last {
                return Ok(false);
            }
            if upto.is_some() {
                any_gone |= !gone.is_empty();
                let enter = || {
                    index.put(&put)?;
                    fail::fail_point!("index.written");
                    index.remove(&gone)?;
                    index.remove_vectors(&[stale, gone.clone()].concat())
                };
                enter().map_err(|error| self.unusable(&error))?;
                since = upto.unwrap_or(since);
                read += 1;
            }
            let is_full = read == READ_BEFORE_COMMIT;
            if is_full || (upto.is_none() && read > 0) {
                let keep = || {
                    if !any_gone {
                        return index.commit(since);
                    }
                    index.commit_to_purge(since)?;
                    index.purge()
                };
                keep().map_err(|error| self.unusable(&error))?;
                (read, any_gone) = (0, false);
            }
            if upto.is_none() {
                return Ok(true);
            }
        }
    }

    /// Whether somebody has deleted it while it was open.
    fn was_deleted(&self) -> bool {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.is_some() && !self.folder.exists()
    }

    /// Gives back what is held for writing. Blocks.
    pub(crate) fn rest(&self) {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(error)) = held.as_ref().map(|held| held.index.rest()) {
            tracing::warn!(%error, "the search index keeps what it holds for writing");
        }
    }

    /// Gives back all that is held; it is opened again when somebody needs it. Blocks.
    pub(crate) fn close(&self) {
        self.rest();
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Is opened in another way from now on. Blocks.
    pub(crate) fn open_with(
        &self,
        open: impl Fn(&Path) -> Result<Opened, search::Error> + Send + Sync + 'static,
    ) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(open);
        self.close();
    }

    /// Does something with the index, which is opened for it if need be.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&Index) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.with_held(|held| work(&held.index))
    }

    fn with_held<T>(&self, work: impl FnOnce(&Held) -> Result<T, Fault>) -> Result<T, Fault> {
        loop {
            let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(held) = &*held {
                return work(held);
            }
            drop(held);
            let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
            if held.is_none() {
                *held = Some(self.opened()?);
            }
        }
    }

    fn opened(&self) -> Result<Held, Fault> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner).clone();
        let found = open(&self.folder).map_err(|error| self.unusable(&error))?;
        let lost = found.texts_lost.or(found.vectors_lost);
        let made_again = lost.or_else(|| self.damage().why());
        if let Some(why) = &made_again {
            tracing::warn!("the search index is made again: {why}");
        }
        Ok(Held { index: found.index, made_again })
    }

    /// What somebody is told who wanted something of it. What is damaged goes when it
    /// is brought up to date next, which is soon.
    pub(crate) fn unusable(&self, error: &search::Error) -> Fault {
        if !error.is_damage() {
            return Fault::new(FaultCode::Storage, error.to_string(), self.fix);
        }
        let why = damage::in_short(&error.to_string());
        if self.damage().found(&why) {
            tracing::warn!("the search index is damaged: {why}");
            self.changed.notify_one();
        }
        Fault::new(FaultCode::Storage, format!("the search index is damaged: {why}"), self.fix)
    }

    fn damage(&self) -> MutexGuard<'_, Damage> {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// On a thread that may wait.
pub(crate) async fn blocking<T: Send + 'static>(
    shared: &Arc<Shared>,
    work: impl FnOnce(&Shared) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let with = shared.clone();
    let done = tokio::task::spawn_blocking(move || work(&with)).await;
    done.unwrap_or_else(|error| {
        Err(Fault::new(FaultCode::Internal, error.to_string(), "report this"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::Query;
    use std::fs;
    use tempfile::TempDir;

    const FIX: &str = "delete it";

    fn derived(folder: &TempDir) -> Derived {
        Derived::new(folder.path().join("index"), FIX, Index::open_words)
    }

    fn text(key: u64, text: &str) -> Item {
        Item { key, pool: 1, kind: 0, at_ms: 0, turn: None, text: text.into() }
    }

    /// A database of these changes, one after the other: a text, or that it is gone.
    fn database(changes: &[(u64, Option<&str>)]) -> impl Fn(u64) -> Result<Lacking, Fault> {
        move |since| {
            let mut lacking = Lacking { last: changes.len() as u64, ..Lacking::default() };
            if let Some((key, now)) = changes.get(since as usize) {
                lacking.upto = Some(since + 1);
                match now {
                    Some(words) => lacking.put.push(text(*key, words)),
                    None => lacking.gone.push(*key),
                }
            }
            Ok(lacking)
        }
    }

    fn found(derived: &Derived, words: &str) -> Vec<u64> {
        let hits = derived.with(|index| {
            index.search(&Query::new(words)).map_err(|error| derived.unusable(&error))
        });
        hits.unwrap().iter().map(|hit| hit.key).collect()
    }

    /// The files that words are written in.
    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
        files.filter(|path| path.extension().is_some_and(|kind| kind == "term")).collect()
    }

    #[test]
    fn what_is_gone_from_the_database_leaves_the_index_and_its_files() {
        let folder = TempDir::new().unwrap();
        let derived = derived(&folder);
        let said = [(1, Some("tea with zanzibar")), (2, Some("tea with milk"))];
        derived.catch_up(database(&said)).unwrap();
        assert_eq!((found(&derived, "tea").len(), found(&derived, "zanzibar")), (2, vec![1]));
        let before = files(folder.path());
        assert!(!before.is_empty());
        let [first, second] = said;
        derived.catch_up(database(&[first, second, (1, None)])).unwrap();
        assert_eq!((found(&derived, "tea"), found(&derived, "zanzibar").len()), (vec![2], 0));
        derived.close();
        assert!(files(folder.path()).iter().all(|file| !before.contains(file)), "written anew");
    }

    #[test]
    fn words_that_a_kill_left_behind_go_at_the_next_start() {
        let folder = TempDir::new().unwrap();
        let said = [(1, Some("tea with zanzibar")), (2, Some("tea with milk"))];
        let all = [said[0], said[1], (1, None)];
        let before = {
            let derived = derived(&folder);
            derived.catch_up(database(&said)).unwrap();
            // As far as a process comes that ends before it has written them out.
            derived
                .with(|index| {
                    index.remove(&[1]).and_then(|()| index.commit_to_purge(3)).unwrap();
                    Ok(())
                })
                .unwrap();
            derived.close();
            files(folder.path())
        };
        let derived = derived(&folder);
        derived.catch_up(database(&all)).unwrap();
        assert_eq!((found(&derived, "tea"), found(&derived, "zanzibar").len()), (vec![2], 0));
        assert!(!derived.with(|index| Ok(index.owes_purge().unwrap())).unwrap());
        derived.close();
        assert!(files(folder.path()).iter().all(|file| !before.contains(file)), "written anew");
    }

    #[test]
    fn more_changes_than_are_read_before_a_commit_are_all_found() {
        let folder = TempDir::new().unwrap();
        let derived = derived(&folder);
        let many: Vec<_> =
            (0..READ_BEFORE_COMMIT as u64 * 2 + 3).map(|n| (n, Some("tea"))).collect();
        derived.catch_up(database(&many)).unwrap();
        assert_eq!(derived.standing().unwrap().0, many.len());
        assert_eq!(derived.with(|index| Ok(index.upto().unwrap())).unwrap(), many.len() as u64);
    }

    #[test]
    fn an_index_that_is_deleted_while_it_is_open_or_is_of_another_database_is_filled_anew() {
        let folder = TempDir::new().unwrap();
        let derived = derived(&folder);
        let said = [(1, Some("red apples")), (2, Some("green apples"))];
        derived.catch_up(database(&said)).unwrap();
        fs::remove_dir_all(folder.path().join("index")).unwrap();
        derived.catch_up(database(&said)).unwrap();
        assert_eq!(found(&derived, "apples").len(), 2);
        derived.catch_up(database(&[(7, Some("blue plums"))])).unwrap();
        assert_eq!((found(&derived, "apples").len(), found(&derived, "plums")), (0, vec![7]));
    }

    /// The file without which nothing of the words can be read.
    fn list(folder: &TempDir) -> PathBuf {
        folder.path().join("index/text-4/meta.json")
    }

    #[test]
    fn a_file_that_is_damaged_or_deleted_while_it_is_open_has_it_filled_anew() {
        let folder = TempDir::new().unwrap();
        let said = [(1, Some("red apples")), (2, Some("green apples"))];
        let damages: [fn(&Path); 2] = [
            |path| fs::write(path, "{".repeat(2_000)).unwrap(),
            |path| fs::remove_file(path).unwrap(),
        ];
        for damage in damages {
            let derived = derived(&folder);
            derived.catch_up(database(&said[..1])).unwrap();
            damage(&list(&folder));
            derived.catch_up(database(&said)).unwrap();
            assert_eq!(found(&derived, "apples"), [1, 2]);
            let why = derived.standing().unwrap().2.expect("it was made again");
            assert!(why.chars().count() < 300, "{why}");
            derived.close();
        }
    }

    #[test]
    fn one_that_is_damaged_over_and_over_is_not_filled_anew_each_time() {
        let folder = TempDir::new().unwrap();
        let derived = derived(&folder);
        let said = [(1, Some("red apples")), (2, Some("green apples"))];
        derived.catch_up(database(&said[..1])).unwrap();
        fs::remove_file(list(&folder)).unwrap();
        derived.catch_up(database(&said[..1])).unwrap();
        fs::remove_file(list(&folder)).unwrap();
        let fault = derived.catch_up(database(&said)).unwrap_err();
        assert_eq!((fault.code, fault.fix.as_str()), (FaultCode::Storage, FIX));
        assert!(fault.message.starts_with("the search index is damaged: "), "{}", fault.message);
        // Who wants it so need not wait.
        derived.rebuild().unwrap();
        derived.catch_up(database(&said)).unwrap();
        assert_eq!(found(&derived, "apples"), [1, 2]);
    }

    #[test]
    fn one_that_cannot_be_opened_says_what_to_do() {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("index"), "in the way").unwrap();
        let fault = derived(&folder).catch_up(database(&[])).unwrap_err();
        assert_eq!((fault.code, fault.fix.as_str()), (FaultCode::Storage, FIX));
    }
}
