//! What is secret about servers, given by a person or found in what another app
//! had: it lies with the keys and shows nowhere.

use super::*;
use domain::McpImport;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use workspace::KeyParts;

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

    let with_argument = |argument: String| {
        let mut again = there.setup.clone();
        if let McpPlace::Program { arguments, .. } = &mut again.place {
            arguments.push(argument);
        }
        again
    };
    let put_there = put(&stage, with_argument(format!("--token={PLANTED}")), &[]).await;
    let McpPlace::Program { arguments, .. } = put_there.expect("it is set up").setup.place else {
        panic!("a program")
    };
    assert_eq!(arguments.last().map(String::as_str), Some("--token=${token}"));
    assert_eq!(key_names(&stage).await, ["mcp/things/API_TOKEN", "mcp/things/token"]);
    shows_nowhere(stage.data(), PLANTED);

    let again = with_argument(format!("--label={PLANTED}"));
    let refused = put(&stage, again, &[]).await.expect_err("a key in plain sight");
    assert!(matches!(refused.kind.as_deref(), Some(FaultKind::ServerUnfit { .. })), "{refused:?}");
    assert!(!refused.to_string().contains(PLANTED));

    stage.do_(Command::RemoveServer { server: "things".into(), forget: false }).await;
    assert!(key_names(&stage).await.is_empty());
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_server_whose_secrets_cannot_be_erased_stays_whole_and_goes_with_the_next_try() {
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = ::secrets::Keyring::in_memory_locked_while(locked.clone());
    let stage = with(does("things__echo", json!({})))
        .keys(KeyParts { keyring, ..with_our_variables() })
        .open()
        .await;
    let setup = obedient("things", &["plain"]);
    let values = [("API_TOKEN", PLANTED), ("OTHER_TOKEN", PLANTED)];
    let remove = |forget| Command::RemoveServer { server: "things".into(), forget };
    put(&stage, setup.clone(), &values).await.expect("it is set up");
    ready(&stage).await;

    locked.store(true, Ordering::SeqCst);
    let refused = stage.command(remove(false)).await.expect_err("the keyring is locked");
    assert_eq!(refused.kind.as_deref(), Some(&FaultKind::KeyringLocked));
    assert!(refused.message.starts_with("things stays, since"), "{refused}");
    assert!(refused.fix.contains("coterie mcp remove things --forget"), "{refused}");
    ready(&stage).await;
    assert_eq!(key_names(&stage).await, ["mcp/things/API_TOKEN", "mcp/things/OTHER_TOKEN"]);

    locked.store(false, Ordering::SeqCst);
    stage.do_(remove(false)).await;
    assert_eq!((servers(&stage).await.len(), key_names(&stage).await.len()), (0, 0));

    // Where the keyring will not come back there is a way too.
    put(&stage, setup, &values).await.expect("it is set up");
    locked.store(true, Ordering::SeqCst);
    stage.do_(remove(true)).await;
    assert_eq!((servers(&stage).await.len(), key_names(&stage).await.len()), (0, 0));
    stage.workspace.close().await;
}

#[tokio::test]
async fn what_a_careless_server_says_of_its_tools_is_told_without_its_secret() {
    let stage = with(does("things__careless", json!({}))).open().await;
    let ada = stage.direct("Ada").await;
    let setup = obedient("things", &["careless"]);
    put(&stage, setup, &[("API_TOKEN", PLANTED)]).await.expect("it is set up");
    let there = ready(&stage).await;
    assert!(there.tools.iter().any(|tool| tool.name == "careless"), "{:?}", there.tools);
    stage.post(ada, "what can you do?").await;
    asked(&stage).await;
    let sent = stage.model.requests();
    let tools: Vec<_> = sent.iter().flat_map(|request| request.tools.iter()).collect();
    let told = serde_json::to_string(&tools).unwrap();
    assert!(
        told.contains("careless") && told.contains("[redacted mcp/things/API_TOKEN]"),
        "{told}"
    );
    assert!(!told.contains(PLANTED), "{told}");
    shows_nowhere(stage.data(), PLANTED);
    stage.workspace.close().await;
}

/// In the name of a tool, and in the address of what can be read.
#[tokio::test]
async fn a_secret_in_a_name_or_an_address_is_told_nobody_and_what_is_there_is_read_all_the_same() {
    let stage = with(does("read_resource", json!({"server": "things"}))).open().await;
    let ada = stage.direct("Ada").await;
    let setup = obedient("things", &["careless"]);
    put(&stage, setup, &[("API_TOKEN", PLANTED)]).await.expect("it is set up");
    let there = ready(&stage).await;
    let unfit: Vec<_> = there.tools.iter().filter(|tool| tool.unfit.is_some()).collect();
    let [one] = unfit[..] else { panic!("{unfit:?}") };
    assert_eq!(one.name, "look_at_[redacted mcp/things/API_TOKEN]");
    assert_eq!(one.unfit.as_deref(), Some("its name has one of your keys in it"));
    let shown = "fake://page?key=[redacted mcp/things/API_TOKEN]";
    let offers = Query::ServerOffers { server: "things".into() };
    let Ok(Reply::ServerOffers(offers)) = stage.query(offers).await else { panic!("no offers") };
    assert_eq!(offers.resources[0].uri, shown);

    // Who asks for it by what is shown is given what is there.
    let attach = Command::AttachResource { server: "things".into(), uri: shown.into() };
    let Reply::Attachment(kept) = stage.do_(attach).await else { panic!("no attachment") };
    assert_eq!(kept.from.expect("a server's").uri, shown);
    assert_eq!(kept.bytes, 8);
    stage.say(ada, "what is there?").await;
    let said = last_said(&stage, ada).await;
    assert!(said.contains(shown), "{said}");
    let sent = stage.model.requests();
    assert!(
        sent.iter().flat_map(|one| one.tools.iter()).all(|tool| !tool.name.contains("look_at"))
    );
    assert!(!format!("{sent:?}").contains(PLANTED));
    shows_nowhere(stage.data(), PLANTED);
    stage.workspace.close().await;
}

/// A model writes a letter by its number, and whoever reads the JSON finds the letter.
#[tokio::test]
async fn a_secret_that_a_model_writes_in_numbers_reaches_no_tool_and_no_record() {
    let by_number: String = PLANTED.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let arguments = format!("{{\"text\":\"{by_number}\"}}");
    let model = Scripted::from_fn(move |request, _| match request.turns.last() {
        Some(turn) if turn.role == Role::Tool => vec![Beat::Text(turn.content.clone())],
        Some(_) | None => vec![Beat::ToolCall(ToolCallDelta {
            id: "c".into(),
            name: Some("things__echo".into()),
            arguments: arguments.clone(),
        })],
    });
    let stage = with(model).open().await;
    let ada = stage.direct("Ada").await;
    let setup = obedient("things", &["plain"]);
    put(&stage, setup, &[("API_TOKEN", PLANTED)]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "echo it").await;
    let question = asked(&stage).await;
    assert_eq!(question.arguments, json!({"text": "[redacted mcp/things/API_TOKEN]"}));
    allow(&stage, &question).await;
    let said = last_said(&stage, ada).await;
    assert!(said.contains("[redacted mcp/things/API_TOKEN]"), "{said}");
    let run = stage.runs().await.pop().expect("she took a turn");
    let steps = serde_json::to_string(&stage.run(run.id).await.steps).expect("records are JSON");
    assert!(!steps.contains("\\u0070") && !steps.contains(PLANTED), "{steps}");
    shows_nowhere(stage.data(), PLANTED);
    stage.workspace.close().await;
}

/// The server `things`, which repeats what it is given as `API_TOKEN` wherever it can, and
/// is given what our variable `MY_TOKEN` holds.
fn repeating() -> McpSetup {
    let mut setup = obedient("things", &["says", "${API_TOKEN}"]);
    let McpPlace::Program { command, arguments, environment, .. } = &mut setup.place else {
        panic!("it is a program")
    };
    let line = "echo \"I was given $API_TOKEN\" >&2; exec \"$@\"";
    let before = ["-c", line, "sh", command.as_str()].map(str::to_owned);
    *arguments = before.into_iter().chain(std::mem::take(arguments)).collect();
    *command = "sh".into();
    environment.insert("API_TOKEN".into(), McpValue::Variable { variable: "MY_TOKEN".into() });
    setup
}

fn with_my_token() -> KeyParts {
    let environment = |name: &str| match name {
        "MY_TOKEN" => Some(PLANTED.to_owned()),
        _ => tests::mcp_server::variable(name),
    };
    KeyParts { environment: Arc::new(environment), ..KeyParts::in_memory() }
}

#[tokio::test]
async fn what_a_server_repeats_of_a_variable_of_ours_is_read_by_nobody() {
    let stage = with(does("things__look", json!({}))).keys(with_my_token()).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, repeating(), &[]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "what do you know?").await;
    allow(&stage, &asked(&stage).await).await;

    // The server has it, and its place is marked wherever it says it.
    let marked = "[redacted MY_TOKEN]";
    let said = last_said(&stage, ada).await;
    assert!(said.contains(marked) && !said.contains(PLANTED), "{said}");
    let run = stage.runs().await.pop().expect("she took a turn");
    let steps = serde_json::to_string(&stage.run(run.id).await.steps).expect("records are JSON");
    assert!(steps.contains(marked) && !steps.contains(PLANTED), "{steps}");
    let sent = format!("{:?}", stage.model.requests());
    assert!(sent.contains(marked) && !sent.contains(PLANTED), "{sent}");
    // It logs, of which no event tells.
    while log(&stage).await.is_empty() {
        tokio::task::yield_now().await;
    }
    let lines = log(&stage).await;
    assert!(lines.contains(&format!("I was given {marked}")), "{lines:?}");
    assert!(!lines.join("\n").contains(PLANTED), "{lines:?}");
    shows_nowhere(stage.data(), PLANTED);
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_variable_of_a_server_that_is_off_is_known_as_soon_as_the_workspace_opens() {
    let stage = with(does("things__look", json!({}))).keys(with_my_token()).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, McpSetup { on: false, ..repeating() }, &[]).await.expect("it is set up");
    let stage = stage.reopen().await;
    stage.say(ada, &format!("I have {PLANTED}")).await;
    let said = stage.transcript(ada).await;
    assert!(said.contains(&"you: I have [redacted MY_TOKEN]".to_owned()), "{said:?}");
    shows_nowhere(stage.data(), PLANTED);
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_blank_among_its_arguments_is_filled_when_a_server_starts() {
    let stage = with(does("things__echo", json!({}))).open().await;
    let setup = obedient("things", &["${BEHAVIOUR}"]);
    put(&stage, setup, &[("BEHAVIOUR", "careless")]).await.expect("it is set up");
    let there = ready(&stage).await;
    assert!(there.tools.iter().any(|tool| tool.name == "careless"), "{:?}", there.tools);
    stage.workspace.close().await;
}

#[tokio::test]
async fn who_signed_in_at_one_address_shows_nothing_of_it_at_another() {
    let stage = with(does("things__echo", json!({}))).open().await;
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", socket.local_addr().unwrap());
    let tokens = json!({
        "client_id": "me",
        "token_response": { "access_token": PLANTED, "token_type": "bearer" },
        "granted_scopes": [],
        "token_received_at": 0,
    });
    let asked = async |signed_in_at: &str| {
        let kept = json!({ "url": signed_in_at, "tokens": tokens }).to_string();
        let name = "mcp/things/sign-in".to_owned();
        stage.do_(Command::SetKey { name, value: Secret::new(kept) }).await;
        let place = McpPlace::Address { url: url.clone(), headers: BTreeMap::new() };
        let setup = McpSetup { place, ..obedient("things", &[]) };
        put(&stage, setup, &[]).await.expect("it is set up");
        let reload = Command::ReloadServer { server: "things".into(), sign_in: false };
        stage.do_(reload).await;
        loop {
            let (mut stream, _) = socket.accept().await.unwrap();
            let mut heard = vec![0; 4096];
            let n = stream.read(&mut heard).await.unwrap();
            let heard = String::from_utf8_lossy(&heard[..n]).to_lowercase();
            if heard.starts_with("post /mcp") {
                return heard;
            }
            // It looks for what the server says of itself.
            let nothing =
                "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            stream.write_all(nothing.as_bytes()).await.unwrap();
        }
    };
    let elsewhere = asked("http://127.0.0.1:9/mcp").await;
    assert!(!elsewhere.contains("authorization"), "{elsewhere}");
    let here = asked(&url).await;
    assert!(here.contains(&format!("authorization: bearer {PLANTED}")), "{here}");
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_header_reaches_its_server_as_it_was_entered() {
    let stage = with(does("things__echo", json!({}))).open().await;
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", socket.local_addr().unwrap());
    let place = McpPlace::Address { url, headers: BTreeMap::new() };
    let setup = McpSetup { place, ..obedient("things", &[]) };
    let values = format!("Bearer {PLANTED}");
    put(&stage, setup, &[("Authorization", &values)]).await.expect("it is set up");
    let (mut stream, _) = socket.accept().await.unwrap();
    let mut heard = vec![0; 4096];
    let n = stream.read(&mut heard).await.unwrap();
    let heard = String::from_utf8_lossy(&heard[..n]).to_lowercase();
    assert!(heard.contains(&format!("authorization: bearer {PLANTED}").to_lowercase()), "{heard}");
    assert_eq!(key_names(&stage).await, ["mcp/things/Authorization"]);
    stage.workspace.close().await;
}

/// As when an older backup comes back, or somebody else's settings do.
#[tokio::test]
async fn a_header_goes_to_no_other_server_than_the_one_that_it_was_entered_for() {
    let stage = with(does("things__echo", json!({}))).open().await;
    let (here, there) = (
        TcpListener::bind("127.0.0.1:0").await.unwrap(),
        TcpListener::bind("127.0.0.1:0").await.unwrap(),
    );
    let at = |socket: &TcpListener| {
        let url = format!("http://{}/mcp", socket.local_addr().unwrap());
        let key = McpValue::Key { key: "mcp/things/X-Pass".into() };
        let place = McpPlace::Address { url, headers: [("X-Pass".to_owned(), key)].into() };
        McpSetup { place, ..obedient("things", &[]) }
    };
    let shown = async |socket: &TcpListener| {
        let (mut stream, _) = socket.accept().await.unwrap();
        let mut heard = vec![0; 4096];
        let n = stream.read(&mut heard).await.unwrap();
        String::from_utf8_lossy(&heard[..n]).contains(PLANTED)
    };
    put(&stage, at(&here), &[("X-Pass", PLANTED)]).await.expect("it is set up");
    assert!(shown(&here).await);

    put(&stage, at(&there), &[]).await.expect("it is set up");
    let failed = async |stage: &Stage| {
        matches!(servers(stage).await[..], [McpServer { state: McpState::Failed { .. }, .. }])
    };
    stage.until(failed).await;
    let failed = format!("{:?}", servers(&stage).await[0].state);
    assert!(failed.contains("is shown to no other server"), "{failed}");

    put(&stage, at(&there), &[("X-Pass", PLANTED)]).await.expect("it is set up");
    assert!(shown(&there).await);
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
async fn what_another_app_gave_a_server_lies_with_the_keys_unless_it_is_plainly_a_setting() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let McpPlace::Program { command, mut arguments, .. } = obedient("things", &["plain"]).place
    else {
        panic!("it is a program")
    };
    arguments.extend(["--header".into(), "Authorization: Bearer abcDEFghiJKL".into()]);
    let secrets = [
        ("SLACK", "https://hooks.slack.com/services/T01ABC/B02GHI/qWeRtYuIoPaSdFgHjKlZxCvB"),
        ("PINECONE_API", "pcsk_6NqgDt_Ab3xKz9Lm2Qw7Er4Ty6Ui8Op0As"),
        ("SMTP_PW", "hunter2hunter2"),
        ("OPENAPI_MCP_HEADERS", "{\"Authorization\": \"Bearer ntn_5301AbCdEfGhIjKlMnOpQrStUv\"}"),
    ];
    let mut env = json!({ "LEVEL": "debug", "PGSERVICEFILE": "/srv/pg.conf" });
    for (name, value) in secrets {
        env[name] = json!(value);
    }
    let server = json!({ "command": command, "args": arguments, "env": env });
    let text = json!({ "mcpServers": { "things": server } }).to_string();
    let done = import(&stage, &text, false).await.expect("it is taken in");
    assert_eq!(done.left_out, []);
    let names = ["Authorization", "OPENAPI_MCP_HEADERS", "PINECONE_API", "SLACK", "SMTP_PW"];
    assert_eq!(done.keys, names.map(|name| format!("mcp/things/{name}")));
    let there = ready(&stage).await;
    let McpPlace::Program { arguments, environment, .. } = there.setup.place else {
        panic!("it is a program")
    };
    assert_eq!(arguments.last().map(String::as_str), Some("Authorization: ${Authorization}"));
    assert_eq!(environment["LEVEL"], McpValue::Plain { value: "debug".into() });
    assert_eq!(environment["PGSERVICEFILE"], McpValue::Plain { value: "/srv/pg.conf".into() });
    for secret in secrets.map(|(_, value)| value).into_iter().chain(["abcDEFghiJKL"]) {
        shows_nowhere(stage.data(), secret);
    }
    stage.workspace.close().await;
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

#[tokio::test]
async fn a_server_of_another_app_starts_with_what_its_entry_fills_in_itself() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let McpPlace::Program { command, mut arguments, .. } = obedient("things", &["plain"]).place
    else {
        panic!("it is a program")
    };
    arguments.extend(["--header".into(), "Authorization:${AUTH_HEADER}".into()]);
    let env = json!({ "AUTH_HEADER": format!("Bearer {PLANTED}") });
    let server = json!({ "command": command, "args": arguments, "env": env });
    let text = json!({ "mcpServers": { "things": server } }).to_string();
    let done = import(&stage, &text, false).await.expect("it is taken in");
    assert_eq!(done.left_out, []);
    assert_eq!(done.keys, ["mcp/things/AUTH_HEADER"]);
    let there = ready(&stage).await;
    let McpPlace::Program { arguments, environment, .. } = there.setup.place else {
        panic!("it is a program")
    };
    assert_eq!(arguments.last().map(String::as_str), Some("Authorization:${AUTH_HEADER}"));
    assert_eq!(environment.len(), 1, "{environment:?}");
    shows_nowhere(stage.data(), PLANTED);
    stage.workspace.close().await;
}
