//! What is secret about servers, given by a person or found in what another app
//! had: it lies with the keys and shows nowhere.

use super::*;
use domain::McpImport;
use std::collections::BTreeMap;

async fn import(stage: &Stage, text: &str, preview: bool) -> Result<McpImport, Fault> {
    match stage.command(Command::ImportServers { text: Secret::new(text), preview }).await? {
        Reply::ServersImported(import) => Ok(*import),
        other => panic!("no import: {other:?}"),
    }
}

#[tokio::test]
async fn what_a_server_is_given_in_secret_lies_with_the_keys_and_nowhere_else() {
    let Some(setup) = everything("things") else { return };
    let stage = with(does("things__get-env", json!({}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, setup, &[("API_TOKEN", PLANTED), ("LEVEL", "debug")]).await.expect("it is set up");
    let there = ready(&stage).await;
    let McpPlace::Program { environment, .. } = &there.setup.place else { panic!("{there:?}") };
    let expected: BTreeMap<String, McpValue> = [
        ("API_TOKEN".to_owned(), McpValue::Key { key: "mcp/things/API_TOKEN".into() }),
        ("LEVEL".to_owned(), McpValue::Plain { value: "debug".into() }),
    ]
    .into();
    assert_eq!(*environment, expected);
    assert_eq!(key_names(&stage).await, ["mcp/things/API_TOKEN"]);

    // The server has it, and what it repeats of it is read by nobody.
    stage.post(ada, "what do you know?").await;
    allow(&stage, &asked(&stage).await).await;
    let said = last_said(&stage, ada).await;
    assert!(said.contains("API_TOKEN") && said.contains("debug"), "{said}");
    assert!(!said.contains(PLANTED), "{said}");
    shows_nowhere(stage.data(), PLANTED);

    let mut again = there.setup.clone();
    if let McpPlace::Program { arguments, .. } = &mut again.place {
        arguments.push(format!("--token={PLANTED}"));
    }
    let refused = put(&stage, again, &[]).await.expect_err("a key in plain sight");
    assert!(matches!(refused.kind.as_deref(), Some(FaultKind::ServerUnfit { .. })), "{refused:?}");
    assert!(!refused.to_string().contains(PLANTED));

    stage.do_(Command::RemoveServer { server: "things".into() }).await;
    assert!(key_names(&stage).await.is_empty());
    stage.workspace.close().await;
}

/// In no file of the folder, whatever it is.
pub(super) fn shows_nowhere(folder: &Path, planted: &str) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("a file");
        let kind = entry.file_type().expect("it is something");
        if kind.is_dir() {
            shows_nowhere(&entry.path(), planted);
        } else if kind.is_file() {
            let bytes = std::fs::read(entry.path()).expect("a file");
            let shows = bytes.windows(planted.len()).any(|window| window == planted.as_bytes());
            assert!(!shows, "{}", entry.path().display());
        }
    }
}

#[tokio::test]
async fn servers_of_another_app_are_taken_in_and_their_secrets_kept_apart() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let McpPlace::Program { command, arguments, .. } = obedient("things", &["plain"]).place else {
        panic!("it is a program")
    };
    let text = json!({ "mcpServers": {
        "things": {
            "command": command,
            "args": arguments,
            "env": { "API_TOKEN": PLANTED, "LEVEL": "debug" },
        },
        "nothing": {},
    } })
    .to_string();
    let look = import(&stage, &text, true).await.expect("it can be read");
    assert!(servers(&stage).await.is_empty() && key_names(&stage).await.is_empty());
    let done = import(&stage, &text, false).await.expect("it is taken in");
    assert_eq!(done, look);
    assert_eq!(done.keys, ["mcp/things/API_TOKEN"]);
    let left: Vec<&str> = done.left_out.iter().map(|left| left.name.as_str()).collect();
    assert_eq!(left, ["nothing"]);
    assert!(!format!("{done:?}").contains(PLANTED));
    ready(&stage).await;
    shows_nowhere(stage.data(), PLANTED);
    let again = import(&stage, &text, false).await.expect("it can be read");
    assert!(again.taken.is_empty() && again.left_out.len() == 2);
    let unread = import(&stage, "{\"a\": 1}", true).await.expect_err("no servers");
    assert!(matches!(unread.kind.as_deref(), Some(FaultKind::ServersUnread { .. })));
    stage.workspace.close().await;
}
