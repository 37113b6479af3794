//! The stage: opens the workspace, says things, waits until it is quiet, and
//! reads back what happened.

use crate::{TestClock, serves};
use domain::{
    Agent, AgentId, Author, Body, Call, Command, Decision, Fault, FromOwner, GroupId, GroupKind,
    GroupView, Message, ModelInfo, ModelRole, Overview, Provider, ProviderKind, Query, Reply,
    Request, RequestId, Run, RunDetail, RunFilter, RunId, TurnPolicy,
};
use futures::{Stream, StreamExt};
use llm::scripted::Scripted;
use secrets::Redactor;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use store::{Store, StoreError, Write};
use tempfile::TempDir;
use tools::Tool;
use uuid::Uuid;
use workspace::{Chance, Durability, Embedding, KeyParts, Models, Parts, Places, Start, Workspace};

/// Does something to a data directory.
type Prepare = Box<dyn FnOnce(&Path)>;

/// What the stage is set with before it opens.
pub struct Setting {
    model: Scripted,
    folder: Option<TempDir>,
    before: Vec<Prepare>,
    without_model: bool,
    tools: Vec<Arc<dyn Tool>>,
    keys: KeyParts,
    models: Option<Arc<dyn Models>>,
    chance: Chance,
    embedding: Option<Embedding>,
    keeper: Option<PathBuf>,
    engine: Option<PathBuf>,
}

/// An open workspace with everything that a test needs to look at.
pub struct Stage {
    pub workspace: Workspace,
    pub model: Arc<Scripted>,
    pub clock: Arc<TestClock>,
    outside: Outside,
    folder: TempDir,
    epoch: u64,
}

/// What stays the same when the workspace is opened again.
#[derive(Clone)]
struct Outside {
    tools: Vec<Arc<dyn Tool>>,
    keys: KeyParts,
    models: Option<Arc<dyn Models>>,
    chance: Chance,
    embedding: Option<Embedding>,
    keeper: Option<PathBuf>,
    engine: Option<PathBuf>,
}

/// A workspace to come, whose model says "yes".
pub fn stage() -> Setting {
    Setting {
        model: crate::says("yes"),
        folder: None,
        before: Vec::new(),
        without_model: false,
        tools: Vec::new(),
        keys: KeyParts::in_memory(),
        models: None,
        chance: Arc::new(|| 0),
        embedding: None,
        keeper: None,
        engine: None,
    }
}

impl Setting {
    pub fn model(mut self, model: Scripted) -> Self {
        self.model = model;
        self
    }

    /// Does something to the data directory before anybody opens it.
    pub fn before(mut self, prepare: impl FnOnce(&Path) + 'static) -> Self {
        self.before.push(Box::new(prepare));
        self
    }

    /// Something that agents can use beside what Coterie brings.
    pub fn tool(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    /// What keys are kept with.
    pub fn keys(mut self, keys: KeyParts) -> Self {
        self.keys = keys;
        self
    }

    /// Asks these in place of the scripted model.
    pub fn models(mut self, models: impl Models + 'static) -> Self {
        self.models = Some(Arc::new(models));
        self
    }

    /// How chance has it; else always as short a pause as can be.
    pub fn chance(mut self, chance: impl Fn() -> u32 + Send + Sync + 'static) -> Self {
        self.chance = Arc::new(chance);
        self
    }

    /// What turns memories into vectors; else nothing does.
    pub fn embedding(mut self, embedding: Embedding) -> Self {
        self.embedding = Some(embedding);
        self
    }

    /// The engine is there, which looks at models' files; else it is missing.
    pub fn engine(mut self) -> Self {
        self.engine = Some(crate::engine());
        self
    }

    /// Programs can be run; else their keeper is missing.
    pub fn keeper(mut self) -> Self {
        self.keeper = Some(crate::keeper());
        self
    }

    pub fn without_keeper(mut self) -> Self {
        self.keeper = None;
        self
    }

    /// Nothing is set up that could answer.
    pub fn without_model(mut self) -> Self {
        self.without_model = true;
        self
    }

    pub async fn open(self) -> Stage {
        self.try_open().await.expect("the stage opens")
    }

    pub async fn try_open(self) -> Result<Stage, Fault> {
        let folder = self.folder.unwrap_or_else(|| TempDir::new().expect("a temporary folder"));
        for prepare in self.before {
            prepare(folder.path());
        }
        let stage = Stage::open(
            folder,
            Arc::new(self.model),
            Arc::new(TestClock::default()),
            Outside {
                tools: self.tools,
                keys: self.keys,
                models: self.models,
                chance: self.chance,
                embedding: self.embedding,
                keeper: self.keeper,
                engine: self.engine,
            },
            1,
        )
        .await?;
        if !self.without_model {
            let model = ModelInfo::new("script", Some(32_000));
            let provider = Provider {
                name: "test".into(),
                kind: ProviderKind::Scripted,
                base_url: None,
                key_env: None,
                key: None,
                models: vec![model],
            };
            stage.command(Command::save_provider(provider)).await?;
            stage
                .command(Command::UseModel {
                    role: ModelRole::Default,
                    model: "test/script".into(),
                })
                .await?;
        }
        Ok(stage)
    }
}

impl Stage {
    async fn open(
        folder: TempDir,
        model: Arc<Scripted>,
        clock: Arc<TestClock>,
        outside: Outside,
        epoch: u64,
    ) -> Result<Stage, Fault> {
        let Outside { tools, keys, models, chance, embedding, keeper, engine } = outside.clone();
        let mut places = Places::bare(folder.path().to_owned());
        places.keeper = keeper.unwrap_or(places.keeper);
        places.engine = engine.unwrap_or(places.engine);
        let script = || Arc::new(serves(model.clone())) as Arc<dyn Models>;
        let parts = Parts {
            clock: clock.clone(),
            chance,
            models: models.unwrap_or_else(script),
            keys,
            posts: Durability::Process,
            start: Start::Working,
            embedding: embedding.unwrap_or_else(|| Embedding::bundled(&places)),
            tools,
        };
        let workspace = workspace::open(places, parts, epoch).await?;
        Ok(Stage { workspace, model, clock, outside, folder, epoch })
    }

    /// Closes the workspace and opens it again on the same folder.
    pub async fn reopen(self) -> Stage {
        self.reopen_with(None).await
    }

    /// The same, with something that turns memories into vectors.
    pub async fn reopen_embedding(mut self, embedding: Embedding) -> Stage {
        self.outside.embedding = Some(embedding);
        self.reopen().await
    }

    /// The same, after so long in which nobody was there.
    pub async fn reopen_after(self, away: Duration) -> Stage {
        self.workspace.close().await;
        self.clock.advance(away);
        self.reopen().await
    }

    /// The same, with a database that somebody has changed meanwhile.
    pub async fn reopen_changed(
        self,
        change: impl FnOnce(&mut Write<'_>) -> Result<(), StoreError> + Send + 'static,
    ) -> Stage {
        self.workspace.close().await;
        let (store, _) =
            Store::open(&self.folder.path().join("coterie.db"), |_| {}).expect("it opens");
        store.write(Durability::Power, change).await.expect("it can be changed");
        drop(store);
        self.reopen().await
    }

    pub async fn reopen_with(self, model: Option<Scripted>) -> Stage {
        self.workspace.close().await;
        let Stage { workspace, model: before, clock, mut outside, folder, epoch } = self;
        drop(workspace);
        // Another process knows no key that this one has read.
        outside.keys.redactor = Redactor::default();
        let model = model.map_or(before, Arc::new);
        Stage::open(folder, model, clock, outside, epoch + 1).await.expect("the stage opens again")
    }

    /// As if the process had been killed here: opens what is on the disk at
    /// this moment, in another folder, while the old process still runs.
    pub async fn crash(self, model: Scripted) -> Stage {
        let folder = TempDir::new().expect("a temporary folder");
        copy_folder(self.folder.path(), folder.path());
        self.workspace.close().await;
        let (clock, outside) = (self.clock.clone(), self.outside.clone());
        Stage::open(folder, Arc::new(model), clock, outside, self.epoch + 1)
            .await
            .expect("it opens again")
    }

    pub fn data(&self) -> &Path {
        self.folder.path()
    }

    pub async fn command(&self, command: Command) -> Result<Reply, Fault> {
        self.send(RequestId(Uuid::now_v7()), command).await
    }

    pub async fn send(&self, id: RequestId, command: Command) -> Result<Reply, Fault> {
        self.workspace.answer(Request { id, call: Call::Command(command) }).await.result
    }

    /// A command that must work.
    pub async fn do_(&self, command: Command) -> Reply {
        self.command(command).await.expect("the command works")
    }

    pub async fn query(&self, query: Query) -> Result<Reply, Fault> {
        let id = RequestId(Uuid::now_v7());
        self.workspace.answer(Request { id, call: Call::Query(query) }).await.result
    }

    pub async fn overview(&self) -> Overview {
        match self.query(Query::Overview).await {
            Ok(Reply::Overview(overview)) => *overview,
            other => panic!("no overview: {other:?}"),
        }
    }

    /// Everything that happens from now on.
    pub fn events(&self) -> Pin<Box<dyn Stream<Item = FromOwner> + Send>> {
        Box::pin(self.workspace.events(Some(self.workspace.mark())))
    }

    /// Returns when the condition holds; looks again after each event.
    pub async fn until(&self, mut holds: impl AsyncFnMut(&Stage) -> bool) {
        let mut events = self.events();
        while !holds(self).await {
            events.next().await.expect("the workspace is open");
        }
    }

    /// Returns when nobody owes an answer in any group.
    pub async fn quiet(&self) {
        self.until(async |stage: &Stage| {
            stage.overview().await.groups.iter().all(|view| view.answers_to_come == 0)
        })
        .await;
    }

    /// Every agent that there ever was.
    pub async fn everybody(&self) -> Vec<Agent> {
        match self.query(Query::Agents).await {
            Ok(Reply::Agents(agents)) => agents,
            other => panic!("no agents: {other:?}"),
        }
    }

    /// By name, also one that has been terminated.
    pub async fn agent(&self, name: &str) -> Agent {
        let all = self.everybody().await;
        all.into_iter()
            .find(|agent| agent.name == name)
            .unwrap_or_else(|| panic!("there is an agent {name}"))
    }

    pub async fn ids(&self, names: &[&str]) -> Vec<AgentId> {
        let all = self.overview().await.agents;
        let id = |name: &&str| {
            all.iter().find(|agent| agent.name == **name).expect("the agent exists").id
        };
        names.iter().map(id).collect()
    }

    /// Another agent with Ada's soul.
    pub async fn new_agent(&self, name: &str) -> AgentId {
        let command = Command::NewAgent {
            soul: "ada".into(),
            name: Some(name.into()),
            model: None,
            parent: None,
        };
        match self.do_(command).await {
            Reply::Agent(agent) => agent.id,
            other => panic!("no agent: {other:?}"),
        }
    }

    pub async fn group(&self, members: &[&str], policy: TurnPolicy) -> GroupId {
        let members = self.ids(members).await;
        match self.do_(Command::NewGroup { name: None, members, policy: Some(policy) }).await {
            Reply::Group(view) => view.group.id,
            other => panic!("no group: {other:?}"),
        }
    }

    /// The agent's direct chat.
    pub async fn direct(&self, name: &str) -> GroupId {
        let agent = self.agent(name).await.id;
        let groups = self.overview().await.groups;
        let direct = |view: &&GroupView| {
            view.group.kind == GroupKind::Direct && view.group.default_agent == Some(agent)
        };
        groups.iter().find(direct).expect("every agent has a direct chat").group.id
    }

    pub async fn view(&self, group: GroupId) -> GroupView {
        let groups = self.overview().await.groups;
        groups.into_iter().find(|view| view.group.id == group).expect("the group exists")
    }

    /// Posts without waiting for answers.
    pub async fn post(&self, group: GroupId, text: &str) -> Message {
        match self
            .do_(Command::Post {
                group,
                text: text.into(),
                reply_to: None,
                attachments: Vec::new(),
            })
            .await
        {
            Reply::Message(message) => message,
            other => panic!("no message: {other:?}"),
        }
    }

    /// Posts and waits until everybody has finished.
    pub async fn say(&self, group: GroupId, text: &str) -> Message {
        let message = self.post(group, text).await;
        self.quiet().await;
        message
    }

    pub async fn messages(&self, group: GroupId) -> Vec<Message> {
        let mut all: Vec<Message> = Vec::new();
        loop {
            let before = all.first().map(|message| message.seq);
            match self.query(Query::Messages { group, before, limit: 500 }).await {
                Ok(Reply::Messages(page)) if page.is_empty() => return all,
                Ok(Reply::Messages(page)) => all.splice(0..0, page).for_each(drop),
                other => panic!("no messages: {other:?}"),
            }
        }
    }

    /// `NAME: text` a line; notices as their kind in angle brackets.
    pub async fn transcript(&self, group: GroupId) -> Vec<String> {
        let names = self.everybody().await;
        let name = |id: AgentId| {
            names.iter().find(|agent| agent.id == id).map_or("?", |agent| agent.name.as_str())
        };
        let line = |message: Message| match (message.author, message.body) {
            (Author::User, Body::Text { text, .. }) => format!("you: {text}"),
            (Author::Agent(id), Body::Text { text, .. }) => format!("{}: {text}", name(id)),
            (Author::Outside(_), Body::Text { text, .. }) => format!("a program: {text}"),
            (Author::Source(_), Body::Text { text, .. }) => format!("a source: {text}"),
            (_, Body::Notice { notice }) => {
                let json = serde_json::to_value(notice).expect("a notice is plain data");
                format!("<{}>", json["kind"].as_str().unwrap_or_default())
            }
            (Author::System, Body::Text { text, .. }) => format!("system: {text}"),
        };
        self.messages(group).await.into_iter().map(line).collect()
    }

    /// `NAME verdict reason` a line, in order.
    pub async fn decisions(&self, group: GroupId) -> Vec<String> {
        let names = self.everybody().await;
        let line = |decision: Decision| {
            let name = names
                .iter()
                .find(|agent| agent.id == decision.agent)
                .map_or("?", |agent| agent.name.as_str());
            let reason = serde_json::to_value(decision.reason).expect("a reason is plain data");
            let verdict = format!("{:?}", decision.verdict).to_lowercase();
            format!("{name} {verdict} {}", reason["kind"].as_str().unwrap_or_default())
        };
        match self.query(Query::Decisions { group, message: None, limit: 500 }).await {
            Ok(Reply::Decisions(decisions)) => decisions.into_iter().map(line).collect(),
            other => panic!("no decisions: {other:?}"),
        }
    }

    /// All runs, oldest first.
    pub async fn runs(&self) -> Vec<Run> {
        let mut all: Vec<Run> = Vec::new();
        loop {
            let before = all.last().map(|run| run.seq);
            match self.query(Query::Runs { filter: RunFilter::default(), before, limit: 500 }).await
            {
                Ok(Reply::Runs(page)) if page.is_empty() => break,
                Ok(Reply::Runs(page)) => all.extend(page),
                other => panic!("no runs: {other:?}"),
            }
        }
        all.reverse();
        all
    }

    pub async fn run(&self, run: RunId) -> RunDetail {
        match self.query(Query::Run { run }).await {
            Ok(Reply::RunDetail(detail)) => *detail,
            other => panic!("no run: {other:?}"),
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("the data directory can be read") {
        let entry = entry.expect("the data directory can be read");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir_all(&target).expect("a folder");
            copy_folder(&entry.path(), &target);
        } else {
            // The index takes its files away while it is copied.
            match std::fs::copy(entry.path(), &target) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                copied => drop(copied.expect("a copy")),
            }
        }
    }
}
