//! What an agent is told of itself, the person and the place.

use super::{fits, reads};
use domain::{CheckState, Command, Fault, FaultCode, GroupId, Query, Reply, TurnPolicy};
use serde_json::json;
use std::fmt::Write as _;
use tests::{Stage, speaker, stage};

const SOUL: &str = "---\nname: Mira\nrole: librarian\ntools: [calculator, read_file]\nroots: [books]\nskills: [shelving]\n---\nYou keep the books of a small library, and you like short sentences.\n";

async fn library() -> Stage {
    stage()
        .before(|data| {
            std::fs::create_dir_all(data.join("souls")).expect("the folder can be written");
            std::fs::create_dir_all(data.join("books")).expect("the folder can be written");
            std::fs::write(data.join("souls/mira.md"), SOUL).expect("the folder can be written");
            let skill = "---\nname: shelving\ndescription: Puts books where they belong.\n---\nBy colour.\n";
            std::fs::create_dir_all(data.join("skills/shelving"))
                .expect("the folder can be written");
            std::fs::write(data.join("skills/shelving/SKILL.md"), skill)
                .expect("the folder can be written");
            let profile = "<!-- only mine -->\nI am Lin. I live in Kyoto and like tables.\n";
            std::fs::write(data.join("profile.md"), profile).expect("the folder can be written");
        })
        .open()
        .await
}

async fn mira(stage: &Stage) -> GroupId {
    let (soul, name) = ("mira".to_owned(), Some("Mira".to_owned()));
    stage.do_(Command::NewAgent { soul, name, model: None, parent: None }).await;
    stage.group(&["Mira", "Bo"], TurnPolicy::DefaultResponder).await
}

async fn prompt(stage: &Stage, name: &str, group: GroupId) -> String {
    prompt_with(stage, name, group, None).await.expect("there is one")
}

async fn prompt_with(
    stage: &Stage,
    name: &str,
    group: GroupId,
    soul: Option<&str>,
) -> Result<String, Fault> {
    let (agent, soul) = (stage.agent(name).await.id, soul.map(str::to_owned));
    match stage.query(Query::Prompt { agent, group, soul }).await? {
        Reply::Prompt(prompt) => Ok(prompt.text),
        other => panic!("no prompt: {other:?}"),
    }
}

#[tokio::test]
async fn a_prompt_is_base_soul_person_place_and_tools_and_the_day_stands_with_the_words() {
    let stage = library().await;
    let group = mira(&stage).await;
    stage.say(group, "Which book is open?").await;
    stage.say(group, "And which is lost?").await;
    let request = stage.model.requests().remove(1);
    let data = stage.data().canonicalize().unwrap().display().to_string();
    let system = request.turns[0].content.clone();
    let own = stage.agent("Mira").await.id.to_string();
    insta::assert_snapshot!(
        "whole_prompt",
        system.replace(&data, "[data]").replace(&own, "[mira]")
    );
    let turns: String = request.turns[1..].iter().fold(String::new(), |mut all, turn| {
        let turn = json!({ "role": format!("{:?}", turn.role), "content": turn.content });
        writeln!(all, "{turn}").unwrap();
        all
    });
    insta::assert_snapshot!("turns_of_a_request", turns);
    assert_eq!(speaker(&request), "Mira");
    assert_eq!(prompt(&stage, "Mira", group).await, system, "what is shown is what was sent");
}

#[tokio::test]
async fn a_text_that_is_not_saved_is_seen_as_it_would_be_sent_and_changes_nothing() {
    let stage = library().await;
    let group = mira(&stage).await;
    let saved = prompt(&stage, "Mira", group).await;
    assert_eq!(prompt_with(&stage, "Mira", group, Some(SOUL)).await.unwrap(), saved);
    let text = SOUL
        .replace("name: Mira", "name: Nora")
        .replace("[calculator, read_file]", "[calculator]")
        .replace("short sentences", "long ones");
    let preview = prompt_with(&stage, "Mira", group, Some(&text)).await.unwrap();
    assert!(preview.starts_with("You are Nora, "), "{preview}");
    assert!(preview.contains("you like long ones"), "{preview}");
    assert_eq!(prompt(&stage, "Mira", group).await, saved, "nothing is changed by looking");

    let wrong = SOUL.replace("role: librarian", "temperature: 9");
    let fault = prompt_with(&stage, "Mira", group, Some(&wrong)).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::BadInput);
    assert!(fault.message.contains("line 3, column 14"), "{fault}");

    let base_hash = match stage.query(Query::Soul { soul: "mira".into() }).await {
        Ok(Reply::SoulDetail(detail)) => detail.soul.file_hash,
        other => panic!("no soul: {other:?}"),
    };
    stage.do_(Command::SaveSoul { soul: "mira".into(), text, base_hash }).await;
    assert_eq!(prompt(&stage, "Nora", group).await, preview, "what was seen is what is sent");
}

#[tokio::test]
async fn a_changed_profile_holds_from_the_next_turn_on() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let profile = stage.data().join("profile.md");
    assert!(profile.exists(), "the first start lays it out");
    stage.say(ada, "hello").await;
    std::fs::write(&profile, "I prefer metric units.").unwrap();
    stage.say(ada, "and now?").await;
    std::fs::remove_file(&profile).unwrap();
    stage.say(ada, "and without?").await;
    let said: Vec<bool> = stage
        .model
        .requests()
        .iter()
        .map(|request| request.turns[0].content.contains("I prefer metric units."))
        .collect();
    assert_eq!(said, [false, true, false]);
    assert!(!stage.model.requests()[0].turns[0].content.contains("in their own words"));
}

#[tokio::test]
async fn a_profile_that_is_too_long_is_cut_with_a_mark_and_the_doctor_says_so() {
    let stage = stage().open().await;
    reads(&stage, 4096).await;
    let ada = stage.direct("Ada").await;
    let profile = stage.data().join("profile.md");
    let state = async |stage: &Stage| match stage.query(Query::Doctor).await {
        Ok(Reply::Checks(checks)) => {
            checks.into_iter().find(|check| check.name == "profile").expect("it is looked at").state
        }
        other => panic!("no checks: {other:?}"),
    };
    assert_eq!(state(&stage).await, CheckState::Ok);
    std::fs::write(&profile, "I like lists very much.\n".repeat(2_000)).unwrap();
    stage.say(ada, "hello").await;
    let request = stage.model.requests().remove(0);
    assert!(request.turns[0].content.contains("[cut here: the rest does not fit"));
    assert!(fits(&request, 4096));
    assert_eq!(state(&stage).await, CheckState::Degraded);
    std::fs::write(&profile, b"\xff\xff").unwrap();
    assert_eq!(state(&stage).await, CheckState::Degraded);
}
