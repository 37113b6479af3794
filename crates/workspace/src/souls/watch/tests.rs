//! The real watcher on a real folder, saved to in the ways that editors do.

use super::*;
use crate::souls::{Folder, Shelf, sweep};
use notify::RecursiveMode;
use std::fs;
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
        let (watch, looks) = Watch::start(folder.path().to_owned(), Watched::Souls);
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
        let in_time = timeout(Duration::from_secs(30), waiting).await;
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
    let (_watch, mut looks) = Watch::start_with(
        PathBuf::from("/souls"),
        Watched::Souls,
        Duration::from_millis(1),
        move |_, _| {
            let mut tries = counted.lock().unwrap();
            *tries += 1;
            if *tries < 5 {
                Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch))
            } else {
                Ok(())
            }
        },
    );
    while *tries.lock().unwrap() < 5 {
        looks.recv().await.expect("the watch goes on");
    }
}

/// The real watcher, and what it tells of.
fn listening(folder: &Path) -> (RecommendedWatcher, std::sync::mpsc::Receiver<Event>) {
    let (events, seen) = std::sync::mpsc::channel();
    let handler = move |event: notify::Result<Event>| events.send(event.unwrap()).unwrap();
    let mut watcher = RecommendedWatcher::new(handler, Config::default()).unwrap();
    watcher.watch(folder, RecursiveMode::NonRecursive).unwrap();
    (watcher, seen)
}

#[test]
fn reading_a_file_asks_for_no_look() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("ada.md"), soul("first")).unwrap();
    let (_watching, seen) = listening(directory.path());
    fs::read_to_string(path("ada.md")).unwrap();
    fs::read_dir(directory.path()).unwrap().count();
    // Events keep their order: when this one is there, the others would be too.
    fs::write(path("bo.md"), "").unwrap();
    let looked_for = seen
        .into_iter()
        .find(|event| meaning(event, Watched::Souls, directory.path()) != Meaning::Nothing);
    assert_eq!(looked_for.map(|event| event.paths), Some(vec![path("bo.md")]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_soul_is_open_from_its_first_piece_until_its_writer_closes_it() {
    use std::io::Write;
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let (_watching, seen) = listening(directory.path());
    let mut open = HashSet::new();
    let mut after = |name: &str| {
        // This one marks how far the events have come.
        fs::create_dir(path(name)).unwrap();
        for event in &seen {
            note(&event, Watched::Souls, &mut open);
            if event.paths == [path(name)] {
                break;
            }
        }
        open.iter().cloned().collect::<Vec<_>>()
    };
    let mut file = fs::File::create(path("ada.md")).unwrap();
    for piece in ["---\nrole: sec", "ond\n---\nYou are Ada.\n"] {
        file.write_all(piece.as_bytes()).unwrap();
        assert_eq!(after(&format!("after {}", piece.len())), [path("ada.md")]);
    }
    // What an editor keeps for itself stays open as long as the editor.
    let mut swap = fs::File::create(path(".ada.md.swp")).unwrap();
    swap.write_all(b"kept").unwrap();
    drop(file);
    assert_eq!(after("closed"), [] as [PathBuf; 0]);
    fs::write(path("bo.md"), soul("first")).unwrap();
    assert_eq!(after("saved"), [] as [PathBuf; 0]);
}

/// A watch whose events are made by hand, after its first look.
async fn by_hand() -> (Watch, mpsc::Receiver<()>, Bell) {
    let (bells, mut given) = mpsc::unbounded_channel();
    let (watch, mut looks) = Watch::start_with(
        PathBuf::from("/souls"),
        Watched::Souls,
        Watched::Souls.tick(),
        move |_, bell| {
            bells.send(bell).unwrap();
            Ok(())
        },
    );
    let bell = given.recv().await.expect("it is armed");
    looks.recv().await.expect("the first look");
    (watch, looks, bell)
}

async fn is_left_alone(looks: &mut mpsc::Receiver<()>, for_so_long: Duration) -> bool {
    timeout(for_so_long, looks.recv()).await.is_err()
}

const MOMENT: Duration = Duration::from_millis(1);

#[tokio::test(start_paused = true)]
async fn a_save_is_looked_at_when_it_has_been_quiet_for_a_moment() {
    let (_watch, mut looks, bell) = by_hand().await;
    for _ in 0..5 {
        bell.stir();
        assert!(is_left_alone(&mut looks, QUIET - MOMENT).await);
    }
    assert!(!is_left_alone(&mut looks, 2 * MOMENT).await);
}

#[tokio::test(start_paused = true)]
async fn a_writer_who_pauses_in_the_middle_is_waited_for_and_not_for_ever() {
    let (_watch, mut looks, bell) = by_hand().await;
    bell.open().insert(PathBuf::from("/souls/ada.md"));
    for _ in 0..5 {
        bell.stir();
        assert!(is_left_alone(&mut looks, PATIENCE - MOMENT).await, "looked at half a soul");
    }
    assert!(!is_left_alone(&mut looks, 2 * MOMENT).await, "nobody looked at what was left open");

    bell.stir();
    assert!(is_left_alone(&mut looks, PATIENCE - MOMENT).await);
    bell.open().clear();
    bell.stir();
    assert!(!is_left_alone(&mut looks, QUIET + MOMENT).await, "a closed file need not wait");
}

#[tokio::test(start_paused = true)]
async fn where_it_never_becomes_quiet_there_is_a_look_all_the_same() {
    let (_watch, mut looks, bell) = by_hand().await;
    let begun = Instant::now();
    while is_left_alone(&mut looks, QUIET / 2).await {
        bell.stir();
        assert!(begun.elapsed() <= LONGEST + QUIET);
    }
}

#[test]
fn an_overflow_makes_itself_known() {
    let folder = Path::new("/souls");
    let overflow = Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan);
    assert_eq!(meaning(&overflow, Watched::Souls, folder), Meaning::Lost);
    let opened = Event::new(EventKind::Access(AccessKind::Open(AccessMode::Any)));
    assert_eq!(
        meaning(&opened.add_path(folder.join("ada.md")), Watched::Souls, folder),
        Meaning::Nothing
    );
    let moved = Event::new(EventKind::Remove(notify::event::RemoveKind::Folder));
    assert_eq!(meaning(&moved.add_path(folder.to_owned()), Watched::Souls, folder), Meaning::Lost);
}

#[test]
fn what_is_meant_as_no_soul_asks_for_no_look() {
    let folder = Path::new("/souls");
    let written = |file: &str| {
        let data = EventKind::Modify(ModifyKind::Data(notify::event::DataChange::Any));
        meaning(&Event::new(data).add_path(folder.join(file)), Watched::Souls, folder)
    };
    for file in [".ada.md.swp", "ada.md~", "4913", "notes.txt", ".#ada.md"] {
        assert_eq!(written(file), Meaning::Nothing, "{file}");
    }
    for file in ["ada.md", "Ada Lovelace.md", "林夏.md"] {
        assert_eq!(written(file), Meaning::Stir, "{file}");
    }
    let renamed = EventKind::Modify(ModifyKind::Name(notify::event::RenameMode::Both));
    let renamed = Event::new(renamed).add_path(folder.join("4913")).add_path(folder.join("ada.md"));
    assert_eq!(meaning(&renamed, Watched::Souls, folder), Meaning::Stir);
}

/// Written to where no watch of the folder sees it.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_file_that_is_written_to_through_another_folder_is_looked_at() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("souls");
    let elsewhere = directory.path().join("elsewhere.md");
    fs::create_dir(&folder).unwrap();
    fs::write(&elsewhere, soul("first")).unwrap();
    fs::hard_link(&elsewhere, folder.join("ada.md")).unwrap();
    // Armed, and deaf: only the sweep can find anything.
    let (_watch, mut looks) =
        Watch::start_with(folder, Watched::Souls, Watched::Souls.tick(), |_, _| Ok(()));
    while !is_left_alone(&mut looks, 10 * sweep::EVERY).await {}

    fs::write(&elsewhere, soul("second")).unwrap();
    assert!(!is_left_alone(&mut looks, 3 * sweep::EVERY).await, "nobody noticed");
    assert!(is_left_alone(&mut looks, 100 * sweep::EVERY).await, "once is enough");

    // The same size, and the time of the last change put back.
    let before = fs::metadata(&elsewhere).unwrap().modified().unwrap();
    fs::write(&elsewhere, soul("sECOND")).unwrap();
    fs::File::options().write(true).open(&elsewhere).unwrap().set_modified(before).unwrap();
    assert!(!is_left_alone(&mut looks, 3 * sweep::EVERY).await, "nobody noticed");
}

#[tokio::test(start_paused = true)]
async fn whoever_writes_in_pieces_through_another_folder_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().to_owned();
    let (_watch, mut looks) =
        Watch::start_with(folder.clone(), Watched::Souls, Watched::Souls.tick(), |_, _| Ok(()));
    while !is_left_alone(&mut looks, 10 * sweep::EVERY).await {}
    for pieces in 1..5 {
        fs::write(folder.join("ada.md"), soul(&"piece ".repeat(pieces))).unwrap();
        // What an editor keeps for itself is nobody's business.
        fs::write(folder.join(".ada.md.swp"), "x".repeat(pieces)).unwrap();
        assert!(is_left_alone(&mut looks, sweep::EVERY).await, "looked at half a soul");
    }
    assert!(!is_left_alone(&mut looks, 3 * sweep::EVERY).await);
}
