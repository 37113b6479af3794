//! A workspace for measuring: a folder of its own, and a model that answers
//! from a script.

use super::broken;
use crate::arguments::Global;
use crate::environment;
use crate::screen::Failure;
use domain::{
    Agent, Answer, Call, Caps, Command, GroupId, GroupPatch, ModelInfo, ModelRole, Overview,
    Provider, ProviderKind, Query, Reply, Request, RequestId, Run, RunDetail, RunFilter, RunId,
    TurnPolicy,
};
use door::{Door, Durability, Places};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tools::Tool;
use uuid::Uuid;

/// The most that is given at once.
const PAGE: u32 = 500;

/// Every agent answers with these words.
const SCRIPT: &str = r#"{"format":"coterie-trace","version":1,"exchanges":[],"fallback":{"lines":[{"text":"Tea."}]}}"#;

pub(super) struct Stage {
    pub door: Door,
    folder: TempDir,
    places: Places,
}

impl Stage {
    pub(super) async fn open(posts: Durability) -> Result<Stage, Failure> {
        Stage::playing(SCRIPT, posts).await
    }

    /// With a model that answers from this trace.
    pub(super) async fn playing(script: &str, posts: Durability) -> Result<Stage, Failure> {
        Stage::with_tools(script, posts, Vec::new()).await
    }

    /// And these tools beside those that there are.
    pub(super) async fn with_tools(
        script: &str,
        posts: Durability,
        tools: Vec<Arc<dyn Tool>>,
    ) -> Result<Stage, Failure> {
        let folder = TempDir::new().map_err(|error| broken("make a folder", error))?;
        let assets = folder.path().join("assets");
        std::fs::create_dir_all(&assets)
            .and_then(|()| std::fs::write(assets.join("script.json"), script))
            .map_err(|error| broken("write the script", error))?;
        let places = Places { assets, ..Places::bare(folder.path().join("data")) };
        let stage = Stage::at(places, folder, posts, tools).await?;
        stage.answer_with(ProviderKind::Scripted, "script.json".into()).await?;
        Ok(stage)
    }

    /// With the model that ships, in its real process.
    pub(super) async fn of_starter_model() -> Result<Stage, Failure> {
        let folder = TempDir::new().map_err(|error| broken("make a folder", error))?;
        let ships = environment::find_places(&Global::default())?.places;
        let places = Places { data: folder.path().join("data"), ..ships };
        let file = places.starter_model();
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let (role, model) = (ModelRole::Default, format!("local/{name}"));
        let stage = Stage::at(places, folder, Durability::Process, Vec::new()).await?;
        stage.order(Command::UseModel { role, model }).await?;
        Ok(stage)
    }

    async fn at(
        places: Places,
        folder: TempDir,
        posts: Durability,
        tools: Vec<Arc<dyn Tool>>,
    ) -> Result<Stage, Failure> {
        let opened = Door::open(places.clone(), move |places| {
            let mut parts = environment::parts(places);
            parts.posts = posts;
            parts.tools.extend(tools.clone());
            parts
        });
        Ok(Stage { door: opened.await?, folder, places })
    }

    pub(super) fn places(&self) -> Places {
        self.places.clone()
    }

    pub(super) fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// With the log that is not yet in it.
    pub(super) fn database_bytes(&self) -> Result<u64, Failure> {
        let size = |name: &str| std::fs::metadata(self.data().join(name)).map(|file| file.len());
        let database = size("coterie.db").map_err(|error| broken("look at the database", error))?;
        Ok(database + size("coterie.db-wal").unwrap_or(0))
    }

    pub(super) fn assets(&self) -> &Path {
        &self.places.assets
    }

    /// Everybody asks this provider from now on.
    pub(super) async fn answer_with(&self, kind: ProviderKind, at: String) -> Result<(), Failure> {
        let model = ModelInfo::new("bench", Some(32_000));
        let provider = Provider {
            name: "bench".into(),
            kind,
            base_url: Some(at),
            key_env: None,
            key: None,
            models: vec![model],
        };
        self.order(Command::save_provider(provider)).await?;
        let model = "bench/bench".to_owned();
        self.order(Command::UseModel { role: ModelRole::Default, model }).await.map(drop)
    }

    pub(super) async fn overview(&self) -> Result<Overview, Failure> {
        overview(&self.door).await
    }

    /// A group of some agents, in which the hourly quota ends nothing.
    pub(super) async fn group(
        &self,
        members: &[Agent],
        policy: TurnPolicy,
    ) -> Result<GroupId, Failure> {
        let members = members.iter().map(|agent| agent.id).collect();
        let made =
            self.order(Command::NewGroup { name: None, members, policy: Some(policy) }).await?;
        let Reply::Group(view) = made else { return Err(broken("make a group", "no group")) };
        let group = view.group.id;
        let caps = Some(Caps { runs_per_hour: 1_000_000, ..view.group.caps });
        let patch = GroupPatch { caps, ..GroupPatch::default() };
        self.order(Command::EditGroup { group, patch }).await?;
        Ok(group)
    }

    /// What a run did, step by step.
    pub(super) async fn run(&self, run: RunId) -> Result<RunDetail, Failure> {
        match self.ask(Call::Query(Query::Run { run })).await? {
            Reply::RunDetail(detail) => Ok(*detail),
            other => Err(broken("ask for a run", format!("{other:?}"))),
        }
    }

    /// How many messages there are in a group.
    pub(super) async fn messages(&self, group: GroupId) -> Result<usize, Failure> {
        let (mut count, mut before) = (0, None);
        loop {
            let query = Query::Messages { group, before, limit: PAGE };
            let Reply::Messages(page) = self.ask(Call::Query(query)).await? else {
                return Err(broken("ask for messages", "no messages"));
            };
            let Some(first) = page.first() else { return Ok(count) };
            (count, before) = (count + page.len(), Some(first.seq));
        }
    }

    pub(super) async fn order(&self, command: Command) -> Result<Reply, Failure> {
        self.ask(Call::Command(command)).await
    }

    async fn ask(&self, call: Call) -> Result<Reply, Failure> {
        Ok(self.door.ask(call).await?)
    }
}

pub(super) async fn overview(door: &Door) -> Result<Overview, Failure> {
    match door.ask(Call::Query(Query::Overview)).await? {
        Reply::Overview(overview) => Ok(*overview),
        other => Err(broken("ask for an overview", format!("{other:?}"))),
    }
}

/// Every run of the workspace behind a door, newest first.
pub(super) async fn all_runs(door: &Door) -> Result<Vec<Run>, Failure> {
    let mut all: Vec<Run> = Vec::new();
    loop {
        let before = all.last().map(|run| run.seq);
        let query = Query::Runs { filter: RunFilter::default(), before, limit: PAGE };
        match door.ask(Call::Query(query)).await? {
            Reply::Runs(page) if page.is_empty() => return Ok(all),
            Reply::Runs(page) => all.extend(page),
            other => return Err(broken("ask for runs", format!("{other:?}"))),
        }
    }
}

pub(super) async fn post(door: &Door, group: GroupId, text: &str) -> Result<(), Failure> {
    let post =
        Command::Post { group, text: text.to_owned(), reply_to: None, attachments: Vec::new() };
    let request = Request { id: RequestId(Uuid::now_v7()), call: Call::Command(post) };
    let Answer { result, .. } = door.send(request).await;
    match result? {
        Reply::Message(message) if message.group == group => Ok(()),
        other => Err(broken("post", format!("{other:?}"))),
    }
}
