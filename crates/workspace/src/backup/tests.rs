//! What is no whole backup, at each byte, and what comes of one that is.

use super::parts::{self, FORMAT, HEAD, Head, LIST, SEAL};
use super::restore::{put_in_place, restore_unopened};
use super::{pack, unpack};
use crate::Places;
use domain::{Fault, FaultKind};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use store::Store;
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

/// A workspace with a database and a soul, and a backup of it.
struct Made {
    folder: TempDir,
    bytes: Vec<u8>,
}

impl Made {
    fn new() -> Made {
        Made::of(store::schema(), "0.1.0")
    }

    /// As some other Coterie makes it.
    fn of(schema: usize, version: &str) -> Made {
        let folder = TempDir::new().unwrap();
        let data = folder.path().join("data");
        fs::create_dir_all(data.join("souls")).unwrap();
        fs::write(data.join("souls/ada.md"), "You are Ada.\n").unwrap();
        let database = data.join("coterie.db");
        let (store, _) = Store::open(&database, |_| {}).unwrap();
        store.tidy_up().unwrap();
        drop(store);
        let (found, left_out) = parts::find(&data, &database).unwrap_or_else(|_| panic!("found"));
        assert_eq!(left_out, 0);
        let version = version.to_owned();
        let head = Head { format: FORMAT, version, schema, made_ms: 7 };
        let mut bytes = Vec::new();
        let packed = pack::write(&mut bytes, &head, found, &mut |_| {});
        assert_eq!(packed.unwrap_or_else(|_| panic!("packed")).files, 2);
        Made { folder, bytes }
    }

    fn places(&self) -> Places {
        Places::bare(self.folder.path().join("new"))
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("it.coterie")
    }

    /// What comes of a backup of these bytes; if nothing, nothing is left of it.
    fn restored(&self, bytes: &[u8]) -> Result<(), Fault> {
        fs::write(self.path(), bytes).unwrap();
        let places = self.places();
        fs::create_dir_all(&places.data).unwrap();
        let laid = restore_unopened(&places, self.path().to_str().unwrap());
        if laid.is_err() {
            assert_eq!(fs::read_dir(&places.data).unwrap().count(), 0, "something is left");
        }
        laid.map(drop)
    }

    fn kind(&self, bytes: &[u8]) -> FaultKind {
        *self.restored(bytes).expect_err("it is refused").kind.expect("it has words of its own")
    }
}

#[test]
fn what_was_backed_up_takes_the_place_of_what_is_there_which_is_kept() {
    let made = Made::new();
    let places = made.places();
    made.restored(&made.bytes).unwrap();
    fs::create_dir_all(places.prompts()).unwrap();
    fs::write(places.prompts().join("digest.md"), "Mine.").unwrap();
    fs::write(places.data.join("coterie.db"), "an older one").unwrap();
    fs::write(places.data.join("coterie.db-wal"), "its log").unwrap();
    fs::write(places.data.join("secrets.json"), "of this machine").unwrap();
    put_in_place(&places).unwrap();
    // Again, as after a kill.
    put_in_place(&places).unwrap();

    let soul = fs::read_to_string(places.souls().join("ada.md")).unwrap();
    assert_eq!(soul, "You are Ada.\n");
    store::check_copy(&places.database()).unwrap();
    assert!(!places.prompts().exists() && !places.data.join("coterie.db-wal").exists());
    assert!(places.data.join("secrets.json").exists());
    let replaced: Vec<_> = fs::read_dir(places.replaced()).unwrap().flatten().collect();
    let [replaced] = &replaced[..] else { panic!("one folder: {replaced:?}") };
    let kept = |name: &str| fs::read_to_string(replaced.path().join(name)).unwrap();
    assert_eq!(
        ["coterie.db", "coterie.db-wal", "prompts/digest.md"].map(kept),
        ["an older one", "its log", "Mine."]
    );
}

#[test]
fn a_backup_of_which_any_byte_is_another_is_refused() {
    let made = Made::new();
    let length = made.bytes.len();
    let list = offset(&made.bytes, LIST.as_bytes());
    // All of the first header, of the list and of the end, and some of the rest.
    let places = (0..600).step_by(7).chain((600..length).step_by(9_001));
    let places = places.chain((list..list + 1_200).step_by(31)).chain(length - 90..length);
    for at in places {
        let mut bytes = made.bytes.clone();
        bytes[at] ^= 0x10;
        let kind = made.kind(&bytes);
        let is_named = matches!(
            kind,
            FaultKind::BackupDamaged { .. }
                | FaultKind::BackupUnknown { .. }
                | FaultKind::BackupNewer { .. }
        );
        assert!(is_named, "byte {at}: {kind:?}");
    }
    made.restored(&made.bytes).unwrap();
}

#[test]
fn a_backup_that_was_cut_off_is_refused() {
    let made = Made::new();
    for length in (HEAD.len()..made.bytes.len()).step_by(9_001).chain([made.bytes.len() - 1]) {
        let kind = made.kind(&made.bytes[..length]);
        assert!(matches!(kind, FaultKind::BackupDamaged { .. }), "{length} bytes: {kind:?}");
    }
}

#[test]
fn a_file_that_is_damaged_within_is_named() {
    let made = Made::new();
    let mut bytes = made.bytes.clone();
    let at = offset(&bytes, b"You are Ada.");
    bytes[at] = b'W';
    let FaultKind::BackupDamaged { detail, .. } = made.kind(&bytes) else { panic!("damaged") };
    assert_eq!(detail, "souls/ada.md in it is not as it was");
}

#[test]
fn a_backup_of_a_newer_coterie_is_refused_with_its_version() {
    let made = Made::of(store::schema() + 1, "9.1.0");
    let path = made.path().display().to_string();
    let expected = FaultKind::BackupNewer { path, version: "9.1.0".into() };
    assert_eq!(made.kind(&made.bytes), expected);
}

#[test]
fn what_is_no_backup_is_called_so() {
    let made = Made::new();
    for bytes in [&b""[..], b"hello", &[0; 4096]] {
        assert!(matches!(made.kind(bytes), FaultKind::BackupUnknown { .. }));
    }
    let missing = made.folder.path().join("missing");
    let fault = restore_unopened(&made.places(), missing.to_str().unwrap()).unwrap_err();
    assert_eq!(fault.code, domain::FaultCode::NotFound);
}

#[test]
fn nothing_in_a_backup_can_lie_outside_of_the_workspace() {
    for (name, kind) in [
        ("../escaped", EntryType::Regular),
        ("/tmp/escaped", EntryType::Regular),
        ("souls/../../escaped", EntryType::Regular),
        ("secrets.json", EntryType::Regular),
        ("souls/link", EntryType::Symlink),
        ("souls/hard", EntryType::Link),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("it.coterie");
        fs::write(&path, forged(name, kind)).unwrap();
        let into = folder.path().join("deep/into");
        fs::create_dir_all(&into).unwrap();
        let read = unpack::read(path.to_str().unwrap(), &into, &mut |_| {});
        let kind = *read.err().expect("it is refused").kind.expect("it has words of its own");
        assert!(matches!(kind, FaultKind::BackupDamaged { .. }), "{name}: {kind:?}");
        assert!(!folder.path().join("escaped").exists() && !Path::new("/tmp/escaped").exists());
        assert!(!folder.path().join("deep/escaped").exists());
    }
}

/// With a head and a seal as they should be, and something that should not be between.
fn forged(name: &str, kind: EntryType) -> Vec<u8> {
    let mut out = Builder::new(Vec::new());
    let head = Head { format: FORMAT, version: "0.1.0".into(), schema: 1, made_ms: 7 };
    let head = serde_json::to_vec(&head).unwrap();
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(head.len() as u64);
    out.append_data(&mut header, HEAD, &head[..]).unwrap();
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(2);
    // The archive itself would not write such a name.
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.set_cksum();
    out.append(&header, &b"hi"[..]).unwrap();
    let mut bytes = out.into_inner().unwrap();
    let hash = blake3::hash(&bytes).to_hex();
    bytes.extend(format!("{SEAL}{hash}\n").bytes());
    bytes
}

fn offset(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|some| some == what).expect("it is in it")
}

#[test]
fn what_changes_its_length_while_it_is_read_is_no_part_of_a_whole_backup() {
    let folder = TempDir::new().unwrap();
    let at = folder.path().join("notes.md");
    File::create(&at).unwrap().set_len(10).unwrap();
    let one = parts::Found { at, name: "profile.md".into(), bytes: 3 };
    let head = Head { format: FORMAT, version: String::new(), schema: 1, made_ms: 0 };
    let packed = pack::write(Vec::new(), &head, vec![one], &mut |_| {});
    // As long as it is when it is opened, not when it was found.
    assert_eq!(packed.unwrap_or_else(|_| panic!("packed")).bytes, 10);
}
