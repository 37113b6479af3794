//! Servers that we did not write.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use mcp::{
    Address, Ask, Connection, Contents, Data, Era, Fault, Part, Reach, Role, Server, Setup, SignIn,
    State,
};
use processes::{Log, Process};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::watch;
use tools::Progress;

use crate::parts::{Somebody, keeper, npm, object, parts, pypi, ready, said, setup, until};

async fn connected(setup: &Setup) -> Connection {
    let host = Arc::new(Somebody::default());
    Connection::open(setup, host, &Log::default()).await.unwrap()
}

#[tokio::test]
async fn everything_answers_with_everything() {
    let Some(parts) = parts() else { return };
    let connection = connected(&setup(npm(&parts, "server-everything", &["stdio"]))).await;
    assert_eq!(connection.about().era, Era::Legacy);
    everything(&connection).await;

    let (tell, told) = watch::channel(None);
    let with = Ask { progress: Some(tell), ..Ask::default() };
    let steps = object(json!({"duration": 0.1, "steps": 2}));
    connection.call("trigger-long-running-operation", steps, &with).await.unwrap();
    let last: Option<Progress> = told.borrow().clone();
    assert_eq!(last.unwrap().total, Some(2.0));
    connection.close().await;
}

async fn everything(connection: &Connection) {
    let tools = connection.tools().await.unwrap();
    assert!(tools.len() >= 13);
    let echo = tools.iter().find(|tool| tool.name == "echo").unwrap();
    assert_eq!((echo.hints.read_only, echo.hints.open_world), (Some(true), Some(false)));
    assert_eq!(said(connection, "echo", json!({"message": "hello"})).await, "Echo: hello");
    let sum = said(connection, "get-sum", json!({"a": 2, "b": 40})).await;
    assert_eq!(sum, "The sum of 2 and 40 is 42.");

    let call = async |tool: &str, arguments| {
        connection.call(tool, object(arguments), &Ask::default()).await.unwrap()
    };
    let weather = call("get-structured-content", json!({"location": "Chicago"})).await;
    assert!(weather.structured.unwrap()["temperature"].is_number());
    assert_eq!(weather.misfit, None);
    let image = call("get-tiny-image", json!({})).await;
    assert!(
        image
            .parts
            .iter()
            .any(|part| matches!(part, Part::Image { mime_type, .. } if mime_type == "image/png"))
    );
    let links = call("get-resource-links", json!({"count": 2})).await;
    assert_eq!(links.parts.iter().filter(|part| matches!(part, Part::Link(_))).count(), 2);
    let reference = call("get-resource-reference", json!({"resourceType": "Blob"})).await;
    let blob = |part: &Part| matches!(part, Part::Resource(Contents { data: Data::Base64(_), .. }));
    assert!(reference.parts.iter().any(blob));
    let wrong = call("get-sum", json!({"a": "two"})).await;
    assert!(wrong.failed, "{}", wrong.text());

    let resources = connection.resources().await.unwrap();
    let first = resources.iter().find(|resource| resource.name == "features.md").unwrap();
    let read = connection.read(&first.uri, &Ask::default()).await.unwrap();
    assert!(matches!(&read[0].data, Data::Text(text) if text.contains("Features")));
    let templates = connection.resource_templates().await.unwrap();
    assert_eq!(templates[0].uri_template, "demo://resource/dynamic/text/{resourceId}");
    connection.watch("demo://resource/dynamic/text/1").await.unwrap();

    let prompts = connection.prompts().await.unwrap();
    let asks = prompts.iter().find(|prompt| prompt.name == "args-prompt").unwrap();
    assert!(asks.arguments.iter().any(|one| one.name == "city" && one.required));
    let city = object(json!({"city": "Chicago"}));
    let text = connection.prompt("args-prompt", city, &Ask::default()).await.unwrap();
    assert_eq!(text.messages[0].role, Role::User);
    assert!(matches!(&text.messages[0].parts[0], Part::Text(text) if text.contains("Chicago")));
    let departments = connection.complete("completable-prompt", "department", "E").await.unwrap();
    assert_eq!(departments, ["Engineering"]);
}

/// Once it knows what we are able to answer, it has more tools, and says so.
#[tokio::test]
async fn everything_asks_back_for_forms_words_and_folders() {
    let Some(parts) = parts() else { return };
    let fills_in = object(json!({"name": "Ada Lovelace"}));
    let host = Arc::new(Somebody { fills_in, ..Somebody::default() });
    let server = Server::start(setup(npm(&parts, "server-everything", &["stdio"])), host.clone());
    let more = ["trigger-elicitation-request", "trigger-sampling-request", "get-roots-list"];
    let has_more = |state: &State| match state {
        State::Ready(ready) => {
            more.iter().all(|name| ready.tools.iter().any(|tool| tool.name == *name))
        }
        _ => false,
    };
    until(&server, has_more).await;
    let connection = server.connection().unwrap();
    let form = said(&connection, "trigger-elicitation-request", json!({})).await;
    assert!(form.contains("Ada Lovelace"), "{form}");
    let words =
        said(&connection, "trigger-sampling-request", json!({"prompt": "six times seven?"}));
    assert!(words.await.contains("forty-two"));
    let folders = said(&connection, "get-roots-list", json!({})).await;
    assert!(folders.contains("file:///srv/garden"), "{folders}");
    let asked = host.asked.lock().unwrap().join("\n");
    assert!(asked.contains("six times seven?"), "{asked}");
    drop(connection);
    server.stop().await;
}

#[tokio::test]
async fn everything_answers_over_http_too() {
    let Some(parts) = parts() else { return };
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let mut program = npm(&parts, "server-everything", &["streamableHttp"]);
    program.environment.push(("PORT".into(), port.to_string().into()));
    let mut process = Process::start(&keeper(), &program).await.unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    while !lines.next_line().await.unwrap().unwrap().contains("listening") {}
    let url = format!("http://127.0.0.1:{port}/mcp");
    let address = Address { url, headers: Vec::new(), sign_in: SignIn::default() };
    let setup = Setup { reach: Reach::Address(address), ..setup(program) };
    let connection = connected(&setup).await;
    everything(&connection).await;
    connection.close().await;
    process.kill().await;
    let gone = Connection::open(&setup, Arc::new(Somebody::default()), &Log::default()).await;
    let fault = gone.err().unwrap();
    assert!(matches!(fault, Fault::Unreachable(_)), "{fault:?}");
}

#[tokio::test]
async fn the_file_server_writes_and_reads_in_its_folder_and_nowhere_else() {
    let Some(parts) = parts() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let program = npm(&parts, "server-filesystem", &[folder.to_str().unwrap()]);
    let connection = connected(&setup(program)).await;
    let tools = connection.tools().await.unwrap();
    assert!(tools.len() >= 14 && tools.iter().all(|tool| tool.output.is_some()));
    let file = folder.join("note.txt");
    said(&connection, "write_file", json!({"path": file, "content": "remember"})).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "remember");
    assert_eq!(said(&connection, "read_text_file", json!({"path": file})).await, "remember");
    let outside = object(json!({"path": "/etc/hostname"}));
    let refused = connection.call("read_text_file", outside, &Ask::default()).await.unwrap();
    assert!(refused.failed, "{}", refused.text());
    connection.close().await;
}

#[tokio::test]
async fn the_memory_server_remembers() {
    let Some(parts) = parts() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut program = npm(&parts, "server-memory", &[]);
    let file = folder.path().join("memory.jsonl");
    program.environment.push(("MEMORY_FILE_PATH".into(), file.into()));
    let setup = setup(program);
    let connection = connected(&setup).await;
    connection.tools().await.unwrap();
    let ada =
        json!({"entities": [{"name": "Ada", "entityType": "person", "observations": ["counts"]}]});
    let made = connection.call("create_entities", object(ada), &Ask::default()).await.unwrap();
    assert_eq!((made.failed, made.misfit), (false, None));
    connection.close().await;
    let connection = connected(&setup).await;
    assert!(said(&connection, "read_graph", json!({})).await.contains("counts"));
    connection.close().await;
}

#[tokio::test]
async fn servers_of_the_newer_era_are_spoken_to_as_such() {
    let Some(parts) = parts() else { return };
    let connection = connected(&setup(pypi(&parts, "mcp_server_time", &[]))).await;
    assert_eq!(connection.about().era, Era::Modern);
    let arguments = json!({"source_timezone": "Asia/Shanghai", "time": "12:00", "target_timezone": "Asia/Tokyo"});
    let said_time = said(&connection, "convert_time", arguments).await;
    assert!(said_time.contains("13:00"), "{said_time}");
    connection.close().await;

    let connection = connected(&setup(pypi(&parts, "mcp_server_fetch", &[]))).await;
    assert_eq!(connection.about().era, Era::Modern);
    assert_eq!(connection.tools().await.unwrap()[0].name, "fetch");
    assert_eq!(connection.prompts().await.unwrap()[0].name, "fetch");
    connection.close().await;
}

/// Written as the guides of the SDK have it, for a client of the older era.
const ASKS: &str = "
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel
server = MCPServer('asks')
class Who(BaseModel):
    name: str
@server.tool()
async def greet(ctx: Context) -> str:
    answer = await ctx.elicit('Who?', Who)
    return 'Hello ' + answer.data.name
server.run()
";

#[tokio::test]
async fn a_server_that_asks_in_the_older_way_is_spoken_to_in_that_from_then_on() {
    let Some(parts) = parts() else { return };
    let mut program = pypi(&parts, "", &[]);
    program.arguments = vec!["-c".into(), ASKS.into()];
    let fills_in = object(json!({"name": "Ada"}));
    let host = Arc::new(Somebody { fills_in, ..Somebody::default() });
    let server = Server::start(setup(program), host);
    assert_eq!(ready(&server).await.about.era, Era::Modern);
    let first = server.call("greet", Default::default(), &Ask::default()).await;
    assert_eq!(first, Err(Fault::Older));
    let answer = server.call("greet", Default::default(), &Ask::default()).await.unwrap();
    assert_eq!(answer.parts, [Part::Text("Hello Ada".to_owned())]);
    assert_eq!(server.setup().era, Some(Era::Legacy), "also at the next start");
    server.stop().await;
}

#[tokio::test]
async fn the_git_server_reads_a_repository() {
    let Some(parts) = parts() else { return };
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| run_git(folder.path(), arguments);
    git(&["init", "--quiet", "--initial-branch", "garden"]);
    std::fs::write(folder.path().join("seed.txt"), "seed").unwrap();
    git(&["add", "."]);
    git(&[
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.org",
        "commit",
        "--quiet",
        "-m",
        "sow",
    ]);
    let server =
        Server::start(setup(pypi(&parts, "mcp_server_git", &[])), Arc::new(Somebody::default()));
    assert_eq!(ready(&server).await.about.era, Era::Modern);
    let connection = server.connection().unwrap();
    let log = said(&connection, "git_log", json!({"repo_path": folder.path()})).await;
    assert!(log.contains("sow"), "{log}");
    drop(connection);
    server.stop().await;
}

fn run_git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git").arg("-C").arg(folder).args(arguments).status().unwrap();
    assert!(done.success(), "git {arguments:?}");
}
