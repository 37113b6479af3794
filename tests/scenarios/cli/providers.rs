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
