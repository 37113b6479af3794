//! What was said, remembered and done is found again by its words, wherever it
//! stands.

use domain::{
    AgentId, Command, FaultCode, Found, FoundItem, FoundWhat, GroupId, MemoryKind, MemoryScope,
    NewMemory, Query, Reply, RunState, Search, SearchIn, TurnPolicy,
};
use llm::scripted::{Beat, Gate, Scripted};
use llm::{ToolCallDelta, Trouble};
use serde_json::json;
use std::fs;
use std::path::Path;
use tests::{Stage, fails, says, stage};
use uuid::Uuid;

fn sought(text: &str) -> Search {
    Search { text: text.into(), limit: 10, ..Search::default() }
}

/// Asked again while the index has yet to read what there is.
async fn search(stage: &Stage, search: Search) -> Found {
    loop {
        match stage.query(Query::Search { search: search.clone() }).await {
            Ok(Reply::Found(found)) if found.unread == 0 => return found,
            Ok(Reply::Found(_)) => {}
            other => panic!("not searched: {other:?}"),
        }
    }
}

/// What is found, each as its kind and its snippet with what was found in brackets.
async fn told(stage: &Stage, wanted: Search) -> Vec<String> {
    search(stage, wanted).await.items.iter().map(line).collect()
}

async fn found(stage: &Stage, text: &str) -> Vec<String> {
    told(stage, sought(text)).await
}

fn line(item: &FoundItem) -> String {
    let kind = match &item.what {
        FoundWhat::Message { .. } => "message",
        FoundWhat::Memory { .. } => "memory",
        FoundWhat::Run { .. } => "run",
    };
    let marked = |piece: &domain::Piece| match piece.found {
        true => format!("[{}]", piece.text),
        false => piece.text.clone(),
    };
    format!("{kind}: {}", item.snippet.iter().map(marked).collect::<String>())
}

async fn remember(stage: &Stage, text: &str, scope: MemoryScope) {
    let memory = NewMemory {
        kind: MemoryKind::Fact,
        scope,
        text: text.into(),
        statement: None,
        tags: Vec::new(),
        importance: None,
        valid_from_ms: None,
        valid_to_ms: None,
    };
    stage.do_(Command::AddMemory { memory }).await;
}

/// Looks something up with a tool, and then answers.
fn calculates() -> Scripted {
    Scripted::from_fn(|request, _| match request.turns.last() {
        Some(turn) if turn.role == llm::Role::Tool => vec![Beat::Text("So it is.".into())],
        _ => vec![Beat::ToolCall(ToolCallDelta {
            id: "c1".into(),
            name: Some("calculator".into()),
            arguments: json!({ "expression": "sqrt(1764)" }).to_string(),
        })],
    })
}

#[tokio::test]
async fn messages_are_found_by_their_words_in_every_language_and_in_code() {
    let stage = stage().model(says("The kettle is on the stove.")).open().await;
    let ada = stage.direct("Ada").await;
    for text in [
        "Street trees cool the city",
        "小猫喜欢晒太阳，也喜欢睡觉",
        "请用 Rust 写检索工具 please",
        "call parse_http_request(max_tokens) or parseHTTPRequest",
    ] {
        stage.say(ada, text).await;
    }
    let only = |text: &str| Search { places: vec![SearchIn::Messages], ..sought(text) };
    let found = async |text: &str| told(&stage, only(text)).await;
    assert_eq!(found("COOLING").await, ["message: Street trees [cool] the city"]);
    assert_eq!(found("kettles").await.len(), 4, "what agents said too");
    assert_eq!(found("猫在哪里晒太阳").await, ["message: 小[猫]喜欢[晒太阳]，也喜欢睡觉"]);
    assert_eq!(found("检索").await, ["message: 请用 Rust 写[检索]工具 please"]);
    assert_eq!(found("rust 工具").await, ["message: 请用 [Rust] 写检索[工具] please"]);
    assert_eq!(
        found("max_tokens").await,
        ["message: call parse_http_request([max]_[tokens]) or parseHTTPRequest"]
    );
    assert_eq!(
        found("parsehttprequest").await,
        ["message: call parse_http_request(max_tokens) or [parseHTTPRequest]"]
    );
    // While it is being written.
    assert_eq!(found("stre").await, ["message: [Street] trees cool the city"]);
    assert_eq!(found("stre ").await, [""; 0]);
    assert_eq!(found("nothing like it").await, [""; 0]);
}

#[tokio::test]
async fn each_says_where_it_stands() {
    let stage = stage().model(says("Water boils at a hundred degrees.")).open().await;
    let ada = stage.direct("Ada").await;
    let asked = stage.say(ada, "When does water boil?").await;
    remember(&stage, "Boils water for tea", MemoryScope::User).await;
    let found = search(&stage, sought("boil")).await;
    let agent = stage.agent("Ada").await.id;
    let run = stage.runs().await[0].clone();
    assert!(found.items.iter().any(|item| match &item.what {
        FoundWhat::Message { message, seq, group, author, run } =>
            (*message, *seq, *group, *run) == (asked.id, asked.seq, ada, None)
                && *author == domain::Author::User
                && item.at_ms == asked.at_ms,
        FoundWhat::Memory { .. } | FoundWhat::Run { .. } => false,
    }));
    assert!(found.items.iter().any(|item| match &item.what {
        FoundWhat::Message { author, run: by, .. } =>
            *author == domain::Author::Agent(agent) && *by == Some(run.id),
        FoundWhat::Memory { .. } | FoundWhat::Run { .. } => false,
    }));
    assert!(found.items.iter().any(|item| match &item.what {
        FoundWhat::Memory { memory } => memory.text == "Boils water for tea",
        FoundWhat::Message { .. } | FoundWhat::Run { .. } => false,
    }));
}

#[tokio::test]
async fn runs_are_found_by_the_tools_they_used_and_by_what_went_wrong() {
    let stage = stage().model(calculates()).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "What is it?").await;
    assert_eq!(found(&stage, "1764").await, ["run: calculator expression: sqrt([1764])"]);
    let stage = stage.reopen_with(Some(fails(Trouble::Key))).await;
    stage.say(ada, "And now?").await;
    let failed =
        search(&stage, Search { places: vec![SearchIn::Runs], ..sought("model failing") }).await;
    let [FoundItem { what: FoundWhat::Run { run }, .. }] = failed.items.as_slice() else {
        panic!("not the run alone: {failed:?}")
    };
    assert_eq!((run.state, run.agent), (RunState::Failed, stage.agent("Ada").await.id));
    assert!(line(&failed.items[0]).contains("[model] [failed]"), "{failed:?}");
    let of_ada = Search { places: vec![SearchIn::Runs], ..sought("ada") };
    assert_eq!(told(&stage, of_ada).await.len(), 2, "by who had them");
}

#[tokio::test]
async fn a_run_that_goes_on_is_found_by_what_it_has_done_so_far_and_once_when_it_has_ended() {
    let gate = Gate::new();
    let wait = gate.clone();
    let model = Scripted::from_fn(move |request, _| match request.turns.last() {
        Some(turn) if turn.role == llm::Role::Tool => {
            vec![Beat::Gate(wait.clone()), Beat::Text("So it is.".into())]
        }
        _ => vec![Beat::ToolCall(ToolCallDelta {
            id: "c1".into(),
            name: Some("calculator".into()),
            arguments: json!({ "expression": "sqrt(1764)" }).to_string(),
        })],
    });
    let stage = stage().model(model).open().await;
    let (ada, bo) = (stage.direct("Ada").await, stage.direct("Bo").await);
    stage.post(ada, "What is it?").await;
    gate.arrived(1).await;
    let runs = |text: &str| Search { places: vec![SearchIn::Runs], ..sought(text) };
    let states = async |wanted: Search| {
        let items = search(&stage, wanted).await.items;
        let state = |item: FoundItem| match item.what {
            FoundWhat::Run { run } => run.state,
            other => panic!("no run: {other:?}"),
        };
        items.into_iter().map(state).collect::<Vec<_>>()
    };
    assert_eq!(states(runs("1764")).await, [RunState::Running]);
    assert_eq!(states(runs("ada")).await, [RunState::Running], "by who has it");
    assert_eq!(states(runs("kettle")).await, []);
    let elsewhere = Search { group: Some(bo), ..runs("1764") };
    assert_eq!(states(elsewhere).await, [], "and only where it is looked for");
    gate.open();
    stage.quiet().await;
    assert_eq!(states(runs("1764")).await, [RunState::Settled]);
}

#[tokio::test]
async fn a_search_keeps_to_a_place_a_group_an_agent_and_a_number() {
    let stage = stage().model(says("Basil it is.")).open().await;
    let garden = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    let (ada, bo) = (stage.agent("Ada").await.id, stage.agent("Bo").await.id);
    stage.say(garden, "Basil or mint?").await;
    let direct = stage.direct("Ada").await;
    stage.say(direct, "Is the basil dry?").await;
    remember(&stage, "Basil stands in the window", MemoryScope::User).await;
    remember(&stage, "Basil is watered on Mondays", MemoryScope::Group(garden)).await;
    remember(&stage, "Ada waters the basil", MemoryScope::Agent(ada)).await;
    let of = async |places: &[SearchIn], group: Option<GroupId>, agent: Option<AgentId>| {
        let wanted = Search { places: places.to_vec(), group, agent, ..sought("basil") };
        let mut told = told(&stage, wanted).await;
        told.sort();
        told
    };
    let messages = &[SearchIn::Messages];
    assert_eq!(of(&[], None, None).await.len(), 8);
    assert_eq!(of(messages, None, None).await.len(), 5);
    assert_eq!(of(&[SearchIn::Memories, SearchIn::Runs], None, None).await.len(), 3);
    assert_eq!(
        of(messages, Some(garden), None).await,
        ["message: [Basil] it is.", "message: [Basil] it is.", "message: [Basil] or mint?"]
    );
    assert_eq!(of(&[], Some(garden), None).await[0], "memory: [Basil] is watered on Mondays");
    assert_eq!(of(&[], None, Some(bo)).await, ["message: [Basil] it is."]);
    assert_eq!(of(&[], None, Some(ada)).await.len(), 3);
    assert_eq!(of(&[], Some(direct), Some(ada)).await, ["message: [Basil] it is."]);
    assert_eq!(of(&[], Some(direct), Some(bo)).await, [""; 0]);
    let few = Search { limit: 2, ..sought("basil") };
    assert_eq!(told(&stage, few).await.len(), 4, "two of each kind");
}

#[tokio::test]
async fn who_asks_for_nothing_or_for_nobody_is_told_so() {
    let stage = stage().open().await;
    let refused = async |search: Search| match stage.query(Query::Search { search }).await {
        Err(fault) => (fault.code, fault.message),
        Ok(reply) => panic!("answered: {reply:?}"),
    };
    let (code, message) = refused(sought("  ")).await;
    assert_eq!((code, message.as_str()), (FaultCode::BadInput, "there is nothing to look for"));
    let nowhere = Search { group: Some(GroupId(Uuid::nil())), ..sought("tea") };
    assert_eq!(refused(nowhere).await.0, FaultCode::NotFound);
    let nobody = Search { agent: Some(AgentId(Uuid::nil())), ..sought("tea") };
    assert_eq!(refused(nobody).await.0, FaultCode::NotFound);
    assert_eq!(found(&stage, "?!").await, [""; 0], "no word, and nothing that has it");
}

#[tokio::test]
async fn all_is_found_again_after_a_restart_a_crash_and_the_loss_or_damage_of_the_index() {
    let mut stage = stage().model(says("yes")).open().await;
    let ada = stage.direct("Ada").await;
    for text in ["The lighthouse is white", "灯塔是白色的"] {
        stage.say(ada, text).await;
    }
    let expected = ["message: The [lighthouse] is white"];
    assert_eq!(found(&stage, "lighthouse").await, expected);
    let index = |stage: &Stage| stage.data().join("index").join("everywhere");
    // While it is open, and while it is closed.
    fs::remove_dir_all(index(&stage)).expect("it can be deleted");
    stage.say(ada, "and it is old").await;
    assert_eq!(found(&stage, "lighthouse").await, expected);
    assert_eq!(found(&stage, "old").await.len(), 1);
    let damage: [&dyn Fn(&Path); 2] =
        [&|folder| fs::remove_dir_all(folder).expect("deleted"), &|folder| {
            each_file(folder, &|path| fs::write(path, "damaged").expect("written"))
        }];
    for damage in damage {
        stage.workspace.close().await;
        let folder = index(&stage);
        damage(&folder);
        stage = stage.reopen().await;
        assert_eq!(found(&stage, "lighthouse").await, expected);
        assert_eq!(found(&stage, "灯塔").await, ["message: [灯塔]是白色的"]);
    }
    stage.post(ada, "A gull sits on it").await;
    stage = stage.crash(says("yes")).await;
    assert_eq!(found(&stage, "gulls").await, ["message: A [gull] sits on it"]);
}

#[tokio::test]
async fn an_index_that_is_ahead_of_the_database_is_made_again() {
    let stage = stage().model(says("yes")).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Before the backup").await;
    assert_eq!(found(&stage, "backup").await.len(), 1);
    // The index of a longer life beside a database that begins anew.
    let index = stage.data().join("index");
    let younger = tests::stage().before({
        let kept = tempfile::tempdir().expect("a folder");
        copy(&index, kept.path());
        move |data: &Path| copy(kept.path(), &data.join("index"))
    });
    let younger = younger.model(says("yes")).open().await;
    assert_eq!(found(&younger, "backup").await, [""; 0]);
    younger.post(younger.direct("Ada").await, "Another backup").await;
    assert_eq!(found(&younger, "backup").await, ["message: Another [backup]"]);
}

#[tokio::test]
async fn words_that_are_forgotten_are_not_found() {
    let stage = stage().open().await;
    remember(&stage, "The safe opens with 4711", MemoryScope::User).await;
    let hit = search(&stage, sought("4711")).await;
    let [FoundItem { what: FoundWhat::Memory { memory }, .. }] = hit.items.as_slice() else {
        panic!("not found: {hit:?}")
    };
    stage.do_(Command::ForgetMemory { memory: memory.id }).await;
    assert_eq!(found(&stage, "4711").await, [""; 0]);
}

#[tokio::test]
async fn an_index_that_cannot_be_used_holds_up_no_message_and_no_turn() {
    let in_the_way = |data: &Path| {
        fs::create_dir_all(data.join("index")).expect("a folder");
        fs::write(data.join("index").join("everywhere"), "in the way").expect("a file");
    };
    let stage = stage().before(in_the_way).model(says("yes")).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Can you hear me?").await;
    assert_eq!(stage.transcript(ada).await, ["you: Can you hear me?", "Ada: yes"]);
    let fault = stage.query(Query::Search { search: sought("hear") }).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::Storage);
    assert!(fault.fix.contains("delete its folder `index`"), "{fault}");
}

fn each_file(folder: &Path, with: &dyn Fn(&Path)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { each_file(&path, with) } else { with(&path) }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}
