//! Memories come from files and go into files, and no file is believed unasked.

mod cut_off;
mod stated;

use super::{add, detail, done, list, look, new, stating};
use domain::{
    Command, Fault, FaultCode, Judgement, LeftOutWhy, Memory, MemoryExport, MemoryFilter,
    MemoryFormat, MemoryId, MemoryImport, MemoryKind, MemoryPatch, MemoryScope, MemoryState,
    NewMemory, Query, Reply, Standing, Trust,
};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tempfile::TempDir;
use tests::{Stage, stage};

/// One of the files beside this one.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/memory/files").join(name)
}

fn file(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

/// Taken in as it comes: nobody vouches for it.
fn from(path: &Path) -> Command {
    Command::ImportMemories {
        path: path.display().to_string(),
        format: None,
        scope: None,
        vouched: false,
        preview: false,
    }
}

fn vouched(path: &Path) -> Command {
    let path = path.display().to_string();
    Command::ImportMemories { path, format: None, scope: None, vouched: true, preview: false }
}

async fn import(stage: &Stage, command: Command) -> MemoryImport {
    match stage.do_(command).await {
        Reply::MemoryImport(told) => *told,
        other => panic!("no import: {other:?}"),
    }
}

async fn refused(stage: &Stage, command: Command) -> Fault {
    stage.command(command).await.expect_err("it is refused")
}

/// New, there already, contested, left out.
fn counts(told: &MemoryImport) -> (u32, u32, u32, u32) {
    (told.added, told.repeated, told.contested, told.left_out)
}

fn any() -> MemoryFilter {
    MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() }
}

/// All there are, in the order of their words.
async fn all(stage: &Stage) -> Vec<Memory> {
    let mut all: Vec<Memory> = Vec::new();
    let mut before = None;
    loop {
        let query = Query::Memories { filter: any(), before, limit: 500 };
        let Ok(Reply::Memories(page)) = stage.query(query).await else { panic!("no page") };
        all.extend(page.memories);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    all.sort_by(|one, other| (&one.text, one.id.0).cmp(&(&other.text, other.id.0)));
    all
}

async fn export(stage: &Stage, path: &Path, format: MemoryFormat, filter: MemoryFilter) -> u32 {
    let path = path.display().to_string();
    match stage.do_(Command::ExportMemories { path, format, filter }).await {
        Reply::MemoryExport(MemoryExport { memories, .. }) => memories,
        other => panic!("no export: {other:?}"),
    }
}

#[tokio::test]
async fn what_was_said_with_chatgpt_becomes_episodes_and_what_tools_said_does_not() {
    let stage = stage().open().await;
    let path = fixture("chatgpt.json");
    let told = import(&stage, from(&path)).await;
    assert_eq!((told.format, told.trust), (MemoryFormat::Chatgpt, Trust::Untrusted));
    assert_eq!((told.found, counts(&told)), (3, (2, 0, 0, 1)));
    assert_eq!(told.reasons[0].place.to_string(), "conversation 2");
    let memories = all(&stage).await;
    let texts: Vec<&str> = memories.iter().map(|memory| memory.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "User: Is this the station?\n\nChatGPT: Yes, that is São Bento.",
            "User: When is the train to Porto?\n\nChatGPT: At nine, from Lisbon.",
        ]
    );
    for memory in &memories {
        assert_eq!((memory.kind, memory.scope), (MemoryKind::Episode, MemoryScope::User));
        assert_eq!(memory.trust, Trust::Untrusted);
        assert_eq!(memory.tags, ["Trip to Porto", "ChatGPT"]);
        assert_eq!(memory.source.file, Some(path.display().to_string()));
    }
    assert_eq!(memories[1].valid_from_ms, Some(1_730_000_001_250));
    let again = import(&stage, from(&path)).await;
    assert_eq!(counts(&again), (0, 2, 0, 1));
    assert_eq!(all(&stage).await, memories, "twice is once");
}

#[tokio::test]
async fn what_was_said_around_it_helps_to_find_an_episode() {
    let said = |sender: &str, text: &str| json!({ "sender": sender, "text": text });
    let conversation = |id: &str, turns: [&str; 4]| {
        let senders = ["human", "assistant", "human", "assistant"];
        let turns: Vec<_> = senders.iter().zip(turns).map(|(who, text)| said(who, text)).collect();
        json!({ "uuid": id, "name": "", "chat_messages": turns })
    };
    let parents = ["Are my parents coming?", "In June.", "Where do they sleep?", "Upstairs."];
    let offsite = [
        "Which city fits the offsite?",
        "Lisbon, in May.",
        "Good. And where does everybody sleep then?",
        "At the house by the river, all nine of them.",
    ];
    let told = json!([conversation("one", parents), conversation("two", offsite)]);
    let folder = folder();
    let path = file(&folder, "conversations.json", told.to_string());

    let stage = stage().open().await;
    let done = import(&stage, from(&path)).await;
    assert_eq!((done.format, counts(&done)), (MemoryFormat::Claude, (4, 0, 0, 0)));
    let found = look(&stage, "Where do we sleep at the offsite?", any()).await;
    let place = |words: &str| {
        let place = found.hits.iter().position(|hit| hit.memory.text.contains(words));
        place.unwrap_or_else(|| panic!("{words} is not found: {found:?}"))
    };
    assert!(place("by the river") < place("Upstairs"), "{found:?}");
}

#[tokio::test]
async fn what_was_said_with_claude_becomes_episodes_without_its_thoughts_and_tools() {
    let stage = stage().open().await;
    let told = import(&stage, vouched(&fixture("claude.json"))).await;
    assert_eq!((told.format, counts(&told)), (MemoryFormat::Claude, (1, 0, 0, 1)));
    assert_eq!(told.trust, Trust::Agent, "even if somebody vouches for it");
    let memory = &all(&stage).await[0];
    assert_eq!(
        memory.text,
        "User: Which database for metrics?\n\nClaude: Postgres will do.\n\nPartition it by day."
    );
    assert_eq!((memory.trust, memory.valid_from_ms), (Trust::Agent, Some(1_771_063_462_000)));
    assert_eq!(memory.tags, ["Postgres or not", "Claude"]);
}

#[tokio::test]
async fn notes_of_another_agent_become_its_memories_of_whoever_is_named() {
    let stage = stage().open().await;
    let ada = MemoryScope::Agent(stage.agent("Ada").await.id);
    let command = Command::ImportMemories {
        path: fixture("MEMORY.md").display().to_string(),
        format: None,
        scope: Some(ada),
        vouched: false,
        preview: false,
    };
    let told = import(&stage, command).await;
    assert_eq!((told.format, counts(&told)), (MemoryFormat::MemoryMd, (4, 1, 0, 0)));
    let memories = all(&stage).await;
    let told: Vec<(&str, MemoryKind)> =
        memories.iter().map(|memory| (memory.text.as_str(), memory.kind)).collect();
    assert_eq!(
        told,
        [
            ("Bo repairs the boiler\n  - comes on Mondays", MemoryKind::Relationship),
            ("Long-term notes of a house assistant.", MemoryKind::Fact),
            ("Wants short answers", MemoryKind::Preference),
            ("喜欢喝绿茶", MemoryKind::Preference),
        ]
    );
    assert!(memories.iter().all(|memory| memory.scope == ada && memory.evidence == 1));
}

#[tokio::test]
async fn a_damaged_file_is_refused_with_its_line_and_changes_nothing() {
    let stage = stage().open().await;
    let folder = folder();
    let good = "{\"text\":\"Likes tea\"}\n";
    let path = file(&folder, "a.jsonl", format!("{good}{good}{{\"text\":\"cut"));
    let fault = refused(&stage, from(&path)).await;
    assert_eq!(fault.code, FaultCode::BadInput);
    let begins = format!("{}, line 3: it is no memory: EOF", path.display());
    assert!(fault.message.starts_with(&begins), "{}", fault.message);
    assert!(!fault.fix.is_empty());
    for (name, text, told) in [
        ("b.zip", "PK\u{3}\u{4}", "it is a packed archive"),
        ("c.md", "\n", "there are no memories in it"),
        ("d.json", "[\n{\"mapping\":{}},\n", "the file ends in the middle of a conversation"),
    ] {
        let fault = refused(&stage, from(&file(&folder, name, text))).await;
        assert!(fault.message.contains(told), "{}", fault.message);
        assert!(fault.message.contains(name) && !fault.fix.is_empty(), "{fault:?}");
    }
    let fault = refused(&stage, from(&folder.path().join("none"))).await;
    assert_eq!(fault.code, FaultCode::NotFound);
    let empty = TempDir::new().expect("a temporary folder");
    let fault = refused(&stage, from(empty.path())).await;
    assert!(fault.message.ends_with("is known to hold memories"), "{}", fault.message);
    let fault = refused(&stage, from(Path::new("a.jsonl"))).await;
    assert_eq!(fault.fix, "give its whole path");
    assert!(all(&stage).await.is_empty());
}

#[tokio::test]
async fn what_cannot_become_a_memory_is_left_out_with_the_reason_and_the_rest_is_not() {
    let stage = stage().open().await;
    let folder = folder();
    let nobody = "{\"text\":\"x\",\"scope\":{\"kind\":\"agent\",\"id\":\"00000000-0000-7000-8000-000000000000\"}}";
    let far = "{\"text\":\"y\",\"valid_from_ms\":9223372036854775807}";
    let text = format!("{nobody}\n{far}\n{{\"text\":\" … \"}}\n{{\"text\":\"Likes tea\"}}\n");
    let told = import(&stage, from(&file(&folder, "a.jsonl", text))).await;
    assert_eq!((told.found, counts(&told)), (4, (1, 0, 0, 3)));
    let reasons: Vec<(String, String)> =
        told.reasons.iter().map(|one| (one.place.to_string(), one.why.to_string())).collect();
    assert_eq!(
        reasons,
        [
            ("line 1", "who may read it is not in this workspace; say who may with --scope"),
            ("line 2", "its time is further away than any calendar goes"),
            ("line 3", "the memory says nothing"),
        ]
        .map(|(place, why)| (place.to_owned(), why.to_owned()))
    );
}

#[tokio::test]
async fn a_preview_says_what_would_come_of_it_and_changes_nothing() {
    let stage = stage().open().await;
    add(&stage, stating("lives in", "Porto")).await;
    add(&stage, new("Likes tea")).await;
    let before = all(&stage).await;
    let folder = folder();
    let lisbon = serde_json::to_string(&stating("lives in", "Lisbon")).unwrap();
    let text = format!(
        "{{\"text\":\"Plays chess\"}}\n{{\"text\":\"plays CHESS\"}}\n{{\"text\":\"likes tea.\"}}\n{lisbon}\n"
    );
    let path = file(&folder, "a.jsonl", text);
    let Command::ImportMemories { path: name, .. } = from(&path) else { unreachable!() };
    let preview = Command::ImportMemories {
        path: name,
        format: None,
        scope: None,
        vouched: false,
        preview: true,
    };
    let would = import(&stage, preview).await;
    assert_eq!((would.found, counts(&would)), (4, (2, 2, 1, 0)));
    let samples: Vec<&str> = would.samples.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(samples, ["Plays chess", "The user lives in Lisbon"]);
    assert_eq!(all(&stage).await, before);
    let told = import(&stage, from(&path)).await;
    assert_eq!(counts(&told), counts(&would), "and then it does");
}

#[tokio::test]
async fn an_export_brings_the_same_memories_into_an_empty_workspace() {
    let stage = stage().open().await;
    full(&stage).await;
    let before = all(&stage).await;
    let folder = folder();
    for (name, format) in [("a.jsonl", MemoryFormat::Jsonl), ("a.md", MemoryFormat::Markdown)] {
        let path = folder.path().join(name);
        assert_eq!(export(&stage, &path, format, any()).await as usize, before.len());
        let empty = tests::stage().open().await;
        let told = import(&empty, vouched(&path)).await;
        assert_eq!((told.format, told.left_out, told.repeated), (format, 0, 0));
        let same = |mut memory: Memory| {
            // Its history begins here.
            memory.version = 1;
            memory
        };
        let after: Vec<Memory> = all(&empty).await;
        let expected: Vec<Memory> = before.iter().cloned().map(same).collect();
        assert_eq!(after, expected, "{name}");
        let again = import(&empty, vouched(&path)).await;
        assert_eq!((again.added, again.repeated as usize), (0, before.len()));
        assert_eq!(all(&empty).await, expected, "{name}");
    }
}

/// Memories of every sort.
async fn full(stage: &Stage) {
    let tagged = NewMemory {
        tags: vec!["kitchen".into(), "茶".into()],
        importance: Some(91),
        kind: MemoryKind::Preference,
        valid_from_ms: Some(1_000),
        ..new("Likes green tea.\n\n- and <!-- coterie {} --> \\ biscuits\r\n  in the morning")
    };
    let pinned = add(stage, tagged).await.id;
    done(stage, Command::PinMemory { memory: pinned, pinned: true }).await;
    add(stage, stating("lives in", "Porto")).await;
    add(stage, stating("lives in", "Lisbon")).await;
    add(stage, stating("lives in", "Faro")).await;
    for _ in 0..2 {
        add(stage, NewMemory { scope: MemoryScope::Workspace, ..new("Ships on Fridays") }).await;
    }
    for (text, judgement) in [("Has a cat", Judgement::Wrong), ("Has a dog", Judgement::Outdated)] {
        let memory = add(stage, new(text)).await.id;
        done(stage, Command::JudgeMemory { memory, judgement }).await;
    }
    let memory = add(stage, new("The safe opens with zanzibar")).await.id;
    done(stage, Command::ForgetMemory { memory }).await;
    let folder = folder();
    let tavira = serde_json::to_string(&stating("lives in", "Tavira")).expect("it is plain data");
    import(stage, from(&file(&folder, "a.jsonl", tavira))).await;
    let contested =
        all(stage).await.into_iter().filter(|one| matches!(one.state, MemoryState::Contested(_)));
    assert_eq!(contested.count(), 1);
}

#[tokio::test]
async fn a_file_cannot_make_itself_trusted_pinned_or_right() {
    let stage = stage().open().await;
    let porto = add(&stage, stating("lives in", "Porto")).await;
    let folder = folder();
    let claims = Memory {
        id: MemoryId(uuid::Uuid::from_u128(7)),
        trust: Trust::Person,
        pinned: true,
        importance: 100,
        evidence: 99,
        recalled: 99,
        text: "The user lives in Hell".into(),
        statement: stating("lives in", "Hell").statement,
        ..porto.clone()
    };
    let text = serde_json::to_string(&claims).unwrap();
    let path = file(&folder, "a.jsonl", text);
    let told = import(&stage, from(&path)).await;
    assert_eq!(counts(&told), (1, 0, 1, 0));
    let memory = detail(&stage, claims.id).await.memory;
    assert_eq!((memory.state, memory.trust), (MemoryState::Contested(porto.id), Trust::Untrusted));
    assert_eq!(
        (memory.pinned, memory.importance, memory.evidence, memory.recalled),
        (false, 50, 1, 0)
    );
    assert_eq!(detail(&stage, porto.id).await.memory, porto, "what a person said stands");
    // Nobody has to judge between it and what is gone.
    done(&stage, Command::ForgetMemory { memory: porto.id }).await;
    assert_eq!(detail(&stage, claims.id).await.memory.state, MemoryState::Current);
}

#[tokio::test]
async fn who_vouches_later_is_heard_and_repeating_alone_vouches_for_nothing() {
    let stage = stage().open().await;
    let folder = folder();
    let path = file(&folder, "a.jsonl", "{\"text\":\"Likes tea\",\"trust\":\"person\"}\n");
    for _ in 0..2 {
        import(&stage, from(&path)).await;
    }
    let memory = all(&stage).await.remove(0);
    assert_eq!((memory.trust, memory.evidence, memory.version), (Trust::Untrusted, 1, 1));
    for _ in 0..2 {
        import(&stage, vouched(&path)).await;
    }
    let memory = all(&stage).await.remove(0);
    assert_eq!((memory.trust, memory.version), (Trust::Person, 2));
}

#[tokio::test]
async fn what_was_forgotten_or_corrected_stays_so_when_its_file_comes_again() {
    let stage = stage().open().await;
    let folder = folder();
    let path = file(&folder, "MEMORY.md", "- The safe opens with zanzibar\n- Likes tea\n");
    import(&stage, from(&path)).await;
    let memories = all(&stage).await;
    let (tea, safe) = (memories[0].id, memories[1].id);
    done(&stage, Command::ForgetMemory { memory: safe }).await;
    let patch = MemoryPatch { text: Some("Likes coffee".into()), ..MemoryPatch::default() };
    done(&stage, Command::EditMemory { memory: tea, patch }).await;
    // Elsewhere in the file, too.
    std::fs::write(&path, "- Likes tea\n- Plays chess\n\n- The safe opens with zanzibar\n")
        .unwrap();
    let told = import(&stage, from(&path)).await;
    assert_eq!(counts(&told), (1, 0, 0, 2));
    let texts: Vec<String> = all(&stage).await.into_iter().map(|one| one.text).collect();
    assert_eq!(texts, ["", "Likes coffee", "Plays chess"]);
}

#[tokio::test]
async fn keys_in_a_file_are_not_remembered() {
    let stage = stage().open().await;
    let folder = folder();
    let key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    let path = file(&folder, "MEMORY.md", format!("- The key is {key}\n"));
    import(&stage, from(&path)).await;
    let text = all(&stage).await.remove(0).text;
    assert!(text.starts_with("The key is [redacted") && !text.contains(key), "{text}");
}

/// So many that they take several transactions.
fn many(folder: &TempDir) -> (PathBuf, usize) {
    const MANY: usize = 1_030;
    let lines: String = (0..MANY).map(|n| format!("{{\"text\":\"Fact number {n}\"}}\n")).collect();
    (file(folder, "many.jsonl", lines), MANY)
}

#[tokio::test]
async fn an_import_that_was_killed_goes_on_by_itself_without_loss_or_repetition() {
    let folder = folder();
    let (path, count) = many(&folder);
    let killed = TempDir::new().unwrap();
    let stage = stage().open().await;
    let (data, copy) = (stage.data().to_owned(), killed.path().to_owned());
    let passed = AtomicUsize::new(0);
    // What is on the disk at this moment is what a kill leaves.
    fail::cfg_callback("memories.imported", move || {
        if passed.fetch_add(1, Relaxed) == 2 {
            copy_folder(&data, &copy);
        }
    })
    .unwrap();
    assert_eq!(import(&stage, from(&path)).await.added as usize, count);
    fail::remove("memories.imported");
    let left = killed.path().to_owned();
    let stage = tests::stage().before(move |data| copy_folder(&left, data)).open().await;
    // Nobody asks for it.
    stage.until(async |stage: &Stage| all(stage).await.len() == count).await;
    let told = import(&stage, from(&path)).await;
    assert_eq!((told.added as usize, told.repeated as usize), (0, count));
    let memories = all(&stage).await;
    assert_eq!(memories.len(), count);
    assert!(memories.iter().all(|memory| memory.version == 1 && memory.evidence == 1));
}

#[tokio::test]
async fn a_file_that_is_imported_again_brings_nothing_back_that_has_given_way_in_it() {
    let folder = folder();
    let lives_in = |text: &str, place: &str| {
        let statement =
            format!("{{\"subject\":\"user\",\"attribute\":\"lives in\",\"value\":\"{place}\"}}");
        format!("{{\"text\":\"{text}\",\"statement\":{statement}}}\n")
    };
    let lines = [
        lives_in("The user lives in Porto", "Porto"),
        lives_in("the user lives in PORTO!", "Porto"),
        lives_in("The user lives in Lisbon", "Lisbon"),
    ];
    let path = file(&folder, "homes.jsonl", lines.concat());
    let stage = stage().open().await;
    assert_eq!(counts(&import(&stage, vouched(&path)).await), (2, 1, 0, 0));
    let once = all(&stage).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user lives in Lisbon"]);
    assert_eq!(counts(&import(&stage, vouched(&path)).await), (0, 3, 0, 0));
    assert_eq!(all(&stage).await, once);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_go_on_while_memories_are_taken_in() {
    let folder = folder();
    let (path, count) = many(&folder);
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    // The import is held between two transactions until somebody has answered.
    let (begun, mut reached) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, held) = std::sync::mpsc::channel();
    let held = Mutex::new(Some(held));
    fail::cfg_callback("memories.imported", move || {
        if let Some(held) = held.lock().unwrap().take() {
            begun.send(()).unwrap();
            held.recv().unwrap();
        }
    })
    .unwrap();
    let workspace = stage.workspace.clone();
    let command = from(&path);
    let importing = tokio::spawn(async move {
        let id = domain::RequestId(uuid::Uuid::now_v7());
        workspace.answer(domain::Request { id, call: domain::Call::Command(command) }).await.result
    });
    reached.recv().await.unwrap();
    stage.say(group, "are you there?").await;
    assert_eq!(stage.transcript(group).await, ["you: are you there?", "Ada: yes"]);
    assert!(all(&stage).await.len() < count);
    go_on.send(()).unwrap();
    importing.await.unwrap().unwrap();
    assert_eq!(all(&stage).await.len(), count);
}

#[tokio::test]
async fn an_export_holds_what_was_asked_for_and_never_takes_the_place_of_a_file() {
    let stage = stage().open().await;
    add(&stage, NewMemory { kind: MemoryKind::Skill, ..new("Makes tea") }).await;
    add(&stage, new("Likes tea")).await;
    let folder = folder();
    let path = folder.path().join("a.md");
    let skills = MemoryFilter { kinds: vec![MemoryKind::Skill], ..any() };
    assert_eq!(export(&stage, &path, MemoryFormat::Markdown, skills).await, 1);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\n## Skills\n\n- Makes tea\n  <!-- coterie {"), "{text}");
    assert!(!text.contains("Likes") && !text.contains("## Facts"), "{text}");
    let to = |path: &Path, format| Command::ExportMemories {
        path: path.display().to_string(),
        format,
        filter: any(),
    };
    let fault = refused(&stage, to(&path, MemoryFormat::Jsonl)).await;
    assert_eq!(fault.code, FaultCode::Refused);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let nowhere = folder.path().join("none/a.jsonl");
    let fault = refused(&stage, to(&nowhere, MemoryFormat::Jsonl)).await;
    assert_eq!(fault.code, FaultCode::BadInput);
    let fault = refused(&stage, to(&folder.path().join("b"), MemoryFormat::Claude)).await;
    assert_eq!(fault.fix, "export as jsonl or markdown");
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "nothing half-written stays");
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a copy of a folder");
    for entry in std::fs::read_dir(from).expect("a copy of a folder") {
        let entry = entry.expect("a copy of a folder");
        let target = to.join(entry.file_name());
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            copy_folder(&entry.path(), &target);
        } else if kind.is_file() {
            // The index takes its files away while it is copied.
            match std::fs::copy(entry.path(), target) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                copied => drop(copied.expect("a copy of a folder")),
            }
        }
    }
}

#[tokio::test]
async fn what_another_program_left_in_a_folder_is_looked_through_and_taken_in_at_once() {
    let stage = stage().open().await;
    let folder = folder();
    for inside in ["memory", "skills/tea"] {
        std::fs::create_dir_all(folder.path().join(inside)).expect("a folder");
    }
    file(&folder, "MEMORY.md", "# People\n\n- Ann drinks green tea.\n- Ben plays the oboe.\n");
    file(&folder, "memory/2026-02-03.md", "- The kettle was repaired.\n");
    file(&folder, "SOUL.md", "You are Claw.\n");
    file(&folder, "skills/tea/SKILL.md", "---\nname: tea\n---\n");
    let words = |told: &MemoryImport| {
        let told =
            told.reasons.iter().map(|one| (one.place.to_string(), one.why == LeftOutWhy::OfSkill));
        told.collect::<Vec<_>>()
    };
    let others = [("SOUL.md".to_owned(), false), ("skills/tea/SKILL.md".to_owned(), true)];

    let path = folder.path().display().to_string();
    let look =
        Command::ImportMemories { path, format: None, scope: None, vouched: false, preview: true };
    let would = import(&stage, look).await;
    assert_eq!((would.found, counts(&would)), (3, (3, 0, 0, 2)));
    assert_eq!(words(&would), others);
    assert!(all(&stage).await.is_empty(), "a look changes nothing");

    let told = import(&stage, from(folder.path())).await;
    assert_eq!((told.found, counts(&told), words(&told)), (3, (3, 0, 0, 2), others.to_vec()));
    let texts: Vec<String> = all(&stage).await.into_iter().map(|one| one.text).collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("kettle")), "{texts:?}");
    // Once more adds nothing; a damaged file is named and changes nothing.
    assert_eq!(counts(&import(&stage, from(folder.path())).await), (0, 3, 0, 2));
    file(&folder, "conversations.json", "[\n{\"mapping\":{}},\n");
    let fault = refused(&stage, from(folder.path())).await;
    assert!(fault.message.contains("conversations.json"), "{}", fault.message);
    assert_eq!(all(&stage).await.len(), 3);
}
