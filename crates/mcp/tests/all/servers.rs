//! All servers of a workspace, and their tools as agents use them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::{AgentId, CallId, Effects, Risk, RunId};
use mcp::{
    Config, Given, Host, InMemory, Patience, Place, Secrets, Servers, State, Status, Surroundings,
    Tokens,
};
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tools::{Allowed, CallContext, Registry, Returned, Tool};

use crate::parts::{Somebody, fake, keeper, npm, parts};

#[derive(Default)]
pub(crate) struct Drawer {
    pub(crate) tokens: Arc<InMemory>,
    pub(crate) slow: Arc<Slow>,
}

/// Lies so deep in the drawer that whoever looks for it waits until they are let go on.
#[derive(Default)]
pub(crate) struct Slow {
    looked: AtomicUsize,
    pub(crate) is_looked_for: Notify,
    pub(crate) found: [Notify; 2],
}

#[async_trait]
impl Secrets for Drawer {
    async fn find(&self, name: &str, _origin: Option<&str>) -> Result<String, String> {
        match name {
            "mcp/files/TOKEN" => Ok("s3cret".to_owned()),
            "mcp/slow" => {
                let nth = self.slow.looked.fetch_add(1, Ordering::SeqCst);
                self.slow.is_looked_for.notify_one();
                self.slow.found[nth].notified().await;
                Ok("at last".to_owned())
            }
            _ => Err("the keyring is locked".to_owned()),
        }
    }

    fn tokens(&self, _server: &str, _url: &str) -> Arc<dyn Tokens> {
        self.tokens.clone()
    }
}

fn servers() -> Servers {
    let patience = Patience { first_rest: Duration::from_millis(1), ..Patience::default() };
    servers_with(Drawer::default(), patience, || Arc::new(Somebody::default()))
}

#[expect(clippy::disallowed_methods, reason = "programs are where whoever runs the test has them")]
pub(crate) fn servers_with(
    drawer: Drawer,
    patience: Patience,
    host: impl Fn() -> Arc<dyn Host> + Send + Sync + 'static,
) -> Servers {
    let around = Surroundings {
        keeper: keeper(),
        variable: Arc::new(|name| std::env::var(name).ok()),
        folder: std::env::temp_dir(),
        patience,
    };
    Servers::new(around, Arc::new(drawer), move |_| host())
}

/// Our fake as a person would set it up.
pub(crate) fn config(name: &str, behaviour: &[&str]) -> Config {
    let program = fake(behaviour);
    let text = |text: &std::ffi::OsString| text.to_str().unwrap().to_owned();
    Config {
        name: name.to_owned(),
        title: None,
        place: Place::Program {
            command: text(&program.program),
            arguments: program.arguments.iter().map(text).collect(),
            environment: BTreeMap::new(),
            folder: None,
        },
        on: true,
        trusted: false,
        may_sample: false,
        switched_off: Default::default(),
    }
}

pub(crate) fn status(servers: &Servers, name: &str) -> Status {
    servers.all().into_iter().find(|one| one.config.name == name).unwrap()
}

pub(crate) async fn ready(servers: &Servers, name: &str) {
    let mut state = servers.watch(name).unwrap();
    state.wait_for(|state| matches!(state, State::Ready(_))).await.unwrap();
}

pub(crate) fn named(servers: &Servers, name: &str) -> Option<Arc<dyn Tool>> {
    servers.tools().into_iter().find(|tool| tool.spec().name == name)
}

pub(crate) async fn used(tool: &Arc<dyn Tool>, arguments: serde_json::Value) -> Returned {
    tool.call(arguments, &context()).await
}

fn context() -> CallContext {
    CallContext {
        key: CallId(uuid::Uuid::from_u128(7)),
        agent: AgentId(uuid::Uuid::nil()),
        run: RunId(uuid::Uuid::nil()),
        place: Default::default(),
        target: None,
        stop: CancellationToken::new(),
        progress: Default::default(),
    }
}

#[tokio::test]
async fn servers_are_added_switched_reloaded_and_removed_while_others_run() {
    let servers = servers();
    servers.put(config("one", &["plain", "1"])).await.unwrap();
    servers.put(config("two", &["plain", "2"])).await.unwrap();
    ready(&servers, "one").await;
    ready(&servers, "two").await;
    let echo = named(&servers, "one__echo").unwrap();
    assert_eq!(used(&echo, json!({"text": "hello"})).await, Returned::ok("hello").foreign());
    let names: Vec<String> = servers.tools().iter().map(|tool| tool.spec().name.clone()).collect();
    assert!(names.is_sorted() && names.contains(&"two__echo".to_owned()), "{names:?}");
    // All of them fit beside each other, and with what agents have anyway.
    let all = servers.tools().into_iter().chain(tools::built_in()).collect();
    let registry = Registry::new(all).unwrap();
    assert!(
        registry
            .offer(&Default::default(), &Allowed::Usual)
            .specs()
            .iter()
            .all(|spec| !spec.name.contains("__"))
    );

    // Switching a tool off leaves the server as it is.
    let before = status(&servers, "one").state;
    let mut switched = config("one", &["plain", "1"]);
    switched.switched_off.insert("echo".to_owned());
    servers.put(switched).await.unwrap();
    assert!(named(&servers, "one__echo").is_none() && named(&servers, "one__key").is_some());
    assert_eq!(status(&servers, "one").state, before);
    assert!(status(&servers, "one").tools.iter().any(|one| one.tool.name == "echo" && !one.on));

    assert!(servers.reload("two", false).await);
    ready(&servers, "two").await;
    assert!(servers.remove("two").await);
    assert!(!servers.remove("two").await && !servers.reload("two", false).await);
    assert_eq!(servers.all().len(), 1);
    let mut off = config("one", &["plain", "1"]);
    off.on = false;
    servers.put(off).await.unwrap();
    assert_eq!(status(&servers, "one").state, None);
    let gone = used(&echo, json!({})).await;
    assert!(!gone.ok && gone.text.starts_with("not done"), "{gone:?}");
    servers.stop().await;
    assert!(servers.all().is_empty());
}

#[tokio::test]
async fn a_server_that_is_slow_takes_nothing_from_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let servers = servers();
    servers.put(config("slow", &["slow", gate.to_str().unwrap()])).await.unwrap();
    servers.put(config("fast", &["plain"])).await.unwrap();
    ready(&servers, "fast").await;
    assert_eq!(status(&servers, "slow").state, Some(State::Starting));
    assert!(named(&servers, "fast__echo").is_some() && named(&servers, "slow__echo").is_none());
    tokio::fs::write(&gate, "go").await.unwrap();
    ready(&servers, "slow").await;
    assert!(named(&servers, "slow__echo").is_some());
    servers.stop().await;
}

#[tokio::test]
async fn what_became_of_a_use_is_told_as_it_is() {
    let servers = servers();
    servers.put(config("odd", &["plain"])).await.unwrap();
    ready(&servers, "odd").await;
    let tool = |name: &str| named(&servers, &format!("odd__{name}")).unwrap();
    let died = used(&tool("die"), json!({})).await;
    assert!(!died.ok);
    assert!(
        died.text.contains("exit code 3") && died.text.ends_with("check before you repeat it"),
        "{}",
        died.text
    );
    let mut state = servers.watch("odd").unwrap();
    let refused = loop {
        state.borrow_and_update();
        let found = named(&servers, "odd__promise");
        match found {
            Some(tool) => match used(&tool, json!({"warmth": "hot"})).await {
                answer if answer.ok => break answer,
                _ => state.changed().await.unwrap(),
            },
            None => state.changed().await.unwrap(),
        }
    };
    // What is structured is not among its words.
    let [words, data, misfit] = &refused.text.lines().collect::<Vec<_>>()[..] else {
        panic!("{}", refused.text)
    };
    assert_eq!(*words, "a lie");
    assert!(data.starts_with('{') && misfit.starts_with("[this is not what the tool promised"));
    let key = used(&tool("key"), json!({})).await;
    assert_eq!(key.text, CallId(uuid::Uuid::from_u128(7)).to_string());
    let stopped = context();
    stopped.stop.cancel();
    assert_eq!(tool("hang").call(json!({}), &stopped).await, Returned::stopped());
    let stopped = context();
    let hang = tool("hang");
    let mut call = hang.call(json!({}), &stopped);
    assert!(futures::poll!(&mut call).is_pending());
    stopped.stop.cancel();
    assert_eq!(call.await, Returned::cut_off());
    let spec = tool("echo").spec().clone();
    assert_eq!((spec.effects, spec.risk), (Effects::Once, Risk::High));
    servers.stop().await;
}

#[tokio::test]
async fn a_server_gets_its_secrets_and_one_that_is_not_to_be_had_is_named() {
    let Some(parts) = parts() else { return };
    let program = npm(&parts, "server-everything", &["stdio"]);
    let text = |text: &std::ffi::OsString| text.to_str().unwrap().to_owned();
    let with = |secret: &str| Config {
        place: Place::Program {
            command: text(&program.program),
            arguments: program.arguments.iter().map(text).collect(),
            environment: [("TOKEN".to_owned(), Given::Secret(secret.to_owned()))].into(),
            folder: None,
        },
        ..config("files", &[])
    };
    let servers = servers();
    servers.put(with("mcp/files/TOKEN")).await.unwrap();
    ready(&servers, "files").await;
    let seen = used(&named(&servers, "files__get-env").unwrap(), json!({})).await.text;
    assert!(seen.contains("s3cret") && !seen.contains("COTERIE_ASSETS"), "{seen}");
    servers.put(with("mcp/files/OTHER")).await.unwrap();
    let State::Failed { fault } = status(&servers, "files").state.unwrap() else {
        panic!("it can't be started")
    };
    let expected = "the secret for TOKEN can't be had: the keyring is locked";
    assert_eq!(fault.to_string(), expected);
    assert_eq!(servers.log("files").unwrap(), [expected]);
    let picture = config("everything", &[]);
    servers.put(Config { place: with("mcp/files/TOKEN").place, ..picture }).await.unwrap();
    ready(&servers, "everything").await;
    let image = used(&named(&servers, "everything__get-tiny-image").unwrap(), json!({})).await;
    let [picture] = &image.pictures[..] else { panic!("one picture: {}", image.text) };
    assert_eq!(picture.media_type, "image/png");
    assert!(picture.base64.starts_with("iVBOR"), "{}", picture.base64);
    servers.stop().await;
}

#[tokio::test]
async fn a_tool_that_makes_no_sense_is_left_out_alone_and_named() {
    let servers = servers();
    servers.put(config("one", &["unreadable"])).await.unwrap();
    ready(&servers, "one").await;
    let echo = named(&servers, "one__echo").unwrap();
    assert_eq!(used(&echo, json!({"text": "hello"})).await, Returned::ok("hello").foreign());
    let there = status(&servers, "one");
    let unfit: Vec<(&str, &str)> = there
        .tools
        .iter()
        .filter_map(|one| Some((one.tool.name.as_str(), one.unfit.as_deref()?)))
        .collect();
    let [bare, crooked, odd, nameless, wrong] = unfit[..] else { panic!("{unfit:?}") };
    assert_eq!(bare, ("bare", "it has no inputSchema"));
    assert_eq!(crooked, ("crooked", "its inputSchema is no object"));
    assert!(odd.0 == "odd" && odd.1.starts_with("it makes no sense: invalid type"), "{odd:?}");
    assert!(nameless.0.contains("without a name") && nameless.1.contains("name"), "{nameless:?}");
    assert!(wrong.0 == "wrong" && wrong.1.contains("not the schema of an object"), "{wrong:?}");
    for (name, _) in unfit {
        assert!(named(&servers, &format!("one__{name}")).is_none(), "{name}");
    }
    let log = servers.log("one").unwrap().join("\n");
    assert!(log.contains("[coterie] its tool bare is left out: it has no inputSchema"), "{log}");
    servers.stop().await;
}

#[tokio::test]
async fn of_two_tools_that_are_called_the_same_it_is_said_which_agents_get() {
    let servers = servers();
    servers.put(config("one", &["twice"])).await.unwrap();
    ready(&servers, "one").await;
    let there = status(&servers, "one");
    let echoes: Vec<_> = there.tools.iter().filter(|one| one.tool.name == "echo").collect();
    let [first, second] = echoes[..] else { panic!("{echoes:?}") };
    assert_eq!((first.unfit.as_deref(), first.tool.description.as_str()), (None, "The first."));
    let why = "the server lists another tool of this name before it, which agents get";
    assert_eq!(second.unfit.as_deref(), Some(why));
    let offered = named(&servers, "one__echo").unwrap();
    assert!(offered.spec().description.ends_with("The first."), "{:?}", offered.spec());
    let log = servers.log("one").unwrap().join("\n");
    assert!(log.contains(&format!("[coterie] its tool echo is left out: {why}")), "{log}");
    servers.stop().await;
}

#[tokio::test]
async fn a_tool_that_takes_too_long_to_check_is_named_in_the_log_at_each_listing() {
    let servers = servers();
    servers.put(config("one", &["endless-schema"])).await.unwrap();
    ready(&servers, "one").await;
    let left_out = || {
        let log = servers.log("one").unwrap();
        let lines = log.iter().filter_map(|line| line.split_once(" is left out: "));
        lines.map(|(tool, why)| (tool.to_owned(), why.to_owned())).collect::<Vec<_>>()
    };
    let line = |tool: &str, of: &str| {
        let why = format!("its {of} is no schema to check by: checking by it takes too many steps");
        (format!("[coterie] its tool {tool}"), why)
    };
    let once = [line("long", "input"), line("promised", "output")];
    assert_eq!(left_out(), once);
    // Whoever only looks at them has nothing listed anew.
    let unfit = |one: &mcp::Listed| one.unfit.clone();
    let whys: Vec<_> = status(&servers, "one").tools.iter().filter_map(unfit).collect();
    assert_eq!(whys, once.clone().map(|(_, why)| why));
    assert_eq!(left_out(), once);
    used(&named(&servers, "one__grow").unwrap(), json!({})).await;
    let has_grown = |state: &State| match state {
        State::Ready(ready) => ready.tools.iter().any(|tool| tool.name == "grown"),
        _ => false,
    };
    servers.watch("one").unwrap().wait_for(has_grown).await.unwrap();
    assert_eq!(left_out(), [once.clone(), once].concat());
    servers.stop().await;
}

#[tokio::test]
async fn what_is_no_server_is_refused_in_a_sentence() {
    let servers = servers();
    let check = async |config: Config, expected: &str| {
        let said = servers.put(config).await.unwrap_err();
        assert!(said.contains(expected), "{said}");
    };
    check(config("two words", &[]), "letters, digits or dashes").await;
    let address = |url: &str| Place::Address { url: url.to_owned(), headers: BTreeMap::new() };
    check(Config { place: address("file:///etc"), ..config("a", &[]) }, "is no address").await;
    assert!(servers.all().is_empty());
}
