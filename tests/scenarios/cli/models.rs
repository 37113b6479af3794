//! Choosing models from a terminal.

use super::terminal::terminal;
use serde_json::json;
use tests::fake_server::{FakeServer, Reply, VECTORS};
use tokio::task::block_in_place;

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_its_provider_does_not_name_is_used_only_where_that_is_insisted_on() {
    let server = FakeServer::start().await;
    server.models("acme", &["large", "smaller", "small"]);
    let terminal = terminal();
    block_in_place(|| {
        terminal.run(&["provider", "add", "acme", "--url", &server.base_url()]).done();
        let wrong = ["--json", "model", "use", "default", "acme/smal"];
        let fault = terminal.run(&wrong).fault(3);
        assert_eq!(fault["message"], "acme names no model smal among those it has");
        assert_eq!(
            fault["fix"],
            "use acme/small or acme/smaller or acme/large, or use it all the same with --force"
        );
        let roles = || terminal.run(&["--json", "model", "list"]).data()["roles"].clone();
        assert_ne!(roles()["default"], "acme/smal");
        terminal.run(&[&wrong[..], &["--force"]].concat()).done();
        assert_eq!(roles()["default"], "acme/smal");
        let checks = terminal.run(&["--json", "doctor"]).data();
        let checks = checks.as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == "default model").unwrap();
        assert_eq!(check["state"], "degraded");
        assert_eq!(check["detail"], "acme/smal, which its provider does not name among its models");
        // It may have come since the provider was added.
        server.models("acme", &["large", "smaller", "small", "new"]);
        terminal.run(&["model", "use", "default", "acme/new"]).done();
    });
}

#[test]
fn a_model_of_a_provider_that_cannot_be_asked_is_said_to_be_unchecked() {
    let terminal = terminal();
    let add = ["provider", "add", "away", "--url", "http://127.0.0.1:9/v1", "--model", "known"];
    terminal.run(&add).done();
    let known = terminal.run(&["model", "use", "default", "away/known"]);
    assert_eq!((known.status, known.stderr.as_str()), (0, ""));
    let other = terminal.run(&["model", "use", "default", "away/other"]);
    assert_eq!(other.status, 0);
    let said = "coterie: not checked whether away has other: ";
    assert!(other.stderr.starts_with(said), "{}", other.stderr);
}

#[test]
fn a_file_of_ones_own_is_listed_with_the_same_window_everywhere_and_removed_by_its_name() {
    let terminal = terminal();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gguf");
    std::fs::write(&path, tests::gguf_file("llama", 131_072, "{{ messages }}")).unwrap();
    let path = path.display().to_string();
    let name = format!("local/{path}");
    terminal.run(&["model", "add", &path]).done();
    let windows = || {
        let files = terminal.run(&["--json", "model", "files"]).data();
        let all = files["models"].as_array().unwrap();
        let file = all.iter().find(|file| file["model"] == *name).unwrap().clone();
        let list = terminal.run(&["--json", "model", "list"]).data();
        let all = list["models"].as_array().unwrap();
        let listed = all.iter().find(|model| model["name"] == *name).unwrap().clone();
        (file["about"]["window_tokens"].clone(), listed["window_tokens"].clone())
    };
    assert_eq!(windows(), (8192.into(), 8192.into()));
    let said = format!("{name} reads and writes 65536 tokens at once\n");
    assert_eq!(terminal.run(&["model", "window", &name, "65536"]).done(), said);
    assert_eq!(windows(), (65_536.into(), 65_536.into()));
    terminal.run(&["model", "window", &name, "131073"]).failed(2);
    // Another file has taken its place.
    std::fs::write(&path, tests::gguf_file("llama", 2048, "{{ messages }}")).unwrap();
    assert_eq!(windows(), (2048.into(), 2048.into()));
    terminal.run(&["model", "window", &name, "--reset"]).done();
    assert_eq!(windows(), (2048.into(), 2048.into()));
    terminal.run(&["model", "remove", &name]).done();
    let list = terminal.run(&["--json", "model", "list"]).data().to_string();
    assert!(!list.contains(&path), "{list}");
    terminal.run(&["model", "remove", &name]).failed(3);
}

#[test]
fn what_was_said_of_a_price_can_be_taken_back() {
    let terminal = terminal();
    for model in ["acme/big", "acme/*"] {
        terminal.run(&["model", "price", model, "--input", "1", "--output", "2"]).done();
    }
    let left = terminal.run(&["--json", "model", "unprice", "acme/big"]).data();
    let models: Vec<_> = left.as_array().unwrap().iter().map(|price| &price["model"]).collect();
    assert_eq!(models, ["acme/*"]);
    let fault = terminal.run(&["--json", "model", "unprice", "acme/big"]).fault(3);
    assert_eq!(fault["message"], "nothing was said of the price of acme/big");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_for_comparing_texts_is_listed_tried_and_asked_from_then_on() {
    let server = FakeServer::start().await;
    server.models("acme", &["large", "text-embedding-3-small"]);
    let vector =
        |at: usize| json!({ "embedding": std::array::from_fn::<_, 8, _>(|n| u8::from(n == at)) });
    let eight: Vec<_> = (0..8).map(vector).collect();
    server
        .always(VECTORS, Reply::json(&json!({ "data": eight, "usage": { "prompt_tokens": 70 } })));
    let terminal = terminal();
    block_in_place(|| {
        terminal.run(&["provider", "add", "acme", "--url", &server.base_url()]).done();
        let listed = terminal.run(&["model", "embedding"]).done();
        assert_eq!(listed, "acme/text-embedding-3-small\n");
        let used = terminal.run(&["model", "use", "embedding", "acme/text-embedding-3-small"]);
        assert_eq!(used.status, 0, "{}", used.stderr);
        assert!(used.stderr.contains("are sent to it from now on"), "{}", used.stderr);
        assert!(used.stdout.contains("embedding: acme/text-embedding-3-small\n"));
        let usage = terminal.run(&["usage", "--by", "model"]).done();
        let row = usage.lines().find(|line| line.contains("text-embedding-3-small"));
        assert!(row.is_some_and(|row| row.contains("140")), "what it was tried with: {usage}");
        // A model that is not there is not used, and the one before goes on.
        let fault = terminal
            .run(&["--json", "model", "use", "embedding", "local/SmolLM2-135M-Instruct.Q4_1"])
            .fault(1);
        assert_eq!(fault["kind"]["is"], "model_makes_no_vectors");
        let roles = || terminal.run(&["--json", "model", "list"]).data()["roles"].clone();
        assert_eq!(roles()["embedding"], "acme/text-embedding-3-small");
        terminal.run(&["model", "unset", "embedding"]).done();
        assert!(roles()["embedding"].is_null());
    });
}

#[test]
fn the_doctor_does_not_call_a_model_well_whose_file_is_cut_off() {
    let terminal = terminal();
    let models = terminal.path("assets/models");
    std::fs::create_dir_all(&models).unwrap();
    let starter = format!("{models}/SmolLM2-135M-Instruct.Q4_1.gguf");
    std::fs::write(&starter, b"GGUF\x03\0\0\0\x10\0\0\0\0\0\0\0").unwrap();
    terminal.run(&["model", "use", "default", "local/SmolLM2-135M-Instruct.Q4_1"]).done();
    let told = terminal.run(&["doctor"]);
    assert_eq!(told.status, 1, "{}", told.stdout);
    assert!(told.stdout.contains("no agent can answer: "), "{}", told.stdout);
    assert!(told.stdout.contains("is cut off"), "{}", told.stdout);
}
