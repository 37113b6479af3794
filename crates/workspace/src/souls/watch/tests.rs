//! The real watcher on a real folder, saved to in the ways that editors do.

use super::*;
use crate::souls::{Folder, Shelf};
use std::fs;
use std::sync::Mutex;
use tempfile::TempDir;

/// A desk that looks whenever it is told to, as the workspace does.
struct Desk {
    directory: TempDir,
    folder: Folder,
    shelf: Shelf,
    looks: mpsc::Receiver<()>,
    watch: Watch,
}

fn soul(role: &str) -> String {
    format!("---\nrole: {role}\n---\nYou are Ada.\n")
}

impl Desk {
    async fn open() -> Desk {
        let directory = tempfile::tempdir().unwrap();
        let folder = Folder::open(directory.path().join("souls")).unwrap();
        fs::write(folder.file("ada"), soul("first")).unwrap();
        let (watch, looks) = Watch::start(folder.path().to_owned());
        let mut desk = Desk { directory, folder, shelf: Shelf::default(), looks, watch };
        desk.until_role("first").await;
        desk
    }

    async fn until(&mut self, what: &str, true_now: impl Fn(&Shelf) -> bool) {
        let waiting = async {
            while !true_now(&self.shelf) {
                self.looks.recv().await.expect("the watch lives as long as the desk");
                for change in self.folder.read().unwrap().changes(&self.shelf) {
                    self.shelf.apply(&change);
                }
            }
        };
        // So that a watcher that sees nothing fails with words instead of hanging.
        let in_time = tokio::time::timeout(Duration::from_secs(30), waiting).await;
        assert!(in_time.is_ok(), "waited in vain until {what}");
    }

    async fn until_role(&mut self, role: &str) {
        let in_force =
            |shelf: &Shelf| shelf.in_force("ada").is_some_and(|soul| soul.front.role == role);
        self.until(role, |shelf| {
            in_force(shelf) && shelf.get("ada").is_some_and(|soul| soul.problem().is_none())
        })
        .await;
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

#[tokio::test]
async fn a_file_written_in_place_is_seen() {
    let mut desk = Desk::open().await;
    fs::write(desk.path("ada.md"), soul("second")).unwrap();
    desk.until_role("second").await;
}

#[tokio::test]
async fn a_file_renamed_over_the_old_one_is_seen() {
    let mut desk = Desk::open().await;
    for role in ["second", "third", "fourth"] {
        fs::write(desk.path(".ada.md.tmp"), soul(role)).unwrap();
        fs::rename(desk.path(".ada.md.tmp"), desk.path("ada.md")).unwrap();
        desk.until_role(role).await;
    }
}

#[tokio::test]
async fn a_save_the_way_of_vi_is_seen() {
    let mut desk = Desk::open().await;
    for role in ["second", "third"] {
        fs::write(desk.path("4913"), "").unwrap();
        fs::remove_file(desk.path("4913")).unwrap();
        fs::rename(desk.path("ada.md"), desk.path("ada.md~")).unwrap();
        fs::write(desk.path("ada.md"), soul(role)).unwrap();
        fs::remove_file(desk.path("ada.md~")).unwrap();
        desk.until_role(role).await;
    }
}

#[tokio::test]
async fn our_own_save_is_seen() {
    let mut desk = Desk::open().await;
    let base = desk.shelf.in_force("ada").unwrap().hash.clone();
    desk.folder.save("ada", &soul("second"), Some(&base)).unwrap();
    desk.until_role("second").await;
}

#[tokio::test]
async fn half_a_save_leaves_the_old_soul_in_force_until_the_rest_comes() {
    use std::io::Write;
    let mut desk = Desk::open().await;
    let whole = soul("second");
    let (begin, rest) = whole.split_at(12);
    let mut file = fs::File::create(desk.path("ada.md")).unwrap();
    file.write_all(begin.as_bytes()).unwrap();
    let has_problem = |shelf: &Shelf| shelf.get("ada").is_some_and(|soul| soul.problem().is_some());
    desk.until("half a file is a problem", has_problem).await;
    assert_eq!(desk.shelf.in_force("ada").unwrap().front.role, "first");
    file.write_all(rest.as_bytes()).unwrap();
    desk.until_role("second").await;
}

#[tokio::test]
async fn a_file_deleted_and_made_again_is_seen() {
    let mut desk = Desk::open().await;
    fs::remove_file(desk.path("ada.md")).unwrap();
    desk.until("the file is gone", |shelf| {
        shelf.get("ada").is_some_and(|soul| soul.file_hash().is_none())
    })
    .await;
    assert_eq!(desk.shelf.in_force("ada").unwrap().front.role, "first");
    fs::write(desk.path("ada.md"), soul("second")).unwrap();
    desk.until_role("second").await;
}

#[tokio::test]
async fn a_folder_moved_away_and_made_again_is_watched_again() {
    let mut desk = Desk::open().await;
    fs::rename(desk.folder.path(), desk.directory.path().join("elsewhere")).unwrap();
    desk.until("the folder is gone", |shelf| {
        shelf.get("ada").is_some_and(|soul| soul.file_hash().is_none())
    })
    .await;
    fs::create_dir(desk.folder.path()).unwrap();
    fs::write(desk.path("ada.md"), soul("second")).unwrap();
    desk.until_role("second").await;
    fs::write(desk.path("ada.md"), soul("third")).unwrap();
    desk.until_role("third").await;
}

#[tokio::test]
async fn the_signals_end_with_the_watch() {
    let Desk { watch, mut looks, .. } = Desk::open().await;
    drop(watch);
    while looks.recv().await.is_some() {}
}

#[tokio::test]
async fn where_watching_is_impossible_there_is_a_look_at_every_tick_until_it_works() {
    let tries = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&tries);
    let (_watch, mut looks) =
        Watch::start_with(PathBuf::from("/souls"), Duration::from_millis(1), move |_, _| {
            let mut tries = counted.lock().unwrap();
            *tries += 1;
            if *tries < 5 {
                Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch))
            } else {
                Ok(())
            }
        });
    while *tries.lock().unwrap() < 5 {
        looks.recv().await.expect("the watch goes on");
    }
}

#[test]
fn reading_a_file_asks_for_no_look() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("ada.md"), soul("first")).unwrap();
    let (events, seen) = std::sync::mpsc::channel();
    let _watching = debounce(directory.path(), events).unwrap();
    fs::read_to_string(directory.path().join("ada.md")).unwrap();
    fs::read_dir(directory.path()).unwrap().count();
    // Events keep their order: when this one is there, the others would be too.
    fs::write(directory.path().join("bo.md"), "").unwrap();
    let names: Vec<PathBuf> =
        seen.recv().unwrap().unwrap().into_iter().map(|event| event.path).collect();
    assert_eq!(names, [directory.path().join("bo.md")]);
}

#[test]
fn an_overflow_makes_itself_known() {
    let (events, seen) = std::sync::mpsc::channel();
    let handler = move |event: notify::Result<Event>| events.send(event.unwrap()).unwrap();
    let mut handle = only_writes(handler, Arc::new(OnceLock::from(PathBuf::from("/souls"))));
    handle(Ok(Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan)));
    handle(Ok(Event::new(EventKind::Access(AccessKind::Open(AccessMode::Any)))));
    drop(handle);
    let paths: Vec<Vec<PathBuf>> = seen.into_iter().map(|event| event.paths).collect();
    assert_eq!(paths, [[PathBuf::from("/souls")]]);
}
