//! Every way out of an agent's folders that we know of, really tried with every
//! tool that takes a path, beside files that must stay unread and unchanged.

use crate::house::House;
use crate::{
    CallContext, Tool, edit_file, find_files, list_folder, read_file, search_files, write_file,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Stands in every file outside, and nowhere inside.
const CANARY: &str = "the secret";

/// The house, with every kind of link out of it.
fn house() -> House {
    let house = House::new();
    house.write("outside/deep/er/secret.txt", CANARY);
    house.write("Home/secret.txt", CANARY);
    house.write("secret.txt", CANARY);
    house.write("home/deep/er/file.txt", "mine");
    #[cfg(unix)]
    {
        let link = |to: PathBuf, name: &str| {
            std::os::unix::fs::symlink(to, house.path(name)).expect("a link");
        };
        link("../outside".into(), "home/out");
        link("../../../outside".into(), "home/deep/er/out");
        link(house.path("outside"), "home/absolute");
        link(house.path("outside/secret.txt"), "home/file");
        link("../secret.txt".into(), "home/above.txt");
        link("out".into(), "home/chain");
        link("chain".into(), "home/longer");
        link("..".into(), "home/up");
        link("/".into(), "home/slash");
        link("/proc/self/root".into(), "home/magic");
        link("/proc/self/cwd".into(), "home/here");
        link("../outside/new.txt".into(), "home/dangling");
        link("../outside/new/folder".into(), "home/dangling_folder");
        link("deep/../../outside".into(), "home/dots");
        link("notes".into(), "home/inside");
    }
    house
}

/// Paths that lead to something outside.
fn ways_out(house: &House) -> Vec<String> {
    let mut ways = Vec::new();
    let ends =
        ["outside/secret.txt", "outside/deep/er/secret.txt", "secret.txt", "home-too/near.txt"];
    let begins = [
        "..",
        "./..",
        "notes/../..",
        "deep/er/../../..",
        "./././..",
        "notes/./../..",
        "../HERE/..",
        "..//",
        "no/such/../../..",
        "readme.txt/../..",
        "deep/../deep/../..",
        "inside/../..",
    ];
    for begin in begins {
        ways.extend(ends.map(|end| format!("{begin}/{end}")));
    }
    let absolute = ["", "home/..", "home/notes/../..", "home/./..", "home//..", "home/../HERE/.."];
    for begin in absolute {
        ways.extend(ends.map(|end| house.path(begin).join(end).display().to_string()));
    }
    let links = [
        "out",
        "deep/er/out",
        "absolute",
        "chain",
        "longer",
        "up/outside",
        "dots",
        "inside/../out",
        "./out",
        "notes/../out",
        "here/outside",
        "up/HERE/out",
        "deep/er/../../out",
    ];
    for link in links {
        ways.extend(
            ["secret.txt", "deep/er/secret.txt", "new.txt", "../secret.txt"]
                .map(|end| format!("{link}/{end}")),
        );
        ways.push(link.to_owned());
        ways.push(format!("{link}/"));
        ways.push(format!("{link}/."));
    }
    let temp = house.path("outside/secret.txt").display().to_string();
    for root in ["slash", "magic", "up/slash", "deep/../magic"] {
        ways.push(format!("{root}{temp}"));
        ways.push(format!("{root}/etc/passwd"));
        ways.push(format!("{root}/proc/self/environ"));
    }
    let others = [
        "file",
        "above.txt",
        "dangling",
        "dangling_folder/new.txt",
        "up",
        "up/secret.txt",
        "up/../secret.txt",
        "/",
        "//",
        "/..",
        "/etc/passwd",
        "//etc/passwd",
        "/./etc/passwd",
        "/proc/self/cwd/secret.txt",
        "/dev/null/../../etc/passwd",
        "/dev/fd/0",
        "..",
        "../",
        "../.",
        "../home-too",
        "../Home/secret.txt",
        "../HOME/secret.txt",
        "~/secret.txt",
        "~root/.bashrc",
        "file:///etc/passwd",
        "$HOME/secret.txt",
        "..\\secret.txt",
        "..\\..\\secret.txt",
        "notes\\..\\..\\secret.txt",
        "C:\\secret.txt",
        "\\\\host\\secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "..%c0%afsecret.txt",
        "．．/secret.txt",
        "‥/secret.txt",
        "..\u{200b}/secret.txt",
        ".. /secret.txt",
        "../secret.txt\0.md",
        "notes/plan.md\0/../../secret.txt",
        "..;/secret.txt",
        "....//secret.txt",
        ".../secret.txt",
        "\u{2044}etc\u{2044}passwd",
        "..\u{2215}secret.txt",
        "./-/../../secret.txt",
    ];
    ways.extend(others.map(str::to_owned));
    ways.push(["/proc/self", "root", "etc/passwd"].join("/"));
    let deep = "deep/er/".to_owned() + &"../".repeat(40) + "etc/passwd";
    ways.push(deep);
    ways.push("../".repeat(400) + "etc/passwd");
    ways.push(house.path("home").display().to_string() + "-too/near.txt");
    ways.push(house.path("Home/secret.txt").display().to_string());
    ways.push(format!("{}/../../../../../../../../etc/passwd", house.path("home").display()));
    // The folder's own name, from outside.
    ways.iter_mut().for_each(|way| *way = way.replace("HERE", "home"));
    ways.sort();
    ways.dedup();
    ways
}

/// Everything outside of the agent's folder, with what it holds.
fn outside(house: &House) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![house.all.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("readable").path();
            if path == house.all.path().join("home") {
                continue;
            }
            let content = path.is_file().then(|| fs::read(&path).expect("readable"));
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path, content);
        }
    }
    found
}

async fn attempt(tool: &dyn Tool, arguments: Value, with: &CallContext) {
    let returned = tool.call(arguments.clone(), with).await;
    let name = &tool.spec().name;
    for told in [CANARY, "root:x:", "near.txt", "er/secret.txt"] {
        // It may repeat the path that it was given.
        let repeated = arguments.to_string().contains(told);
        assert!(repeated || !returned.text.contains(told), "{name} {arguments}: {}", returned.text);
    }
    assert!(!returned.text.contains(CANARY), "{name} {arguments}: {}", returned.text);
}

#[tokio::test]
async fn no_tool_reads_or_writes_outside_of_an_agents_folders() {
    let house = house();
    let with = house.context(&["home"]);
    let ways = ways_out(&house);
    assert!(ways.len() >= 200, "{}", ways.len());
    let before = outside(&house);
    let mut tried = 0;
    for path in &ways {
        let read = json!({"path": path});
        attempt(&read_file::tool(), read.clone(), &with).await;
        attempt(&list_folder::tool(), json!({"path": path, "depth": 3, "all": true}), &with).await;
        attempt(&find_files::tool(), json!({"path": path, "pattern": "*", "all": true}), &with)
            .await;
        let search = json!({"path": path, "pattern": CANARY, "all": true});
        let found = search_files::tool().call(search, &with).await.text;
        assert!(!found.contains("line fits") && !found.contains("lines fit"), "{path}: {found}");
        let write = json!({"path": path, "content": "escaped", "replace": true});
        attempt(&write_file::tool(), write, &with).await;
        attempt(&edit_file::tool(), json!({"path": path, "old": "the", "new": "no"}), &with).await;
        tried += 6;
    }
    assert_eq!(outside(&house), before);
    assert!(tried >= 1_200);
}

#[tokio::test]
async fn a_pattern_leads_out_no_more_than_a_path() {
    let house = house();
    let with = house.context(&["home"]);
    for pattern in
        ["../**", "**/secret.txt", "/**", "../../**/*", "out/**", "**/../*", "{..,out}/*"]
    {
        let arguments = json!({"pattern": pattern, "all": true});
        let found = find_files::tool().call(arguments, &with).await.text;
        assert!(found.starts_with("[no file fits"), "{pattern}: {found}");
    }
    let found = search_files::tool().call(json!({"pattern": CANARY, "all": true}), &with).await;
    assert_eq!(found.text, format!("[nothing fits `{CANARY}`]"));
}

/// What was checked and what is written must be the same thing.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_written_outside_while_a_folder_is_swapped_for_a_link() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    let house = house();
    house.write("home/spot/secret.txt", "harmless");
    std::os::unix::fs::symlink(house.path("outside"), house.path("home/other")).expect("a link");
    let (spot, other) = (house.path("home/spot"), house.path("home/other"));
    let before = outside(&house);
    let over = Arc::new(AtomicBool::new(false));
    let swapper = std::thread::spawn({
        let over = Arc::clone(&over);
        move || {
            while !over.load(Relaxed) {
                let swapped = renameat_with(CWD, &spot, CWD, &other, RenameFlags::EXCHANGE);
                swapped.expect("swaps");
            }
        }
    });
    // The folder lies in one of the agent's, or is one itself.
    for (root, inside) in [("home", "spot/"), ("home/spot", "")] {
        let with = house.context(&[root]);
        for n in 0..500 {
            let name = if n % 2 == 0 { "secret.txt" } else { "new/file.txt" };
            let (path, content) = (format!("{inside}{name}"), format!("escaped {n}"));
            let write = json!({"path": path, "content": content, "replace": true});
            write_file::tool().call(write, &with).await;
            let path = format!("{inside}secret.txt");
            let edit = json!({"path": path, "old": "e", "new": "E", "all": true});
            let edited = edit_file::tool().call(edit, &with).await.text;
            let read = read_file::tool().call(json!({"path": path}), &with).await.text;
            assert!(!edited.contains(CANARY) && !read.contains(CANARY), "{edited} {read}");
        }
    }
    over.store(true, Relaxed);
    swapper.join().expect("no panic");
    assert_eq!(outside(&house), before);
}

#[test]
fn the_house_has_its_canaries() {
    let house = house();
    assert!(house.read("outside/secret.txt").contains(CANARY));
    assert!(Path::new(&house.path("home-too/near.txt")).exists());
}
