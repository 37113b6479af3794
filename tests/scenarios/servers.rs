//! Servers of the Model Context Protocol in a workspace: agents use what they
//! bring, no conversation waits for one, and what is secret about them stays so.

mod asking;
mod blocked;
mod changed;
mod folders;
mod offers;
mod pictures;
mod progress;
mod sampling;
mod secrets;
mod signing_in;

use domain::{
    Approval, Command, Consent, Covers, Fault, FaultKind, GroupId, McpPatch, McpPlace, McpServer,
    McpSetup, McpState, McpValue, Query, Reply, Secret, Target, Update,
};
use domain::{CheckAbout, CheckState, Finding, FromOwner, Need, NeedOf};
use futures::StreamExt;
use llm::scripted::{Beat, Scripted};
use llm::{Role, ToolCallDelta};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use tests::mcp_server::{everything, obedient, with_our_variables};
use tests::{Setting, Stage, speaker, stage};

const SOUL: &str = "---\nname: Ada\nrole: helper\nmcp: [things]\n---\nYou help.\n";
/// Has everything of ours, and nothing of a server.
const GREEDY: &str = "---\nname: Eve\nrole: helper\ntools: [\"*\"]\n---\nYou help.\n";
const PLANTED: &str = "planted-9f31-77ab-token";

/// Ada makes this call after each word of a person, and then says what came of it.
fn does(name: &'static str, arguments: Value) -> Scripted {
    Scripted::from_fn(move |request, _| {
        let offered = request.tools.iter().any(|tool| tool.name == name);
        match request.turns.last() {
            _ if speaker(request) != "Ada" => vec![Beat::Text("here".into())],
            Some(turn) if turn.role == Role::Tool => vec![Beat::Text(turn.content.clone())],
            Some(_) | None if offered => vec![Beat::ToolCall(ToolCallDelta {
                id: "c".into(),
                name: Some(name.into()),
                arguments: arguments.to_string(),
            })],
            Some(_) | None => vec![Beat::Text("I have no such tool.".into())],
        }
    })
}

/// Ada may use what the server `things` brings.
fn with(model: Scripted) -> Setting {
    let prepare = |data: &Path| {
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        std::fs::write(data.join("souls/ada.md"), SOUL).expect("a soul");
        std::fs::write(data.join("souls/eve.md"), GREEDY).expect("a soul");
    };
    stage().before(prepare).model(model).keeper().keys(with_our_variables())
}

async fn put(stage: &Stage, setup: McpSetup, values: &[(&str, &str)]) -> Result<McpServer, Fault> {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value)));
    let command = Command::PutServer { setup, values: values.collect(), replaces: true };
    stage.command(command).await.map(server)
}

fn server(reply: Reply) -> McpServer {
    match reply {
        Reply::Server(server) => *server,
        other => panic!("no server: {other:?}"),
    }
}

async fn edit(stage: &Stage, patch: McpPatch) -> McpServer {
    server(stage.do_(Command::EditServer { server: "things".into(), patch }).await)
}

async fn servers(stage: &Stage) -> Vec<McpServer> {
    match stage.query(Query::Servers).await {
        Ok(Reply::Servers(servers)) => servers,
        other => panic!("no servers: {other:?}"),
    }
}

async fn ready(stage: &Stage) -> McpServer {
    let is_ready = async |stage: &Stage| {
        matches!(servers(stage).await[..], [McpServer { state: McpState::Ready { .. }, .. }])
    };
    stage.until(is_ready).await;
    servers(stage).await.remove(0)
}

async fn asked(stage: &Stage) -> Approval {
    stage.until(async |stage: &Stage| !stage.overview().await.approvals.is_empty()).await;
    stage.overview().await.approvals.remove(0)
}

async fn allow(stage: &Stage, asked: &Approval) {
    let (call, binding) = (asked.call, asked.binding.clone());
    stage
        .do_(Command::AnswerApproval { call, binding, consent: Consent::Once, covers: None })
        .await;
    stage.quiet().await;
}

/// Nothing is allowed by the answer, and whoever answers is told so.
async fn is_another_tool_by_now(stage: &Stage, asked: &Approval) {
    let (call, binding) = (asked.call, asked.binding.clone());
    let once = Command::AnswerApproval { call, binding, consent: Consent::Once, covers: None };
    let refused = stage.command(once).await.expect_err("another tool");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::ApprovalChanged)));
    assert_eq!(stage.overview().await.approvals, [], "it is not asked about any more");
    stage.quiet().await;
}

async fn last_said(stage: &Stage, group: GroupId) -> String {
    stage.transcript(group).await.pop().unwrap_or_default()
}

async fn key_names(stage: &Stage) -> Vec<String> {
    stage.overview().await.keys.keys.into_iter().map(|key| key.name).collect()
}

#[tokio::test]
async fn a_server_with_thousands_of_tools_leaves_room_and_is_named() {
    let stage = with(does("few__echo", json!({"text": "tea"}))).open().await;
    let ada = stage.direct("Ada").await;
    let soul = SOUL.replace("[things]", "[things, few]");
    std::fs::write(stage.data().join("souls/ada.md"), soul).expect("a soul");
    put(&stage, obedient("things", &["many", "3000"]), &[]).await.expect("it is set up");
    put(&stage, obedient("few", &["plain"]), &[]).await.expect("it is set up");
    let are_ready = async |stage: &Stage| {
        servers(stage).await.iter().all(|one| matches!(one.state, McpState::Ready { .. }))
    };
    stage.until(are_ready).await;
    let offers = async |stage: &Stage| {
        let capabilities = Query::Capabilities { agent: stage.agent("Ada").await.id };
        match stage.query(capabilities).await {
            Ok(Reply::Capabilities(all)) => all.all,
            other => panic!("no capabilities: {other:?}"),
        }
    };
    stage
        .until(async |stage: &Stage| {
            offers(stage).await.iter().any(|one| one.name == "few__echo" && one.there)
        })
        .await;

    stage.post(ada, "echo, please").await;
    allow(&stage, &asked(&stage).await).await;
    assert!(last_said(&stage, ada).await.contains("tea"), "the turn came to its end");
    let sent = stage.model.requests().pop().expect("she was asked");
    let told: BTreeSet<String> = sent.tools.iter().map(|tool| tool.name.clone()).collect();
    let theirs = told.iter().filter(|name| name.starts_with("things__")).count();
    assert!((100..1500).contains(&theirs), "{theirs}");
    assert!(told.contains("few__echo") && told.contains("few__first-method"));
    let left = 3011 - theirs;
    let system = &sent.turns[0].content;
    assert!(system.contains(&format!("these many are left out: things ({left})")), "{system}");

    // The same is shown to the person, tool by tool.
    let all = offers(&stage).await;
    let there: BTreeSet<String> =
        all.iter().filter(|one| one.there).map(|one| one.name.clone()).collect();
    assert!(told.iter().all(|name| there.contains(name)), "{told:?}");
    let no_room = Need::new(NeedOf::Room { server: "things".into() }, false);
    let without: Vec<_> = all.iter().filter(|one| one.needs.contains(&no_room)).collect();
    assert_eq!(without.len(), left);
    assert!(without.iter().all(|one| !one.there && one.name.starts_with("things__")));
    stage.workspace.close().await;
}

#[tokio::test]
async fn with_a_server_goes_what_agents_were_allowed_to_do_with_it() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let ada = stage.direct("Ada").await;
    let always = async |stage: &Stage| {
        stage.post(ada, "echo, please").await;
        let Approval { call, binding, .. } = asked(stage).await;
        let (consent, covers) = (Consent::Always, Some(Covers::AnyUse));
        stage.do_(Command::AnswerApproval { call, binding, consent, covers }).await;
        stage.quiet().await;
    };
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    always(&stage).await;
    let grants = async |stage: &Stage| match stage.query(Query::Grants).await {
        Ok(Reply::Grants(grants)) => grants,
        other => panic!("no grants: {other:?}"),
    };
    // What somebody of a name that begins in the same way may do is not its.
    assert_eq!(grants(&stage).await.len(), 1);
    put(&stage, obedient("things-too", &["plain"]), &[]).await.expect("it is set up");
    stage.do_(Command::RemoveServer { server: "things-too".into(), forget: false }).await;
    assert_eq!(grants(&stage).await.len(), 1);
    stage.do_(Command::RemoveServer { server: "things".into(), forget: false }).await;
    assert_eq!(grants(&stage).await, []);

    // The same server, set up again, is asked about again.
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    always(&stage).await;
    assert_eq!(grants(&stage).await.len(), 1);
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_tool_of_a_server_is_used_when_a_person_allows_it_and_also_after_a_restart() {
    let Some(setup) = everything("things") else { return };
    let stage = with(does("things__echo", json!({"message": "tea"}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, setup.clone(), &[]).await.expect("it is set up");
    let there = ready(&stage).await;
    assert_eq!(there.setup, setup);
    assert!(there.memory_bytes.is_some_and(|bytes| bytes > 1 << 20), "{:?}", there.memory_bytes);
    let echo = there.tools.iter().find(|tool| tool.name == "echo").expect("it has one");
    assert_eq!((echo.offered_as.as_str(), echo.on, echo.looks_only), ("things__echo", true, true));

    // That it only looks is its own word, which nobody has vouched for.
    stage.post(ada, "echo, please").await;
    let question = asked(&stage).await;
    assert_eq!(question.tool, "things__echo");
    assert_eq!(question.arguments, json!({"message": "tea"}));
    allow(&stage, &question).await;
    assert!(last_said(&stage, ada).await.contains("Echo: tea"));
    let run = stage.runs().await.pop().expect("she took a turn");
    let context = stage.run(run.id).await.context;
    assert_eq!(context.mcp_servers, ["things"]);

    // What is known of it is offered before it is there again, and a use waits for it.
    let stage = stage.reopen().await;
    assert!(servers(&stage).await[0].tools.iter().any(|tool| tool.name == "echo"));
    stage.post(ada, "and again").await;
    allow(&stage, &asked(&stage).await).await;
    assert!(last_said(&stage, ada).await.contains("Echo: tea"));

    // Whoever vouches for it is asked no more about what it says does nothing.
    edit(&stage, McpPatch { trusted: Some(true), ..McpPatch::default() }).await;
    stage.say(ada, "once more").await;
    assert!(last_said(&stage, ada).await.contains("Echo: tea"));
    stage.workspace.close().await;
}

#[tokio::test]
async fn who_names_no_server_has_none_and_what_is_switched_off_is_offered_nobody() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    let new = Command::NewAgent { soul: "eve".into(), name: None, model: None, parent: None };
    stage.do_(new).await;
    let eve = stage.direct("Eve").await;
    stage.say(eve, "hello").await;
    let handed = stage.model.requests().pop().expect("Eve was asked").tools;
    assert!(!handed.is_empty() && handed.iter().all(|tool| !tool.name.contains("__")));

    let tools = |on: bool| McpPatch {
        tools: Some([("echo".to_owned(), on)].into()),
        ..McpPatch::default()
    };
    edit(&stage, tools(false)).await;
    stage.say(ada, "echo, please").await;
    assert_eq!(last_said(&stage, ada).await, "Ada: I have no such tool.");
    edit(&stage, tools(true)).await;
    let off = edit(&stage, McpPatch { on: Some(false), ..McpPatch::default() }).await;
    assert_eq!(off.state, McpState::Off);
    stage.say(ada, "and now?").await;
    assert_eq!(last_said(&stage, ada).await, "Ada: I have no such tool.");
    edit(&stage, McpPatch { on: Some(true), ..McpPatch::default() }).await;
    ready(&stage).await;
    stage.post(ada, "and now?").await;
    allow(&stage, &asked(&stage).await).await;
    assert!(last_said(&stage, ada).await.contains("tea"));

    stage.do_(Command::RemoveServer { server: "things".into(), forget: false }).await;
    assert!(servers(&stage).await.is_empty());
    let gone = stage.command(Command::ReloadServer { server: "things".into(), sign_in: false });
    let kind = gone.await.expect_err("it is gone").kind.map(|kind| *kind);
    assert_eq!(kind, Some(FaultKind::ServerUnknown { name: "things".into() }));
    stage.workspace.close().await;
}

// Seen in openai/codex#33266.
#[tokio::test]
async fn what_a_server_brings_anew_is_offered_from_the_next_turn_on() {
    let stage = with(does("things__grow", json!({}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "grow, please").await;
    let question = asked(&stage).await;
    let has_grown =
        async |stage: &Stage| servers(stage).await[0].tools.iter().any(|tool| tool.name == "grown");
    assert!(!has_grown(&stage).await);
    allow(&stage, &question).await;
    stage.until(has_grown).await;
    let grown =
        |request: &llm::ModelRequest| request.tools.iter().any(|tool| tool.name == "things__grown");
    assert!(!stage.model.requests().iter().any(grown));
    stage.post(ada, "and again").await;
    asked(&stage).await;
    assert!(stage.model.requests().last().is_some_and(grown));
    stage.workspace.close().await;
}

// Seen in openai/codex#33266.
#[tokio::test]
async fn what_was_asked_about_a_tool_is_void_once_its_server_changes_it() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "echo, please").await;
    let question = asked(&stage).await;
    put(&stage, obedient("things", &["other"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    is_another_tool_by_now(&stage, &question).await;
    let said = last_said(&stage, ada).await;
    assert!(said.starts_with("Ada: not done: things__echo is not what it was"), "{said}");
    stage.post(ada, "and now?").await;
    allow(&stage, &asked(&stage).await).await;
    assert!(last_said(&stage, ada).await.contains("tea"));
    stage.workspace.close().await;
}

/// The same program, started otherwise, may be another folder's, and another address
/// another's altogether.
#[tokio::test]
async fn what_was_allowed_of_a_server_is_not_allowed_of_another_one_by_its_name() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "echo, please").await;
    let question = asked(&stage).await;
    let Approval { call, binding, .. } = question;
    let (consent, covers) = (Consent::Always, Some(Covers::AnyUse));
    stage.do_(Command::AnswerApproval { call, binding, consent, covers }).await;
    stage.quiet().await;
    assert!(last_said(&stage, ada).await.contains("tea"));
    stage.say(ada, "once more").await;
    assert!(last_said(&stage, ada).await.contains("tea"));

    put(&stage, obedient("things", &["plain", "elsewhere"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "and now?").await;
    let question = asked(&stage).await;
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    is_another_tool_by_now(&stage, &question).await;
    let said = last_said(&stage, ada).await;
    assert!(said.starts_with("Ada: not done: things__echo is not what it was"), "{said}");
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_server_that_is_slow_to_start_holds_up_no_conversation() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let gate = stage.data().join("gate");
    let made = std::process::Command::new("mkfifo").arg(&gate).status();
    assert!(made.is_ok_and(|made| made.success()));
    let path = gate.display().to_string();
    let added = put(&stage, obedient("things", &["slow", &path]), &[]).await.expect("it is set up");
    assert_eq!((added.state, added.tools), (McpState::Starting, vec![]));
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(last_said(&stage, ada).await, "Ada: I have no such tool.");
    assert_eq!(servers(&stage).await[0].state, McpState::Starting);
    tokio::fs::write(&gate, "go").await.expect("it reads there");
    ready(&stage).await;
    stage.post(ada, "and now?").await;
    allow(&stage, &asked(&stage).await).await;
    assert!(last_said(&stage, ada).await.contains("tea"));
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_use_that_hangs_ends_with_its_turn_and_one_that_kills_the_server_is_told() {
    let stage = with(does("things__hang", json!({}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "hang, please").await;
    let question = asked(&stage).await;
    let (call, binding) = (question.call, question.binding);
    stage
        .do_(Command::AnswerApproval { call, binding, consent: Consent::Once, covers: None })
        .await;
    let is_hanging = async |stage: &Stage| log(stage).await.iter().any(|line| line == "hanging");
    // It logs, of which no event tells.
    while !is_hanging(&stage).await {
        tokio::task::yield_now().await;
    }
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    while !log(&stage).await.iter().any(|line| line.starts_with("cancelled")) {
        tokio::task::yield_now().await;
    }

    let stage = stage.reopen_with(Some(does("things__die", json!({})))).await;
    stage.post(ada, "die, please").await;
    allow(&stage, &asked(&stage).await).await;
    assert!(last_said(&stage, ada).await.contains("check before you repeat it"));
    ready(&stage).await;
    stage.workspace.close().await;
}

async fn log(stage: &Stage) -> Vec<String> {
    match stage.query(Query::ServerLog { server: "things".into() }).await {
        Ok(Reply::Lines(lines)) => lines,
        other => panic!("no log: {other:?}"),
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_there_is_said_so_and_tried_again_when_its_key_comes() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let mut setup = obedient("things", &["plain"]);
    if let McpPlace::Program { environment, .. } = &mut setup.place {
        environment.insert("TOKEN".into(), McpValue::Key { key: "mine".into() });
    }
    let mut events = stage.events();
    let lacking = put(&stage, setup, &[]).await.expect("it is set up");
    assert!(matches!(&lacking.state, McpState::Failed { why } if why.contains("mine")));
    let told = async {
        while let Some(event) = events.next().await {
            if let FromOwner::Event(event) = event
                && let Update::Servers { servers } = event.update
                && matches!(servers[..], [McpServer { state: McpState::Failed { .. }, .. }])
            {
                return;
            }
        }
        panic!("it is told nobody");
    };
    told.await;
    let checks = match stage.query(Query::Doctor).await {
        Ok(Reply::Checks(checks)) => checks,
        other => panic!("no checks: {other:?}"),
    };
    let about = CheckAbout::McpServer { name: "things".into() };
    let found = checks
        .iter()
        .find(|check| check.kind.as_ref().is_some_and(|kind| kind.about == about))
        .expect("the doctor looks at it");
    assert_eq!(found.state, CheckState::Degraded);
    let finding = found.kind.as_ref().map(|kind| &kind.finding);
    assert!(matches!(finding, Some(Finding::ServerAway { .. })), "{finding:?}");

    stage.do_(Command::SetKey { name: "mine".into(), value: Secret::new(PLANTED) }).await;
    ready(&stage).await;
    // A key that others may use goes with no server.
    stage.do_(Command::RemoveServer { server: "things".into(), forget: false }).await;
    assert_eq!(key_names(&stage).await, ["mine"]);
    stage.workspace.close().await;
}
