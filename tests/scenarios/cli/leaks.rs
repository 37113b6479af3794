//! After a long use no key is anywhere but in its place: not in a file of the
//! data directory, not in the log, not in what went over the socket, not in
//! anything that was printed or exported.

#![expect(clippy::unwrap_used, reason = "what goes wrong here fails the test that called it")]

use super::terminal::{Ran, Terminal, terminal};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread::{self, JoinHandle};
use tests::fake_server::{CHAT, FakeServer, MODELS, Reply, words};
use tokio::task::block_in_place;

const PASSPHRASE: &str = "zebra lamp Orinoco staple 4471";
/// What a provider is asked with.
const STORED: &str = "acme+Qx7/zT93-stored-5510-Lk";
/// What another one is asked with, out of a variable.
const VARIABLE: &str = "zeta+Wm2/pR48-variable-8823-Vn";
/// Kept and asked for by nobody.
const UNUSED: &str = "hub+Jd5/uY16-unused-2097-Bq";

const KEYS: [&str; 3] = [STORED, VARIABLE, UNUSED];

/// The forms that a value may have in a text.
fn forms(value: &str) -> Vec<String> {
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = value
        .bytes()
        .map(|byte| match byte.is_ascii_alphanumeric() || byte == b'-' {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect();
    let mut forms =
        vec![value.to_owned(), hex.to_uppercase(), hex, percent, value.replace('/', "\\/")];
    for before in 0..3 {
        let bytes = [&b"::"[..before.min(2)], value.as_bytes()].concat();
        for engine in [STANDARD, URL_SAFE] {
            // Without what its neighbours have a part in.
            let text = engine.encode(&bytes);
            forms.push(text[4..text.len() - 4].to_owned());
        }
    }
    forms
}

/// As a careless program would print them all.
fn careless(values: &[&str]) -> String {
    let lines = values.iter().flat_map(|value| {
        let basic = STANDARD.encode(format!("user:{value}"));
        let header = format!("Authorization: Basic {basic}");
        forms(value).into_iter().take(5).chain([header, json!({ "key": value }).to_string()])
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Everything that an owner says to somebody who listens, as bytes.
struct Listener {
    socket: UnixStream,
    heard: JoinHandle<Vec<u8>>,
}

impl Listener {
    fn begin(terminal: &Terminal) -> Listener {
        let mut socket = UnixStream::connect(terminal.data().join("coterie.sock")).unwrap();
        let ask =
            json!({ "id": uuid::Uuid::now_v7(), "call": { "query": { "kind": "overview" } } });
        for line in [json!({ "subscribe": { "after": null } }), json!({ "request": ask })] {
            socket.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
        let mut reads = socket.try_clone().unwrap();
        let heard = thread::spawn(move || {
            let mut all = Vec::new();
            reads.read_to_end(&mut all).unwrap();
            all
        });
        Listener { socket, heard }
    }

    fn end(self) -> Vec<u8> {
        self.socket.shutdown(Shutdown::Both).unwrap();
        self.heard.join().unwrap()
    }
}

/// Texts by where they were found.
#[derive(Default)]
struct Found(Vec<(String, Vec<u8>)>);

impl Found {
    fn ran(&mut self, terminal: &Terminal, words: &[&str]) -> Ran {
        let ran = terminal.run(words);
        self.0.push((words.join(" "), format!("{}{}", ran.stdout, ran.stderr).into_bytes()));
        ran
    }

    fn folder(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                self.folder(&entry.path());
            } else if kind.is_file() {
                let bytes = fs::read(entry.path()).unwrap();
                self.0.push((entry.path().display().to_string(), bytes));
            }
        }
    }

    fn places_of(&self, value: &str) -> Vec<&str> {
        let has =
            |bytes: &[u8], form: &str| bytes.windows(form.len()).any(|at| at == form.as_bytes());
        let holds = |bytes: &Vec<u8>| forms(value).iter().any(|form| has(bytes, form));
        self.0.iter().filter(|(_, bytes)| holds(bytes)).map(|(place, _)| place.as_str()).collect()
    }
}

fn called(name: &str, arguments: &Value) -> Reply {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    let call = json!({ "index": 0, "id": "call_1", "type": "function", "function": function });
    Reply::stream(&[
        words(&format!("I call it with {STORED} in mind.")),
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]}),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
    ])
}

/// One that thinks and speaks of keys, a few bytes at a time.
fn tells_all() -> Reply {
    let thought =
        json!({"choices": [{"index": 0, "delta": {"reasoning_content": careless(&KEYS)}}]});
    let text = careless(&KEYS);
    let pieces: Vec<String> =
        text.chars().collect::<Vec<_>>().chunks(3).map(|piece| piece.iter().collect()).collect();
    let mut chunks = vec![thought];
    chunks.extend(pieces.iter().map(|piece| words(piece)));
    chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    Reply::stream(&chunks).in_pieces(7)
}

fn refuses(status: &str) -> Reply {
    let message =
        format!("Incorrect API key provided: {STORED}. {}", careless(&[STORED, VARIABLE]));
    Reply::refusal(status, &json!({ "error": { "message": message, "type": "invalid_api_key" } }))
}

#[test]
#[cfg(target_os = "linux")]
fn a_process_that_knows_keys_leaves_no_image_of_its_memory() {
    let terminal = terminal();
    let serving = terminal.serve();
    let limits = fs::read_to_string(format!("/proc/{}/limits", serving.pid())).unwrap();
    let image = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    let most: u64 = image.split_whitespace().nth(4).unwrap().parse().unwrap();
    assert!(most <= 1, "{image}");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_long_use_no_key_is_anywhere_but_in_its_place() {
    let server = FakeServer::start().await;
    let found = block_in_place(|| use_it_long(&server));
    for key in KEYS.into_iter().chain([PASSPHRASE]) {
        assert_eq!(found.places_of(key), [""; 0], "{key}");
    }
    // The server was really asked with them, and the texts were really seen.
    let asked = |key: &str| {
        let header = format!("Bearer {key}");
        server.requests().iter().any(|sent| sent.header("authorization") == Some(header.as_str()))
    };
    assert!(asked(STORED) && asked(VARIABLE));
    let marks = ["[redacted provider/acme]", "[redacted hub]", "[redacted ZETA_KEY]"];
    for place in ["socket", "run export", "group log", "coterie.db"] {
        for mark in marks {
            let mut there = found.0.iter().filter(|(name, _)| name.contains(place));
            let has = |bytes: &[u8]| bytes.windows(mark.len()).any(|at| at == mark.as_bytes());
            assert!(there.any(|(_, bytes)| has(bytes)), "{mark} is not in {place}");
        }
    }
}

fn use_it_long(server: &FakeServer) -> Found {
    let terminal = terminal();
    let (file, root) = (terminal.path("passphrase"), terminal.path("root"));
    fs::write(&file, PASSPHRASE).unwrap();
    fs::create_dir_all(&root).unwrap();
    fs::write(Path::new(&root).join("notes.txt"), careless(&KEYS)).unwrap();
    let soul = "---\nname: Mia\ntools: [read_file]\nroots: [ROOT]\n---\nYou are Mia.\n";
    fs::write(terminal.data().join("souls/mia.md"), soul.replace("ROOT", &root)).unwrap();
    let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", &file).knowing("ZETA_KEY", VARIABLE);
    assert_eq!(terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE).status, 0);

    let serving = terminal.serve_logging("serve.log");
    let listener = Listener::begin(&terminal);
    let url = server.base_url();
    let add = |name: &str, more: &[&str], input: &str| {
        let add = ["provider", "add", name, "--url", &url, "--model", "m"];
        terminal.run_reading(&[&add[..], more].concat(), input).done();
    };
    terminal.run_reading(&["key", "set", "hub"], UNUSED).done();
    add("acme", &["--key"], STORED);
    add("zeta", &["--key-env", "ZETA_KEY"], "");
    let mut found = Found::default();
    let mut does = |words: &[&str]| found.ran(&terminal, words);
    for words in [
        &["model", "use", "default", "acme/m"][..],
        &["agent", "new", "mia"],
        &["agent", "model", "bo", "zeta/m"],
    ] {
        assert_eq!(does(words).status, 0, "{words:?}");
    }

    // Tools that print it, answers that repeat it, faults that quote it.
    server.answer(called("read_file", &json!({ "path": "notes.txt" })));
    server.answer(tells_all());
    assert_eq!(does(&["say", "mia", "what do you know?"]).status, 0);
    server.answer(called("read_file", &json!({ "path": STORED })));
    server.answer(tells_all());
    assert_eq!(does(&["say", "mia", &format!("is {STORED} right?")]).status, 0);
    server.answer(tells_all());
    assert_eq!(does(&["say", "bo", "and you?"]).status, 0);
    for status in ["401 Unauthorized", "400 Bad Request"] {
        server.answer(refuses(status));
        assert_eq!(does(&["say", "mia", "hello?"]).status, 1);
        server.answer(tells_all());
        does(&["agent", "resume", "mia"]);
    }
    server.once(MODELS, refuses("401 Unauthorized"));
    does(&["provider", "test", "acme"]).failed(1);
    server.always(MODELS, refuses("403 Forbidden"));
    server.always(CHAT, refuses("401 Unauthorized"));
    for words in [
        &["doctor"][..],
        &["--json", "doctor"],
        &["key", "list", "--json"],
        &["key", "test", "acme"],
        &["provider", "list", "--json"],
        &["usage", "--json"],
        &["usage", "--by", "agent"],
        &["budget", "show"],
        &["group", "log", "mia", "--json"],
        &["why", "mia"],
        &["agent", "show", "mia", "--json"],
        &["run", "list", "--json"],
        &["say", "mia", "once more"],
    ] {
        does(words);
    }
    let runs = terminal.run(&["run", "list", "--json"]).data();
    for run in runs.as_array().unwrap() {
        let id = run["id"].as_str().unwrap();
        for words in [
            &["run", "show", id][..],
            &["--json", "run", "show", id],
            &["run", "export", id],
            &["run", "export", id, "--as-trace"],
        ] {
            does(words);
        }
    }

    found.0.push(("the socket".to_owned(), listener.end()));
    // As it lies there while it is open, and after it was closed.
    found.folder(&terminal.data());
    serving.end();
    found.folder(&terminal.data());
    found.0.push(("the log".to_owned(), fs::read(terminal.path("serve.log")).unwrap()));
    let log = &found.0.last().unwrap().1;
    assert!(log.len() > 10_000, "the log says next to nothing: {} bytes", log.len());
    found
}
