//! What is told in the feed when it happens, and what comes of it.

use domain::{
    Author, CheckState, Command, Community, EndedRuns, FaultKind, FeedFilter, FeedSource,
    MemoryKind, MemoryScope, Message, NewMemory, PostView, Query, Reason, Reply, RequestId,
    SourcePlan, SourceView, Statement, Ticked, Watches,
};
use llm::Trouble;
use llm::scripted::{Beat, Scripted};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tests::{Stage, fails, found_by, in_files, says, stage, thought};
use uuid::Uuid;

const HOUR: Duration = Duration::from_secs(60 * 60);

async fn community(stage: &Stage) -> Community {
    let (name, rules, members) = ("Square".into(), String::new(), Vec::new());
    match stage.do_(Command::NewCommunity { name, rules, members }).await {
        Reply::Community(community) => community,
        other => panic!("no community: {other:?}"),
    }
}

async fn plan(stage: &Stage, watches: Watches) -> SourcePlan {
    let community = community(stage).await.id;
    SourcePlan { name: "Watch".into(), community, watches, per_hour: 6 }
}

async fn made(stage: &Stage, plan: SourcePlan) -> FeedSource {
    match stage.do_(Command::NewSource { plan }).await {
        Reply::Source(source) => *source,
        other => panic!("no source: {other:?}"),
    }
}

async fn refused(stage: &Stage, plan: SourcePlan) -> Option<FaultKind> {
    let fault = stage.command(Command::NewSource { plan }).await.expect_err("it cannot be");
    fault.kind.map(|kind| *kind)
}

async fn sources(stage: &Stage) -> Vec<SourceView> {
    match stage.query(Query::Sources).await {
        Ok(Reply::Sources(all)) => all,
        other => panic!("no sources: {other:?}"),
    }
}

async fn feed(stage: &Stage) -> Vec<PostView> {
    match stage.query(Query::Feed { filter: FeedFilter::default(), before: None, limit: 100 }).await
    {
        Ok(Reply::Posts(posts)) => posts,
        other => panic!("no posts: {other:?}"),
    }
}

/// What was told, the oldest first.
async fn told(stage: &Stage) -> Vec<Message> {
    let items = feed(stage).await.into_iter().rev().filter_map(|view| view.item);
    items
        .map(|item| item.message)
        .filter(|message| matches!(message.author, Author::Source(_)))
        .collect()
}

async fn texts(stage: &Stage) -> Vec<String> {
    let all = told(stage).await;
    all.iter().map(|message| message.text().unwrap_or_default().to_owned()).collect()
}

/// Gives out what waits, and returns when it has been answered.
async fn tick(stage: &Stage) -> Ticked {
    let Reply::Ticked(ticked) = stage.do_(Command::Tick).await else { panic!("not ticked") };
    stage
        .until(async |stage: &Stage| match stage.query(Query::FeedQueue).await {
            Ok(Reply::FeedQueue(queue)) => queue.answers_to_come == 0,
            other => panic!("no queue: {other:?}"),
        })
        .await;
    ticked
}

/// A folder that a person might have watched, and its path as the system calls it.
fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().canonicalize().expect("it is there");
    (folder, path)
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("it can be written");
}

fn files(folder: &Path) -> Watches {
    Watches::Files { folder: folder.display().to_string() }
}

#[tokio::test]
async fn files_that_change_are_told_and_answered_like_any_post() {
    let (_kept, folder) = folder();
    write(&folder, "old.md", "1");
    let stage = stage().model(says("I will read it.")).open().await;
    let source = made(&stage, plan(&stage, files(&folder)).await).await;
    tick(&stage).await;
    assert!(texts(&stage).await.is_empty(), "what was there is no news");

    write(&folder, "new.md", "something");
    write(&folder, "old.md", "22");
    tick(&stage).await;
    let name = folder.display();
    let expected = format!("In `{name}`, 2 files:\n\n- new: `new.md`\n- changed: `old.md`");
    let [post] = &told(&stage).await[..] else { panic!("one post") };
    assert_eq!(post.text(), Some(expected.as_str()));
    assert_eq!((post.author, post.chain_depth), (Author::Source(source.id), 0));
    let answers = stage.runs().await;
    assert_eq!(answers.len(), 1, "it goes to whoever rested longest");
    assert_eq!(answers[0].cause.author, Author::Source(source.id));
    assert_eq!(answers[0].cause.reason, Reason::NobodyElse);
    let request = stage.model.requests().pop().expect("it was asked");
    let last = &request.turns.last().expect("something").content;
    assert!(last.contains("Watch (source): In `"), "{last}");

    fs::remove_file(folder.join("new.md")).expect("it was there");
    tick(&stage).await;
    tick(&stage).await;
    let all = texts(&stage).await;
    assert_eq!(all.len(), 2, "each change once: {all:?}");
    assert!(all[1].ends_with("1 file:\n\n- gone: `new.md`"), "{all:?}");
    assert_eq!(sources(&stage).await[0].source.posts, 2);
}

#[tokio::test]
async fn a_folder_is_watched_without_any_tick() {
    let (_kept, folder) = folder();
    let stage = stage().open().await;
    made(&stage, plan(&stage, files(&folder)).await).await;
    fs::create_dir(folder.join("in")).expect("it can be made");
    write(&folder, "in/deep.md", "1");
    stage.until(async |stage: &Stage| !told(stage).await.is_empty()).await;
    let all = texts(&stage).await.join("\n");
    assert!(all.contains("- new: `in/deep.md`"), "{all}");
    assert!(stage.runs().await.is_empty(), "who answers is for a tick to say");
}

#[tokio::test]
async fn what_changed_while_nobody_was_there_is_told_at_the_next_start_and_once() {
    let (_kept, folder) = folder();
    let stage = stage().open().await;
    made(&stage, plan(&stage, files(&folder)).await).await;
    stage.workspace.close().await;
    write(&folder, "meanwhile.md", "1");
    let stage = stage.reopen().await;
    stage.until(async |stage: &Stage| !told(stage).await.is_empty()).await;
    let stage = stage.reopen().await;
    tick(&stage).await;
    let all = texts(&stage).await;
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].contains("new: `meanwhile.md`"));
}

#[tokio::test]
async fn a_files_name_names_nobody() {
    let (_kept, folder) = folder();
    let stage = stage().model(says("I see.")).open().await;
    made(&stage, plan(&stage, files(&folder)).await).await;
    write(&folder, "@Otto.md", "1");
    tick(&stage).await;
    let reasons: Vec<Reason> = stage.runs().await.into_iter().map(|run| run.cause.reason).collect();
    assert_eq!(reasons, [Reason::NobodyElse]);
}

#[tokio::test]
async fn agents_that_write_where_they_are_watched_come_to_an_end() {
    let (_kept, folder) = folder();
    let theirs = folder.clone();
    let writes = Scripted::from_fn(move |_, n| {
        write(&theirs, &format!("{n}.md"), "1");
        vec![Beat::Text(thought(n).to_owned())]
    });
    let stage = stage().model(writes).open().await;
    let plan = SourcePlan { per_hour: 60, ..plan(&stage, files(&folder)).await };
    made(&stage, plan).await;
    write(&folder, "first.md", "1");
    for _ in 0..12 {
        tick(&stage).await;
    }
    let depths: Vec<u32> = told(&stage).await.iter().map(|post| post.chain_depth).collect();
    assert!(depths.len() > 1, "what they write is told too");
    assert_eq!(depths.first(), Some(&0));
    assert_eq!(depths.last(), Some(&3), "the last is too deep to be answered: {depths:?}");
    assert!(depths.iter().all(|depth| *depth <= 3), "{depths:?}");
    let before = stage.runs().await.len();
    tick(&stage).await;
    assert_eq!(stage.runs().await.len(), before, "it is quiet");

    // What the person does later begins anew.
    stage.clock.advance(HOUR);
    write(&folder, "later.md", "1");
    tick(&stage).await;
    let last = told(&stage).await.pop().expect("it is told");
    assert_eq!(last.chain_depth, 0);
}

#[tokio::test]
async fn turns_that_end_are_told_without_their_words_and_never_by_what_they_caused() {
    let stage = stage().model(says("The code is 4711.")).open().await;
    let watches = Watches::Runs { which: EndedRuns::All };
    made(&stage, plan(&stage, watches).await).await;
    let direct = stage.direct("Ada").await;
    stage.say(direct, "Which code?").await;
    stage.until(async |stage: &Stage| !told(stage).await.is_empty()).await;
    assert_eq!(texts(&stage).await, ["Ada answered in its chat with User."]);
    let post = told(&stage).await.remove(0);
    assert_eq!(post.chain_depth, 1, "as deep as the turn that ended");
    for _ in 0..4 {
        tick(&stage).await;
    }
    let runs = stage.runs().await;
    assert!(runs.iter().any(|run| run.root == post.id), "it was answered");
    assert_eq!(texts(&stage).await.len(), 1, "what came of it is not told");
}

#[tokio::test]
async fn turns_that_fail_are_told_with_the_reason() {
    let stage = stage().model(fails(Trouble::Refused)).open().await;
    let watches = Watches::Runs { which: EndedRuns::Failed };
    made(&stage, plan(&stage, watches).await).await;
    let direct = stage.direct("Ada").await;
    stage.say(direct, "Hello?").await;
    stage.until(async |stage: &Stage| !told(stage).await.is_empty()).await;
    let all = texts(&stage).await;
    assert!(all[0].starts_with("Ada could not answer in its chat with User: "), "{all:?}");
}

fn lives_in(city: &str) -> NewMemory {
    NewMemory {
        kind: MemoryKind::Fact,
        scope: MemoryScope::User,
        text: format!("Lives in {city}"),
        statement: Some(Statement {
            subject: "user".into(),
            attribute: "lives in".into(),
            value: city.into(),
        }),
        tags: Vec::new(),
        importance: None,
        valid_from_ms: None,
        valid_to_ms: None,
    }
}

#[tokio::test]
async fn memories_that_contradict_each_other_are_told() {
    let (_kept, folder) = folder();
    let stage = stage().open().await;
    made(&stage, plan(&stage, Watches::Contradictions).await).await;
    stage.do_(Command::AddMemory { memory: lives_in("Lisbon") }).await;
    let text = serde_json::to_string(&lives_in("Porto")).expect("it is plain data");
    write(&folder, "a.jsonl", &text);
    let path = folder.join("a.jsonl").display().to_string();
    let (format, scope, vouched, preview) = (None, None, false, false);
    stage.do_(Command::ImportMemories { path, format, scope, vouched, preview }).await;
    stage.until(async |stage: &Stage| !told(stage).await.is_empty()).await;
    assert_eq!(
        texts(&stage).await,
        ["“Lives in Porto” contradicts “Lives in Lisbon”, which holds until a person decides."]
    );
}

/// Says in its thoughts what it was told, and in its answer nothing of it.
fn thinker() -> Scripted {
    Scripted::from_fn(|request, _| {
        let asked = request.turns.last().map(|turn| turn.content.to_uppercase());
        let thought = Beat::Reasoning(asked.unwrap_or_default());
        vec![thought, Beat::Text("I let it stand.".to_owned())]
    })
}

#[tokio::test]
async fn a_post_tells_nothing_of_a_memory_that_was_forgotten_since() {
    let (_kept, folder) = folder();
    let stage = stage().model(thinker()).open().await;
    let (name, rules, members) = ("Square".into(), String::new(), stage.ids(&["Ines"]).await);
    let community = match stage.do_(Command::NewCommunity { name, rules, members }).await {
        Reply::Community(community) => community.id,
        other => panic!("no community: {other:?}"),
    };
    let watches = Watches::Contradictions;
    made(&stage, SourcePlan { name: "Watch".into(), community, watches, per_hour: 6 }).await;
    stage.do_(Command::AddMemory { memory: lives_in("Zanzibar") }).await;
    let text = serde_json::to_string(&lives_in("Porto")).expect("it is plain data");
    write(&folder, "a.jsonl", &text);
    let path = folder.join("a.jsonl").display().to_string();
    let (format, scope, vouched, preview) = (None, None, false, false);
    stage.do_(Command::ImportMemories { path, format, scope, vouched, preview }).await;
    stage.until(async |stage: &Stage| !told(stage).await.is_empty()).await;
    stage.do_(Command::Tick).await;
    stage
        .until(async |stage: &Stage| match stage.query(Query::FeedQueue).await {
            Ok(Reply::FeedQueue(queue)) => queue.answers_to_come == 0,
            other => panic!("no queue: {other:?}"),
        })
        .await;
    stage.quiet().await;
    let ada = stage.agent("Ada").await.id;
    stage.do_(Command::AskForDigest { agent: ada }).await;
    stage.quiet().await;
    let asked = |stage: &Stage| {
        stage.model.requests().iter().map(|one| format!("{one:?}")).collect::<String>()
    };
    assert!(asked(&stage).contains("“Lives in Zanzibar”"), "who reads the community was told");
    assert!(asked(&stage).contains("Is remembered now: Lives in Zanzibar"), "and so was Ada");

    let filter = domain::MemoryFilter::default();
    let query = Query::Memories { filter, before: None, limit: 10 };
    let Ok(Reply::Memories(page)) = stage.query(query).await else { panic!("no memories") };
    let holds = page.memories.iter().find(|one| one.text.ends_with("Zanzibar")).expect("it holds");
    stage.do_(Command::ForgetMemory { memory: holds.id }).await;
    let left = "“Lives in Porto” contradicts “(forgotten)”, which holds until a person decides.";
    assert_eq!(texts(&stage).await, [left]);
    assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0], "also where they thought of it");
    assert_eq!(found_by(&stage, "zanzibar").await, 0);
}

#[tokio::test]
async fn what_is_more_than_may_be_in_an_hour_is_told_together_after_it() {
    let (_kept, folder) = folder();
    let stage = stage().open().await;
    let plan = SourcePlan { per_hour: 1, ..plan(&stage, files(&folder)).await };
    made(&stage, plan).await;
    write(&folder, "a.md", "1");
    tick(&stage).await;
    write(&folder, "b.md", "1");
    tick(&stage).await;
    write(&folder, "c.md", "1");
    tick(&stage).await;
    assert_eq!(texts(&stage).await.len(), 1);
    assert!(sources(&stage).await[0].held_back);
    stage.clock.advance(HOUR);
    tick(&stage).await;
    let all = texts(&stage).await;
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[1].ends_with("2 files:\n\n- new: `b.md`\n- new: `c.md`"), "{all:?}");
    assert!(!sources(&stage).await[0].held_back);
}

#[tokio::test]
async fn nothing_is_told_while_all_is_paused_or_of_what_happened_while_it_was_off() {
    let (_kept, folder) = folder();
    let stage = stage().open().await;
    let source = made(&stage, plan(&stage, files(&folder)).await).await.id;
    stage.do_(Command::PauseAll).await;
    write(&folder, "a.md", "1");
    stage.command(Command::Tick).await.expect_err("everything is paused");
    assert!(texts(&stage).await.is_empty());
    stage.do_(Command::ResumeAll).await;
    tick(&stage).await;
    assert_eq!(texts(&stage).await.len(), 1, "what waited is told");

    stage.do_(Command::SwitchSource { source, on: false }).await;
    write(&folder, "b.md", "1");
    tick(&stage).await;
    stage.do_(Command::SwitchSource { source, on: true }).await;
    tick(&stage).await;
    assert_eq!(texts(&stage).await.len(), 1, "what happened meanwhile is not");
    write(&folder, "c.md", "1");
    tick(&stage).await;
    assert_eq!(texts(&stage).await.len(), 2);

    stage.do_(Command::RemoveSource { source }).await;
    write(&folder, "d.md", "1");
    tick(&stage).await;
    assert_eq!(texts(&stage).await.len(), 2);
    assert!(sources(&stage).await.is_empty());
    let named = stage.overview().await.sources;
    assert_eq!(named[0].plan.name, "Watch", "its name stays with what it wrote");
}

#[tokio::test]
async fn what_cannot_be_watched_is_refused_and_what_is_gone_is_said() {
    let (_kept, folder) = folder();
    let stage = stage().open().await;
    let good = plan(&stage, files(&folder)).await;
    let own = stage.data().join("souls");
    let with = |watches: Watches| SourcePlan { watches, ..good.clone() };
    let refused_own = refused(&stage, with(files(&own))).await;
    assert!(matches!(refused_own, Some(FaultKind::SourceFolderOwn { .. })));
    let gone = refused(&stage, with(files(&folder.join("gone")))).await;
    assert!(matches!(gone, Some(FaultKind::SourceFolderAway { .. })));
    for (name, expected) in [
        ("you", FaultKind::SourceNameUnfit { name: "you".into() }),
        ("Ada", FaultKind::SourceNameTaken { name: "Ada".into() }),
    ] {
        let named = SourcePlan { name: name.into(), ..good.clone() };
        assert_eq!(refused(&stage, named).await, Some(expected));
    }
    assert_eq!(refused(&stage, SourcePlan { per_hour: 0, ..good.clone() }).await, None);

    let id = RequestId(Uuid::now_v7());
    for _ in 0..2 {
        let command = Command::NewSource { plan: good.clone() };
        stage.send(id, command).await.expect("it is taken");
    }
    assert_eq!(sources(&stage).await.len(), 1, "making it twice is making it once");
    let again = refused(&stage, good.clone()).await;
    assert_eq!(again, Some(FaultKind::SourceNameTaken { name: "Watch".into() }));

    fs::remove_dir_all(&folder).expect("it was there");
    tick(&stage).await;
    let problem = sources(&stage).await[0].problem.clone().expect("it cannot look");
    assert!(matches!(problem.kind.as_deref(), Some(FaultKind::SourceFolderAway { .. })));
    let Ok(Reply::Checks(checks)) = stage.query(Query::Doctor).await else { panic!("no checks") };
    let check = checks.iter().find(|check| check.name == "source Watch").expect("it is looked at");
    assert_eq!(check.state, CheckState::Degraded);
    fs::create_dir(&folder).expect("it can be made");
    tick(&stage).await;
    assert_eq!(sources(&stage).await[0].problem, None, "it is back");
}
