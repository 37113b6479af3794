//! Each mistake gets one clear sentence with the fix, and nothing is lost.

use domain::{
    CheckState, Command, Fault, FaultCode, FaultKind, GroupId, GroupPatch, ModelInfo, ModelRole,
    Query, Reply, TurnPolicy,
};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use store::Store;
use tests::stage;
use uuid::Uuid;
use workspace::{Parts, Places};

/// With nothing that ships.
fn places(data: &Path) -> Places {
    Places::bare(data.to_owned())
}

#[tokio::test]
async fn messages_that_cannot_be_posted() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let post = |group, text: String| Command::Post {
        group,
        text,
        reply_to: None,
        attachments: Vec::new(),
    };
    for (command, code, words) in [
        (post(ada, "  \n".into()), FaultCode::BadInput, "empty"),
        (post(ada, "\u{200B}\u{FEFF}\u{00A0}\u{3164}".into()), FaultCode::BadInput, "empty"),
        (post(ada, "x".repeat(33_000)), FaultCode::BadInput, "33000 characters; 32000 is the most"),
        (post(GroupId(Uuid::nil()), "hello".into()), FaultCode::NotFound, "group"),
    ] {
        let fault = stage.command(command).await.unwrap_err();
        assert_eq!(fault.code, code);
        assert!(fault.message.contains(words) && !fault.fix.is_empty(), "{fault}");
    }
    assert!(stage.transcript(ada).await.is_empty());
    let family = "👩\u{200D}👧";
    stage.command(post(ada, family.into())).await.expect("that can be seen");
}

#[tokio::test]
async fn a_name_that_nobody_can_see_is_none() {
    let stage = stage().open().await;
    let members = stage.ids(&["Ada"]).await;
    let group = Command::NewGroup { name: Some("\u{200B}".into()), members, policy: None };
    let agent = Command::NewAgent {
        soul: "ada".into(),
        name: Some("\u{2060}".into()),
        model: None,
        parent: None,
    };
    for command in [group, agent] {
        assert_eq!(stage.command(command).await.unwrap_err().code, FaultCode::BadInput);
    }
}

#[tokio::test]
async fn things_that_are_not_there() {
    let stage = stage().open().await;
    let new = Command::NewAgent { soul: "nobody".into(), name: None, model: None, parent: None };
    let fault = stage.command(new).await.unwrap_err();
    assert_eq!(
        (fault.code, fault.message.as_str()),
        (FaultCode::NotFound, "there is no soul called nobody")
    );
    let fault = stage.query(Query::Soul { soul: "nobody".into() }).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::NotFound);
    let wrong = Command::UseModel { role: ModelRole::Default, model: "nowhere/model".into() };
    let fault = stage.command(wrong).await.unwrap_err();
    assert_eq!(
        (fault.code, fault.message.as_str()),
        (FaultCode::NotFound, "there is no provider called nowhere")
    );
    let empty =
        Command::NewGroup { name: None, members: Vec::new(), policy: Some(TurnPolicy::Mention) };
    assert_eq!(stage.command(empty).await.unwrap_err().code, FaultCode::BadInput);
}

// Seen in claude-code#53821, claude-code#49876, prime-agent#1785.
#[tokio::test]
async fn a_corrupt_database_is_named_and_left_alone() {
    let fault = stage()
        .before(|data| {
            fs::write(data.join("coterie.db"), b"this is no database at all, but it is long enough")
                .unwrap()
        })
        .try_open()
        .await
        .err()
        .expect("it does not open");
    assert_eq!(fault.code, FaultCode::Storage);
    assert!(fault.message.contains("damaged") && fault.message.contains("coterie.db"), "{fault}");
    assert!(fault.fix.contains("backups"), "{fault}");
    assert!(matches!(fault.kind.as_deref(), Some(FaultKind::DatabaseDamaged { .. })), "{fault:?}");
}

#[tokio::test]
async fn a_folder_in_the_place_of_the_database_is_said_to_be_one() {
    let fault = stage()
        .before(|data| fs::create_dir(data.join("coterie.db")).unwrap())
        .try_open()
        .await
        .err()
        .expect("it does not open");
    assert_eq!(fault.code, FaultCode::Storage);
    assert!(fault.message.ends_with("where the database has to be, is a folder"), "{fault}");
    assert!(fault.fix.starts_with("move it away"), "{fault}");
}

#[tokio::test]
async fn a_corrupt_database_keeps_the_log_beside_it() {
    let writing = stage().open().await;
    let ada = writing.direct("Ada").await;
    for n in 0..40 {
        writing.post(ada, &format!("{n} {}", "words ".repeat(1000))).await;
    }
    // As a kill leaves them: some of it in the file, the newest in its log.
    let read = |name: &str| fs::read(writing.data().join(name)).unwrap();
    Store::open(&writing.data().join("coterie.db"), |_| {}).unwrap().0.tidy_up().unwrap();
    writing.post(ada, "only in the log").await;
    let (mut database, log) = (read("coterie.db"), read("coterie.db-wal"));
    assert!(database.len() > 64 * 1024 && !log.is_empty());
    let middle = database.len() / 2;
    database[middle..middle + 16 * 1024].fill(0x5a);

    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("coterie.db"), &database).unwrap();
    fs::write(file("coterie.db-wal"), &log).unwrap();
    let places = places(folder.path());
    let parts = Parts::real(&places, Arc::new(|_| None));
    let fault = workspace::open(places, parts, 1).await.err().expect("it does not open");
    assert!(fault.message.contains("damaged"), "{fault}");
    assert!(fs::read(file("coterie.db")).unwrap() == database, "the database was changed");
    assert!(fs::read(file("coterie.db-wal")).unwrap() == log, "its log was changed");
}

#[tokio::test]
async fn two_live_groups_never_share_a_name() {
    let stage = stage().open().await;
    let members = stage.ids(&["Ada", "Bo"]).await;
    let new = |name: Option<&str>| Command::NewGroup {
        name: name.map(str::to_owned),
        members: members.clone(),
        policy: None,
    };
    let made = async |name| match stage.command(new(name)).await? {
        Reply::Group(view) => Ok(view.group),
        other => panic!("no group: {other:?}"),
    };
    let edit = async |group, patch| stage.command(Command::EditGroup { group, patch }).await;
    let rename = |name: &str| GroupPatch { name: Some(name.to_owned()), ..GroupPatch::default() };
    let archive = |archived| GroupPatch { archived: Some(archived), ..GroupPatch::default() };

    let tea = made(Some("Tea")).await.unwrap().id;
    let coffee = made(Some("Coffee")).await.unwrap().id;
    let taken: Fault = made(Some(" tea ")).await.unwrap_err();
    assert_eq!(taken.code, FaultCode::Conflict);
    assert_eq!(taken.message, "there is a group called \"tea\" already");
    assert_eq!(edit(coffee, rename("TEA")).await.unwrap_err().code, FaultCode::Conflict);
    edit(coffee, rename("coffee")).await.expect("its own name is its own");

    edit(tea, archive(true)).await.unwrap();
    edit(coffee, rename("Tea")).await.expect("an archived group gives its name up");
    assert_eq!(edit(tea, archive(false)).await.unwrap_err().code, FaultCode::Conflict);
    let back = GroupPatch { archived: Some(false), ..rename("Old tea") };
    edit(tea, back).await.expect("under another name it comes back");

    let names = [made(None).await.unwrap().name, made(None).await.unwrap().name];
    assert_eq!(names, ["Ada, Bo", "Ada, Bo (2)"]);
    let alone = Command::NewGroup {
        name: None,
        members: stage.ids(&["Ada"]).await,
        policy: Some(TurnPolicy::Mention),
    };
    let Reply::Group(alone) = stage.do_(alone).await else { panic!("no group") };
    assert_eq!(alone.group.name, "Ada (2)", "by her name her direct chat is meant");
}

#[tokio::test]
async fn a_group_and_an_agent_never_share_a_name_in_any_letters() {
    let stage = stage().open().await;
    let members = stage.ids(&["Ada", "Bo"]).await;
    let new_group = |name: &str| Command::NewGroup {
        name: Some(name.to_owned()),
        members: members.clone(),
        policy: None,
    };
    let new_agent = |name: &str| Command::NewAgent {
        soul: "ada".into(),
        name: Some(name.to_owned()),
        model: None,
        parent: None,
    };
    let refused = async |command: Command| {
        let fault = stage.command(command).await.expect_err("the name is taken");
        assert_eq!(fault.code, FaultCode::Conflict, "{fault}");
        assert!(fault.fix.starts_with("choose another name"), "{fault}");
        *fault.kind.expect("the window can say it")
    };
    let of_agent = |name: &str| FaultKind::GroupNameOfAgent { name: name.to_owned() };
    let of_group = |name: &str| FaultKind::AgentNameOfGroup { name: name.to_owned() };

    stage.do_(new_agent("Zoé")).await;
    for name in ["Ada", " ada ", "ZOÉ", "zoe\u{301}", "林夏"] {
        assert_eq!(refused(new_group(name)).await, of_agent(name.trim()));
    }
    let Reply::Group(tea) = stage.do_(new_group("Thé")).await else { panic!("no group") };
    let rename = |name: &str| Command::EditGroup {
        group: tea.group.id,
        patch: GroupPatch { name: Some(name.to_owned()), ..GroupPatch::default() },
    };
    assert_eq!(refused(rename("ADA")).await, of_agent("ADA"));
    for name in ["Thé", "THE\u{301}"] {
        assert_eq!(refused(new_agent(name)).await, of_group(name));
    }
    let twice = refused(new_agent("ZOE\u{301}")).await;
    assert_eq!(twice, FaultKind::AgentNameTaken { name: "ZOE\u{301}".into() });

    // The soul gives a name too: whoever is made of it is numbered, and who is there keeps its own.
    let soul = stage.data().join("souls/ada.md");
    fs::write(&soul, "---\nname: thé\nrole: Host\n---\nYou pour tea.\n").unwrap();
    stage.until(async |stage: &tests::Stage| stage.agent("Ada").await.role == "Host").await;
    let unnamed = Command::NewAgent { soul: "ada".into(), name: None, model: None, parent: None };
    let Reply::Agent(made) = stage.do_(unnamed).await else { panic!("no agent") };
    assert_eq!(made.name, "thé2");

    // An archived group gives its name up, and comes back only under another one.
    let archive = |archived| Command::EditGroup {
        group: tea.group.id,
        patch: GroupPatch { archived: Some(archived), ..GroupPatch::default() },
    };
    stage.do_(archive(true)).await;
    stage.do_(new_agent("Thé")).await;
    assert_eq!(refused(archive(false)).await, of_agent("Thé"));
}

#[tokio::test]
async fn an_agent_is_not_made_for_a_model_that_nobody_has() {
    let stage = stage().open().await;
    let ada = stage.agent("Ada").await.id;
    let new = |model: &str| Command::NewAgent {
        soul: "ada".into(),
        name: None,
        model: Some(model.to_owned()),
        parent: None,
    };
    let set = |model: &str| Command::SetAgentModel { agent: ada, model: Some(model.to_owned()) };
    for wrong in ["nope", "/nope", "scripted/", "scripted/a b"] {
        for command in [new(wrong), set(wrong)] {
            let fault = stage.command(command).await.expect_err(wrong);
            assert_eq!(fault.code, FaultCode::BadInput, "{fault}");
            assert_eq!(fault.message, format!("{wrong:?} is no model"));
            assert!(fault.fix.contains("local/SmolLM2-135M-Instruct.Q4_1"), "{fault}");
            assert!(matches!(fault.kind.as_deref(), Some(FaultKind::ModelUnfit { .. })));
        }
    }
    let fault = stage.command(set("acme/big")).await.unwrap_err();
    assert_eq!(fault.message, "there is no provider called acme");
    // A server may call its models by words, or by paths.
    let path = "/srv/My Models/qwen 3.gguf";
    let mut test = stage
        .overview()
        .await
        .providers
        .into_iter()
        .find(|one| one.name == "test")
        .expect("is there");
    test.models.push(ModelInfo::new(path, None));
    stage.do_(Command::save_provider(test)).await;
    stage.do_(set(&format!("test/{path}"))).await;
    assert_eq!(stage.agent("Ada").await.model, Some(format!("test/{path}")));
    for right in ["default", "fast", "reasoning", "test/whatever-it-has", " "] {
        stage.do_(set(right)).await;
        stage.do_(new(right)).await;
    }
    assert_eq!(stage.agent("Ada").await.model, None, "blanks name nothing");
}

#[tokio::test]
async fn a_name_with_a_comma_or_of_somebody_else_is_refused() {
    let stage = stage().open().await;
    for name in ["a,b", "You", "ｕｓｅｒ", "SYSTEM", "你"] {
        let new = Command::NewAgent {
            soul: "ada".into(),
            name: Some(name.into()),
            model: None,
            parent: None,
        };
        let fault = stage.command(new).await.unwrap_err();
        assert_eq!(fault.message, format!("{name:?} cannot be a name"));
        assert!(fault.fix.contains("without spaces, commas and @"), "{fault}");
    }
}

// Seen in claude-code#53821, claude-code#49876, prime-agent#1785.
#[tokio::test]
async fn an_emptied_database_is_not_taken_for_a_new_workspace() {
    let used = stage().open().await;
    used.workspace.close().await;
    let path = used.data().join("coterie.db");
    fs::write(&path, b"").unwrap();
    for beside in ["coterie.db-wal", "coterie.db-shm"] {
        let _ = fs::remove_file(used.data().join(beside));
    }
    let places = places(used.data());
    let parts = Parts::real(&places, Arc::new(|_| None));
    let fault = workspace::open(places, parts, 2).await.err().expect("it does not open");
    let Some(FaultKind::DatabaseEmptied { .. }) = fault.kind.as_deref() else {
        panic!("the window could not say which: {fault:?}")
    };
    assert!(fault.fix.contains("backups/"), "{fault}");
    assert_eq!(fs::metadata(&path).unwrap().len(), 0, "it was written to");
}

#[tokio::test]
async fn the_doctor_finds_out_that_the_data_directory_takes_nothing() {
    let stage = stage().open().await;
    let look = async || match stage.query(Query::Doctor).await.unwrap() {
        Reply::Checks(checks) => {
            checks.into_iter().find(|check| check.name == "data directory").expect("it looks")
        }
        other => panic!("no checks: {other:?}"),
    };
    let check = look().await;
    assert_eq!((check.state, check.detail), (CheckState::Ok, stage.data().display().to_string()));
    // Nothing can be written where a folder stands.
    fs::create_dir(stage.data().join(".writable")).unwrap();
    let check = look().await;
    assert_eq!(check.state, CheckState::Broken);
    assert!(check.detail.contains("cannot be used") && check.fix.contains("--data"), "{check:?}");
}

#[tokio::test]
async fn a_database_from_a_newer_coterie_is_not_touched() {
    let opened = stage().open().await;
    let path = opened.data().join("coterie.db");
    opened.workspace.close().await;
    let copy = fs::read(&path).unwrap();
    drop(opened);
    let fault = stage()
        .before(move |data| {
            let mut bytes = copy;
            // `user_version` of SQLite's file header.
            bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
            fs::write(data.join("coterie.db"), bytes).unwrap();
        })
        .try_open()
        .await
        .err()
        .expect("it does not open");
    assert!(fault.message.contains("newer Coterie"), "{fault}");
    let Some(FaultKind::DatabaseNewer { found: 99, known, .. }) = fault.kind.as_deref() else {
        panic!("the window could not say which: {fault:?}")
    };
    assert!(*known < 99);
}

#[tokio::test]
async fn a_data_directory_that_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    fs::write(&file, b"").unwrap();
    let places = places(&file);
    let parts = Parts::real(&places, Arc::new(|_| None));
    let fault = workspace::open(places, parts, 1).await.err().expect("it does not open");
    assert_eq!(fault.code, FaultCode::Storage);
    assert!(
        fault.message.contains(&file.display().to_string()) && fault.fix.contains("--data"),
        "{fault}"
    );
}
