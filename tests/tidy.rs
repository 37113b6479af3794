//! The rules that the tree keeps, as ARCHITECTURE.md and STYLE.md give them:
//! who may use whom, what lives in one place only, how a file begins.
//!
//! Reads text and understands little of it. That is enough: what it holds are
//! names in manifests, imports and first lines. Every rule names each file that
//! breaks it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which of our packages each package may use. `domain` is for everybody, and
/// the stories in `tests` may use whatever they tell about.
const ARROWS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("store", &[]),
    ("llm", &[]),
    ("secrets", &[]),
    ("gguf", &[]),
    ("search", &[]),
    ("memory", &[]),
    ("processes", &[]),
    ("mcp", &["processes", "tools"]),
    ("engine", &["gguf"]),
    ("tools", &["processes"]),
    ("agent", &["llm", "tools"]),
    (
        "workspace",
        &[
            "agent",
            "gguf",
            "llm",
            "mcp",
            "memory",
            "processes",
            "search",
            "secrets",
            "store",
            "tools",
        ],
    ),
    ("door", &["workspace"]),
    // Past the door go nothing but benches, which measure a client or an index alone.
    // The protocol is spoken there the other way round, with what the door gives.
    ("coterie", &["door", "llm", "mcp", "search", "tools"]),
    ("coterie-desktop", &["door"]),
    ("tests", &["agent", "door", "llm", "search", "secrets", "store", "tools", "workspace"]),
];

/// What only these packages use; a name stands for all that begin with it.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("rusqlite", &["store"]),
    ("keyring", &["secrets"]),
    ("llama-cpp", &["engine"]),
    ("tauri", &["coterie-desktop"]),
    // The tests speak to the driver of the real window.
    ("reqwest", &["llm", "mcp", "tests", "tools"]),
    ("rmcp", &["mcp"]),
    ("command-fds", &["processes"]),
    ("sse-stream", &["llm", "mcp"]),
    ("minijinja", &["gguf", "workspace"]),
    ("tantivy", &["search"]),
    ("fastembed", &["search"]),
    ("usearch", &["search"]),
    // With what tells people through the system.
    ("notify", &["coterie-desktop", "workspace"]),
    ("notify-rust", &["coterie-desktop"]),
];

const MOST_LINES: usize = 600;

#[test]
fn packages_use_only_what_lies_below_them() {
    let manifests = manifests();
    let ours: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    let mut broken = Vec::new();
    for (name, uses) in &manifests {
        let Some((_, may)) = ARROWS.iter().find(|(package, _)| package == name) else {
            broken.push(format!("{name}: a new package; give it its arrows in tests/tidy.rs"));
            continue;
        };
        let upwards = uses.iter().filter(|used| {
            ours.contains(used.as_str()) && *used != "domain" && !may.contains(&used.as_str())
        });
        broken
            .extend(upwards.map(|used| format!("{name} uses {used}, which does not lie below it")));
    }
    let gone = ours.iter().filter(|name| !manifests.contains_key(**name));
    broken.extend(gone.map(|name| format!("{name}: there is no such package any more")));
    none(broken);
}

#[test]
fn what_belongs_in_one_place_is_used_nowhere_else() {
    let manifests = manifests();
    let mut broken = Vec::new();
    for (dependency, homes) in ONLY_IN {
        let uses = |all: &BTreeSet<String>| all.iter().any(|used| used.starts_with(dependency));
        let users: Vec<&str> =
            manifests.iter().filter(|(_, all)| uses(all)).map(|(name, _)| name.as_str()).collect();
        if users != *homes {
            broken.push(format!("{dependency} belongs to {homes:?}, and is used by {users:?}"));
        }
    }
    none(broken);
}

#[test]
fn sql_is_said_only_in_the_store() {
    const WORDS: &[&str] =
        &["SELECT ", "INSERT INTO", "INSERT OR ", "DELETE FROM", "CREATE TABLE", "PRAGMA "];
    let says =
        |text: &str| WORDS.iter().find(|word| text.contains(**word)).map(|word| word.to_string());
    let elsewhere = |path: &str| !path.starts_with("crates/store/") && path != "tests/tidy.rs";
    none(offences(&files(&["rs"]), elsewhere, |_, text| says(text)));
}

#[test]
fn tauri_is_named_only_in_the_shell_and_its_script_side_only_in_the_api() {
    let rust = offences(
        &files(&["rs"]),
        |path| !path.starts_with("src-tauri/") && path != "tests/tidy.rs",
        |_, text| text.contains("tauri::").then(|| "tauri::".to_owned()),
    );
    let script = offences(
        &files(&["ts", "svelte"]),
        |path| !path.starts_with("ui/src/api/"),
        |_, text| imports(text).into_iter().find(|from| from.starts_with("@tauri-apps")),
    );
    none(rust.into_iter().chain(script).collect());
}

#[test]
fn a_part_knows_nothing_of_ours_and_a_view_no_other_view() {
    let strays = |path: &str, text: &str| {
        let mine = layer(path);
        imports(text).into_iter().filter(|from| from.starts_with('.')).find(|from| {
            let theirs = layer(&resolve(path, from));
            let (here, there) = (mine.0.as_str(), theirs.0.as_str());
            match here {
                "parts" => !["parts", "styles"].contains(&there),
                // The shell is the view that puts the others in their places.
                "pieces" => there == "views",
                "views" => there == "views" && mine.1 != theirs.1 && mine.1 != "shell",
                "state" => ["views", "parts"].contains(&there),
                "api" => ["state", "views", "parts"].contains(&there),
                _ => false,
            }
        })
    };
    let ours = |path: &str| path.starts_with("ui/src/");
    none(offences(&files(&["ts", "svelte"]), ours, |path, text| {
        strays(path, text).map(|from| format!("imports {from}"))
    }));
}

#[test]
fn every_rust_file_begins_by_saying_what_it_is_for() {
    none(offences(
        &files(&["rs"]),
        |_| true,
        |_, text| (!text.starts_with("//!")).then(|| "does not begin with //!".to_owned()),
    ));
}

#[test]
fn no_file_is_too_long_to_be_read_in_one_go() {
    let generated = |path: &str| path == "ui/src/api/generated.ts";
    none(offences(
        &files(&["rs", "ts", "svelte", "css", "py", "sh"]),
        |path| !generated(path),
        |_, text| {
            let lines = text.lines().count();
            (lines > MOST_LINES).then(|| format!("has {lines} lines; {MOST_LINES} is the most"))
        },
    ));
}

#[test]
fn only_tests_unwrap() {
    let all = files(&["rs"]);
    let for_tests = test_modules(&all);
    let works = |path: &str| {
        !path.starts_with("tests/") && !path.contains("/tests/") && !for_tests.contains(path)
    };
    none(offences(&all, works, |_, text| {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        code.lines()
            .position(|line| line.contains(".unwrap()") && !line.trim_start().starts_with("//"))
            .map(|at| format!("unwraps in line {}", at + 1))
    }));
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    // Cut in two, so that this file keeps its own rule.
    let machine = [
        "/wo|rk/",
        "/ro|ot/",
        "py|pi.org",
        "pythonho|sted.org",
        "registry.np|mjs.org",
        "static.crat|es.io",
    ]
    .map(|word| word.replace('|', ""));
    let home = "/ho|me/".replace('|', "");
    // Whose homes stand in examples.
    let nobody = ["you", "ann"];
    let kinds = [
        "rs", "ts", "svelte", "css", "py", "sh", "md", "json", "toml", "html", "js", "yml", "run",
        "Makefile", "NOTICE",
    ];
    none(offences(
        &files(&kinds),
        |_| true,
        |_, text| {
            let found = machine.iter().find(|word| text.contains(word.as_str())).cloned();
            let somebody = || {
                let mut homes = text.split(home.as_str()).skip(1);
                homes
                    .find(|rest| !nobody.iter().any(|name| rest.starts_with(name)))
                    .map(|_| home.clone())
            };
            found.or_else(somebody)
        },
    ));
}

#[test]
fn no_file_holds_the_marks_of_a_merge() {
    let marks = ["<<<<<<< ", ">>>>>>> "];
    let kinds = ["rs", "ts", "svelte", "css", "py", "sh", "md", "json", "toml", "sql", "yml"];
    none(offences(
        &files(&kinds),
        |_| true,
        |_, text| {
            let is_mark = |line: &str| marks.iter().any(|mark| line.starts_with(mark));
            text.lines().position(is_mark).map(|at| format!("has one in line {}", at + 1))
        },
    ));
}

#[test]
fn the_architecture_names_every_crate() {
    let text = read("ARCHITECTURE.md");
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let names = crates.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let missing = names.chain(["src-tauri".to_owned(), "ui".to_owned()]);
    none(missing.filter(|name| !text.contains(&format!("`{name}`"))).collect());
}

#[test]
fn every_package_is_tested() {
    let script = read("tools/test.sh");
    let named = script.lines().find_map(|line| line.trim().strip_prefix("for package in "));
    let named: BTreeSet<&str> =
        named.unwrap().trim_end_matches("; do").split_whitespace().collect();
    none(manifests().into_keys().filter(|package| !named.contains(package.as_str())).collect());
}

/// The ids of the requirement list: a letter and how many there are.
const REQUIREMENTS: &[(&str, u32)] =
    &[("R", 25), ("P", 7), ("L", 7), ("S", 8), ("M", 10), ("T", 8), ("F", 4), ("U", 8), ("C", 27)];

#[test]
fn every_requirement_is_open_or_proven_by_tests_that_exist() {
    let text = read("docs/requirements.md");
    let rows = rows(&text);
    let mut broken = Vec::new();
    for (letter, count) in REQUIREMENTS {
        for n in 1..=*count {
            let id = format!("{letter}{n}");
            let times = rows.iter().filter(|cells| cells[0] == id).count();
            if times != 1 {
                broken.push(format!("{id} stands there {times} times"));
            }
        }
    }
    let all: u32 = REQUIREMENTS.iter().map(|(_, count)| count).sum();
    if rows.len() != all as usize {
        broken.push(format!("{} rows instead of {all}", rows.len()));
    }
    for cells in &rows {
        match cells[..] {
            [id, _, "proven", proof] => {
                let tests: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
                if tests.is_empty() {
                    broken.push(format!("{id} is proven by no test"));
                }
                let missing = tests.into_iter().filter(|test| !exists(test));
                broken.extend(missing.map(|test| format!("{id}: there is no test {test}")));
            }
            [_, _, "open", _] => {}
            _ => {
                broken.push(format!("{cells:?} is not | id | capability | open or proven | test |"))
            }
        }
    }
    none(broken);
}

#[test]
fn a_test_that_answers_a_complaint_names_its_thread() {
    let text = read("docs/requirements.md");
    let mut broken = Vec::new();
    for cells in rows(&text).iter().filter(|cells| cells[0].starts_with('C')) {
        let [id, complaint, state, proof] = cells[..] else { continue };
        let words = complaint.split([' ', ',', '(', ')']);
        let threads: Vec<&str> = words.filter(|word| word.contains('#')).collect();
        if threads.is_empty() {
            broken.push(format!("{id} names no thread"));
        }
        for test in proof.split('`').skip(1).step_by(2).filter(|_| state == "proven") {
            let above = above(test);
            let missing = threads.iter().filter(|thread| !above.contains(**thread));
            broken
                .extend(missing.map(|thread| format!("{id}: {thread} is not named above {test}")));
        }
    }
    none(broken);
}

/// The rows of all tables in a text.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| line.starts_with('|'));
    lines
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|cells| cells[0] != "id" && !cells[0].starts_with("--"))
        .collect()
}

/// The comments and attributes right above the test `FILE::NAME`.
fn above(test: &str) -> String {
    let Some((file, name)) = test.split_once("::") else { return String::new() };
    let text = read(file);
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let at = lines.iter().position(|line| line.contains(&format!("fn {name}(")));
    let before = lines[..at.unwrap_or(0)].iter().rev();
    let above = before.take_while(|line| line.starts_with("//") || line.starts_with("#["));
    above.copied().collect::<Vec<_>>().join("\n")
}

/// Whether `FILE::NAME` is a test.
fn exists(test: &str) -> bool {
    let Some((file, name)) = test.split_once("::") else { return false };
    let Ok(text) = fs::read_to_string(root().join(file)) else { return false };
    match file.rsplit_once('.') {
        Some((_, "rs")) => text.contains(&format!("fn {name}(")),
        Some((_, "py")) => text.contains(&format!("def {name}(")),
        _ => text.contains(name),
    }
}

#[track_caller]
fn none(broken: Vec<String>) {
    assert!(broken.is_empty(), "\n  {}\n", broken.join("\n  "));
}

/// `FILE: what is wrong` for each of the files that are looked at.
fn offences(
    files: &BTreeMap<String, String>,
    look_at: impl Fn(&str) -> bool,
    wrong: impl Fn(&str, &str) -> Option<String>,
) -> Vec<String> {
    let looked_at = files.iter().filter(|(path, _)| look_at(path));
    looked_at.filter_map(|(path, text)| Some(format!("{path}: {}", wrong(path, text)?))).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("read {path}: {error}"))
}

/// What is downloaded or built, and not ours.
const NOT_OURS: &[&str] = &["target", "node_modules", "dist", "artifacts", "assets", "__pycache__"];

const READABLE: &str = "the checkout can be read";

/// Our files of these kinds, by their path from the root.
fn files(kinds: &[&str]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(&root(), "", kinds, &mut found);
    assert!(!found.is_empty(), "no {kinds:?} anywhere");
    found
}

fn collect(folder: &Path, above: &str, kinds: &[&str], found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect(READABLE) {
        let entry = entry.expect(READABLE);
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{above}{name}");
        if entry.file_type().expect(READABLE).is_dir() {
            let hidden = name.starts_with('.') && name != ".ci" && name != ".cargo";
            if !hidden && !NOT_OURS.contains(&name.as_str()) {
                collect(&entry.path(), &format!("{path}/"), kinds, found);
            }
        } else if kinds.contains(&name.rsplit('.').next().unwrap_or_default())
            && !name.ends_with("lock.json")
        {
            found.insert(path, fs::read_to_string(entry.path()).expect(READABLE));
        }
    }
}

/// The names of our packages with everything that they use.
fn manifests() -> BTreeMap<String, BTreeSet<String>> {
    let all = files(&["toml"]);
    let manifests = all.iter().filter(|(path, _)| path.ends_with("Cargo.toml"));
    manifests
        .map(|(path, text)| manifest(text).unwrap_or_else(|| panic!("{path} has no name")))
        .collect()
}

fn manifest(text: &str) -> Option<(String, BTreeSet<String>)> {
    let (mut section, mut name, mut uses) = ("", None, BTreeSet::new());
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[') {
            section = head.trim_end_matches(']');
        } else if section == "package" && name.is_none() {
            name = line.strip_prefix("name = ").map(|name| name.trim_matches('"').to_owned());
        } else if section.ends_with("dependencies") && section != "workspace.dependencies" {
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if !used.is_empty() && !used.starts_with('#') {
                uses.insert(used.to_owned());
            }
        }
    }
    Some((name?, uses))
}

/// What a script imports: the texts after `from` and in `import(…)`.
fn imports(text: &str) -> Vec<String> {
    let starts = ["from '", "from \"", "import '", "import \"", "import('", "import(\""];
    let quoted = |start: &&str| {
        let pieces = text.split(*start).skip(1);
        pieces
            .filter_map(|rest| rest.split(['\'', '"']).next())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    starts.iter().flat_map(quoted).collect()
}

/// The path that an import in a file leads to.
fn resolve(path: &str, import: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for step in import.split('/') {
        match step {
            "." => {}
            ".." => drop(parts.pop()),
            step => parts.push(step),
        }
    }
    parts.join("/")
}

/// The first two folders below `ui/src`.
fn layer(path: &str) -> (String, String) {
    let mut parts = path.strip_prefix("ui/src/").unwrap_or_default().split('/');
    let mut next = || parts.next().unwrap_or_default().to_owned();
    (next(), next())
}

/// Files that are compiled for tests only: `#[cfg(test)] mod name;`.
fn test_modules(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for (path, text) in files {
        let folder = match path.strip_suffix("/lib.rs").or_else(|| path.strip_suffix("/mod.rs")) {
            Some(folder) => folder.to_owned(),
            None => path.trim_end_matches(".rs").to_owned(),
        };
        for rest in text.split("#[cfg(test)]").skip(1) {
            let rest = rest.trim_start();
            let rest = rest.strip_prefix("pub(crate) ").unwrap_or(rest);
            let declared = rest.strip_prefix("mod ").and_then(|rest| rest.split_once(';'));
            if let Some((name, _)) = declared {
                modules.insert(format!("{folder}/{name}.rs"));
            }
        }
    }
    modules
}
