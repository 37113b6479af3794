//! Connecting model servers from a terminal.

use super::terminal::terminal;
use serde_json::json;
use tests::fake_server::{FakeServer, MODELS, Reply};

#[test]
fn a_provider_that_cannot_be_asked_is_not_added_and_the_fix_is_one_for_the_command_line() {
    let terminal = terminal();
    let add = ["--json", "provider", "add", "dead", "--url", "http://127.0.0.1:9/v1"];
    let fault = terminal.run(&add).fault(1);
    assert!(fault["message"].as_str().unwrap().ends_with("; it was not added"), "{fault}");
    let fix = fault["fix"].as_str().unwrap();
    assert!(fix.contains("--url") && !fix.contains("Settings"), "{fix}");
    terminal.run(&["provider", "test", "dead"]).failed(3);
    let variable = ["--key-env", "NOT_SET"];
    let fault = terminal.run(&[&add[..], &variable].concat()).fault(1);
    assert!(fault["fix"].as_str().unwrap().starts_with("set NOT_SET to a valid key"), "{fault}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_nobody_has_looked_at_does_not_count_as_checked() {
    let server = FakeServer::start().await;
    server.models("acme", &["small"]);
    let terminal = terminal().knowing("ACME_KEY", "wrong");
    let url = server.base_url();
    let add = ["provider", "add", "acme", "--url", &url, "--key-env", "ACME_KEY"];
    let unchecked =
        "coterie: acme lists its models to anybody, so the key in ACME_KEY has not been checked\n";
    for words in [&add[..], &["provider", "test", "acme"]] {
        let ran = tokio::task::block_in_place(|| terminal.run(words));
        assert_eq!((ran.status, ran.stderr.as_str()), (0, unchecked), "{words:?}");
    }
    let list = json!({ "data": [{ "id": "small" }] });
    let wants_a_key = Reply::refusal("401 Unauthorized", &json!({}));
    server.once(MODELS, Reply::json(&list));
    server.once(MODELS, wants_a_key);
    tokio::task::block_in_place(|| terminal.run(&["provider", "test", "acme"]).done());
}

#[test]
fn a_preset_gives_its_address_and_interface_to_a_provider_of_any_name() {
    let terminal = terminal();
    let add = ["--json", "provider", "add", "work", "--preset", "anthropic", "--model", "opus"];
    let added = terminal.run(&add).data();
    assert_eq!(added["kind"], "anthropic");
    assert_eq!(added["base_url"], "https://api.anthropic.com/v1");
    assert_eq!(added["key_env"], "ANTHROPIC_API_KEY");
    let elsewhere =
        ["--json", "provider", "add", "box", "--kind", "ollama", "--url", "http://box:11434"];
    let added = terminal.run(&[&elsewhere[..], &["--model", "qwen3"]].concat()).data();
    assert_eq!((&added["kind"], &added["key_env"]), (&json!("ollama"), &json!(null)));
    let unknown = ["--json", "provider", "add", "work", "--preset", "nobody"];
    let fault = terminal.run(&unknown).fault(2);
    assert_eq!(fault["message"], "there is no preset called nobody");
    assert!(fault["fix"].as_str().unwrap().contains("openai, anthropic, gemini"), "{fault}");
}

#[test]
fn a_key_in_an_address_or_in_a_variables_place_is_refused_and_not_repeated() {
    const KEY: &str = "sk-proj-0123456789abcdefghijklmnop";
    let terminal = terminal();
    let address = format!("http://127.0.0.1:9/{KEY}/v1");
    let elsewhere = ["--model", "small"];
    for words in [
        &["provider", "add", "acme", "--url", &address][..],
        &["provider", "add", "acme", "--url", "http://127.0.0.1:9/v1", "--key-env", KEY],
        &["key", "set", "acme", "--env", KEY],
    ] {
        let more = if words[0] == "provider" { &elsewhere[..] } else { &[] };
        for words in [words.to_vec(), [words, more].concat()] {
            let ran = terminal.run(&[&["--json"], &words[..]].concat());
            assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{}", ran.stderr);
            assert_eq!(ran.fault(2)["code"], "bad_input", "{words:?}");
        }
    }
    let list = terminal.run(&["--json", "provider", "list"]).data();
    assert!(!list.to_string().contains("acme"), "{list}");
    // Names of variables are no keys.
    let plain = ["provider", "add", "acme", "--url", "http://127.0.0.1:9/v1", "--key-env"];
    terminal.run(&[&plain[..], &["ACME_API_KEY"], &elsewhere].concat()).done();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_service_says_of_windows_and_prices_is_kept_and_what_answers_nobody_left_out() {
    let server = FakeServer::start().await;
    let list = json!({ "data": [
        { "id": "lab/big", "context_length": 200_000,
          "pricing": { "prompt": "0.00000125", "completion": "0.00001" } },
        { "id": "lab/unknown" },
        { "id": "text-embedding-3-small" },
    ] });
    server.always(MODELS, Reply::json(&list));
    let url = server.base_url();
    let add = ["--json", "provider", "add", "acme", "--url", &url];
    tokio::task::block_in_place(|| {
        let terminal = terminal();
        let models = |data: serde_json::Value| {
            let all = data["models"].as_array().cloned().unwrap_or_default();
            all.into_iter().map(|it| (it["name"].clone(), it["context_tokens"].clone())).collect()
        };
        let found: Vec<_> = models(terminal.run(&add).data());
        assert_eq!(
            found,
            [(json!("lab/big"), json!(200_000)), (json!("lab/unknown"), json!(null)),]
        );
        let prices = terminal.run(&["--json", "model", "prices"]).data();
        assert_eq!(prices[0]["model"], "acme/lab/big");
        assert_eq!(prices[0]["input_microusd"], 1_250_000);
        assert!(prices[0]["as_of"].is_string() && prices[1].is_null(), "{prices}");
        // It may ask for more one day.
        let dearer = json!({ "data": [{ "id": "lab/big",
            "pricing": { "prompt": "0.000003", "completion": "0.00001" } }] });
        server.always(MODELS, Reply::json(&dearer));
        terminal.run(&["provider", "test", "acme"]).done();
        let prices = terminal.run(&["--json", "model", "prices"]).data();
        assert_eq!((&prices[0]["input_microusd"], &prices[1]), (&json!(3_000_000), &json!(null)));
        server.always(MODELS, Reply::json(&list));
        // What a person says holds, also when the provider is added again.
        let price = ["model", "price", "acme/lab/big", "--input", "1", "--output", "2"];
        terminal.run(&price).done();
        let window = ["model", "window", "acme/lab/unknown", "65536"];
        let said = "acme/lab/unknown reads and writes 65536 tokens at once\n";
        assert_eq!(terminal.run(&window).done(), said);
        let added = terminal.run(&add).data();
        assert_eq!(added["models"][1]["chosen_tokens"], 65_536);
        terminal.run(&["provider", "test", "acme"]).done();
        let prices = terminal.run(&["--json", "model", "prices"]).data();
        assert_eq!((&prices[0]["input_microusd"], &prices[1]), (&json!(1_000_000), &json!(null)));
        // Also of a model that the service does not name.
        terminal.run(&["model", "window", "acme/lab/hidden", "4096"]).done();
        terminal.run(&["provider", "test", "acme"]).done();
        let added = terminal.run(&add).data();
        let hidden = added["models"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&hidden["name"], &hidden["chosen_tokens"]),
            (&json!("lab/hidden"), &json!(4_096))
        );
        terminal.run(&["model", "window", "acme", "65536"]).failed(2);
        terminal.run(&["model", "window", "nobody/x", "65536"]).failed(3);
        let embedding = terminal.run(&["model", "embedding"]).done();
        assert_eq!(embedding, "acme/text-embedding-3-small\n");
    });
}

#[test]
fn the_engine_that_is_built_in_keeps_its_name() {
    let terminal = terminal();
    let add = ["--json", "provider", "add", "local", "--url", "http://127.0.0.1:9/v1"];
    let fault = terminal.run(&[&add[..], &["--model", "small"]].concat()).fault(2);
    assert!(fault["message"].as_str().unwrap().starts_with("local is the name of"), "{fault}");
    assert!(!terminal.run(&["provider", "list"]).done().contains("127.0.0.1"));
}

#[test]
fn a_file_that_is_no_trace_is_not_added() {
    let terminal = terminal();
    let file = terminal.path("notes.json");
    std::fs::write(&file, r#"{ "notes": "buy milk" }"#).unwrap();
    let fault = terminal.run(&["--json", "provider", "add", "play", "--trace", &file]).fault(2);
    assert!(fault["fix"].as_str().unwrap().contains("docs/scripted-traces.md"), "{fault}");
    terminal.run(&["provider", "test", "play"]).failed(3);
}
