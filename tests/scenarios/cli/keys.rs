//! Keys from a terminal, on a machine without a keyring.

use super::terminal::{Terminal, terminal};
use domain::FaultCode;
use serde_json::json;
use std::fs;
use tests::fake_server::{CHAT, FakeServer, MODELS, Reply};
use tokio::task::block_in_place;

const PASSPHRASE: &str = "four words of some length";
const KEY: &str = "acme-0123-4567-89ab-cdef";

/// Whose processes are handed the passphrase.
fn knowing_passphrase() -> Terminal {
    let terminal = terminal();
    let file = terminal.path("passphrase");
    fs::write(&file, format!("{PASSPHRASE}\n")).expect("the file is written");
    terminal.knowing("COTERIE_PASSPHRASE_FILE", &file)
}

#[test]
fn what_every_command_about_keys_prints_as_json() {
    let terminal = knowing_passphrase().knowing("GROQ_API_KEY", "gsk-of-the-environment");
    let snapshot = |name: &str, words: &[&str]| terminal.snapshot(name, words);
    let reading = |name: &str, words: &[&str], input: &str| {
        terminal.snapshot_reading(name, words, input);
    };
    snapshot("key_list_empty", &["key", "list"]);
    snapshot("key_test_without_keyring", &["key", "test"]);
    reading("key_set_without_keyring", &["key", "set", "github"], KEY);
    reading("key_move", &["key", "move", "sealed"], PASSPHRASE);
    reading("key_set", &["key", "set", "github"], KEY);
    snapshot("key_set_env", &["key", "set", "groq", "--env", "GROQ_API_KEY"]);
    snapshot("key_list", &["key", "list"]);
    snapshot("key_test_name", &["key", "test", "github"]);
    reading("key_unlock", &["key", "unlock"], PASSPHRASE);
    snapshot("key_lock", &["key", "lock"]);
    let both = format!("{PASSPHRASE}\nfive other words, much longer\n");
    reading("key_passphrase", &["key", "passphrase"], &both);
    snapshot("key_remove", &["key", "remove", "groq"]);
    snapshot("key_forget", &["key", "remove", "github", "--forget"]);
}

#[test]
fn a_mistake_with_a_key_has_its_own_exit_status_and_a_fix() {
    let terminal = terminal();
    for (status, code, words, input) in [
        (1, FaultCode::Key, vec!["key", "set", "github"], KEY),
        (1, FaultCode::Key, vec!["key", "move", "keyring"], ""),
        (1, FaultCode::Key, vec!["key", "unlock"], PASSPHRASE),
        (1, FaultCode::Key, vec!["key", "set", "github", "--env", "NOT_SET"], ""),
        (2, FaultCode::BadInput, vec!["key", "set", "github", KEY], ""),
        (2, FaultCode::BadInput, vec!["provider", "add", "nobody-knows-me"], ""),
        (3, FaultCode::NotFound, vec!["key", "remove", "github"], ""),
        (3, FaultCode::NotFound, vec!["key", "test", "github"], ""),
    ] {
        let ran = terminal.run_reading(&[&["--json"], words.as_slice()].concat(), input);
        assert!(!ran.stdout.contains(KEY) || words.contains(&KEY), "{words:?}: {}", ran.stdout);
        let fault = ran.fault(status);
        assert_eq!(fault["code"], json!(code), "{words:?}: {fault}");
    }
}

#[test]
fn a_sealed_file_that_nobody_opened_says_how_to_open_it() {
    let terminal = terminal();
    let consent = "coterie: whoever has the file and its passphrase has the keys; \
                   without the passphrase nobody has\n";
    let moved = terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE);
    assert_eq!((moved.status, moved.stderr.as_str()), (0, consent));
    let ran = terminal.run_reading(&["key", "set", "github"], KEY).failed(1);
    assert!(ran.stderr.contains("coterie key unlock"), "{}", ran.stderr);

    let serving = terminal.serve();
    terminal.run_reading(&["key", "set", "github"], KEY).failed(1);
    terminal.run_reading(&["key", "unlock"], "not the passphrase at all").failed(2);
    terminal.run_reading(&["key", "unlock"], PASSPHRASE).done();
    let nothing = terminal.run_reading(&["key", "set", "github"], "").failed(2);
    assert!(nothing.stderr.contains("nothing was entered"), "{}", nothing.stderr);
    terminal.run_reading(&["key", "set", "git hub"], KEY).failed(2);
    let kept = terminal.run_reading(&["key", "set", "github"], KEY).done();
    assert_eq!(kept, "github is kept in the sealed file, ends with …cdef\n");
    terminal.run(&["key", "lock"]).done();
    terminal.run_reading(&["key", "set", "github"], KEY).failed(1);
    serving.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_is_added_with_its_key_and_loses_it_when_it_is_removed() {
    let server = FakeServer::start().await;
    let url = server.base_url();
    let list = json!({ "data": [{ "id": "small" }] });
    let wants_a_key = Reply::refusal("401 Unauthorized", &json!({}));
    let add = ["provider", "add", "acme", "--url", &url, "--key"];
    block_in_place(|| {
        let terminal = knowing_passphrase();
        let moved = terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE);
        assert_eq!(moved.status, 0, "{}", moved.stderr);

        server.once(MODELS, wants_a_key.clone());
        let refused = terminal.run_reading(&add, "acme-a-wrong-one-of-them").failed(1);
        assert!(refused.stderr.contains("enter another key"), "{}", refused.stderr);
        assert_eq!(terminal.run(&["key", "list", "--json"]).data()["keys"], json!([]));

        server.once(MODELS, Reply::json(&list));
        server.once(MODELS, wants_a_key);
        let added = terminal.run_reading(&[&["--json"], &add[..]].concat(), KEY).data();
        assert_eq!((&added["key"], &added["key_env"]), (&json!("provider/acme"), &json!(null)));
        let sent = server.requests()[1].header("authorization").map(str::to_owned);
        assert_eq!(sent, Some(format!("Bearer {KEY}")));
        // A worse one in its place is not taken, and the good one stays.
        server.once(MODELS, Reply::refusal("401 Unauthorized", &json!({})));
        let refused = terminal.run_reading(&add, "acme-a-wrong-one-of-them").failed(1);
        assert!(refused.stderr.contains("it was not added"), "{}", refused.stderr);
        let keys = terminal.run(&["key", "list", "--json"]).data();
        assert_eq!(keys["keys"][0]["ends_with"], KEY[KEY.len() - 4..]);
        server.once(MODELS, Reply::refusal("401 Unauthorized", &json!({})));
        let refused = terminal.run(&["key", "test", "acme"]).failed(1);
        assert!(refused.stderr.contains("coterie key set provider/acme"), "{}", refused.stderr);
        server.once(MODELS, Reply::json(&list));
        server.once(MODELS, Reply::refusal("401 Unauthorized", &json!({})));
        let works = terminal.run(&["key", "test", "acme"]).done();
        assert_eq!(works, "provider/acme works with acme\n");
        // Who tells anybody which models there are has not looked at it.
        server.models("acme", &["small"]);
        let unchecked = terminal.run(&["key", "test", "acme"]).done();
        assert!(unchecked.starts_with("provider/acme was not checked with acme"), "{unchecked}");

        terminal.run(&["model", "use", "default", "acme/small"]).done();
        let removed = terminal.run(&["provider", "remove", "acme"]);
        let told = "the role default was to use acme/small, which nobody serves now";
        assert!(removed.stderr.contains(told), "{}", removed.stderr);
        assert_eq!((removed.status, &*removed.stdout), (0, "acme is removed\n"));
        assert_eq!(terminal.run(&["key", "list", "--json"]).data()["keys"], json!([]));
    });
}

#[test]
fn a_server_is_handed_the_passphrase_in_a_file_and_a_wrong_one_ends_it() {
    let terminal = terminal();
    let file = terminal.path("passphrase");
    assert_eq!(terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE).status, 0);
    for (passphrase, status) in [("not the passphrase at all", 2), ("", 2)] {
        fs::write(&file, passphrase).unwrap();
        terminal.run(&["serve", "--passphrase-file", &file]).failed(status);
    }
    terminal.run(&["serve", "--passphrase-file", &terminal.path("nothing")]).failed(2);

    fs::write(&file, PASSPHRASE).unwrap();
    let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", &file);
    let _serving = terminal.serve();
    assert_eq!(terminal.run(&["key", "list", "--json"]).data()["sealed"], "open");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_passphrase_in_a_file_opens_the_sealed_file_for_whoever_stopped_because_of_it() {
    let server = FakeServer::start().await;
    server.once(MODELS, Reply::json(&json!({ "data": [{ "id": "small" }] })));
    server.once(MODELS, Reply::refusal("401 Unauthorized", &json!({})));
    server.always(CHAT, Reply::saying("Hello."));
    let url = server.base_url();
    block_in_place(|| {
        let terminal = terminal();
        terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE);
        let file = terminal.path("passphrase");
        fs::write(&file, format!("{PASSPHRASE}\n")).unwrap();
        let wrong = terminal.path("wrong");
        fs::write(&wrong, "not the passphrase at all").unwrap();
        let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", &file);
        terminal.run_reading(&["provider", "add", "acme", "--url", &url, "--key"], KEY).done();
        terminal.run(&["model", "use", "default", "acme/small"]).done();

        let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", "");
        let locked = terminal.run(&["say", "Ada", "hi"]).failed(1);
        assert!(locked.stderr.contains("the sealed file is locked"), "{}", locked.stderr);
        let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", &wrong);
        let refused = terminal.run(&["say", "Ada", "hi"]).failed(2);
        assert!(refused.stderr.contains("not the passphrase"), "{}", refused.stderr);
        let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", &file);
        let said = terminal.run(&["say", "Ada", "hi again"]).done();
        assert!(said.contains("Hello."), "{said}");

        // What is pasted is known again, whether or not the file can be opened.
        let pasted = format!("I pasted {KEY} here");
        terminal.run(&["say", "Ada", &pasted]).done();
        let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", "");
        terminal.run(&["say", "Ada", &pasted, "--wait", "0"]);
        let remembered = terminal.run(&["memory", "add", &pasted]).done();
        assert!(!remembered.contains(KEY), "{remembered}");
        // Also in a name, and where nothing marks where it begins and ends.
        let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", &file);
        terminal.run_reading(&["key", "set", "short"], "med12345678Q").done();
        terminal.run_reading(&["key", "set", "odd"], "one two,three \"four\" five6").done();
        terminal
            .run(&["say", "Ada", "it is med12345678Q, not one two,three \"four\" five6"])
            .done();
        terminal.run(&["group", "new", "Tea", "--members", "Ada"]).done();
        terminal.run(&["group", "set", "Tea", "name", &format!("Tea {KEY}")]).done();
        let groups = terminal.run(&["group", "list"]).done();
        assert!(groups.contains("Tea [redacted provider/acme]"), "{groups}");
        let log = terminal.run(&["group", "log", "Ada"]).done();
        assert!(log.contains("it is [redacted short], not [redacted odd]"), "{log}");
        let server = ["mcp", "add", "srv", "--", "/bin/false", "--label", KEY];
        let refused = terminal.run(&server).failed(2);
        assert!(!refused.stderr.contains(KEY), "{}", refused.stderr);
        let log = terminal.run(&["group", "log", "Ada"]).done();
        assert_eq!(log.matches("I pasted [redacted provider/acme] here").count(), 2, "{log}");

        // There is no keyring here, so the keys stay; but nobody is asked for anything.
        let moved = terminal.run(&["key", "move", "keyring"]).failed(1);
        assert!(!moved.stderr.contains("nothing was entered"), "{}", moved.stderr);
    });
}

#[test]
fn a_corrected_address_keeps_the_key_on_its_server_and_another_server_is_not_shown_it() {
    let terminal = knowing_passphrase();
    assert_eq!(terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE).status, 0);
    let at = |url: &'static str| ["provider", "add", "acme", "--url", url, "--model", "small"];
    let with_key = [&at("http://127.0.0.1:9/api")[..], &["--key"]].concat();
    terminal.run_reading(&with_key, "a-key-of-acme-0123\n").done();
    let keys = || terminal.run(&["--json", "key", "list"]).data().to_string();
    assert!(keys().contains("provider/acme"), "{}", keys());

    terminal.run(&at("http://127.0.0.1:9/v1")).done();
    assert!(keys().contains("provider/acme"), "{}", keys());
    let moved = terminal.run(&at("http://127.0.0.1:19/v1"));
    assert_eq!(moved.status, 0, "{}", moved.stderr);
    assert!(
        moved.stderr.contains("the key of acme was for http://127.0.0.1:9"),
        "{}",
        moved.stderr
    );
    assert!(!keys().contains("provider/acme"), "{}", keys());
}

#[test]
fn a_provider_that_is_added_again_is_asked_with_what_it_was_asked_with() {
    let terminal = knowing_passphrase();
    assert_eq!(terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE).status, 0);
    let add = ["provider", "add", "openai", "--model", "gpt-5"];
    terminal.run_reading(&[&add[..], &["--key"]].concat(), "a-key-of-openai-0123\n").done();
    terminal.run(&[&add[..], &["--model", "gpt-5-mini"]].concat()).done();
    let keys = terminal.run(&["--json", "key", "list"]).data();
    assert_eq!(keys["keys"][0]["used_by"], json!(["openai"]), "{keys}");

    let named = ["provider", "add", "work", "--preset", "groq", "--model", "small"];
    terminal.run(&[&named[..], &["--key-env", "MY_KEY"]].concat()).done();
    let again = terminal.run(&[&["--json"][..], &named].concat()).data();
    assert_eq!(again["key_env"], "MY_KEY");
    // Another server is not shown it, and that is said.
    let moved = [&named[..], &["--url", "http://127.0.0.1:9/v1"]].concat();
    let moved = terminal.run(&moved);
    assert_eq!(moved.status, 0, "{}", moved.stderr);
    assert!(moved.stderr.contains("MY_KEY, the key of work, was for https://api.groq.com"));
    let providers = terminal.run(&["--json", "provider", "list"]).data().to_string();
    assert!(!providers.contains("MY_KEY"), "{providers}");
}

#[test]
fn a_key_in_the_place_of_a_name_is_refused_and_not_repeated() {
    let terminal = knowing_passphrase();
    assert_eq!(terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE).status, 0);
    let key = "sk-proj-0123456789abcdefghijABCDEFGHIJ";
    for words in [
        &["key", "set", key][..],
        &["provider", "add", "acme", "--url", "http://127.0.0.1:9/v1", "--model", key],
        &["provider", "add", key, "--url", "http://127.0.0.1:9/v1", "--model", "small"],
    ] {
        let refused = terminal.run_reading(words, "another-key-0123\n");
        assert_eq!(refused.status, 2, "{words:?}: {}", refused.stderr);
        assert!(!refused.stderr.contains(key), "{}", refused.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_goes_to_no_other_server_when_an_older_backup_comes_back() {
    let (older, newer) = (FakeServer::start().await, FakeServer::start().await);
    for server in [&older, &newer] {
        server.models("acme", &["small"]);
    }
    let terminal = knowing_passphrase();
    let file = terminal.path("before.coterie");
    let at = |url: &str| {
        let add = ["provider", "add", "acme", "--url", url, "--key", "--model", "small"];
        block_in_place(|| {
            terminal.run_reading(&add, &format!("{KEY}-of-{}\n", &url[17..22])).done()
        });
    };
    block_in_place(|| terminal.run_reading(&["key", "move", "sealed"], PASSPHRASE));
    at(&older.base_url());
    block_in_place(|| terminal.run(&["backup", &file]).done());
    at(&newer.base_url());
    block_in_place(|| terminal.run(&["restore", &file]).done());
    let before = older.requests().len();

    let refused = block_in_place(|| terminal.run(&["provider", "test", "acme"]).failed(1));
    assert!(refused.stderr.contains("is shown to no other server"), "{}", refused.stderr);
    assert_eq!(older.requests().len(), before);
}
