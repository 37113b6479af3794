//! Real files, folders and links, and the ways out of them.

use super::*;
use crate::house::House;
use crate::{CallContext, Returned};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

impl House {
    async fn read_in(&self, roots: &[&str], path: impl AsRef<Path>) -> Returned {
        let arguments = json!({"path": path.as_ref().to_str().expect("UTF-8")});
        call(arguments, &self.context(roots)).await
    }

    async fn reads(&self, path: impl AsRef<Path>) -> Returned {
        self.read_in(&["home"], path).await
    }
}

/// Uses the tool, whose words are always those of others.
async fn call(arguments: Value, with: &CallContext) -> Returned {
    let returned = tool().call(arguments, with).await;
    assert!(returned.foreign || with.stop.is_cancelled());
    Returned { foreign: false, ..returned }
}

#[tokio::test]
async fn a_file_is_read_by_its_path_in_a_folder_or_by_its_whole_path() {
    let house = House::new();
    let plan = Returned::ok("buy tea\n买茶\n");
    for path in ["notes/plan.md", "./notes/plan.md", "notes/../notes/plan.md", "notes//plan.md"] {
        assert_eq!(house.reads(path).await, plan, "{path}");
    }
    assert_eq!(house.reads(house.path("home/notes/plan.md")).await, plan);
    assert_eq!(house.reads(house.path("home/notes/../notes/plan.md")).await, plan);
    house.write("home/计划/今天 的.md", "好");
    assert_eq!(house.reads("计划/今天 的.md").await, Returned::ok("好"));
}

#[tokio::test]
async fn no_path_leads_out_of_the_folders() {
    let house = House::new();
    house.write("home/inner/file", "x");
    let outside = house.path("outside/secret.txt");
    let paths = [
        "../outside/secret.txt".to_owned(),
        "notes/../../outside/secret.txt".to_owned(),
        "inner/../../outside/secret.txt".to_owned(),
        "..".to_owned(),
        "../home-too/near.txt".to_owned(),
        "/".to_owned(),
        "/etc/passwd".to_owned(),
        "/proc/self/cwd/secret.txt".to_owned(),
        outside.display().to_string(),
        house.path("home-too/near.txt").display().to_string(),
        house.path("home/../outside/secret.txt").display().to_string(),
        format!("{}/../../../../../../../../etc/passwd", house.path("home").display()),
    ];
    for path in paths {
        let returned = house.reads(&path).await;
        let refusal = format!(
            "`{path}` leads out of your folders; only what lies in them is yours, and no link out of them is followed"
        );
        assert_eq!(returned, Returned::failed(refusal));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_followed_inside_the_folder_and_never_out_of_it() {
    use std::os::unix::fs::symlink;
    let house = House::new();
    let link = |to: &Path, name: &str| symlink(to, house.path(name)).expect("a link");
    link(Path::new("notes/plan.md"), "home/inside");
    link(Path::new("notes"), "home/folder");
    link(Path::new("../outside/secret.txt"), "home/out");
    link(Path::new("../outside"), "home/out_folder");
    link(&house.path("outside/secret.txt"), "home/absolute");
    link(Path::new("out"), "home/chain");
    link(Path::new("/proc/self/root"), "home/magic");
    link(Path::new("loop"), "home/loop");
    link(Path::new("nowhere"), "home/dangling");
    assert_eq!(house.reads("inside").await, Returned::ok("buy tea\n买茶\n"));
    assert_eq!(house.reads("folder/plan.md").await, Returned::ok("buy tea\n买茶\n"));
    for path in
        ["out", "out_folder", "out_folder/secret.txt", "absolute", "chain", "magic/etc/passwd"]
    {
        let Returned { ok, text, .. } = house.reads(path).await;
        assert!(!ok && text.contains("leads out of your folders"), "{path}: {text}");
    }
    let Returned { ok, text, .. } = house.reads("loop").await;
    assert!(!ok && text.starts_with("`loop` cannot be opened: "), "{text}");
    assert!(
        house.reads("dangling").await.text.starts_with("there is no `dangling` in your folders")
    );
    // A person may know the folder by a link of theirs.
    link(&house.path("home"), "door");
    for path in [house.path("door/readme.txt"), house.path("home/readme.txt")] {
        assert_eq!(house.reads(path).await, Returned::ok("hello"));
    }
    assert!(!house.read_in(&["door"], house.path("door/readme.txt")).await.ok);
}

/// What is checked and what is opened must be the same thing.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_read_outside_while_a_folder_is_swapped_for_a_link() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    let house = House::new();
    house.write("home/spot/secret.txt", "harmless");
    std::os::unix::fs::symlink(house.path("outside"), house.path("home/other")).expect("a link");
    let (spot, other) = (house.path("home/spot"), house.path("home/other"));
    let over = Arc::new(AtomicBool::new(false));
    let swapper = std::thread::spawn({
        let over = Arc::clone(&over);
        move || {
            while !over.load(Relaxed) {
                renameat_with(CWD, &spot, CWD, &other, RenameFlags::EXCHANGE).expect("swaps");
            }
        }
    });
    for _ in 0..1000 {
        let returned = house.reads("spot/secret.txt").await;
        assert!(!returned.text.contains("the secret"));
    }
    over.store(true, Relaxed);
    swapper.join().expect("no panic");
}

#[tokio::test]
async fn what_is_looked_at_is_named_by_its_whole_path() {
    let house = House::new();
    let place = house.context(&["home"]).place;
    let target = |path: &str| {
        let stakes = tool().stakes(&json!({"path": path}), &place).expect("possible");
        stakes.target.map(|target| Path::new(&target).to_owned())
    };
    let plan = Some(house.path("home/notes/plan.md"));
    assert_eq!(target("notes/../notes/./plan.md"), plan);
    assert_eq!(target(&house.path("home/notes/plan.md").display().to_string()), plan);
    assert_eq!(target("."), Some(house.path("home")));
    assert_eq!(target("../outside/secret.txt"), None);
    assert_eq!(target("gone.md"), None);
}

#[tokio::test]
async fn a_folder_is_listed_in_order() {
    let house = House::new();
    house.write("home/b", "");
    house.write("home/北京", "");
    let listed = Returned::ok("[a folder with 4 entries]\nb\nnotes/\nreadme.txt\n北京");
    assert_eq!(house.reads(".").await, listed);
    assert_eq!(house.reads("").await, listed);
    assert_eq!(house.reads(house.path("home")).await, listed);
    assert_eq!(house.reads("notes/").await, Returned::ok("[a folder with 1 entry]\nplan.md"));
    fs::create_dir(house.path("home/empty")).expect("a folder");
    assert_eq!(house.reads("empty").await, Returned::ok("[an empty folder]"));
    for n in 0..600 {
        house.write(&format!("home/many/{n:03}"), "");
    }
    let text = house.reads("many").await.text;
    assert!(text.starts_with("[a folder with 600 entries]\n000\n001\n"), "{text}");
    assert!(text.ends_with("\n499\n[and 100 more]"), "{text}");
}

#[tokio::test]
async fn a_path_that_means_several_files_is_asked_back() {
    let house = House::new();
    house.write("second/readme.txt", "other");
    house.write("second/only.txt", "only here");
    let both = ["home", "second"];
    assert_eq!(house.read_in(&both, "only.txt").await, Returned::ok("only here"));
    assert_eq!(house.read_in(&both, "notes/plan.md").await, Returned::ok("buy tea\n买茶\n"));
    let (one, two) = (house.path("home/readme.txt"), house.path("second/readme.txt"));
    assert_eq!(
        house.read_in(&both, "readme.txt").await,
        Returned::failed(format!(
            "`readme.txt` is in 2 of your folders; give the whole path, one of: {}, {}",
            one.display(),
            two.display()
        ))
    );
    assert_eq!(house.read_in(&both, &two).await, Returned::ok("other"));
    let roots = format!("{}, {}", house.path("home").display(), house.path("second").display());
    assert!(house.read_in(&both, ".").await.text.ends_with(&roots));
    let such_as = format!("read a folder, such as `{}`", house.path("home").display());
    assert!(house.read_in(&both, "none.txt").await.text.contains(&such_as));
    // A folder inside a folder is no second meaning of a whole path.
    assert_eq!(
        house.read_in(&["home", "home/notes"], house.path("home/notes/plan.md")).await.text,
        "buy tea\n买茶\n"
    );
    // A folder that is gone does not hide the others.
    assert_eq!(house.read_in(&["gone", "home"], "readme.txt").await, Returned::ok("hello"));
}

#[tokio::test]
async fn what_is_not_there_or_no_text_is_said() {
    let house = House::new();
    let missing = |path: &str| {
        Returned::failed(format!(
            "there is no `{path}` in your folders; read a folder, such as `.`, to see what is in it"
        ))
    };
    assert_eq!(house.reads("nothing.md").await, missing("nothing.md"));
    assert_eq!(house.reads("readme.txt/more").await, missing("readme.txt/more"));
    assert_eq!(house.read_in(&["gone"], "readme.txt").await, missing("readme.txt"));
    house.write("home/picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    house.write("home/gbk.txt", b"\xb1\xb1\xbe\xa9\xca\xd0");
    house.write("home/empty.txt", "");
    let check = async |path: &str, expected: Returned| {
        assert_eq!(house.reads(path).await, expected, "{path}");
    };
    check("picture.png", Returned::failed("a binary file of 16 bytes, not text")).await;
    let gbk = "not UTF-8 text: the file of 6 bytes has another encoding or is binary";
    check("gbk.txt", Returned::failed(gbk)).await;
    check("empty.txt", Returned::ok("[the file is empty]")).await;
    let zero = house.reads("a\0b").await;
    assert!(!zero.ok && zero.text.starts_with("`a\0b` cannot be opened: "), "{zero:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_holds_nobody_up() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let house = House::new();
    mknodat(CWD, house.path("home/pipe"), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    let expected = Returned::failed("`pipe` is neither a file nor a folder and cannot be read");
    assert_eq!(house.reads("pipe").await, expected);
}

#[tokio::test]
async fn a_long_file_is_read_in_parts() {
    let house = House::new();
    let line = |n: u64| format!("{n:05} 这一行有几个字\n");
    let all: String = (1..=5000).map(line).collect();
    house.write("home/long.txt", &all);
    let mut read = String::new();
    let mut from = 1;
    loop {
        let arguments = json!({"path": "long.txt", "from_line": from});
        let Returned { ok, text, .. } = call(arguments, &house.context(&["home"])).await;
        assert!(ok && text.chars().count() <= MOST_CHARACTERS, "{text}");
        let (part, note) = text.trim_end().rsplit_once('\n').expect("a note below");
        read += part;
        read += "\n";
        let Some((_, next)) = note.split_once("read on with from_line ") else {
            assert_eq!(note, format!("[lines {from} to 5000, where the file ends]"));
            break;
        };
        from = next.trim_end_matches(']').parse().expect("a number");
    }
    assert_eq!(read, all);
    let check = async |arguments: Value, expected: Returned| {
        let returned = call(arguments, &house.context(&["home"])).await;
        assert_eq!(returned, expected);
    };
    let two = "00007 这一行有几个字\n00008 这一行有几个字\n[lines 7 to 8; the file goes on, read on with from_line 9]\n";
    check(json!({"path": "long.txt", "from_line": 7, "lines": 2}), Returned::ok(two)).await;
    let past = "there is no line 5001: the file has 5000 lines";
    check(json!({"path": "long.txt", "from_line": 5001}), Returned::failed(past)).await;
}

/// On a Mac both names are the same.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_name_is_found_in_whichever_way_it_is_written() {
    use crate::{change, write_file};
    let house = House::new();
    let with = house.context(&["home"]);
    house.write("home/re\u{301}sume\u{301}/cafe\u{301}.md", "one");
    house.write("home/caf\u{e9}.md", "two");
    let written = "r\u{e9}sum\u{e9}/caf\u{e9}.md";
    assert_eq!(house.reads(written).await, Returned::ok("one"));
    assert_eq!(house.reads("cafe\u{301}.md").await, Returned::ok("two"));
    let real = house.path("home/re\u{301}sume\u{301}/cafe\u{301}.md").display().to_string();
    let stakes = tool().stakes(&json!({"path": written}), &with.place).expect("possible");
    assert_eq!(stakes.target, Some(real.clone()), "what never happens is compared with it");
    let changed = change::landing(written, &with).expect("it is there");
    assert_eq!(changed.whole().display().to_string(), real);
    // A new file comes into the folder that is there, and one that is there in both ways is
    // the one whose name was given.
    let new = json!({"path": "r\u{e9}sum\u{e9}/new.md", "content": "new"});
    assert!(write_file::tool().call(new, &with).await.ok);
    assert_eq!(house.names("home").len(), 4, "{:?}", house.names("home"));
    house.write("home/cafe\u{301}.md", "three");
    assert_eq!(house.reads("cafe\u{301}.md").await, Returned::ok("three"));
    assert_eq!(house.reads("caf\u{e9}.md").await, Returned::ok("two"));
}

#[tokio::test]
async fn a_line_that_is_too_long_is_read_in_parts() {
    let house = House::new();
    let line: String = (0..20_000).map(|n| format!("{n}字🌍")).collect();
    let all = format!("first\n{line}\nlast\n");
    house.write("home/min.json", &all);
    let (mut read, mut from) = ("first\n".to_owned(), (2, 1));
    loop {
        let arguments = json!({"path": "min.json", "from_line": from.0, "from_character": from.1});
        let Returned { ok, text, .. } = call(arguments, &house.context(&["home"])).await;
        assert!(ok && text.chars().count() <= MOST_CHARACTERS, "{text}");
        let (part, note) = text.trim_end().rsplit_once("\n[").expect("a note below");
        read += part;
        let Some((_, next)) = note.split_once("read on with from_line 2 and from_character ")
        else {
            read += "\n";
            assert_eq!(
                note,
                format!("lines 2, from character {} on, to 3, where the file ends]", from.1)
            );
            break;
        };
        let (next, behind) = next.split_once(',').expect("and how to leave the line");
        assert_eq!(behind, " or behind it with from_line 3]");
        from.1 = next.parse().expect("a number");
    }
    assert_eq!(read, all);
    let check = async |arguments: Value, expected: Returned| {
        let returned = call(arguments, &house.context(&["home"])).await;
        assert_eq!(returned, expected);
    };
    let some = "\u{1f30d}1字🌍\n[characters 3 to 6 of line 2, which goes on; read on with from_line 2 and from_character 7, or behind it with from_line 3]\n";
    let four = json!({"path": "min.json", "from_line": 2, "from_character": 3, "characters": 4});
    check(four, Returned::ok(some)).await;
    let past = "there is no character 6 in line 1: the line has 5 characters";
    check(json!({"path": "min.json", "from_character": 6}), Returned::failed(past)).await;
    let lines = "first\n[lines 1 to 1; the file goes on, read on with from_line 2]\n";
    check(json!({"path": "min.json", "characters": 9}), Returned::ok(lines)).await;
}

#[tokio::test]
async fn a_call_that_was_stopped_says_so() {
    let house = House::new();
    let context = house.context(&["home"]);
    context.stop.cancel();
    let returned = call(json!({"path": "readme.txt"}), &context).await;
    assert_eq!(returned, Returned::stopped());
}

#[test]
fn the_model_is_told_nothing_of_where_it_is() {
    let house = House::new();
    let spec = tool().spec().clone();
    assert!(
        !serde_json::to_string(&spec)
            .expect("plain")
            .contains(house.all.path().to_str().expect("UTF-8"))
    );
    assert_eq!(
        spec.description,
        "Reads a text file in one of your folders, whole or some of its lines. For a folder it lists what is in it."
    );
}
