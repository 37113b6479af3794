//! Choosing models from a terminal.

use super::terminal::terminal;
use tests::fake_server::FakeServer;
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
