//! Souls change while their agents run.

use domain::{
    AgentState, CheckedSoul, Command, FaultCode, Query, Reply, SoulMistake, SoulSource,
    SoulStanding, SoulVersion,
};
use futures::StreamExt;
use llm::ModelRequest;
use llm::scripted::{Beat, Gate, Scripted};
use std::fs;
use std::io::Write;
use std::time::Duration;
use store::table::souls;
use tests::{Stage, stage};

async fn soul(stage: &Stage, name: &str) -> domain::SoulDetail {
    match stage.query(Query::Soul { soul: name.into() }).await {
        Ok(Reply::SoulDetail(detail)) => detail,
        other => panic!("no soul: {other:?}"),
    }
}

/// Saves as careful editors do: a new file, renamed over the old one.
fn save_by_rename(stage: &Stage, name: &str, text: &str) {
    let folder = stage.data().join("souls");
    fs::write(folder.join(".new"), text).expect("the folder can be written");
    fs::rename(folder.join(".new"), folder.join(format!("{name}.md"))).expect("it can be renamed");
}

#[tokio::test]
async fn a_saved_soul_applies_from_the_next_turn_and_the_group_says_so() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    save_by_rename(&stage, "ada", "---\nname: Ada\nrole: Pirate\n---\nYou answer like a pirate.\n");
    stage.until(async |stage: &Stage| stage.agent("Ada").await.role == "Pirate").await;
    stage.say(ada, "hello again").await;

    assert_eq!(stage.transcript(ada).await[2], "<soul_changed>");
    let prompt = stage.model.requests()[1].turns[0].content.clone();
    assert!(prompt.contains("You answer like a pirate."), "{prompt}");
    let detail = soul(&stage, "ada").await;
    assert_eq!((detail.soul.version, detail.versions[0].source), (2, SoulSource::File));
    assert_eq!(stage.runs().await[1].soul_version, 2);
}

#[tokio::test]
async fn a_soul_whose_file_is_deleted_stays_in_force_and_comes_back_with_a_version() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    fs::remove_file(stage.data().join("souls/ada.md")).expect("it was there");
    let is_gone = async |stage: &Stage| soul(stage, "ada").await.soul.file_hash.is_none();
    stage.until(is_gone).await;
    let stage = stage.reopen().await;
    stage.say(ada, "hello").await;
    assert_eq!(stage.runs().await[0].soul_version, 1);
    stage.do_(Command::RollBackSoul { soul: "ada".into(), version: 1 }).await;
    assert!(stage.data().join("souls/ada.md").exists());
    assert_eq!(stage.transcript(ada).await, ["you: hello", "Ada: yes"]);
}

/// As when a later Coterie refuses what an earlier one took, and the file is gone too.
#[tokio::test]
async fn an_agent_whose_soul_is_missing_is_a_plain_one_without_tools_until_it_is_back() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    let tools = |request: &ModelRequest| request.tools.len();
    assert!(stage.model.requests().last().is_some_and(|request| tools(request) > 0));
    let (mut record, text) = (soul(&stage, "ada").await.soul, "---\ntemperature: 9\n---\nAda.\n");
    fs::remove_file(stage.data().join("souls/ada.md")).expect("it was there");
    let stage = stage
        .reopen_changed(move |write| {
            (record.version, record.file_hash) = (2, None);
            let (soul, hash) = ("ada".to_owned(), "2".repeat(64));
            let text = text.to_owned();
            let (source, at_ms) = (SoulSource::File, 1);
            let version = SoulVersion { soul, version: 2, hash, text, source, at_ms };
            souls::add_version(write, &version)?;
            souls::put(write, &record)
        })
        .await;
    assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some("<soul_missing>"));
    stage.say(ada, "who are you?").await;
    let request = stage.model.requests().pop().unwrap();
    assert!(request.turns[0].content.contains("You are Ada. Nobody has said yet who you are"));
    assert_eq!((tools(&request), stage.runs().await[1].soul_version), (0, 0));
    // It is said once, not at every start.
    let stage = stage.reopen().await;
    let said = |transcript: Vec<String>, what: &str| {
        transcript.iter().filter(|line| line.as_str() == what).count()
    };
    assert_eq!(said(stage.transcript(ada).await, "<soul_missing>"), 1);
    save_by_rename(&stage, "ada", "---\nname: Ada\nrole: Pirate\n---\nYou say arr.\n");
    stage.until(async |stage: &Stage| stage.agent("Ada").await.role == "Pirate").await;
    stage.say(ada, "and now?").await;
    let request = stage.model.requests().pop().unwrap();
    assert!(request.turns[0].content.contains("You say arr.") && tools(&request) > 0);
    assert_eq!(said(stage.transcript(ada).await, "<soul_changed>"), 1);
}

/// Some editors write a file piece by piece, with a pause after each.
#[tokio::test]
async fn a_soul_that_is_written_in_pieces_comes_into_force_once() {
    let stage = stage().open().await;
    let text = format!("---\nname: Ada\nrole: Pirate\n---\n{}", "You say arr.\n".repeat(40));
    let file = stage.data().join("souls/ada.md");
    std::thread::spawn(move || {
        let mut file = fs::File::create(file).expect("the folder can be written");
        for piece in text.as_bytes().chunks(20) {
            file.write_all(piece).expect("the disk has room");
            std::thread::sleep(Duration::from_millis(8));
        }
    });
    stage.until(async |stage: &Stage| stage.agent("Ada").await.soul_version > 1).await;
    let detail = soul(&stage, "ada").await;
    assert_eq!(detail.versions.len(), 2);
    assert_eq!(detail.text.matches("arr").count(), 40);
}

/// Whoever is in the middle of an answer ends it as who they were.
#[tokio::test]
async fn a_soul_saved_while_its_agent_writes_leaves_the_answer_alone_and_shapes_the_next() {
    let gate = Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |_, nth| match nth {
        1 => vec![
            Beat::Text("I dig ".into()),
            Beat::Gate(held.clone()),
            Beat::Text("and I dig.".into()),
        ],
        _ => vec![Beat::Text("Arr.".into())],
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "please dig").await;
    gate.arrived(1).await;
    save_by_rename(&stage, "ada", "---\nname: Ada\nrole: Pirate\n---\nYou answer like a pirate.\n");
    stage.until(async |stage: &Stage| stage.transcript(ada).await.len() == 2).await;
    assert_eq!(stage.transcript(ada).await, ["you: please dig", "<soul_changed>"]);
    assert_eq!(stage.agent("Ada").await.state, AgentState::Running);
    gate.open();
    stage.quiet().await;
    stage.say(ada, "and now?").await;

    assert_eq!(
        stage.transcript(ada).await,
        [
            "you: please dig",
            "<soul_changed>",
            "Ada: I dig and I dig.",
            "you: and now?",
            "Ada: Arr."
        ]
    );
    let pirate = |request: &ModelRequest| request.turns[0].content.contains("like a pirate");
    assert_eq!(stage.model.requests().iter().map(pirate).collect::<Vec<_>>(), [false, true]);
    let versions: Vec<_> = stage.runs().await.iter().map(|run| run.soul_version).collect();
    assert_eq!(versions, [1, 2]);
}

#[tokio::test]
async fn a_broken_soul_changes_nothing_but_says_where_it_is_broken() {
    let stage = stage().open().await;
    save_by_rename(
        &stage,
        "ada",
        "---\nname: Ada\ntemperature: 9\n---\nYou answer like a pirate.\n",
    );
    stage.until(async |stage: &Stage| soul(stage, "ada").await.soul.problem.is_some()).await;
    let detail = soul(&stage, "ada").await;
    let problem = detail.soul.problem.expect("just seen");
    assert_eq!((problem.line, problem.column), (3, 14), "{}", problem.message);
    assert_eq!(detail.soul.version, 1);
    assert!(detail.text.contains("pirate"), "nothing that was typed is lost");

    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert!(!stage.model.requests()[0].turns[0].content.contains("pirate"));

    save_by_rename(
        &stage,
        "ada",
        "---\nname: Ada\ntemperature: 0.9\n---\nYou answer like a pirate.\n",
    );
    stage.until(async |stage: &Stage| soul(stage, "ada").await.soul.version == 2).await;
    assert_eq!(soul(&stage, "ada").await.soul.problem, None);
}

#[tokio::test]
async fn the_editor_does_not_overwrite_what_another_program_saved() {
    let stage = stage().open().await;
    let before = soul(&stage, "bo").await;
    save_by_rename(&stage, "bo", "Theirs.\n");
    let save = Command::SaveSoul {
        soul: "bo".into(),
        text: "Mine.\n".into(),
        base_hash: before.soul.file_hash,
    };
    assert_eq!(stage.command(save).await.unwrap_err().code, FaultCode::Conflict);
    assert_eq!(fs::read_to_string(stage.data().join("souls/bo.md")).unwrap(), "Theirs.\n");
}

#[tokio::test]
async fn an_earlier_version_can_be_brought_back() {
    let stage = stage().open().await;
    let first = soul(&stage, "bo").await;
    let save = Command::SaveSoul {
        soul: "bo".into(),
        text: "You are brief.\n".into(),
        base_hash: first.soul.file_hash,
    };
    stage.do_(save).await;
    assert_eq!(soul(&stage, "bo").await.versions[0].source, SoulSource::Editor);
    stage.do_(Command::RollBackSoul { soul: "bo".into(), version: 1 }).await;
    let last = soul(&stage, "bo").await;
    assert_eq!((last.soul.version, last.versions[0].source), (3, SoulSource::Rollback));
    assert_eq!(last.text, first.text);
}

#[tokio::test]
async fn a_soul_that_was_edited_while_nobody_ran_is_in_force_at_the_start() {
    let stage = stage().open().await;
    let path = stage.data().join("souls/otto.md");
    stage.workspace.close().await;
    fs::write(&path, "---\nname: Otto\nrole: Gardener\n---\nYou know plants.\n").unwrap();
    let stage = stage.reopen().await;
    assert_eq!(stage.agent("Otto").await.role, "Gardener");
}

#[tokio::test]
async fn events_tell_of_a_new_soul_before_the_next_turn() {
    let stage = stage().open().await;
    let mut events = stage.events();
    save_by_rename(&stage, "ines", "---\nname: Ines\n---\nYou count.\n");
    loop {
        let domain::FromOwner::Event(event) = events.next().await.expect("the workspace is open")
        else {
            continue;
        };
        if let domain::Update::Saved { record: domain::Record::Soul(soul) } = event.update {
            assert_eq!((soul.name.as_str(), soul.version), ("ines", 2));
            return;
        }
    }
}

/// macOS hands out names with each accent as a character of its own.
#[tokio::test]
async fn a_soul_is_the_same_in_whichever_form_its_files_name_is() {
    let decomposed = "Jose\u{301}.md";
    let stage = stage()
        .before(move |data| {
            fs::create_dir_all(data.join("souls")).expect("the folder can be made");
            fs::write(data.join("souls").join(decomposed), "You are brief.\n").expect("it can");
            fs::write(data.join("souls/हिन्दी.md"), "You know Hindi.\n").expect("it can");
        })
        .open()
        .await;
    for soul in ["José", "हिन्दी"] {
        let new = Command::NewAgent { soul: soul.into(), name: None, model: None, parent: None };
        stage.do_(new).await;
        assert_eq!(stage.agent(soul).await.soul, soul);
    }
    let before = soul(&stage, "José").await;
    assert_eq!(before.text, "You are brief.\n");
    let save = Command::SaveSoul {
        soul: "José".into(),
        text: "You are long.\n".into(),
        base_hash: before.soul.file_hash,
    };
    stage.do_(save).await;
    let file = stage.data().join("souls").join(decomposed);
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "You are long.\n");
    assert!(!stage.data().join("souls/José.md").exists());
    assert_eq!(stage.agent("José").await.soul_version, 2);

    fs::rename(&file, stage.data().join("souls/José.md")).expect("it can be renamed");
    let composed = stage.data().join("souls/José.md").display().to_string();
    stage.until(async |stage: &Stage| soul(stage, "José").await.soul.path == composed).await;
    let after = soul(&stage, "José").await;
    assert_eq!((after.soul.version, after.soul.problem), (2, None));
    let stage = stage.reopen().await;
    assert_eq!(soul(&stage, "José").await.soul.path, composed);
}

#[tokio::test]
async fn a_file_whose_name_differs_in_capitals_only_takes_nothing_from_the_soul() {
    let stage = stage().open().await;
    let first = soul(&stage, "ada").await;
    save_by_rename(&stage, "Ada", "---\nname: Eve\n---\nYou are somebody else.\n");
    stage
        .until(async |stage: &Stage| {
            stage.overview().await.souls.iter().any(|soul| soul.name == "Ada")
        })
        .await;

    let other = soul(&stage, "Ada").await;
    let problem = other.soul.problem.expect("it does not count");
    assert!(problem.message.starts_with("ada.md has the same name"), "{}", problem.message);
    assert_eq!((other.soul.version, other.soul.file_hash), (0, None));
    assert!(other.text.contains("somebody else"), "each is shown with its own text");
    assert_eq!(soul(&stage, "ada").await, first);
    let new = Command::NewAgent { soul: "Ada".into(), name: None, model: None, parent: None };
    let fault = stage.command(new).await.expect_err("nobody can be made of it");
    assert!(fault.message.contains("Ada.md: ada.md has the same name"), "{fault}");
    let save = Command::SaveSoul { soul: "Ada".into(), text: "You are.\n".into(), base_hash: None };
    let fault = stage.command(save).await.expect_err("nothing can be saved to it");
    assert!(fault.message.contains("Ada.md: ada.md has the same name"), "{fault}");

    // The one that is left is the soul's, whatever its letters.
    fs::remove_file(stage.data().join("souls/ada.md")).expect("it can be removed");
    stage.until(async |stage: &Stage| soul(stage, "ada").await.soul.version == 2).await;
    let left = soul(&stage, "ada").await;
    assert!(left.soul.path.ends_with("Ada.md") && left.text.contains("somebody else"));
    assert_eq!(stage.agent("Eve").await.soul, "ada");
    let names: Vec<_> = stage.overview().await.souls.into_iter().map(|soul| soul.name).collect();
    assert!(!names.contains(&"Ada".to_owned()), "{names:?}");
}

#[tokio::test]
async fn a_soul_with_the_longest_name_is_saved_and_brought_back() {
    let stage = stage().open().await;
    let name = "𠮷".repeat(60);
    let save = |text: &str, base_hash: Option<String>| Command::SaveSoul {
        soul: name.clone(),
        text: text.into(),
        base_hash,
    };
    stage.do_(save("One.\n", None)).await;
    stage.do_(save("Two.\n", soul(&stage, &name).await.soul.file_hash)).await;
    stage.do_(Command::RollBackSoul { soul: name.clone(), version: 1 }).await;
    assert_eq!(soul(&stage, &name).await.text, "One.\n");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_soul_that_is_written_to_through_another_folder_comes_into_force() {
    let stage = stage().open().await;
    let elsewhere = stage.data().join("elsewhere.md");
    fs::hard_link(stage.data().join("souls/ada.md"), &elsewhere).expect("it can be linked");
    fs::write(&elsewhere, "---\nname: Ada\nrole: Pirate\n---\nYou say arr.\n").expect("it can");
    stage.until(async |stage: &Stage| stage.agent("Ada").await.role == "Pirate").await;
}

const PERSONA: &str = "You are Mara. You look after gardens and the people in them, and you say \
                       plainly what will not grow there.";

async fn draft(stage: &Stage) -> domain::SoulDraft {
    let sentence = "A gardener who says what will not grow.".to_owned();
    match stage.do_(Command::DraftSoul { name: "Mara".into(), sentence }).await {
        Reply::SoulDraft(draft) => *draft,
        other => panic!("no draft: {other:?}"),
    }
}

#[tokio::test]
async fn a_soul_is_written_out_of_a_name_and_a_sentence_and_saved_by_nobody_else() {
    let model = Scripted::from_fn(|_, _| {
        vec![Beat::Text(format!("---\ntools: [\"*\"]\n---\nRole: Gardener\n\n{PERSONA}"))]
    });
    let stage = stage().model(model).open().await;
    let draft = draft(&stage).await;
    let by = draft.by.expect("an agent wrote it");
    assert!(stage.everybody().await.iter().any(|agent| agent.id == by));
    let expected = format!(
        "---\nname: \"Mara\"\nrole: \"Gardener\"\navatar: \"Mara\"\nmodel: default\n---\n{PERSONA}\n"
    );
    assert_eq!(draft.text, expected);
    let told = stage.model.requests().pop().expect("it was asked");
    assert!(told.turns.iter().any(|turn| turn.content.contains("what will not grow.")));
    assert!(!stage.data().join("souls/mara.md").exists());
}

#[tokio::test]
async fn where_nobody_can_write_a_soul_the_sentence_stands_in_it() {
    let stage = stage().model(Scripted::saying("No.")).open().await;
    let draft = draft(&stage).await;
    assert_eq!(draft.by, None);
    let why = draft.why_not.expect("somebody was asked").message;
    assert!(why.ends_with("wrote is no persona"), "{why}");
    let said = "You are Mara.\n\nA gardener who says what will not grow.\n";
    assert!(draft.text.contains(said), "{}", draft.text);
    let text = draft.text;
    let save = Command::SaveSoul { soul: "mara".into(), text, base_hash: None };
    stage.do_(save).await;
    assert_eq!(soul(&stage, "mara").await.soul.version, 1);
}

async fn checked(stage: &Stage, text: &str) -> CheckedSoul {
    match stage.query(Query::CheckSoul { soul: "ada".into(), text: text.into() }).await {
        Ok(Reply::SoulChecked(checked)) => checked,
        other => panic!("not checked: {other:?}"),
    }
}

#[tokio::test]
async fn what_a_soul_names_in_vain_is_told_before_it_is_saved_and_until_it_is_there() {
    let stage = stage().open().await;
    let text =
        "---\nname: Ada\ntools: [calculater, delegate]\ndelegates: [otto, mia]\n---\nYou help.\n";
    let told = checked(&stage, text).await;
    assert_eq!(told.errors, []);
    let kinds: Vec<(u32, Option<SoulMistake>)> =
        told.warnings.iter().map(|one| (one.line, one.kind.as_deref().cloned())).collect();
    let tool =
        SoulMistake::ToolMissing { name: "calculater".into(), close: Some("calculator".into()) };
    let soul_missing = SoulMistake::DelegateMissing { name: "mia".into(), close: None };
    assert_eq!(kinds, [(3, Some(tool)), (4, Some(soul_missing))]);

    save_by_rename(&stage, "ada", text);
    let warnings = async |stage: &Stage| soul(stage, "ada").await.soul.warnings.len();
    stage.until(async |stage: &Stage| warnings(stage).await == 2).await;
    save_by_rename(&stage, "mia", "---\nname: Mia\n---\nYou are Mia.\n");
    stage.until(async |stage: &Stage| warnings(stage).await == 1).await;
}

#[tokio::test]
async fn a_soul_that_is_renamed_keeps_its_agent_its_versions_and_what_it_says() {
    let stage = stage().open().await;
    save_by_rename(&stage, "ada", "---\nname: Ada\nrole: Pirate\n---\nYou say arr.\n");
    stage.until(async |stage: &Stage| stage.agent("Ada").await.role == "Pirate").await;
    let taken = Command::RenameSoul { soul: "ada".into(), to: "Bo".into() };
    let fault = stage.command(taken).await.expect_err("there is a bo");
    assert_eq!(fault.code, FaultCode::Refused, "{fault}");
    stage.do_(Command::RenameSoul { soul: "ada".into(), to: "captain".into() }).await;
    let file = |name: &str| stage.data().join("souls").join(name);
    assert!(file("captain.md").exists() && !file("ada.md").exists());
    let stage = stage.reopen().await;
    let agent = stage.agent("Ada").await;
    assert_eq!((agent.soul.as_str(), agent.soul_version), ("captain", 2));
    let detail = soul(&stage, "captain").await;
    assert_eq!((detail.soul.version, detail.versions.len()), (2, 2));
    assert!(!stage.overview().await.souls.iter().any(|soul| soul.name == "ada"));
    let direct = stage.direct("Ada").await;
    stage.say(direct, "hello").await;
    let prompt = stage.model.requests().pop().expect("asked").turns[0].content.clone();
    assert!(prompt.contains("You say arr."), "{prompt}");
}

#[tokio::test]
async fn a_soul_is_deleted_only_where_nobody_lives_by_it_and_comes_back_as_it_was() {
    let stage = stage().open().await;
    let delete = || Command::DeleteSoul { soul: "ada".into() };
    let fault = stage.command(delete()).await.expect_err("Ada lives by it");
    assert_eq!(fault.message, "delete soul ada: Ada lives by it");
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::TerminateAgent { agent }).await;
    stage.do_(delete()).await;
    let kept = stage.data().join("souls/deleted/ada.md");
    assert!(kept.exists() && !stage.data().join("souls/ada.md").exists());
    let new = || Command::NewAgent { soul: "ada".into(), name: None, model: None, parent: None };
    assert_eq!(stage.command(new()).await.expect_err("it is gone").code, FaultCode::NotFound);

    let stage = stage.reopen().await;
    let detail = soul(&stage, "ada").await;
    assert_eq!(detail.soul.standing(), SoulStanding::Deleted);
    assert_eq!(detail.versions.len(), 1);
    assert!(detail.text.contains("name: Ada"), "its last version can be read");
    assert_eq!(stage.command(new()).await.expect_err("it is gone").code, FaultCode::NotFound);
    stage.do_(Command::BringBackSoul { soul: "ada".into() }).await;
    assert!(!stage.data().join("souls/deleted/ada.md").exists());
    assert_eq!(soul(&stage, "ada").await.soul.standing(), SoulStanding::InForce);
    stage.do_(new()).await;
}
